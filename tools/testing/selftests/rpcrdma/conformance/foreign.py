#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""foreign.py RESULTS END [COMPLETE]: the table of ids for an implementation that is not ours.

RESULTS is the table that the peer wrote, END is "client" or "server", the end that was
tried. Prints each id of the checklist with pass, fail or "not covered", and by what, or
why not, in reStructuredText. The exit status is 1 if anything failed, or if the run was
not complete. The peer has this file, judgement.py and ids.tsv inside and calls it itself.
"""

import csv
import sys
from collections import Counter, defaultdict
from pathlib import Path

from judgement import ENDS, FEATURES, Seen, by_cases, escape, read_ids, table, title

WORDS = ("pass", "fail", "not covered")
CELLS = {"-": "\\-"}
MOST_REASONS = 2
MOST_TEXT = 160


def read_results(path):
    """Returns {id: [Seen]}, and what is advertised."""
    seen, advertised = defaultdict(list), {}
    with open(path, newline="", encoding="utf-8", errors="replace") as f:
        for name, _, _, result, case, why in csv.reader(f):
            if name == "advertised":
                advertised[case] = result
            else:
                seen[name].append(Seen(result, case, why))
    return seen, advertised


def unseen(how, skipped):
    """Returns why no case has shown an id, from its skipped cases or from ids.tsv."""
    kind, _, arg = how.partition(":")
    whys = list(dict.fromkeys(f"{s.case}: {s.why}" for s in skipped))
    if whys:
        more = [f"{len(whys) - MOST_REASONS} more"] if len(whys) > MOST_REASONS else []
        return "; ".join(whys[:MOST_REASONS] + more)
    return {"covered": "asserted only from inside, by a test of our own sources",
            "unobservable": arg,
            "unbuilt": f"no case was run: {FEATURES.get(arg, [''])[0]}"}.get(kind, "no case was run")


def judge(how, seen):
    """Returns result, and by what or why, of one id for the end that was tried."""
    judged = [s for s in seen if s.result in ("pass", "fail")]
    if how == "other" and not judged:
        return "-", ""
    if not judged:
        return "not covered", unseen(how, [s for s in seen if s.result == "skip"])
    result, names, why = by_cases(judged)
    names = names.split()
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return result, why[:MOST_TEXT] or shown


def page(ids, end, seen, advertised):
    """Returns the page, and how many ids came to what."""
    rows = {i.name: judge(i.how[end], seen[i.name]) for i in ids}
    count = Counter(result for result, _ in rows.values())
    other = ENDS[end == "client"]
    parts = [title(f"Conformance of the {end}", "="),
             table(["result", "ids"], [[w, str(count[w])] for w in WORDS] +
                   [[f"binds the {other} only (\\-)", str(count["-"])]])]
    if advertised:
        parts.append(table(["advertised", "value"], [[n.upper(), v] for n, v in advertised.items()]))
    for name in dict.fromkeys(i.section for i in ids):
        body = [[i.name, i.what, CELLS.get(rows[i.name][0], rows[i.name][0]), escape(rows[i.name][1])]
                for i in ids if i.section == name]
        parts += [title(name, "-"), table(["id", "what", end, "by what, or why"], body)]
    return "\n\n".join(parts) + "\n", count


def main():
    """Prints the page; returns the exit status."""
    results, end, *complete = sys.argv[1:]
    seen, advertised = read_results(results)
    text, count = page(read_ids(Path(__file__).resolve().parent / "ids.tsv"), end, seen, advertised)
    print(text)
    if not complete:
        print("The run broke off: what is missing was not tried.")
    return 1 if count["fail"] or not complete else 0


if __name__ == "__main__":
    sys.exit(main())
