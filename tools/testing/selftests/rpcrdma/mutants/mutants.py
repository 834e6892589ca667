#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Mutants: modules that are wrong in one respect, which a test has to notice.

mutants.py check DIR
    Are the tables sound, does each id that needs one have a mutant, and is
    each original in the assembled sources below DIR, once?

mutants.py apply DIR
    rewrites those sources so that all mutants are in them, chosen at run time.

mutants.py plan DIR PEER [GLOB...]
    writes one plan for each end and device into DIR: which cases (PEER lists
    them) and tests should notice which mutant; prints it, and how long that takes.

mutants.py unit DIR UNIT
    runs the unit tests that should notice, into DIR/results.

mutants.py follow PLAN OUTPUT
    puts what a boot says into OUTPUT, and prints each result of it as it comes.

mutants.py rest PLAN OUTPUT
    what of a plan a boot has not come to, and what it has into the results beside
    the plan. Exits with 1 if nothing is left.

mutants.py judge DIR
    says which mutants survived. Exits with 1 if one has, or was not tried.
"""

import os
import subprocess
import sys
import time
from collections import defaultdict, namedtuple
from fnmatch import fnmatchcase
from pathlib import Path

import rewrite
import table

# What a case of the peer takes, a run of some cases around them, and a boot
CASE, RUN, BOOT = 0.5, 3, 110
# How much longer a test may take than planned before its time is up
PATIENCE = 4
SECONDS = table.HERE.parents[4] / "testbed/seconds"
ROLE = {"client": "server", "server": "client"}

# An attempt: a mutant and what should notice it, in a boot for that end and device
Attempt = namedtuple("Attempt", "number name end device kind what receives complains seconds")
Result = namedtuple("Result", "number name end device kind verdict seconds detail")
BAD = ("survived", "unnoticeable", "complained", "died", "not tried")


def source_files(top):
    """Returns {path: text} of the module's sources in an assembled tree."""
    return {p: p.read_text(encoding="utf-8") for p in sorted((top / "net").rglob("*.[ch]"))
            if p.parent.name != "tests" and not p.name.startswith("rpcrdma_mutant") and not p.name.endswith(".mod.c")}


def changes(mutants, sources):
    """Returns what has to change, as (number, place, replacement), and what is not found."""
    found, missing = [], []
    for mutant in mutants:
        for piece in mutant.places:
            try:
                place = sources.place(piece.function, piece.original)
            except rewrite.Misfit as e:
                missing.append(f"{mutant.name}: {e}")
            else:
                found.append((mutant.number, place, piece.replacement))
    return found, missing


def check(top):
    """The command "check"; returns its exit status."""
    mutants = table.read()
    wrong = list(table.complaints(mutants, table.read_weak(), table.known_ids()))
    wrong += changes(mutants, rewrite.Sources(source_files(top)))[1]
    for line in wrong:
        print(f"not ok - {line}")
    if not wrong:
        print(f"ok - {len(mutants)} mutants")
    return 1 if wrong else 0


def apply(top):
    """The command "apply"; returns its exit status."""
    texts = source_files(top)
    found, missing = changes(table.read(), rewrite.Sources(texts))
    for line in missing:
        print(line, file=sys.stderr)
    if missing:
        return 1
    for path, text in rewrite.rewrite(texts, found).items():
        path.write_text(text, encoding="utf-8")
    return 0


def listed(peer, end):
    """Returns {case: ids} as the peer lists them for an end."""
    out = subprocess.run([peer, ROLE[end], "--list"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0]: line.split()[1:] for line in out.splitlines()}


def matching(globs, cases):
    """Returns the cases that match one of some globs, by name or id.

    >>> matching(["B-01", "x_*"], {"a": ["B-01"], "x_b": ["C-01"], "c": ["B-011"]})
    ['a', 'x_b']
    """
    return [case for case, ids in cases.items()
            if any(fnmatchcase(word, glob) for glob in globs for word in (case, *ids))]


