#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes sense of what smp.sh measured with several processors.

smp.py locks FOLDER
    prints which locks each transport's operations wait for most often. Exits with 1 if
    one of the first ten of version 2 is one that this project has brought.

smp.py iops FOLDER --rst FILE
    writes a page of operations a second, as ratios between transports.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter, defaultdict
from math import exp, log
from pathlib import Path
from statistics import median

from bench import TOP, host, read_facts, table, title

MODULE = TOP / "net/sunrpc/xprtrdma/v2"
PATCHES = TOP / "patches"
TEN = 10
TRANSPORTS = ("v1", "v1-inline64k", "v2")
INIT = re.compile(r"\b(?:(?:raw_)?spin_lock|rwlock|mutex|seqlock)_init\(([^()]*)\)"
                  r"|\binit_(?:rwsem|waitqueue_head|swait_queue_head)\(([^()]*)\)"
                  r"|\bDEFINE_(?:(?:RAW_)?SPINLOCK|RWLOCK|MUTEX|SEQLOCK)\((\w+)\)")
LINE = re.compile(r"^ *(\S.*?): +(\d+) +(\d+)((?: +[\d.]+){10})$")
POINT = re.compile(r"^ *(\S.*?) +(\d+) +\[<[^>]*>\] +(\S+)")
# Version 1's, beside which ours are shown
VERSION_1 = frozenset(["&buf->rb_lock"] + [f"&cma_xprt->{n}" for n in (
    "sc_lock", "sc_send_lock", "sc_rq_dto_lock", "sc_rw_ctxt_lock")])
ABOUT = """\
.. SPDX-License-Identifier: GPL-2.0

====================
With two processors
====================

NFSv4.1 WRITE and READ with O_DIRECT at depth 32, in real time, on one virtual machine with
two processors, which is client and server. An indication: nothing is asked of these
numbers. ``bench.rst`` counts instructions instead, on one processor, which comes to the
same each time; but there nobody waits for a lock, nor works while another one does.

Each round takes the transports in turn, as stock version 1, the same with 64 KiB inline,
and version 2, beginning with another one each time. A ratio is one of operations a second
in the same round: the median over the rounds, and the least and the greatest. The last line
is the geometric mean of the others. To get this page again, and to see which locks are
waited for, on a kernel that counts that::

    make bench-smp             # ROUNDS=5 SECONDS_=2
    make lock-stat

``make lock-stat`` fails if one of the ten locks that version 2's operations wait for most
often is one of version 2, or one that the patches bring.
"""


def locks_made(text):
    """Returns the names of the locks that a source makes, as lockdep has them.

    >>> sorted(locks_made("spin_lock_init(&conn->cn_lock); mutex_init(&a.b->c_mutex); DEFINE_SPINLOCK(d_lock)"))
    ['&a.b->c_mutex', '&conn->cn_lock', 'd_lock']
    """
    return {next(filter(None, found)) for found in INIT.findall(text)}


def ours(sources, patches):
    """Returns the names of the locks that this project brings: those of its own sources, and
    those that its patches make and do not merely move.

    >>> sorted(ours(["mutex_init(&x->ours);"], ["+spin_lock_init(&x->a);\\n-mutex_init(&x->b);\\n+mutex_init(&x->b);\\n"]))
    ['&x->a', '&x->ours']
    """
    def marked(mark):
        return locks_made("\n".join(line for text in patches for line in text.splitlines() if line.startswith(mark)))

    return set().union(*map(locks_made, sources)) | (marked("+") - marked("-"))


def read_ours():
    """Returns the names of ours."""
    return ours(*([p.read_text(encoding="utf-8") for p in paths] for paths in (MODULE.glob("*.[ch]"), PATCHES.glob("*.patch"))))


def plain(name):
    """Returns the name of a lock without what lockdep adds.

    >>> plain("&conn->cn_lock#2"), plain("&mm->mmap_lock-R"), plain("slock-AF_INET/1"), plain("&sb->s_type->i_mutex_key#9/4")
    ('&conn->cn_lock', '&mm->mmap_lock', 'slock-AF_INET', '&sb->s_type->i_mutex_key')
    """
    return re.sub(r"(?:[#/:]\d+)*(?:-[RW])?$", "", name)


