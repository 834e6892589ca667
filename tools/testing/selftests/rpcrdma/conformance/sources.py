#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which sources the module is made of, as one number.

Run as a program it prints that number.
"""

import hashlib
import re
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


def digest(top=TOP):
    """Returns the number: the same for the same names and contents, in whatever order they are found."""
    lines = sorted(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(top)}\n"
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


def stale(top=TOP):
    """Returns what is wrong with the age of the statement, or None if it is of these sources."""
    page = top / PAGE
    number = told(page.read_text(encoding="utf-8")) if page.is_file() else None
    if number is None:
        return f"{PAGE} does not say which sources it is about: make conformance"
    if number != digest(top):
        return f"the module's sources have changed since {PAGE} was made: make conformance"
    return None


if __name__ == "__main__":
    print(digest())