def test_seconds(name, path=SECONDS):
    """Returns what a test took before, on the stock kernel."""
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    took = [int(row[5]) for row in rows if row[:2] == [name, "stock"] and row[4] == "check"]
    return max(took, default=60)


def attempts(mutant, cases):
    """Yields the attempts at one mutant. cases: {end: {case: ids}}"""
    for end in mutant.ends:
        for device in mutant.devices:
            def attempt(kind, what, seconds, end=end, device=device):
                return Attempt(mutant.number, mutant.name, end, device, kind, what, "short" if mutant.short else "usual",
                               "yes" if mutant.complains else "no", round(seconds))
            if mutant.cases:
                what = matching(mutant.cases, cases[end])
                yield attempt("case", what, mutant.seconds or 2 * (RUN + CASE * len(what)))
            if mutant.tests:
                yield attempt("test", mutant.tests, mutant.seconds or 2 * sum(map(test_seconds, mutant.tests)))


def chosen(mutants, globs):
    """Returns the mutants that match one of some globs, by name or id."""
    return [m for m in mutants if any(fnmatchcase(w, g) for g in globs for w in (m.name, *m.ids))]


def lane_seconds(todo):
    """Returns what some attempts take in one boot."""
    return BOOT + sum(a.seconds for a in todo)


def show(lanes, units):
    """Prints what is planned."""
    for lane, todo in lanes.items():
        print(f"{lane}: {len(todo)} attempts, {lane_seconds(todo)} s")
        for a in todo:
            some = " ".join(a.what[:4]) + (f" and {len(a.what) - 4} more" if len(a.what) > 4 else "")
            print(f"  {a.seconds:4} s  {a.name}: {some}")
    print(f"unit tests: {len(units)} mutants, {len(units) * 2} s")
    for mutant in units:
        print(f"        {mutant.name}")
    each = [lane_seconds(todo) for todo in lanes.values()]
    print(f"two lanes at a time: {max(sum(each) / 2, *each, 0) / 60:.0f} minutes and what it takes to build")


def write_rows(path, rows):
    """Writes rows as a table with tabs."""
    path.write_text("".join("\t".join(str(" ".join(x) if isinstance(x, list) else x) for x in row) + "\n" for row in rows),
                    encoding="utf-8")


