#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does every test run wherever it should, once?"""

import tempfile
import unittest
from pathlib import Path

import plan

HEADER = """#!/bin/bash
# Something.
#
# bed: {bed}
# kernels: {kernels}
# devices: {devices}
# timeout: 100
{more}
. lib.sh
# smp: 8
"""


# "check" has no time for these on a machine of two processors, check-all runs them.
ONLY_ALL = ("apps", "big-tree", "callback-load", "client-death", "client-memory", "cross", "fault-ipv6", "fault-network",
            "flushed-replies", "interop-ganesha", "interop-max-version", "interop-odd-servers", "kselftest", "krb5-ticket", "many",
            "many-memory", "memory", "package", "peer-check", "place-directions", "server-reboot", "server-shrink", "skew",
            "slow-network")


class Plan(unittest.TestCase):
    """With tests made up for the purpose."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.add("plain")
        self.add("racy", more="# smp: 2\n# except: debug-siw\n")
        self.add("both", more="# smp: 1 2\n# except: debug-rxe debug-siw stock-rxe-1 stock-siw-2\n")
        self.add("races", kernels="stock kcsan")
        self.add("newer", kernels="stock 7.3", more="# smp: 1 2\n")
        self.add("older", devices="rxe", more="# without: 7.3\n# module: test\n")
        self.add("soft-iWARP", devices="siw")
        self.add("ours", more="# smp: 1 2\n# asked: 7.3\n")
        self.add("copied", kernels="stock debug", more="# smp: 1 2\n# also: rxe+copy\n")
        self.add("alone", bed="vm", kernels="debug")
        self.add("counted", bed="vm", devices="-+ledger", more="# also: rxe+copy\n")
        self.add("one end", bed="server", devices="rxe")
        self.add("costly", more="# without: debug-siw\n")
        self.add("TEMPLATE")
        (self.dir / "some_lib.sh").write_text("# A library\n")

    def add(self, name, bed="pair", kernels="stock debug", devices="rxe siw", more=""):
        (self.dir / f"{name}.sh").write_text(HEADER.format(bed=bed, kernels=kernels, devices=devices, more=more))

    def lanes(self, scope="check", globs=("*",), **env):
        return plan.plan(plan.all_tests(self.dir), scope, globs, env)

    def places(self, name, *args, **env):
        return {(w.kernel, w.device, w.smp) for w, _, tests in self.lanes(*args, **env)
                for t in tests if t.split(":")[0] == name}

    def test_check(self):
        self.assertEqual(self.places("plain"), {(k, d, 1) for k in ("stock", "debug") for d in ("rxe", "siw")})
        self.assertEqual(self.places("racy"), {("stock", "rxe", 2), ("stock", "siw", 2), ("debug", "rxe", 2)})
        self.assertEqual(self.places("both"), {("stock", "rxe", 2), ("stock", "siw", 1)})
        self.assertEqual(self.places("races"), {("stock", "rxe", 1), ("stock", "siw", 1)})
        self.assertEqual(self.places("TEMPLATE") | self.places("some_lib"), set())

    def test_without(self):
        three = {("stock", "rxe", 1), ("stock", "siw", 1), ("debug", "rxe", 1)}
        self.assertEqual(self.places("costly"), three | {("debug", "siw", 1)})
        self.assertEqual(self.places("costly", "all"), three | {(k, "rxe", 1) for k in ("7.3", "7.3-debug")})
        self.assertEqual(self.places("costly", "all", KERNELS="debug"), {("debug", "rxe", 1)})
        self.assertEqual(self.places("costly", KERNELS="debug"), {("debug", "rxe", 1)})
        self.assertEqual(self.places("costly", KERNELS="debug", DEVICES="siw"), {("debug", "siw", 1)})

    def test_one_end(self):
        self.assertEqual({(w.bed, w.kernel) for w, _, tests in self.lanes("all")
                          for t in tests if t.split(":")[0] == "one end"},
                         {("pair", "stock"), ("pair", "7.3"), ("server", "debug"), ("pair", "7.3-debug")})

    def test_others(self):
        newer = {("7.3", d, n) for d in ("rxe", "siw") for n in (1, 2)}
        self.assertEqual({w for w in self.places("newer") if w[0] == "7.3"}, {("7.3", "rxe", 1)})
        self.assertEqual(self.places("newer", KERNELS="7.3"), newer)
        self.assertEqual(self.places("newer", "all", KERNELS="7.3"),
                         {("7.3", d, n) for d in ("rxe", "siw") for n in (1, 4)} | {("7.3", "rxe", 1)})
        self.assertEqual({w for w in self.places("newer", "all") if w[0] == "7.3"}, {("7.3", "rxe", 1)})
        self.assertEqual({w for w in self.places("ours", "all") if w[0] == "7.3"}, set())
        self.assertEqual(self.places("ours", KERNELS="7.3"), newer)
        self.assertEqual({w[0] for w in self.places("alone", "all")}, {"debug", "7.3-debug"})
        self.assertEqual(self.places("plain"), self.places("plain", KERNELS="stock debug"))
        self.assertEqual(self.places("plain", KERNELS="7.3-debug"), {("7.3-debug", "rxe", 1)})
        self.assertEqual(self.places("older", "all", KERNELS="7.3-debug"), set())
        self.assertEqual(self.places("races", KERNELS="7.3", DEVICES="siw"), {("7.3", "siw", 1)})
        self.assertEqual(self.places("plain", KERNELS="6.12-deb13", DEVICES="siw"), {("6.12-deb13", "siw", 1)})
        self.assertEqual(self.places("older", KERNELS="7.3"), set())
        self.assertEqual(self.places("older", KERNELS="6.12-deb13"), {("6.12-deb13", "rxe+test", 1)})

    def test_all(self):
        everywhere = {(k, d, n) for k in ("stock", "debug") for d in ("rxe", "siw") for n in (1, 4)}
        once, debug = ("7.3", "rxe", 1), ("7.3-debug", "rxe", 1)
        self.assertEqual(self.places("racy", "all"), {w for w in everywhere if w[2] == 4} | {("7.3", "rxe", 2), ("7.3-debug", "rxe", 2)})
        self.assertEqual(self.places("both", "all"), everywhere | {once, debug})
        self.assertEqual(self.places("races", "all"), {("stock", "rxe", 1), ("stock", "siw", 1), once, ("kcsan", "rxe", 2)})
        self.assertEqual(self.places("copied", "all"),
                         everywhere - {("debug", "rxe", 1)} | {("debug", "rxe+copy", 1), once, debug})
        self.assertEqual(self.places("soft-iWARP", "all"), {(k, "siw", 1) for k in ("stock", "debug", "7.3", "7.3-debug")})

    def test_narrowed(self):
        self.assertEqual(self.places("racy", KERNELS="debug"), {("debug", "rxe", 2), ("debug", "siw", 2)})
        self.assertEqual(self.places("both", KERNELS="stock", DEVICES="rxe"), {("stock", "rxe", 2)})
        self.assertEqual(self.places("plain", KERNELS="stock", DEVICES="rxe", SMP="4"), {("stock", "rxe", 4)})
        self.assertEqual(self.places("races", KERNELS="kcsan"), {("kcsan", "rxe", 2)})
        self.assertEqual(self.places("copied", KERNELS="stock", DEVICES="rxe+copy"), {("stock", "rxe+copy", 1)})
        self.assertEqual(self.places("alone", KERNELS="debug", DEVICES="rxe"), {("debug", "rxe", 1)})
        self.assertEqual(self.places("plain", "check", ("rac*",)), set())
        self.assertEqual(self.places("counted", KERNELS="stock", DEVICES="siw"), {("stock", "-+ledger", 1)})
        self.assertEqual(self.places("counted", KERNELS="stock", DEVICES="rxe+copy"),
                         {("stock", "-+ledger", 1), ("stock", "rxe+copy", 1)})

    def test_here(self):
        self.assertEqual({t for x in self.lanes("unit") for t in x.tests}, {f"{n}:0" for n in plan.UNIT})
        self.assertEqual([x.tests for x in self.lanes("check", ("fuzz",))], [["fuzz:0"]])

    def test_order(self):
        many = [x.where.smp > 1 for x in self.lanes()]
        self.assertEqual(many, sorted(many, reverse=True))
        one = [x.seconds for x in self.lanes() if x.where.smp == 1]
        self.assertEqual(one, sorted(one, reverse=True))


class Ours(unittest.TestCase):
    """With the tests that there are."""

    tests = plan.all_tests()

    def run_of(self, **env):
        return [(x.where, t) for x in plan.plan(self.tests, "all", ["*"], env) for t in x.tests]

    def test_slices(self):
        whole = self.run_of()
        for count in (2, 7, 8):
            parts = [self.run_of(SLICE=f"{n}/{count}") for n in range(1, count + 1)]
            self.assertEqual(sorted(sum(parts, [])), sorted(whole))

    def test_left(self):
        whole = self.run_of()
        with tempfile.TemporaryDirectory() as folder:
            results = [plan.result(t.split(":")[0], w) for w, t in whole]
            bad = next(r for r in results if r.endswith("[debug rxe x4]"))
            Path(folder, "verdicts").write_text(f"ok unit\nok {bad}\nFAILED kernel logs at the end [debug rxe x4]\nok wire [stock rxe]\n"
                                                "FAILED mount-vers [stock rxe]\nskipped skew [stock rxe]\n")
            left = [plan.result(t.split(":")[0], w) for w, t in self.run_of(PASSED=folder)]
            self.assertEqual(set(results) - set(left), {"unit", "wire [stock rxe]"})
            later = Path(folder, "later")
            later.mkdir()
            Path(later, "verdicts").write_text("FAILED unit\n")
            self.assertEqual(plan.passed([folder, later]) & set(results), {"wire [stock rxe]"})
            Path(folder, "verdicts").write_text("".join(f"ok {r}\n" for r in results))
            self.assertEqual(self.run_of(PASSED=folder), [])

    def test_balance(self):
        took = [sum(x.seconds * min(x.where.smp, 2) for x in plan.plan(self.tests, "all", ["*"], {"SLICE": f"{n}/10"}))
                for n in range(1, 11)]
        self.assertLess(max(took), 1.15 * min(took))
        # in minutes, with two lanes at a time; a slice has 80
        self.assertLess(max(took) / 120, 70)

    def test_everywhere(self):
        for test in self.tests:
            self.assertIn(test.bed, ("pair", "server", "client", "vm", "host"), test.name)
            self.assertGreater(test.timeout, 0, test.name)
            self.assertEqual(not plan.places(test, "check", {}), test.name in ONLY_ALL, test.name)
            self.assertTrue(plan.places(test, "all", {}), test.name)
            self.assertLessEqual(set(test.asked), set(plan.OTHERS), test.name)


class Seconds(unittest.TestCase):
    """What is known of how long tests take."""

    def test_learn(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "scope").write_text("check\n")
            (folder / "seconds").write_text("12\tracy [debug rxe x2]\n9\tkernel logs at the end [debug rxe x2]\n"
                                            "3\tunit\n8\talone [debug alone]\n4\tcounted [stock alone+ledger]\n")
            seconds = plan.Seconds(folder / "none")
            seconds.learn([folder])
            seconds.write(folder / "kept")
            seconds = plan.Seconds(folder / "kept")
        self.assertEqual(seconds.known, {("racy", "debug", "rxe", "2", "check"): 12,
                                         ("alone", "debug", "-", "1", "check"): 8,
                                         ("counted", "stock", "-+ledger", "1", "check"): 4})
        test = plan.namedtuple("T", "name timeout")("racy", 100)
        where = plan.Where("pair", "debug", "rxe", 2)
        self.assertEqual(seconds.of(test, where, "check"), 12)
        self.assertEqual(seconds.of(test, where, "all"), 15)
        self.assertEqual(seconds.of(test, where._replace(kernel="stock"), "check"), 5)

    def test_effort(self):
        """A slow kernel does in "all" what the stock kernel does in "check"."""
        seconds = plan.Seconds(Path("none"))
        seconds.known = {("racy", "debug", "rxe", "2", "check"): 90, ("racy", "stock", "rxe", "1", "check"): 10,
                         ("racy", "stock", "rxe", "1", "all"): 100}
        test = plan.namedtuple("T", "name timeout")("racy", 100)
        where = plan.Where("pair", "debug", "siw", 1)
        self.assertEqual(seconds.of(test, where, "all"), 30)
        self.assertEqual(seconds.of(test, where, "check"), 90)
        self.assertEqual(seconds.of(test, where._replace(kernel="stock"), "all"), 100)
        del seconds.known["racy", "debug", "rxe", "2", "check"], seconds.known["racy", "stock", "rxe", "1", "check"]
        self.assertEqual(seconds.of(test, where, "all"), 100)

    def test_racing(self):
        """With several processors a test may have other cases than with one."""
        seconds = plan.Seconds(Path("none"))
        seconds.known = {("both", "stock", "rxe", "1", "all"): 700, ("both", "stock", "rxe", "4", "all"): 150}
        test = plan.namedtuple("T", "name timeout")("both", 1000)
        where = plan.Where("pair", "stock", "siw", 1)
        self.assertEqual(seconds.of(test, where, "all"), 700)
        self.assertEqual(seconds.of(test, where._replace(smp=4), "all"), 150)


if __name__ == "__main__":
    unittest.main()
