#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which kernels the tests were seen to pass on, for the table in README.md.

seen.py record FOLDER...  notes what runs of the tests came to in Documentation/seen.csv, and
                          writes the table; FOLDER is build/results/<time> of "make check" or
                          "make check-all", or build/package/<release> of "make check-deb"
seen.py check             says whether the table has what that file says

A run counts if nothing in it failed. Parts of "make check-all" of the same sources, from whatever
machines, count as one: what has passed is kept in testbed/passed, each test as it came out last,
until every test that there is has passed. Of the same command, kernel and kind of kernel what is
recorded last counts.
debian/kernels says which kernels there are.
"""

import csv
import importlib
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "testbed"))
plan = importlib.import_module("plan")
SEEN = TOP / "Documentation/seen.csv"
PASSED = TOP / "testbed/passed"
README = TOP / "README.md"
TABLE = re.compile(r"(?m)^\| kernel \|.*\n(?:\|.*\n)*")
COMMANDS = ("make check", "make check-all", "make check-deb")
DEVICES = {"rxe": "soft-RoCE", "siw": "soft-iWARP"}
FIELDS = ("kernel", "command", "kind", "seen", "sources")


def kernels(text):
    """Returns (sources, regular expression of the release, name) of each kernel.

    >>> kernels("# X\\n6.12  6[.]12[.][0-9]+  Debian 12's (6.12)\\n")
    [('6.12', '6[.]12[.][0-9]+', "Debian 12's (6.12)")]
    """
    return [tuple(line.split(None, 2)) for line in text.splitlines() if line and line[0] != "#"]


KERNELS = kernels((TOP / "debian/kernels").read_text(encoding="utf-8"))


def named(release, kind):
    """Returns the name of a kernel. One that was built for the tests is called after its sources.

    >>> named("6.12.117+deb12-amd64", "stock") == named("6.12.117", "debug") != named("6.12.118+deb13-amd64", "")
    True
    """
    sources = kind.split("-")[0] if kind[:1].isdigit() else KERNELS[0][0]
    return next((n for _, r, n in KERNELS if re.fullmatch(r, release)), None) or next(n for s, _, n in KERNELS if s == sources)


def listed(words):
    """Joins words.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    words = list(words)
    return " and ".join(x for x in (", ".join(words[:-1]), words[-1]) if x)


def machine(verdict):
    """Returns kernel, device and number of processors of a test that passed in virtual machines.

    >>> machine("ok mounts [stock rxe+test x2]"), machine("ok peer [7.3 siw]"), machine("ok unit")
    (('stock', 'rxe', 2), ('7.3', 'siw', 1), None)
    """
    m = re.fullmatch(r"ok (?!kernel logs).* \[(\S+) (\w+)\S*(?: x(\d))?\]", verdict)
    return m and (m[1], m[2], int(m[3] or 1))


def every():
    """Returns all results that "make check-all" has."""
    return {plan.result(t.split(":")[0], x.where) for x in plan.plan(plan.all_tests(), "all", ["*"], {}) for t in x.tests}


def line(folder, name):
    """Returns what is in a file of one line, "" where there is none."""
    return (folder / name).read_text(encoding="utf-8").strip() if (folder / name).is_file() else ""


def releases(folder):
    """Returns the release of each kind of kernel that ran there: as it was kept, or from the logs of lanes."""
    found = dict(x.split() for x in line(folder, "releases").splitlines())
    for log in folder.glob("[0-9]*-*/dmesg.*"):
        release = re.search(r"Linux version (\S+)", log.read_text(encoding="utf-8", errors="replace"))
        if release:
            found[re.match(r"\d+-(.+?)-(?:rxe|siw|alone)", log.parent.name)[1]] = release[1]
    return found


def keep(folders, sources):
    """Adds parts of "make check-all" to what has passed with the same sources, and returns that folder."""
    folders = [PASSED] * (line(PASSED, "sources") == sources) + folders
    ran = {kind: release for folder in folders for kind, release in releases(folder).items()}
    kept = {"scope": ["all"], "sources": [sources], "releases": sorted(map(" ".join, ran.items())),
            "verdicts": sorted(f"ok {name}" for name in plan.passed(folders))}
    PASSED.mkdir(exist_ok=True)
    for name, lines in kept.items():
        (PASSED / name).write_text("".join(f"{x}\n" for x in lines), encoding="utf-8")
    return PASSED


