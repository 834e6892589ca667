#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""case_docs.py SOURCE...: prints a table in C of what the functions do that cases of
the peer name, taken from the comments in front of them.

>>> texts('/**\\n * run_a - does this\\n * and that\\n * @s: x\\n */\\nint run_a(int s)\\n{')
{'run_a': 'does this and that'}
>>> list(named('const struct cli_case x[] = {\\n\\t{ "a", "B-01",\\n\\t  .run = run_a },\\n'
...            '\\t{ "b", "B-02" },\\n};\\n', {'run_a': 'x'}))
[('a', 'run_a')]
"""

import re
import sys
from pathlib import Path


def texts(source):
    """Returns {function: what it does} of a source."""
    found = {}
    for name, text in re.findall(r"^/\*\*\n \* (\w+) - (.*?)\n \*(?:\n| @|/)", source, re.M | re.S):
        found[name] = " ".join(line.lstrip(" *") for line in text.split("\n"))
    return found


def macros(source, known):
    """Returns {macro: functions that it names} of a source.

    >>> macros('#define A(x)\\t.run = run_a, \\\\\\n\\t\\tx\\n#define B 1\\n', {'run_a': 'x'})
    {'A': ['run_a']}
    """
    found = {}
    for name, body in re.findall(r"^#define (\w+)((?:.*\\\n)*.*)", source, re.M):
        words = [word for word in re.findall(r"\b(?:run|check)_\w+", body) if word in known]
        if words:
            found[name] = words
    return found


def named(source, known):
    """Yields (case, function) of the tables of a source, also where a macro names it."""
    by_macro = macros(source, known)
    for table in re.findall(r"\bstruct (?:cli|srv)_case \w+\[\] = \{(.*?)\n\};", source, re.S):
        rows = re.split(r'\n\t\{ "(\w+)"', table)[1:]
        for case, row in zip(rows[::2], rows[1::2]):
            row = re.sub(r'"[^"]*"', "", row)
            for word in re.findall(r"\w+", row):
                if re.match("(?:run|check)_", word) and word in known:
                    yield case, word
                yield from ((case, function) for function in by_macro.get(word, []))


def main():
    """Prints the table."""
    sources = [Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]]
    known = {name: text for source in sources for name, text in texts(source).items()}
    print('#include "explain.h"\n\nconst struct case_doc case_docs[] = {')
    for source in sources:
        for case, function in named(source, known):
            text = known[function].replace("\\", "\\\\").replace('"', '\\"')
            print(f'\t{{ "{case}", "{text}" }},')
    print("\t{ }\n};")


if __name__ == "__main__":
    main()
