#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which sources the module is made of, as one number.

sources.py
    prints that number.

sources.py stale PAGE COMMAND
    says whether PAGE is about other sources, and that COMMAND makes it again.
"""

import hashlib
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[5]
PAGE = "Documentation/conformance.rst"
DIGEST = re.compile(r"[0-9a-f]{64}")


def module_files(top):
    """Yields what rpcrdma.ko is made of: our files, and the patches that are applied."""
    for folder in ("net", "include"):
        for path in (top / folder).rglob("*.[ch]"):
            if "tests" not in path.relative_to(top).parts:
                yield path
    series = top / "patches/series"
    yield from (top / "Kbuild", top / "patches/BASE", series)
    for line in series.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield series.parent / line.split()[0]


def content(path):
    """Returns what counts of a file; of a patch what it does, whatever it says of that."""
    text = path.read_bytes()
    return text.partition(b"\n---\n")[2] or text


def digest(top=TOP):
    """Returns the number: the same for the same names and contents, in whatever order they are found."""
    lines = sorted(f"{hashlib.sha256(content(path)).hexdigest()}  {path.relative_to(top)}\n"
                   for path in module_files(top))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def told(page):
    """Returns the number that a page names, or None.

    >>> told("sources, which ``conformance/sources.py`` prints:\\n\\n    " + "0a" * 32) == "0a" * 32
    True
    >>> told("made on kernel 6.12")
    """
    found = DIGEST.search(page)
    return found[0] if found else None


def stale(top=TOP, page=PAGE, command="make conformance"):
    """Returns what is wrong with the age of a page, or None if it is of these sources."""
    path = top / page
    number = told(path.read_text(encoding="utf-8")) if path.is_file() else None
    if number is None:
        return f"{page} does not say which sources it is about: {command}"
    if number != digest(top):
        return f"the module's sources have changed since {page} was made: {command}"
    return None


def main():
    """What this does as a program."""
    if not sys.argv[1:]:
        print(digest())
    elif old := stale(TOP, *sys.argv[2:]):
        print(f"# note: {old}")


if __name__ == "__main__":
    main()
