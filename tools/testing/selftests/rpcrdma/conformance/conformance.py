#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Accounts for every requirement of the conformance checklist.

conformance.py check [--fresh]
    holds ids.tsv, the cases of the peer and the names of tests against each
    other and against the checklist, Documentation/requirements.rst, which also has
    to have each id that a source or a page names. Says whether the statement is about other sources of the module than those that
    are here; --fresh makes that a failure.

conformance.py merge RESULTS [--sources DIGEST] [--rst FILE] [--csv FILE]
    merges the tables of results that the peer wrote below the folder RESULTS
    into one row for each id, end and device. DIGEST is that of the sources that
    ran (sources.py). Exits with 1 if a row says fail, after all is written.
"""

import argparse
import csv
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import sources
from judgement import ENDS, FEATURES, FIELDS, WORST, Row, Seen, decide, escape, read_ids, table, title

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
TOP = TESTS.parents[3]
CHECKLIST = TOP / "Documentation/requirements.rst"
DEVICES = ("rxe", "siw")
WORDS = ("pass", "fail", "covered", "unobservable", "unbuilt")

# How many ids there are with each letter
COUNTS = {"B": 73, "D": 35, "X": 72, "P": 40, "C": 24, "E": 20, "S": 12, "N": 138}

# Cases may also name decisions, examples and states of the checklist
ASIDE = re.compile(r"A-\d\d\d?|E\d\d?[a-d]?|C\.7-[A-Z0-9-]+")


def read_cases(folder):
    """Returns {end: {case: [ids]}} out of the tables in the peer's sources."""
    cases = {end: {} for end in ENDS}
    for path in sorted(folder.glob("*.c")):
        text = path.read_text(encoding="utf-8")
        for table in re.finditer(r"\bstruct (cli|srv)_case \w+\[\] = \{(.*?)\n\};", text, re.S):
            end = "server" if table[1] == "cli" else "client"
            for name, ids in re.findall(r'\n\t\{ "(\w+)",((?:\s*"[^"]*")+)', table[2]):
                cases[end].setdefault(name, []).extend("".join(re.findall(r'"([^"]*)"', ids)).split())
    return cases


def read_tests(tests, units):
    """Returns the names of all tests: scripts, and unit tests of the codec."""
    names = {path.stem for path in tests.glob("*.sh")} - {"TEMPLATE", "rpcrdma_lib"}
    for path in units.glob("*.c"):
        names.update(re.findall(r"KUNIT_CASE(?:_PARAM)?\((\w+)", path.read_text(encoding="utf-8")))
    return names


def read_rows(path):
    """Yields the cells of each row of the tables in a page."""
    for row in re.findall(r"^   \* -(.*(?:\n     -.*)*)", path.read_text(encoding="utf-8"), re.M):
        yield [cell.strip() for cell in row.split("\n     -")]


def read_checklist(path):
    """Returns the ids of parts C and D of the checklist, in order."""
    return [row[0] for row in read_rows(path) if re.fullmatch(r"[BDXPCESN]-\d+", row[0])]


def check_cited(path, texts):
    """Yields each id that one of {name: text} names and the checklist has not."""
    known = {row[0] for row in read_rows(path)}
    for name, text in sorted(texts.items()):
        for cited in sorted(set(re.findall(r"(?<![\w-])([A-EGNPSX]-\d{1,3})(?![\w-])", text)) - known):
            yield f"{name} names {cited}, which the checklist has not"


def read_texts():
    """Returns {name: text} of all that may name ids."""
    found = [path for folder in ("net", "include", "patches", "tools") for path in (TOP / folder).rglob("*")]
    found = [path for path in found if path.suffix in (".c", ".h", ".patch")]
    found += (path for path in (TOP / "Documentation").glob("*.rst") if path != CHECKLIST)
    return {str(path.relative_to(TOP)): path.read_text(encoding="utf-8", errors="replace") for path in found}