def tests(folder, command):
    """Returns what a run of tests showed, in rows without sources; one that had no time for some showed nothing."""
    ran, found = releases(folder), {}
    if line(folder, "late"):
        sys.exit(f"{folder}: there was no time for some tests")
    for verdict in line(folder, "verdicts").splitlines():
        if verdict.startswith("FAILED"):
            sys.exit(f"{folder}: {verdict}")
        where = machine(verdict)
        if where:
            found.setdefault(where[0], []).append(where[1:])
    for kind, results in found.items():
        devices = [name for device, name in DEVICES.items() if any(r[0] == device for r in results)]
        processors = sorted({str(r[1]) for r in results})
        yield (named(ran[kind], kind), command, kind,
               f"{ran[kind]}: {len(results)} tests, {listed(devices)}, {listed(processors)} processor{'s' * (processors != ['1'])}")


def parts(folders, sources):
    """Keeps what passed in parts of "make check-all", and returns what all showed once that is all of it."""
    folder = keep(folders, sources)
    left = every() - plan.passed([folder])
    print(f"make check-all: {len(left)} of {len(every())} results are left")
    return [] if left else tests(folder, "make check-all")


def package(folder):
    """Returns what a run of the tests of packages in a folder showed, in rows without sources."""
    lines = (folder / "verdicts").read_text(encoding="utf-8").splitlines()
    if not lines or any(not line.startswith("ok ") for line in lines):
        sys.exit(f"{folder}: not all went well")
    booted = {m[1] for m in (re.match(r"ok Debian \d+: (\S+): it came to its end", line) for line in lines) if m}
    for _, pattern, name in KERNELS:
        releases = [r for r in sorted(booted) if re.fullmatch(pattern, r)]
        if releases:
            yield name, "make check-deb", "package", f"{listed(releases)}: Debian {folder.name}"


def record(folders):
    """Notes what runs in these folders came to."""
    rows = {(r["kernel"], r["command"], r["kind"]): r for r in read()}
    together = {}
    for folder in map(Path, folders):
        sources, scope = line(folder, "sources"), line(folder, "scope")
        together.setdefault((sources, scope, "" if scope == "all" else folder), []).append(folder)
    for (sources, scope, folder), same in together.items():
        made = parts(same, sources) if scope == "all" else tests(folder, "make check") if scope else package(folder)
        for row in made:
            rows[row[:3]] = dict(zip(FIELDS, (*row, sources)))
    with SEEN.open("w", encoding="utf-8", newline="") as f:
        out = csv.DictWriter(f, FIELDS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows[key] for key in sorted(rows))


def read():
    """Returns the rows of the file."""
    if not SEEN.is_file():
        return []
    with SEEN.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def table():
    """Returns the table."""
    rows = sorted(read(), key=lambda r: (r["kind"].endswith("debug"), r["kind"]))
    lines = [f"| kernel | {' | '.join(f'`{c}`' for c in COMMANDS)} |", "|---" * (len(COMMANDS) + 1) + "|"]
    for _, _, name in KERNELS:
        cells = (" <br> ".join(r["seen"] for r in rows if r["kernel"] == name and r["command"] == c) for c in COMMANDS)
        lines.append(f"| {name} | {' | '.join(cell or '-' for cell in cells)} |")
    return "\n".join(lines) + "\n"


def main(verb, *folders):
    """Does what the first argument says."""
    if verb == "record":
        record(folders)
    text = README.read_text(encoding="utf-8")
    made = TABLE.sub(lambda _: table(), text)
    if verb == "record":
        README.write_text(made, encoding="utf-8")
    elif text != made:
        sys.exit("README.md: the table of kernels is another than Documentation/seen.csv makes; run scripts/seen.py record")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("record", "check"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
