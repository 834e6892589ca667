# SPDX-License-Identifier: GPL-2.0
"""Reads the tables of mutants; the head of client.txt says what is in them."""

import re
import zlib
from collections import namedtuple
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = ("client.txt", "server.txt", "both.txt")
IDS = HERE.parent / "conformance/ids.tsv"
ENDS = ("client", "server")
DEVICES = ("rxe", "siw")
GROUPS = "BDXPCESN"


class Malformed(Exception):
    """A table cannot be read, or is not complete."""


# What is wrong in one function: lines of the original, and of what comes in their place
Piece = namedtuple("Piece", "function original replacement")


@dataclass
class Mutant:
    """One mutant: what is wrong, where, and who should notice."""
    number: int
    name: str
    wrong: str = ""
    ends: tuple = ()
    ids: tuple = ()
    places: list = field(default_factory=list)
    cases: list = field(default_factory=list)
    tests: list = field(default_factory=list)
    unit: str = None
    devices: tuple = ("rxe",)
    short: bool = False
    complains: bool = False
    seconds: int = 0

    def notice(self, text):
        """Takes who should notice."""
        kind, _, rest = text.partition(" ")
        if kind == "case":
            self.cases += rest.split()
        elif kind == "test":
            self.tests += rest.split()
        elif kind == "unit":
            self.unit = rest
        else:
            raise Malformed(f"{self.name}: who is '{kind}'?")

    def take(self, key, text):
        """Takes one line KEY: TEXT."""
        words = tuple(text.split())
        if key == "notice":
            self.notice(text)
        elif key == "wrong":
            self.wrong = text
        elif key == "in":
            self.places.append(Piece(text, [], []))
        elif key == "end":
            self.ends = words
        elif key == "ids":
            self.ids = words
        elif key == "device":
            self.devices = words
        elif key == "receives":
            self.short = text == "short"
        elif key == "complains":
            self.complains = text == "yes"
        elif key == "seconds":
            self.seconds = int(text)
        else:
            raise Malformed(f"{self.name}: what is '{key}'?")


def read_one(text):
    """Returns the mutant of a paragraph, which begins with its name.

    Its number comes from its name, so that other mutants do not change it.
    """
    name, *lines = text.splitlines()
    mutant = Mutant(zlib.crc32(name.strip().encode()), name.strip())
    for line in lines:
        if line[:1] in ("-", "+") and mutant.places:
            mutant.places[-1][1 + "-+".index(line[0])].append(line[1:].strip())
        elif re.match(r"\w+: ", line):
            mutant.take(*line.split(": ", 1))
        elif line.startswith(" ") and mutant.wrong:
            mutant.wrong += " " + line.strip()
        elif line.strip():
            raise Malformed(f"{mutant.name}: what is '{line}'?")
    mutant.places = [Piece(p.function, "\n".join(p.original), "\n".join(p.replacement)) for p in mutant.places]
    if not (mutant.cases or mutant.tests or mutant.unit is not None):
        mutant.cases = list(mutant.ids)
    return mutant


def parse(text):
    """Returns the mutants of a table."""
    rest = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [read_one(part) for part in re.split(r"^= ", rest, flags=re.M)[1:]]


def read(folder=HERE):
    """Returns all mutants of all tables."""
    return [m for name in TABLES for m in parse((folder / name).read_text(encoding="utf-8"))]


def read_weak(folder=HERE):
    """Returns what the file weak lists: an end and its ids, line by line."""
    lines = (folder / "weak").read_text(encoding="utf-8").splitlines()
    return [(words[0], words[1:]) for words in map(str.split, lines) if words and words[0][0] != "#"]


def known_ids(path=IDS):
    """Returns all ids of the checklist."""
    return set(re.findall(rf"^([{GROUPS}]-\d+)\t", path.read_text(encoding="utf-8"), re.M))


def wrong_with(mutant, ids):
    """Yields what is wrong with one mutant."""
    for what, value in (("what is wrong", mutant.wrong), ("an end", mutant.ends), ("ids", mutant.ids),
                        ("a function", mutant.places), ("a text", all(p.original for p in mutant.places))):
        if not value:
            yield f"{mutant.name} does not name {what}"
    for word in set(mutant.ends) - set(ENDS) | set(mutant.devices) - set(DEVICES) | set(mutant.ids) - ids:
        yield f"{mutant.name}: what is '{word}'?"


def complaints(mutants, weak, ids):
    """Yields what is wrong with the tables, and what has no mutant."""
    numbers = [m.number for m in mutants]
    for name in sorted({m.name for m in mutants if numbers.count(m.number) > 1}):
        yield f"{name} is there twice"
    for mutant in mutants:
        yield from wrong_with(mutant, ids)
    for end in ENDS:
        covered = {i for m in mutants if end in m.ends for i in m.ids}
        for group in GROUPS:
            if not any(i[0] == group for i in covered):
                yield f"no mutant of the {end} stands for an id of group {group}"
        for who, row in weak:
            if who == end and not covered & set(row):
                yield f"no mutant of the {end} stands for {' '.join(row)}"
