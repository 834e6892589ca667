#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which tests run where, and in which order.

plan.py show check|all|unit [GLOB...]
    prints what has to run, one line for each lane: tests that share one boot of
    virtual machines (bed pair, server, client or vm), or one that runs here (bed host):

        BED<tab>KERNEL<tab>DEVICE<tab>PROCESSORS<tab>SECONDS<tab>NAME:TIMEOUT...

    Lanes with several processors come first; they want the machine for
    themselves. The others follow, the longest first. KERNELS=, DEVICES= and SMP=
    narrow down what the tests ask for, PASSED=, folders of results, leaves out what
    passed there, and SLICE=1/10 takes a tenth of the rest.

plan.py learn RESULTS...
    puts what the tests took into the file seconds: the longest of those runs.

A device may have the build of rpcrdma.ko behind it that tests want instead of the
ordinary one: rxe+ledger, rxe+copy. A test with "module: test" has that on the stock
kernel with everything that only tests use (build.sh test): rxe+test. With EAGER= all have. The module for
other kernels has it anyhow.

With the beds server and client it is the kernel of that end alone that is tried. On a slow
kernel the other end has Debian's instead; else they are pairs as any other.

The header of a test says on which kernels, devices and numbers of processors
(smp:, 1 unless said) it runs. "check" leaves out what except: names, as
KERNEL-DEVICE or KERNEL-DEVICE-PROCESSORS; with KERNELS= it leaves out only the latter.
It leaves out a test without virtual machines if that is said to be "host".
Such a test has the time that the virtual machines leave, and its timeout: has to allow for
that: it is for what hangs, not for what is slow.
"unit" has but what needs no virtual machine and little time. "all" leaves out nothing,
takes 4 processors where a test names 2, and on the debug kernel with one processor
has devices of also: in the place of those that they are builds for. Without: names
combinations, as debug-siw, that "all" and KERNELS= leave out unless there is DEVICES=, too:
what is tried on each kernel and on each device need not be tried on all of both.
"check" goes by except: alone, and may have with little effort what is dear with all. The KCSAN kernel
is for "all" alone, or KERNELS=kcsan; it looks at memory, not at the device, and always
has 2 processors and soft-RoCE, unless a test cannot use that.