class Locks:
    """What /proc/lock_stat said, of some time or of several times together."""

    def __init__(self):
        self.waits, self.taken, self.time, self.points = Counter(), Counter(), Counter(), defaultdict(Counter)

    def add(self, text):
        """Adds what a file says. Readers and writers of a lock count as one.

        >>> found = Locks()
        >>> found.add("        &rb_lock: 1 7 0.1 0.2 0.3 0.1 5 400 0.1 0.2 0.3 0.1\\n"
        ...           "        --------\\n"
        ...           "        &rb_lock   7  [<00000000deadbeef>] rpcrdma_mr_get+0x1d/0x70 [rpcrdma]\\n"
        ...           "        --------\\n"
        ...           "        &rb_lock   7  [<00000000deadbeef>] rpcrdma_mr_put+0x1d/0x70 [rpcrdma]\\n")
        >>> found.waits, found.taken["&rb_lock"], found.time["&rb_lock"], dict(found.points["&rb_lock"])
        (Counter({'&rb_lock': 7}), 400, 0.3, {'rpcrdma_mr_get': 7})
        """
        name, bars = None, 0
        for line in text.splitlines():
            if m := LINE.match(line):
                name, bars, rest = re.sub(r"-[RW]$", "", m[1]), 0, m[4].split()
                self.waits[name] += int(m[3])
                self.taken[name] += int(rest[5])
                self.time[name] += float(rest[2])
            elif re.fullmatch(r" *-+", line):
                bars += 1
            # behind the second bar it says who held the lock meanwhile
            elif bars == 1 and name and (m := POINT.match(line)):
                self.points[name][m[3].split("+")[0]] += int(m[2])

    def __iadd__(self, other):
        self.waits += other.waits
        self.taken += other.taken
        self.time += other.time
        for name, points in other.points.items():
            self.points[name] += points
        return self

    def first(self, number=TEN):
        """Returns those that are waited for most often."""
        return [name for name, n in self.waits.most_common(number) if n]


def operations(path, op, size):
    """Returns how many operations fio's report is about, and how many a second. Of bytes,
    because fio's own figure is of operations that began in that time."""
    text = path.read_text(encoding="utf-8", errors="replace")
    job = json.loads(text[text.index("{"):])["jobs"][0]
    if job["error"] or not job[op]["runtime"]:
        return 0, 0
    done = job[op]["io_bytes"] / size
    return done, 1000 * done / job[op]["runtime"]


def reports(folder):
    """Yields what there is: transport, (op, bytes, connections), round, path of fio's report."""
    found = []
    for path in folder.glob("*.json"):
        transport, connections, op, size, which = path.name[:-len(".json")].rsplit(".", 4)
        found.append((transport, (op, int(size), int(connections)), int(which), path))
    yield from sorted(found)


def named(cell):
    """Returns a short name of what was done.

    >>> named(("read", 65536, 4))
    'R64K/4'
    """
    return f"{cell[0][0].upper()}{cell[1] >> 10}K/{cell[2]}"


def read_locks(folder):
    """Returns {transport: {cell: (operations, Locks)}}."""
    found = defaultdict(dict)
    for transport, cell, _, path in reports(folder):
        done, locks = found[transport].get(cell, (0, Locks()))
        locks.add(path.with_suffix(".locks").read_text(encoding="utf-8"))
        found[transport][cell] = done + operations(path, *cell[:2])[0], locks
    return found


def show(transport, cells, brought):
    """Prints what a transport waits for; returns which of ours are among the first ten."""
    total, done = Locks(), sum(n for n, _ in cells.values())
    for _, locks in cells.values():
        total += locks
    first = total.first()
    own = [name for name in total.first(None) if plain(name) in brought]
    others = [name for name in total.first(None) if plain(name) in VERSION_1]
    print(f"\n{transport}, {done:.0f} operations. Waits for a lock in 1000 operations, all, and by what was done "
          "(WRITE or READ, size/connections);\nmicroseconds of waiting, and times that the lock was taken, for one operation:\n")
    print(f"{'all':>8}" + "".join(f"{named(c):>8}" for c in cells) + f"{'us':>9}{'taken':>8}  lock")
    for name in dict.fromkeys(first + own + others):
        cell = "".join(f"{1000 * locks.waits[name] / max(n, 1):8.2f}" for n, locks in cells.values())
        whose = " (ours)" if name in own else " (version 1's)" if name in others else ""
        print(f"{1000 * total.waits[name] / done:8.2f}{cell}{total.time[name] / done:9.2f}{total.taken[name] / done:8.2f}"
              f"  {name}{whose}{'' if name in first else ', not among the first ten'}")
    for name in own + others:
        where = ", ".join(f"{f} {1000 * n / done:.2f}" for f, n in total.points[name].most_common())
        print(f"  {name} is waited for in {where}")
    return [name for name in first if name in own]


