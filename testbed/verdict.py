#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""verdict.py STATUS LOG NAME: what a test came to, as "VERDICT<tab>WHY".

NAME is that of the test, and behind it in brackets what it ran on. The verdict
is ok, skipped or FAILED. Fails what ends with another status than 0, what says
"not ok", what has another number of results than its plan 1..N, and whatever is
skipped without leave. Leave gives a line in the header of the test,

# skips: GLOB

for results with such a name ("1..0" is the test as a whole), and the file skips
beside the tests, with a name of a test, a device or *, and a GLOB in each line.
What that file lists by name has to be skipped wherever it comes up. A line
"# note: TEXT" is told of a test that is ok, too.
"""

import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tools/testing/selftests/rpcrdma"
STATUS = {
    97: "left the machines in disorder",
    98: "a kernel complained",
    124: "time is up",
    125: "a virtual machine died",
}
BEGIN = re.compile(r"( *)K?TAP version ")
PLAN = re.compile(r"( *)1\.\.(\d+)(?: *# *SKIP *(.*))?$", re.I)
RESULT = re.compile(r"( *)(not )?ok (\d+) *(?:- )?([^#]*?) *(?:#(.*))?$")


def header(path, key):
    """Returns what the header of a test says, one value for each line."""
    if not path.is_file():
        return []
    head = path.read_text(encoding="utf-8").split("\n\n", 1)[0]
    return re.findall(rf"^# {key}: (.*)$", head, re.M)


def listed(path, name, device):
    """Returns the globs that a file of skips has for a test on a device."""
    if not path.is_file():
        return []
    rows = (x.split() for x in path.read_text(encoding="utf-8").splitlines() if x and x[0] != "#")
    return [glob for test, dev, glob, *_ in rows if test == name and dev in ("*", device)]


class Log:
    """The results in a log: names that passed, were skipped, and what is wrong with their plans."""

    def __init__(self, text):
        self.passed, self.skipped, self.wrong = [], {}, []
        self.plans = 0
        self.open = {}                          # indent: [plan, numbers]
        for line in text.splitlines():
            self.line(line)
        for indent in list(self.open):
            self.close(indent)

    def line(self, line):
        """Takes one line of it."""
        if m := BEGIN.match(line):
            self.close(len(m[1]))
        elif m := PLAN.match(line):
            self.plan(len(m[1]), int(m[2]))
            if m[3] is not None:
                self.skipped["1..0"] = m[3]
        elif m := RESULT.match(line):
            self.open.setdefault(len(m[1]), [None, []])[1].append(int(m[3]))
            comment = (m[5] or "").strip()
            if comment.upper().startswith("SKIP"):
                self.skipped[m[4]] = comment[4:].strip()
            elif not m[2]:
                self.passed.append(m[4])

    def plan(self, indent, count):
        """Takes a plan, which comes before its results or behind them."""
        if self.open.get(indent, [0])[0] is not None:
            self.close(indent)
            self.open[indent] = [None, []]
        self.open[indent][0] = count
        self.plans += 1

    def close(self, indent):
        """Compares a plan with what came of it; KUnit plans no parameterized cases."""
        plan, numbers = self.open.pop(indent, (0, []))
        if plan is None:
            if not indent:
                self.wrong.append(f"{len(numbers)} results without a plan")
        elif sorted(numbers) != list(range(1, plan + 1)):
            self.wrong.append(f"{len(numbers)} results of {plan}")


def judge(status, text, name, tests=TESTS):
    """Returns the verdict on a log, and why."""
    test, _, where = name.partition(" [")
    script = tests / f"{test}.sh"
    leave = header(script, "skips")
    due = listed(tests / "skips", test, next((d for d in ("rxe", "siw") if d in re.split(r"[] +]", where)), "*"))
    log = Log(text)
    if status not in (0, 4):
        return "FAILED", STATUS.get(status, "")
    if re.search(r"^ *not ok|^Bail out!", text, re.M):
        return "FAILED", ""
    if log.wrong or not log.plans and script.is_file():
        return "FAILED", "; ".join(log.wrong) or "no plan"
    for skip, why in log.skipped.items():
        if not any(fnmatchcase(skip, glob) for glob in leave + due):
            return "FAILED", f"skipped without leave: {skip}: {why}"
    for case in log.passed:
        if case in due:
            return "FAILED", f"passes, and is listed as skipped: {case}"
    if status == 4:
        return ("skipped", log.skipped["1..0"]) if "1..0" in log.skipped else ("FAILED", "status 4 and no skip")
    return "ok", "; ".join(re.findall(r"^# note: (.*)$", text, re.M))


def main():
    status, path, name = sys.argv[1:]
    path = Path(path)
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    print(*judge(int(status), text, name), sep="\t")


if __name__ == "__main__":
    main()
