#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Keeps inputs of the fuzzer as text: a file for each target, a line of base64 for each
input, the shortest first.

corpus.py unpack FROM TO           FROM/NAME becomes inputs below TO/NAME
corpus.py pack FROM TO NAME...     the inputs below FROM/NAME become TO/NAME
"""

import base64
import sys
from pathlib import Path


def to_text(inputs):
    """Returns the lines for some inputs, the same whatever the order.

    >>> to_text([b"xyz", b"a", b"", b"a"])
    'YQ==\\neHl6\\n'
    """
    return "".join(base64.b64encode(x).decode() + "\n" for x in sorted(set(inputs), key=lambda x: (len(x), x)) if x)


def from_text(text):
    """Returns the inputs that some lines stand for.

    >>> from_text('YQ==\\neHl6\\n')
    [b'a', b'xyz']
    """
    return [base64.b64decode(line, validate=True) for line in text.splitlines()]


def unpack(source, target):
    """Writes a folder of inputs for each file, empty if there is no input."""
    for kept in sorted(source.iterdir()):
        folder = target / kept.name
        folder.mkdir(parents=True)
        for nr, data in enumerate(from_text(kept.read_text(encoding="ascii"))):
            (folder / f"{nr:04}").write_bytes(data)


def pack(source, target, names):
    """Writes a file for each folder."""
    for name in names:
        text = to_text(path.read_bytes() for path in (source / name).iterdir())
        (target / name).write_text(text, encoding="ascii")
        print(f"{name}: {text.count(chr(10))} inputs, {len(text)} characters")


def main():
    what, source, target, *names = sys.argv[1:]
    if what == "unpack":
        unpack(Path(source), Path(target))
    else:
        pack(Path(source), Path(target), names)


if __name__ == "__main__":
    main()
