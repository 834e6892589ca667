#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""splats.py WHO PATTERNS [KNOWN...]: prints the complaints in a kernel log.

A complaint begins with each line that matches an expression of the file
PATTERNS, and takes what follows with it, up to 60 lines. Those in which a line
matches an expression of a file KNOWN are dropped. So are those of KCSAN about
code that is not ours: other modules of 6.12 have many races that nobody minds.
"""

import re
import sys

MOST = 60
# What of the kernel's library accesses memory for whoever has called it
HELPERS = re.compile(r"_*(mem(cpy|move|set|cmp)|str|copy_|list_|llist_|rb_|find_\w*bit|sg_|xdr_)")
FRAME = re.compile(r"([\w.]+)\+0x[0-9a-f]+/0x[0-9a-f]+(?: \[(\w+)\])?$")


def read_expressions(paths):
    """Returns the expressions in files that have one a line, and comments."""
    lines = (x.strip() for path in paths for x in open(path, encoding="utf-8"))
    return [re.compile(x) for x in lines if x and not x.startswith("#")]


def matches(expressions, line):
    """Whether one of them is in the line."""
    return any(e.search(line) for e in expressions)


def complaints(lines, patterns):
    """Yields each complaint as a list of lines."""
    report = []
    for line in lines:
        if matches(patterns, line):
            if report:
                yield report
            report = [line]
        elif report and len(report) < MOST:
            report.append(line)
    if report:
        yield report


def owner(stack):
    """Returns the module whose code makes an access; None if it is built in."""
    for line in stack:
        frame = FRAME.search(line.rstrip())
        if frame and (frame[2] or not HELPERS.match(frame[1])):
            return frame[2]
    return None


def elsewhere(report):
    """Whether KCSAN speaks of accesses none of which is of our module.

    Who has called the function that races does not matter: from ours a Send goes
    down to a driver, which may have races of its own.
    """
    if "BUG: KCSAN:" not in report[0]:
        return False
    heads = [i for i, line in enumerate(report) if re.search(r"\bto 0x\S+ of \d+ bytes by ", line)]
    return bool(heads) and all(owner(report[i + 1:]) != "rpcrdma" for i in heads)


def main():
    who, patterns, *known = sys.argv[1:]
    known = read_expressions(known)
    for report in complaints(sys.stdin, read_expressions([patterns])):
        if not elsewhere(report) and not any(matches(known, line) for line in report):
            for line in report:
                print(f"{who}: {line}", end="")


if __name__ == "__main__":
    main()