def check_list(ids):
    """Yields what is wrong with the list itself."""
    names = Counter(i.name for i in ids)
    for name, count in names.items():
        if count > 1:
            yield f"{name} is there {count} times"
    letters = Counter(name[0] for name in names)
    for letter in sorted(set(letters) | set(COUNTS)):
        if letters[letter] != COUNTS.get(letter, 0):
            yield f"{letters[letter]} ids with {letter} instead of {COUNTS.get(letter, 0)}"


def read_sections(path):
    """Returns {id: the sections it stands on} of a file like sections.tsv."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith(("#", "=")))


def read_checklist_sections(path):
    """Returns the same of the checklist's part C."""
    return {row[0]: row[2] for row in read_rows(path) if re.fullmatch(r"[BDXPCES]-\d+", row[0])}


def check_sections(ids, sections):
    """Yields each id without a section to stand on, and the reverse."""
    named = {i.name for i in ids if i.name[0] != "N"}
    for name in sorted(named ^ set(sections)):
        yield f"{name}: ids.tsv and sections.tsv do not agree"


def check_checklist(ids, checklist):
    """Yields how the list differs from the checklist."""
    ours = {i.name for i in ids}
    for name in checklist:
        if name not in ours:
            yield f"{name} of the checklist is missing"
    for name in sorted(ours - set(checklist)):
        yield f"{name} is not in the checklist"


def check_how(ids, tests):
    """Yields what is wrong with how ids are accounted for."""
    for i in ids:
        if all(how == "other" for how in i.how.values()):
            yield f"{i.name} binds nobody"
        for end, how in i.how.items():
            kind, _, arg = how.partition(":")
            if kind not in ("case", "other", "covered", "unobservable", "unbuilt"):
                yield f"{i.name}, {end}: what is '{kind}'?"
            elif bool(arg) != (kind not in ("case", "other")):
                yield f"{i.name}, {end}: '{how}' says too much or too little"
            elif kind == "covered" and arg not in tests:
                yield f"{i.name}, {end}: there is no test {arg}"
            elif kind == "unbuilt" and arg not in FEATURES:
                yield f"{i.name}, {end}: there is no feature {arg}"


def check_cases(ids, cases):
    """Yields what is wrong with the ids that cases name."""
    ours = {i.name: i.how for i in ids}
    for end in ENDS:
        if not cases[end]:
            yield f"no cases for the {end}"
        for case, named in cases[end].items():
            if not named:
                yield f"case {case} names no id"
            for name in named:
                if name not in ours and not ASIDE.fullmatch(name):
                    yield f"case {case} names {name}, which is unknown"
                elif ours.get(name, {}).get(end) == "other":
                    yield f"case {case} names {name}, which does not bind the {end}"
                elif ours.get(name, {}).get(end, "").startswith("unobservable:"):
                    yield f"case {case} names {name}, which is said to be unobservable for the {end}"


def check_named(ids, cases):
    """Yields each id that needs a case and has none."""
    for end in ENDS:
        named = {name for ids_of_case in cases[end].values() for name in ids_of_case}
        for i in ids:
            if i.how[end] == "case" and i.name not in named:
                yield f"{i.name}: no case for the {end} names it"


def complaints():
    """Yields all that is wrong with the project's own files."""
    ids = read_ids(HERE / "ids.tsv")
    cases = read_cases(TESTS / "peer")
    sections = read_sections(HERE / "sections.tsv")
    yield from check_list(ids)
    yield from check_sections(ids, sections)
    yield from check_checklist(ids, read_checklist(CHECKLIST))
    if sections != read_checklist_sections(CHECKLIST):
        yield "sections.tsv is not what the checklist says"
    yield from check_cited(CHECKLIST, read_texts())
    yield from check_how(ids, read_tests(TESTS, TOP / "net/sunrpc/xprtrdma/v2/tests"))
    yield from check_cases(ids, cases)
    yield from check_named(ids, cases)