def read_rows(path, kind):
    """Returns the rows of such a table, as tuples of that kind."""
    if not path.is_file():
        return []
    return [kind(*line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()]


def plan(folder, peer, globs):
    """The command "plan"; returns its exit status."""
    mutants = chosen(table.read(), globs or ["*"])
    if not mutants:
        print(f"no mutant matches {' '.join(globs)}", file=sys.stderr)
        return 1
    cases = {end: listed(peer, end) for end in table.ENDS}
    todo = [a for mutant in mutants for a in attempts(mutant, cases)]
    units = [m for m in mutants if m.unit is not None]
    lanes = defaultdict(list)
    for a in todo:
        if a.what:
            lanes[f"{a.end}-{a.device}"].append(a)
    folder.mkdir(parents=True, exist_ok=True)
    for lane, some in lanes.items():
        write_rows(folder / f"{lane}.plan", some)
    write_rows(folder / "all", [(m.number, m.name, "-", "-", "unit") for m in units] + [a[:5] for a in todo])
    show(lanes, units)
    unnoticeable = [Result(*a[:5], "unnoticeable", 0, "no case names what it stands for") for a in todo if not a.what]
    add_results(folder, unnoticeable)
    for result in unnoticeable:
        announce(result)
    return 0


def announce(r):
    """Prints a result."""
    print(f"{r.verdict:12} {r.end:6} {r.device:3} {r.name} {r.seconds} s{': ' + r.detail if r.detail else ''}", flush=True)


def add_results(folder, results):
    """Adds results to those that are there."""
    with open(folder / "results", "a", encoding="utf-8") as f:
        f.writelines("\t".join(map(str, r)) + "\n" for r in results)


def run_unit(unit, number, only):
    """Runs the unit tests with a mutant; returns what failed, None if nothing has."""
    got = subprocess.run([unit, *([only] if only else [])], env={**os.environ, "MUTANT": str(number)}, capture_output=True, text=True,
                         errors="replace", timeout=300, check=False)
    bad = [line for line in got.stdout.splitlines() if line.lstrip().startswith("not ok")]
    if bad:
        return bad[0].strip()
    return None if not got.returncode else f"ended with status {got.returncode}"


def try_units(folder, unit):
    """The command "unit"; returns its exit status."""
    todo = {int(row[0]) for row in read_rows(folder / "all", lambda *x: x) if row[4] == "unit"}
    sound, rc = {}, 0
    for mutant in (m for m in table.read() if m.number in todo):
        begin = time.time()
        if mutant.unit not in sound:
            sound[mutant.unit] = run_unit(unit, 0, mutant.unit)
        why = sound[mutant.unit] or run_unit(unit, mutant.number, mutant.unit)
        verdict = "unnoticeable" if sound[mutant.unit] else "killed" if why else "survived"
        result = Result(mutant.number, mutant.name, "-", "-", "unit", verdict, round(time.time() - begin), why or "")
        add_results(folder, [result])
        announce(result)
        rc |= verdict != "killed"
    return int(rc)


def progress(lines):
    """Returns what a boot came to: {index: (verdict, seconds, detail)}, and what it had begun."""
    came, begun = {}, None
    for line in lines:
        words = line.rstrip("\n").split(" ", 4)
        if words[0] == "begin":
            begun = int(words[1])
        elif words[0] == "retry":
            begun = None
        elif words[0] == "result":
            came[int(words[1])] = (words[2], words[3], words[4] if len(words) > 4 else "")
            begun = None
    return came, begun


def follow(path, output, lines=sys.stdin):
    """The command "follow"; returns its exit status."""
    todo = read_rows(path, Attempt)
    with open(output, "w", encoding="utf-8", errors="replace") as f:
        for line in lines:
            f.write(line)
            f.flush()
            for n, what in progress([line])[0].items():
                announce(Result(*todo[n][:5], *what))
    return 0


def rest(path, output):
    """The command "rest"; returns its exit status."""
    todo = read_rows(path, Attempt)
    came, begun = progress(output.read_text(encoding="utf-8", errors="replace").splitlines() if output.is_file() else [])
    if begun is not None:
        came[begun] = ("killed" if todo[begun].complains == "yes" else "died", 0, "a virtual machine died")
        announce(Result(*todo[begun][:5], *came[begun]))
    add_results(path.parent, [Result(*todo[n][:5], *came[n]) for n in sorted(came)])
    left = [a for n, a in enumerate(todo) if n not in came]
    write_rows(path, left)
    return 0 if left and came else 1


def judge(folder):
    """The command "judge"; returns its exit status."""
    results = {r[:5]: r for r in read_rows(folder / "results", Result)}
    counts, bad = defaultdict(int), []
    for row in read_rows(folder / "all", lambda *x: x):
        r = results.get(row, Result(*row, "not tried", 0, ""))
        counts[r.verdict] += 1
        if r.verdict in BAD:
            bad.append(r)
    wrong = {m.name: m.wrong for m in table.read()}
    for r in bad:
        where = "unit tests" if r.kind == "unit" else f"{r.end}, {r.device}, by {r.kind}s"
        print(f"{r.verdict.upper()}: {r.name} ({where}): {wrong[r.name]}{': ' + r.detail if r.detail else ''}")
    print(", ".join(f"{counts[v]} {v}" for v in ("killed", *BAD)))
    return 1 if bad else 0


COMMANDS = {
    "check": lambda top: check(Path(top)),
    "apply": lambda top: apply(Path(top)),
    "plan": lambda folder, peer, *globs: plan(Path(folder), peer, globs),
    "unit": lambda folder, unit: try_units(Path(folder), unit),
    "follow": lambda path, output: follow(Path(path), Path(output)),
    "rest": lambda path, output: rest(Path(path), Path(output)),
    "judge": lambda folder: judge(Path(folder)),
}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        print(__doc__, file=sys.stderr)
        return 2
    return COMMANDS[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
