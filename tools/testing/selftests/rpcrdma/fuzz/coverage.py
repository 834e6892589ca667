#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How much of what is fuzzed does the corpus reach that is kept?

coverage.py OUT FILE...

runs the inputs in OUT/kept, prints for each of the files how many of its lines were
reached, and which were not. Fails if less than 95 % of the lines of one of them were, or
an input breaks something.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

LEAST = 95


def replay(out):
    """Runs what is kept; returns its profile."""
    profile = out / "cov" / "replay.profraw"
    done = subprocess.run([out / "cov" / "replay", *sorted((out / "kept").glob("*/*"))], check=False,
                          env={**os.environ, "LLVM_PROFILE_FILE": str(profile)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("\n".join(done.stdout.splitlines()[-3:]) + "\nan input that is kept in the corpus breaks something")
    return profile


def look(out, files):
    """Returns what llvm-cov has to say of each file."""
    merged = out / "cov" / "replay.profdata"
    subprocess.run(["llvm-profdata", "merge", "-o", merged, replay(out)], check=True)
    done = subprocess.run(["llvm-cov", "export", "-instr-profile", merged, out / "cov" / "replay"],
                          check=True, stdout=subprocess.PIPE)
    return [f for f in json.loads(done.stdout)["data"][0]["files"] if f["filename"] in files]


def unreached(segments):
    """Returns the first lines of what was not reached, of segments as llvm-cov has them.

    >>> unreached([[3, 1, 5, True, True, False], [7, 2, 0, True, True, False], [9, 3, 4, True, False, False]])
    [7]
    """
    return sorted({line for line, _, count, counted, entry, *_ in segments if counted and entry and not count})


def percent(part):
    """Returns how much of something was covered.

    >>> percent({"covered": 199, "count": 200})
    99.5
    """
    return 100 * part["covered"] / max(part["count"], 1)


def below(looked):
    """Returns the names of files of which too little was covered.

    >>> below([{"filename": f"v2/{name}.c", "summary": {"lines": {"covered": covered, "count": 200}}}
    ...        for name, covered in (("c", 0), ("b", 190), ("a", 189))])
    ['a.c', 'c.c']
    """
    return sorted(Path(f["filename"]).name for f in looked if percent(f["summary"]["lines"]) < LEAST)


def table(looked):
    """Prints a line for each file, and one for their sum."""
    total = {"covered": 0, "count": 0}
    for file in sorted(looked, key=lambda f: f["filename"]):
        lines = file["summary"]["lines"]
        for key in total:
            total[key] += lines[key]
        missed = " ".join(str(n) for n in unreached(file["segments"]))
        print(f"{percent(lines):6.1f} %  {lines['covered']:5} of {lines['count']:5}  {Path(file['filename']).name}"
              + (f"  not: {missed}" if missed else ""))
    print(f"{percent(total):6.1f} %  {total['covered']:5} of {total['count']:5}  lines of all files")


def main():
    out, files = Path(sys.argv[1]), sys.argv[2:]
    looked = look(out, files)
    table(looked)
    if {f["filename"] for f in looked} != set(files):
        sys.exit("coverage: some of the files were not built in")
    if below(looked):
        sys.exit(f"coverage: less than {LEAST} % of the lines of {', '.join(below(looked))}")


if __name__ == "__main__":
    main()