def check(args):
    """The command "check"; returns its exit status."""
    found = list(complaints())
    old = sources.stale()
    if old and args.fresh:
        found.append(old)
    elif old:
        print(f"# note: {old}")
    for what in found:
        print(f"not ok - {what}")
    if not found:
        print(f"ok - {sum(COUNTS.values())} ids are accounted for")
    return 1 if found else 0


def ended(log):
    """Did the run with this log come to as many results as it announced?"""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    plan = re.search(r"^1\.\.(\d+)", text, re.M)
    return bool(plan) and len(re.findall(r"^(?:not )?ok ", text, re.M)) == int(plan[1])


class Results:
    """What the peer found out: of ids, and of what is advertised."""

    def __init__(self):
        self.seen = defaultdict(list)
        self.cases = defaultdict(dict)
        self.broken = {(end, device) for end in ENDS for device in DEVICES}
        self.advertised = defaultdict(dict)

    def add(self, row):
        """Takes a row of a table of the peer."""
        name, end, device, result, case, why = row
        if name == "advertised":
            self.advertised[end, device][case] = int(result)
            return
        self.seen[name, end, device].append(Seen(result, case, why))
        known = self.cases[end, device]
        known[case] = min(known.get(case, result), result, key=WORST.index)

    def read(self, folder):
        """Takes all tables below a folder."""
        whole, cut = set(), set()
        for path in sorted(folder.rglob("conformance-*.csv")):
            with open(path, newline="", encoding="utf-8", errors="replace") as f:
                rows = list(csv.reader(f))
            for row in rows:
                self.add(row)
            of = whole if ended(path.with_suffix(".log")) else cut
            of.update((row[1], row[2]) for row in rows)
        self.broken -= whole - cut

    def expect(self, cases):
        """Where a run broke off, each case without a result has failed."""
        for end, device in self.broken:
            for case in set(cases[end]) - set(self.cases[end, device]):
                for name in cases[end][case]:
                    self.seen[name, end, device].append(Seen("fail", case, "has not run"))

    def failed(self):
        """Returns {(end, device, case): why} of all cases that failed."""
        return {(end, device, s.case): s.why for (_, end, device), all_seen in self.seen.items()
                for s in all_seen if s.result == "fail"}


def account(ids, results):
    """Returns a row for each id, end and device."""
    return [Row(i.name, end, device,
                *decide(i.how[end], end, results.seen[i.name, end, device],
                        results.advertised[end, device]))
            for i in ids for end in ENDS for device in DEVICES]


