# SPDX-License-Identifier: GPL-2.0
"""Judges ids of the conformance checklist by what cases of the peer came to: for
conformance.py, and for foreign.py, which is inside the peer."""

import re
from collections import namedtuple

ENDS = ("client", "server")
WORST = ("fail", "pass", "skip")
FIELDS = ("id", "end", "device", "result", "case", "why")

# What a feature is called that was never built, and how an end would advertise it
FEATURES = {
    "genl": ("chunks in reverse, BRS GENL", lambda a: a["brs"] == 2),
}

Id = namedtuple("Id", "name what section how")
Row = namedtuple("Row", FIELDS)
Seen = namedtuple("Seen", "result case why")


class Malformed(Exception):
    """ids.tsv cannot be read."""


def read_ids(path):
    """Returns the ids of a file like ids.tsv, in order."""
    ids, section = [], None
    for nr, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("= "):
            section = line[2:]
        elif line and not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) not in (3, 4):
                raise Malformed(f"{path.name}:{nr}: {len(fields)} fields")
            how = dict(zip(ENDS, (fields[2], fields[-1])))
            ids.append(Id(fields[0], fields[1], section, how))
    return ids


def built(feature, advertised):
    """Is a feature advertised?"""
    return bool(FEATURES[feature][1](advertised))


def by_cases(seen):
    """Returns result, cases and reason of an id that cases came to."""
    names = " ".join(dict.fromkeys(s.case for s in seen))
    bad = [s for s in seen if s.result == "fail"]
    if not bad:
        return "pass", names, ""
    return "fail", names, "; ".join(f"{s.case}: {s.why}" for s in bad)


def unbuilt(feature, advertised, seen):
    """Returns the same of an id that belongs to a feature."""
    if not advertised:
        return "fail", "", "what this end advertises is not known"
    there = built(feature, advertised)
    if there and seen:
        return by_cases(seen)
    if there:
        return "fail", "", f"{FEATURES[feature][0]}: advertised, but no case passes"
    return "unbuilt", "", FEATURES[feature][0]


def decide(how, end, seen, advertised):
    """Returns result, cases and reason of one id, for one end and device."""
    kind, _, arg = how.partition(":")
    seen = [s for s in seen if s.result in ("pass", "fail")]
    if any(s.result == "fail" for s in seen):
        return by_cases(seen)
    if kind == "unbuilt":
        return unbuilt(arg, advertised, seen)
    if seen:
        return by_cases(seen)
    if kind == "other":
        return "unobservable", "", f"binds the {ENDS[end == 'client']} only"
    if kind == "covered":
        return "covered", arg, "asserted by that test"
    if kind == "unobservable":
        return "unobservable", "", arg
    return "fail", "", "no case of the peer shows it"


def table(head, body):
    """Returns a table in reStructuredText; the last column may be long."""
    widths = [max(len(row[n]) for row in [head] + body) for n in range(len(head) - 1)]
    widths.append(len(head[-1]))
    rule = "  ".join("=" * w for w in widths)
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in [head] + body]
    return "\n".join([rule, lines[0], rule] + lines[1:] + [rule])


def title(text, mark):
    """Returns a title in reStructuredText."""
    return f"{text}\n{mark * len(text)}"


def escape(text):
    """Returns a text that reStructuredText takes as it is."""
    return re.sub(r"([*`|])|_\b(?!\w)", lambda m: "\\" + m[0], text)