Kernels of scripts/kernels, but the first, have their own names: 7.3. What the stock
kernel is good for is tried on them, too. With KERNELS= that is wherever a test runs on the
stock kernel, unless without: has the name. "all" takes the newest of them and has each test
there once, on soft-RoCE and with the fewest processors, unless it cannot use that; and
not what is dear and shows files of ours, which all kernels share: asked: has the name
then. "check" does so where kernels: has the name. Of that source there is a debug kernel, too,
for "all" or KERNELS=: what is tried on the other debug kernel is there once in the same way.
"""

import os
import re
import sys
from collections import defaultdict, namedtuple
from fnmatch import fnmatchcase
from pathlib import Path

from verdict import TESTS, header

HERE = Path(__file__).resolve().parent
# What runs here and is no script among the tests, and what it takes of one processor; in
# "all" some do far more: every prefix of the series is built, and every patch of an export,
# which is mounted with. That is without anything in the cache.
HOST = {"unit": 40, "cost": 10, "dissector": 5, "accounting": 5, "mutants": 10, "testbed": 10, "figures": 5, "sim": 10, "xdr": 30,
        "stat": 5, "manual": 10, "export": 10, "series": 60, "style": 90, "fuzz": 90}
UNIT = ("unit", "cost", "dissector", "accounting", "mutants", "testbed", "figures", "sim", "xdr", "stat", "manual", "export")
# Kernels that have their own names; those that "all" tries everything on
OTHERS = tuple(line.split()[0] for line in (HERE.parent / "scripts/kernels").read_text(encoding="utf-8").splitlines()
               if line and line[0] != "#")[1:]
NEWEST = OTHERS[-1:]
HOST_ALL = HOST | {"series": 3300, "export": 3200, "xdr": 60} | {f"export-{name}": 3200 for name in NEWEST}
DEBUGGED = tuple(f"{name}-debug" for name in NEWEST)
# No lane is expected to take much longer than this in seconds, unless a single test does:
# shorter ones fill the machine more evenly, but each costs a boot. Those that have the
# machine for themselves fill it anyhow, and are only divided for the sake of slices.
LONGEST = {"check": 800, "all": 900}
BOOT = {"stock": 25, "debug": 70, "kcsan": 70} | dict.fromkeys(OTHERS, 30) | dict.fromkeys(DEBUGGED, 70)
# How much slower a kernel is than the stock one
SLOWER = {"stock": 1, "debug": 3, "kcsan": 3} | dict.fromkeys(OTHERS, 1) | dict.fromkeys(DEBUGGED, 3)
# How many times slower than where a test was written a machine may be: its timeout: is for
# what hangs. That is for limits of less than an hour.
PATIENCE, HOUR = 3, 3600
# How much longer a test takes with the next more of effort, and how many times shorter
# with the next less
LONGER, SHORTER = 1.3, 3

Where = namedtuple("Where", "bed kernel device smp")
Lane = namedtuple("Lane", "where seconds tests")


class Test:
    """What the header of a test says."""

    def __init__(self, path):
        def words(key, default=""):
            return (header(path, key) or [default])[0].split()

        self.name = path.stem
        self.bed = (words("bed") or [""])[0]
        self.kernels = words("kernels")
        self.without = words("without")
        self.asked = words("asked")
        self.devices = words("devices") or ["-"]
        self.also = words("also")
        self.option = words("module") == ["test"]
        self.smp = [int(n) for n in words("smp", "1")]
        self.spared = words("except")
        self.timeout = int(words("timeout", "0")[0])

    def once(self, kernel, smp):
        """Returns where it runs on a kernel that has it once."""
        return Where(self.bed, kernel, "rxe" if "rxe" in self.devices else self.devices[0], smp)

    def everywhere(self, scope, asked=()):
        """Yields all that the test names; devices of also: for "all", or if asked for."""
        for kernel in self.kernels:
            if kernel in OTHERS:
                yield self.once(kernel, min(self.smp))
                continue
            if kernel == "kcsan":
                yield self.once(kernel, 2)
                continue
            also = [d for d in self.also if d in asked or scope == "all" and kernel == "debug"]
            instead = [d.partition("+")[0] for d in also if d not in asked]
            for smp in [4 if n == 2 else n for n in self.smp] if scope == "all" else self.smp:
                for device in self.devices:
                    if smp > 1 or device not in instead:
                        yield Where(self.bed, kernel, device, smp)
            for device in also:
                yield Where(self.bed, kernel, device, 1)

    def others(self, scope, asked):
        """Yields the same as for the stock kernel, for those with their own names, if asked for."""
        for kernel in OTHERS:
            if kernel in self.without or "stock" not in self.kernels:
                continue
            if kernel in asked:
                for where in self.everywhere(scope):
                    if where.kernel == "stock":
                        yield where._replace(kernel=kernel)
            elif scope == "all" and kernel in NEWEST and kernel not in self.asked:
                yield self.once(kernel, min(self.smp))
        for kernel in NEWEST if "debug" in self.kernels else ():
            name = f"{kernel}-debug"
            if kernel not in self.without and (name in asked or scope == "all" and kernel not in self.asked):
                yield self.once(name, min(self.smp))

    def module(self, where, option):
        """Returns where this runs, with the device named as the module asks for. @option: so do all."""
        if where.bed in ("server", "client") and (SLOWER[where.kernel] == 1 or where.kernel in DEBUGGED):
            where = where._replace(bed="pair")
        if (self.option or option and where.device != "-") and where.kernel in ("stock", *OTHERS) and "+" not in where.device:
            return where._replace(device=where.device + "+test")
        return where

    def spares(self, where, narrowed):
        """Whether "check" leaves this out."""
        pair = f"{where.kernel}-{where.device}"
        return f"{pair}-{where.smp}" in self.spared or not narrowed and pair in self.spared


def places(test, scope, env):
    """Returns where a test runs."""
    if test.bed == "host":
        return [] if scope != "all" and "host" in test.spared else [Where("host", "-", "-", 1)]
    kernels = env.get("KERNELS", "").split()
    devices = env.get("DEVICES", "").split()
    smp = [int(n) for n in env.get("SMP", "").split()]
    got = set()
    usual = ["stock", "debug", *NEWEST] + (["kcsan", *DEBUGGED] if scope == "all" else [])
    for where in [*test.everywhere(scope, devices), *test.others(scope, kernels)]:
        if where.kernel not in (kernels or usual):
            continue
        if devices and where.device not in devices and where.device.partition("+")[0] != "-":
            continue
        dear = scope == "all" or kernels
        if dear and f"{where.kernel}-{where.device}" in test.without and not (kernels and devices):
            continue
        if scope == "all" or smp or not test.spares(where, kernels):
            got.update([where._replace(smp=n) for n in smp] or [where])
    return sorted(test.module(where, env.get("EAGER")) for where in got)


def result(name, where):
    """Returns how the result of a test is called.

    >>> result("unit", Where("host", "-", "-", 1)), result("wire", Where("pair", "stock", "rxe+test", 2)), result("unload", Where("vm", "7.3", "-", 1))
    ('unit', 'wire [stock rxe+test x2]', 'unload [7.3 alone]')
    """
    machine = [where.kernel, re.sub("^-", "alone", where.device)] + [f"x{where.smp}"] * (where.smp > 1)
    return name if where.bed == "host" else f"{name} [{' '.join(machine)}]"


def passed(folders):
    """Returns the results that are ok in folders of results, as they came out last. What ran on a
    machine that did not end well is not one."""
    names = set()
    for folder in folders:
        lines = (Path(folder) / "verdicts").read_text(encoding="utf-8").splitlines()
        bad = {x.split(" [")[1] for x in lines if re.match(r"FAILED (boot|kernel logs at the end) \[", x)}
        names -= {x[7:] for x in lines if x.startswith("FAILED ")}
        names |= {x[3:] for x in lines if x.startswith("ok ") and x.split(" [")[-1] not in bad}
    return names


def effort(kernel, scope):
    """Returns 0 to 2: slow kernels do in "all" what the stock kernel does in "check"."""
    return (SLOWER[kernel] == 1) + (scope == "all")


class Seconds:
    """What tests took when they last ran."""

    FILE = HERE / "seconds"

    def __init__(self, path=FILE):
        self.known = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                if line and line[0] != "#":
                    *key, secs = line.split()
                    self.known[tuple(key)] = int(secs)

    def of(self, test, where, scope):
        """Returns what a test will take there, or a guess from its relatives."""
        key = (test.name, where.kernel, where.device.removesuffix("+test"), str(where.smp))
        if (*key, scope) in self.known:
            return self.known[(*key, scope)]
        mine = effort(where.kernel, scope)
        # the nearest by effort, those with less before those with more, and of these the
        # ones that race as this does
        kin = defaultdict(list)
        for k, s in self.known.items():
            if k[0] == test.name:
                more = mine - effort(k[1], k[4])
                apart = (more < 0, abs(more), (k[3] == "1") != (where.smp == 1))
                kin[apart].append(s * SLOWER[where.kernel] / SLOWER[k[1]] * (LONGER if more > 0 else SHORTER) ** more)
        return int(max(kin[min(kin)])) if kin else min(test.timeout, 60) * SLOWER[where.kernel] * LONGER ** mine

    def learn(self, folders):
        """Takes the longest of what tests took in those runs."""
        fresh = {}
        for folder in folders:
            scope = (Path(folder) / "scope").read_text(encoding="utf-8").strip()
            for line in (Path(folder) / "seconds").read_text(encoding="utf-8").splitlines():
                secs, name = line.split("\t")
                test, _, label = name.partition(" [")
                words = label.rstrip("]").split()
                if label and not " " in test:
                    key = (test, words[0], words[1].replace("alone", "-").removesuffix("+test"),
                           words[2][1:] if len(words) > 2 else "1", scope)
                    fresh[key] = max(int(secs), fresh.get(key, 1))
        self.known.update(fresh)

    def write(self, path=FILE):
        """Keeps it all."""
        text = "# What each test took: TEST KERNEL DEVICE PROCESSORS check|all SECONDS. plan.py learns it.\n"
        text += "".join(" ".join(k) + f" {s}\n" for k, s in sorted(self.known.items()))
        path.write_text(text, encoding="utf-8")


def fill(items, count):
    """Deals (cost, item) to so many piles, the dearest first, each to the cheapest pile."""
    piles = [[0, []] for _ in range(count)]
    for cost, item in sorted(items, key=lambda x: (-x[0], x[1])):
        pile = min(piles, key=lambda p: p[0])
        pile[0] += cost
        pile[1].append(item)
    return piles


def patient(limit):
    """Returns the limit for a test on a machine that may be slow.

    >>> patient(240), patient(1800), patient(5400)
    (720, 3600, 5400)
    """
    return max(limit, min(limit * PATIENCE, HOUR))


def lanes(tests, scope, globs, env, before):
    """Returns all lanes, in no order, but for the results in @before."""
    took = Seconds()
    jobs = defaultdict(list)
    for test in tests:
        if any(fnmatchcase(test.name, g) for g in globs):
            for where in places(test, scope, env):
                if result(test.name, where) not in before:
                    jobs[where].append(test)
    for where, here in sorted(jobs.items()):
        if where.bed == "host":
            for t in here:
                yield Lane(where, min(t.timeout, 60), [f"{t.name}:{t.timeout}"])
            continue
        slow = SLOWER[where.kernel] * (2 if where.smp > 2 else 1)
        cost = [(took.of(t, where, scope), f"{t.name}:{patient(t.timeout * slow)}") for t in here]
        room = max(LONGEST[scope] - BOOT[where.kernel], 60)
        count = 1 if where.smp > 1 and scope != "all" else max(1, round(sum(c for c, _ in cost) / room))
        for secs, names in fill(cost, count):
            if names:
                yield Lane(where, secs + BOOT[where.kernel], names)


def plan(tests, scope, globs, env):
    """Returns the lanes that run, in the order in which they begin."""
    before = passed(env.get("PASSED", "").split())
    everything = [] if scope == "unit" else list(lanes(tests, scope, globs, env, before))
    here = HOST_ALL if scope == "all" else HOST
    everything += [Lane(Where("host", "-", "-", 1), here[n], [f"{n}:0"]) for n in (UNIT if scope == "unit" else here)
                   if n not in before and any(fnmatchcase(n, g) for g in globs)]
    if env.get("SLICE"):
        nr, count = (int(n) for n in env["SLICE"].split("/"))
        if not 1 <= nr <= count:
            sys.exit(f"plan.py: SLICE={env['SLICE']} is none of 1/{count} to {count}/{count}")
        # a lane that has the machine for itself takes twice as much of it
        everything = fill([(x.seconds * min(x.where.smp, 2), x) for x in everything], count)[nr - 1][1]
    return sorted(everything, key=lambda x: (-min(x.where.smp, 2), -x.seconds, x))


def all_tests(folder=TESTS):
    """Returns every test that has a header."""
    return [t for t in (Test(p) for p in sorted(folder.glob("*.sh")) if p.stem != "TEMPLATE") if t.bed]


def main():
    what, *rest = sys.argv[1:]
    if what == "learn":
        seconds = Seconds()
        seconds.learn(rest)
        seconds.write()
        return
    scope, *globs = rest
    for lane in plan(all_tests(), scope, globs or ["*"], os.environ):
        print(*lane.where, lane.seconds, *lane.tests, sep="\t")


if __name__ == "__main__":
    main()