def write_csv(path, rows):
    """Writes the rows as a table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(FIELDS)
        out.writerows(rows)


def cell(rows, bound):
    """Returns the result for one end, over all devices."""
    words = {row.result for row in rows}
    if not bound:
        return "\\-"
    if len(words) == 1:
        return rows[0].result
    return ", ".join(f"{row.device} {row.result}" for row in rows)


def reason(rows, bound):
    """Returns by what an end was judged, or why not."""
    row = min(rows, key=lambda r: r.result != "fail")
    names = row.case.split()
    if not bound:
        return ""
    if row.result == "fail":
        return row.why if len(row.why) < 160 else row.why[:157] + "..."
    if row.result not in ("pass", "covered"):
        return row.why
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def both(texts):
    """Returns the reasons of both ends as one."""
    said = {end: text for end, text in texts.items() if text}
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return "; ".join(f"{end}: {text}" for end, text in said.items())


def section(ids, by_id):
    """Returns the table of some ids."""
    body = []
    for i in ids:
        rows = {end: by_id[i.name, end] for end in ENDS}
        bound = {end: i.how[end] != "other" for end in ENDS}
        body.append([i.name, i.what] + [cell(rows[end], bound[end]) for end in ENDS] +
                    [escape(both({end: reason(rows[end], bound[end]) for end in ENDS}))])
    return table(["id", "what", "client", "server", "by what, or why"], body)


def summary(ids, rows):
    """Returns the table of how many ids there are of each result."""
    bound = {(i.name, end) for i in ids for end in ENDS if i.how[end] != "other"}
    body = []
    for end in ENDS:
        for device in DEVICES:
            mine = [r for r in rows if (r.end, r.device) == (end, device)]
            count = Counter(r.result if (r.id, end) in bound else "other" for r in mine)
            body.append([end, device] + [str(count[w]) for w in WORDS] + [str(count["other"])])
    return table(["end", "device", *WORDS, "not bound"], body)


def kernel(folder):
    """Returns which kernel a run was made on."""
    for path in sorted(folder.rglob("dmesg.client")):
        found = re.search(r"Linux version (\S+)", path.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found[1]
    return "unknown"


def ran_text(results, cases, release):
    """Returns how many cases have come to what, as a table."""
    body = []
    for end in ENDS:
        for device in DEVICES:
            count = Counter(results.cases[end, device].values())
            body.append([end, device, release, str(len(cases[end]))] + [str(count[w]) for w in ("pass", "fail", "skip")])
    return table(["end", "device", "kernel", "cases", "passed", "failed", "skipped"], body)


def advertised_text(results):
    """Returns what both ends advertise, as a table."""
    names = ("version", "rbsiz", "reqreminv", "brs", "rtrsupp", "rbstruct", "xch")
    body = [[end, device] + [str(results.advertised[end, device].get(n, "?")) for n in names]
            for end in ENDS for device in DEVICES]
    return table(["end", "device"] + [n.upper() for n in names], body)


def failures(results, rows):
    """Returns what failed, a line for each case, or id without a case."""
    found = defaultdict(list)
    for (end, device, case), why in results.failed().items():
        found[end, f"case {case}", why].append(device)
    for row in rows:
        if row.result == "fail" and not row.case:
            found[row.end, row.id, row.why].append(row.device)
    return [f"{end}, {' and '.join(sorted(devices))}, {what}: {why}"
            for (end, what, why), devices in found.items()]


def statement(ids, results, rows, release, number, cases):
    """Returns the statement of conformance."""
    by_id = defaultdict(list)
    for row in rows:
        by_id[row.id, row.end].append(row)
    text = (HERE / "preface.rst").read_text(encoding="utf-8")
    for mark, value in {"KERNEL": release, "DEVICES": " and ".join(DEVICES), "SOURCES": number}.items():
        text = text.replace(f"@{mark}@", value)
    parts = [text.rstrip(),
             title("Summary", "="), summary(ids, rows),
             title("Cases that ran", "="), ran_text(results, cases, release),
             title("What failed", "="),
             "\n".join(f"* {escape(line)}" for line in failures(results, rows)) or "Nothing.",
             title("What is advertised", "="), advertised_text(results)]
    for name in dict.fromkeys(i.section for i in ids):
        parts += [title(name, "="), section([i for i in ids if i.section == name], by_id)]
    return "\n\n".join(parts) + "\n"


def merge(args):
    """The command "merge"; returns its exit status."""
    ids = read_ids(HERE / "ids.tsv")
    results = Results()
    results.read(args.results)
    cases = read_cases(TESTS / "peer")
    results.expect(cases)
    rows = account(ids, results)
    if args.csv:
        write_csv(args.csv, rows)
    if args.rst:
        page = statement(ids, results, rows, kernel(args.results), args.sources or sources.digest(), cases)
        args.rst.write_text(page, encoding="utf-8")
    for end in ENDS:
        for device in DEVICES:
            count = Counter(r.result for r in rows if (r.end, r.device) == (end, device))
            print(f"{end} {device}: " + ", ".join(f"{count[w]} {w}" for w in WORDS))
    found = failures(results, rows)
    for line in found:
        print(line[:240])
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check")
    checking.add_argument("--fresh", action="store_true")
    merging = commands.add_parser("merge")
    merging.add_argument("results", type=Path)
    merging.add_argument("--sources")
    merging.add_argument("--rst", type=Path)
    merging.add_argument("--csv", type=Path)
    args = parser.parse_args()
    return check(args) if args.command == "check" else merge(args)


if __name__ == "__main__":
    sys.exit(main())