def judge_locks(folder):
    """Prints it all; returns whether it is as it should be."""
    found, brought = read_locks(folder), read_ours()
    facts = read_facts(folder / "facts")
    print(f"Linux {facts.get('kernel', '?')}, preemption {facts.get('preempt', '?')}, {facts.get('cpus', '?')} processors, "
          f"{facts.get('device', '?')}; "
          f"other work kept {facts.get('others', '?')} of the host's processors busy")
    print(f"Ours are: {' '.join(sorted(brought))}")
    if "v2" not in found or not brought:
        print("nothing was measured of version 2")
        return False
    bad = {transport: show(transport, cells, brought) for transport, cells in sorted(found.items())}["v2"]
    print("\nOf ours, " + (", ".join(bad) if bad else "none") + f" is among the {TEN} that version 2 waits for most often")
    return not bad


def read_rounds(folder):
    """Returns {cell: {transport: {round: operations a second}}}."""
    found = defaultdict(lambda: defaultdict(dict))
    for transport, cell, which, path in reports(folder):
        rate = operations(path, *cell[:2])[1]
        if rate:
            found[cell][transport][which] = rate
    return found


def ratios(one, other):
    """Returns the ratios of the rounds that both have.

    >>> ratios({1: 30, 2: 40, 3: 1}, {1: 20, 2: 20})
    {1: 1.5, 2: 2.0}
    """
    return {which: rate / other[which] for which, rate in one.items() if which in other}


def told(values):
    """Returns the median and the spread.

    >>> told([1.25, 1, 2]), told([])
    ('1.25 (1.00 to 2.00)', '\\\\-')
    """
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})" if values else "\\-"


def overall(cells):
    """Returns, for each round that all cells have, the geometric mean of their ratios.

    >>> overall([{1: 1.0, 2: 3.0}, {1: 4.0}])
    [2.0]
    """
    shared = set.intersection(*(set(c) for c in cells)) if cells else set()
    return [exp(sum(log(c[which]) for c in cells) / len(cells)) for which in sorted(shared)]


def page(folder):
    """Returns the page about operations a second."""
    found, facts, machine = read_rounds(folder), read_facts(folder / "facts"), host()
    rows, against = [], defaultdict(list)
    for cell, rates in sorted(found.items(), key=lambda item: (item[0][0] == "read", *item[0][1:])):
        row = [cell[0].upper(), f"{cell[1] >> 10}K", str(cell[2])]
        row += [f"{median(rates[t].values()):.0f}" if rates[t] else "\\-" for t in TRANSPORTS]
        for other in TRANSPORTS[:2]:
            against[other].append(ratios(rates["v2"], rates[other]))
            row.append(told(against[other][-1].values()))
        rows.append(row)
    rows.append(["all", *5 * ["\\-"], *(told(overall(against[other])) for other in TRANSPORTS[:2])])
    described = [["host", f"{machine['cpus']} of {machine['cpu']}, {machine['memory']}; {machine['accel']}"],
                 ["busy with other work meanwhile", f"{facts.get('others', '?')} processors, on average"],
                 ["virtual machine", f"{facts.get('cpus', '?')} processors, {facts.get('device', '?')}, "
                                     f"Linux {facts.get('kernel', '?')}"],
                 ["measured", f"{facts.get('rounds', '?')} rounds, {facts.get('seconds', '?')} seconds for each number"],
                 ["sources", machine["commit"]],
                 ["sources of the module (``conformance/sources.py``)", machine["sources"]]]
    return "\n\n".join([ABOUT.rstrip(), title("Operations a second", "="),
                        table(["op", "bytes", "connections", "v1", "v1-inline64k", "v2", "v2 to v1", "v2 to v1-inline64k"], rows),
                        title("This run", "="), table(["what", "which"], described)]) + "\n"


def main():
    """What this does as a program."""
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("what", choices=["locks", "iops"])
    p.add_argument("folder", type=Path)
    p.add_argument("--rst", type=Path, default=os.devnull)
    args = p.parse_args()
    if args.what == "locks":
        sys.exit(not judge_locks(args.folder))
    args.rst.write_text(page(args.folder), encoding="utf-8")


if __name__ == "__main__":
    main()
