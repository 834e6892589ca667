#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""splats.py PATTERN ALLOW-FILE WHO: prints the complaints in a kernel log.

A complaint begins with a line that matches PATTERN and takes the 30 lines
behind it with it. Those in which a line matches one of the expressions of
ALLOW-FILE are dropped.
"""

import re
import sys


def complaints(lines, pattern):
    """Yields each complaint as a list of lines."""
    report, left = [], 0
    for line in lines:
        if re.search(pattern, line):
            left = 30
        if left:
            report.append(line)
            left -= 1
        elif report:
            yield report
            report = []
    if report:
        yield report


def main():
    pattern, allow, who = sys.argv[1:]
    with open(allow, encoding="utf-8") as f:
        allowed = [x.strip() for x in f if x.strip() and not x.startswith("#")]
    for report in complaints(sys.stdin, pattern):
        if not any(re.search(a, line) for a in allowed for line in report):
            for line in report:
                print(f"{who}: {line}", end="")


main()
