#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of conformance.py: every complaint it can make, every result."""

import csv
import doctest
import io
import os
import re
import subprocess
import tempfile
import unittest
from argparse import Namespace
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import conformance as c
import foreign
import judgement
import sources

PLAIN = {"version": 2, "rbsiz": 4096, "reqreminv": 0, "brs": 1, "rtrsupp": 0, "rbstruct": 0, "xch": 0}
COUNTS = {"B": 2, "N": 1}


def an_id(name, client="case", server=None):
    """Returns an id that is accounted for in that way."""
    return judgement.Id(name, "what", "Section", {"client": client, "server": server or client})


def some(*seen):
    """Returns what cases came to: ("pass", "case") and so on."""
    return [c.Seen(result, case, "reason") for result, case in seen]


class Lists(unittest.TestCase):
    """The self-check."""

    def setUp(self):
        self.ids = [an_id("B-01"), an_id("B-02"), an_id("N-01")]
        patch = mock.patch.object(c, "COUNTS", COUNTS)
        patch.start()
        self.addCleanup(patch.stop)

    def test_sound(self):
        self.assertEqual(list(c.check_list(self.ids)), [])

    def test_missing(self):
        self.assertIn("1 ids with B instead of 2", list(c.check_list(self.ids[1:])))

    def test_twice(self):
        self.assertIn("N-01 is there 2 times", list(c.check_list(self.ids + self.ids[2:])))

    def test_unknown_letter(self):
        self.assertIn("1 ids with Q instead of 0", list(c.check_list(self.ids + [an_id("Q-01")])))

    def test_checklist(self):
        found = list(c.check_checklist(self.ids, ["B-01", "B-03", "N-01"]))
        self.assertEqual(found, ["B-03 of the checklist is missing", "B-02 is not in the checklist"])

    def test_sections(self):
        self.assertEqual(list(c.check_sections(self.ids, {"B-01": "V2", "B-02": "RT 5"})), [])
        found = list(c.check_sections(self.ids, {"B-01": "V2", "B-03": "RT 5"}))
        self.assertEqual([line.split(":")[0] for line in found], ["B-02", "B-03"])

    def test_how(self):
        bad = {"covered:nothing": "no test", "unbuilt:nothing": "no feature", "nothing": "what is",
               "covered:": "too little", "case:why": "too much", "other": "binds nobody"}
        for how, text in bad.items():
            self.assertRegex(" ".join(c.check_how([an_id("B-01", how)], {"reconnect"})), text)
        for how in ("case", "covered:reconnect", "unobservable:why", "unbuilt:genl"):
            self.assertEqual(list(c.check_how([an_id("B-01", how, "other")], {"reconnect"})), [])

    def test_cases(self):
        sound = {"a": ["B-01", "A-19", "A-100", "E12", "C.7-PROBE"]}
        self.assertEqual(list(c.check_cases(self.ids, {"client": sound, "server": sound})), [])
        found = list(c.check_cases(self.ids, {"client": {"a": ["B-99"], "b": []}, "server": {}}))
        self.assertEqual(found, ["case a names B-99, which is unknown", "case b names no id",
                                 "no cases for the server"])
        ids = [an_id("B-01", "case", "other")]
        found = list(c.check_cases(ids, {"client": {"a": ["B-01"]}, "server": {"b": ["B-01"]}}))
        self.assertEqual(found, ["case b names B-01, which does not bind the server"])
        ids = [an_id("B-01", "unobservable:why", "case")]
        found = list(c.check_cases(ids, {"client": {"a": ["B-01"]}, "server": {"b": ["B-01"]}}))
        self.assertEqual(found, ["case a names B-01, which is said to be unobservable for the client"])

    def test_named(self):
        cases = {"client": {"a": ["B-01", "B-02"]}, "server": {"b": ["B-01", "B-02", "N-01"]}}
        self.assertEqual(list(c.check_named(self.ids, cases)), ["N-01: no case for the client names it"])


class Sources(unittest.TestCase):
    """What is read."""

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.path = Path(self.dir.name)

    def test_tables(self):
        (self.path / "cases.c").write_text(
            'const struct cli_case x[] = {\n\t{ "a", "B-01 "\n\t  "B-02",\n\t  "x 2 => y" },\n};\n'
            'const struct srv_case y[] = {\n\t{ "b",\n\t  "N-01", NULL },\n};\n', encoding="utf-8")
        self.assertEqual(c.read_cases(self.path), {"server": {"a": ["B-01", "B-02"]}, "client": {"b": ["N-01"]}})

    def test_ids(self):
        path = self.path / "ids.tsv"
        path.write_text("# x\n= Title\nB-01\twhat\tcase\tother\nB-02\twhat\tcase\n", encoding="utf-8")
        ids = c.read_ids(path)
        self.assertEqual([i.how["server"] for i in ids], ["other", "case"])
        self.assertEqual(ids[0].section, "Title")
        path.write_text("B-01 what case\n", encoding="utf-8")
        self.assertRaises(judgement.Malformed, c.read_ids, path)

    def test_checklist(self):
        path = self.path / "list.rst"
        path.write_text("   * - Id\n     - x\n   * - A-01\n     - x\n   * - B-01\n     - x\n   * - N-215\n     - B-02\n",
                        encoding="utf-8")
        self.assertEqual(c.read_checklist(path), ["B-01", "N-215"])

    def test_checklist_sections(self):
        path = self.path / "list.rst"
        path.write_text("   * - A-01\n     - x\n     - y\n   * - B-01\n     - MUST\n     - V2 3, RT 5.1\n     - both\n"
                        "   * - N-02\n     - x\n     - E:XDR\n", encoding="utf-8")
        self.assertEqual(c.read_checklist_sections(path), {"B-01": "V2 3, RT 5.1"})

    def test_cited(self):
        path = self.path / "list.rst"
        path.write_text("   * - A-01\n     - x\n   * - B-01\n     - N-03\n", encoding="utf-8")
        found = c.check_cited(path, {"a.c": "/* A-01, B-01, GB-77 */", "b.c": "/* serves N-03 (A-02) */ X-84-like"})
        self.assertEqual(list(found), ["b.c names A-02, which the checklist has not",
                                       "b.c names N-03, which the checklist has not"])

    def test_sections(self):
        path = self.path / "sections.tsv"
        path.write_text("# x\n= V2\ta text\nB-01\tV2 3\n", encoding="utf-8")
        self.assertEqual(c.read_sections(path), {"B-01": "V2 3"})

    def test_own_files(self):
        self.assertEqual(len(c.read_ids(c.HERE / "ids.tsv")), 414)
        tests = c.read_tests(c.TESTS, c.TOP / "net/sunrpc/xprtrdma/v2/tests")
        self.assertLessEqual({"delegation", "reconnect", "codec_fault_row"}, tests)
        self.assertNotIn("rpcrdma_lib", tests)


class Cases(unittest.TestCase):
    """How many cases a test of conformance has."""

    def few(self, every, bed):
        """Returns what rpcrdma_few prints in a bed: "stock rxe 1" and so on."""
        env = dict(zip(("TB_KERNEL", "TB_DEV", "TB_SMP"), bed.split()), TB_EVERY_CASE=every)
        script = f"eval \"$(sed -n '/^rpcrdma_few()/,/^}}/p' {c.TESTS}/rpcrdma_lib.sh)\"; rpcrdma_few"
        return subprocess.run(["bash", "-euc", script], env={**os.environ, **env}, check=True,
                              capture_output=True, text=True).stdout.strip()

    def test_all_for_the_statement(self):
        every = re.search("^export EVERY_CASE=(.*)$", (c.HERE / "run.sh").read_text(encoding="utf-8"), re.M)[1]
        for bed in ("stock rxe 1", "stock siw 2", "debug rxe 1", "debug siw 1", "kcsan rxe 2"):
            self.assertEqual(self.few(every, bed), "")

    def test_shared_otherwise(self):
        self.assertEqual(self.few("yes", "stock siw 1"), "")
        beds = [f"debug {device} {smp}" for smp in (1, 4) for device in ("rxe", "siw")]
        self.assertEqual([self.few("yes", bed) for bed in beds], [f"--subset --part {n}/4" for n in range(4)])
        self.assertEqual(self.few("", "stock rxe 2"), "--subset --part 1/3")


class Fresh(unittest.TestCase):
    """Is the statement about the sources that are here?"""

    FILES = {"net/sunrpc/a.c": "a", "net/sunrpc/a.h": "b", "net/sunrpc/tests/t.c": "t", "net/x.txt": "x",
             "include/linux/b.h": "c", "Kbuild": "k", "patches/BASE": "6.12", "patches/1.patch": "one",
             "patches/2.patch": "two", "patches/series": "# first\n1.patch\n"}

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.top = Path(self.dir.name)
        for name, text in self.FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_what_counts(self):
        for name in self.FILES:
            before = sources.digest(self.top)
            self.write(name, self.FILES[name] + "\n")
            same = name in ("net/sunrpc/tests/t.c", "net/x.txt", "patches/2.patch")
            self.assertEqual(sources.digest(self.top) == before, same, name)

    def test_words_of_a_patch_do_not_count(self):
        self.write("patches/1.patch", "one\n---\ntwo\n---\nthree")
        before = sources.digest(self.top)
        self.write("patches/1.patch", "more\n\none\n---\ntwo\n---\nthree")
        self.assertEqual(sources.digest(self.top), before)
        self.write("patches/1.patch", "more\n\none\n---\ntwo\n---\nthree!")
        self.assertNotEqual(sources.digest(self.top), before)

    def test_names_count(self):
        before = sources.digest(self.top)
        (self.top / "net/sunrpc/a.c").rename(self.top / "net/sunrpc/z.c")
        self.assertNotEqual(sources.digest(self.top), before)

    def test_order_does_not_count(self):
        files = list(sources.module_files(self.top))
        self.assertEqual(len(files), 7)
        before = sources.digest(self.top)
        with mock.patch.object(sources, "module_files", lambda top: reversed(files)):
            self.assertEqual(sources.digest(self.top), before)

    def test_a_patch_that_is_missing(self):
        (self.top / "patches/1.patch").unlink()
        self.assertRaises(FileNotFoundError, sources.digest, self.top)

    def test_stale(self):
        self.assertRegex(sources.stale(self.top), "does not say")
        self.write(sources.PAGE, "made some time ago")
        self.assertRegex(sources.stale(self.top), "does not say")
        self.write(sources.PAGE, f"::\n\n    {sources.digest(self.top)}\n")
        self.assertIsNone(sources.stale(self.top))
        self.write("net/sunrpc/a.c", "changed")
        self.assertRegex(sources.stale(self.top), "have changed")
        self.assertRegex(sources.stale(self.top, "other.rst", "make other"), "other.rst does not say .*: make other$")

    def check(self, fresh, old):
        """Returns status and output of the command "check"."""
        out = io.StringIO()
        with mock.patch.object(c, "complaints", lambda: []), mock.patch.object(sources, "stale", lambda: old), \
                redirect_stdout(out):
            return c.check(Namespace(fresh=fresh)), out.getvalue()

    def test_check(self):
        self.assertEqual(self.check(True, None)[0], 0)
        self.assertEqual(self.check(False, "old"), (0, "# note: old\nok - 414 ids are accounted for\n"))
        self.assertEqual(self.check(True, "old"), (1, "not ok - old\n"))

    def test_examples(self):
        self.assertEqual(doctest.testmod(sources).failed, 0)


class Results(unittest.TestCase):
    """How an id is judged."""

    def judge(self, how, *seen, advertised=None):
        return c.decide(how, "client", some(*seen), {**PLAIN, **(advertised or {})})[0]

    def test_cases(self):
        self.assertEqual(self.judge("case", ("pass", "a")), "pass")
        self.assertEqual(self.judge("case", ("pass", "a"), ("fail", "b")), "fail")
        self.assertEqual(self.judge("case", ("skip", "a")), "fail")
        self.assertEqual(self.judge("case"), "fail")

    def test_cases_come_first(self):
        for how in ("covered:reconnect", "unobservable:why"):
            self.assertEqual(self.judge(how, ("fail", "a")), "fail")
            self.assertEqual(self.judge(how, ("pass", "a")), "pass")
            self.assertEqual(self.judge(how, ("skip", "a")), how.partition(":")[0])

    def test_names_all_cases(self):
        got = c.decide("case", "client", some(("pass", "a"), ("pass", "b"), ("pass", "a")), PLAIN)
        self.assertEqual(got, ("pass", "a b", ""))

    def test_other(self):
        self.assertEqual(self.judge("other", ("pass", "a")), "pass")
        self.assertEqual(self.judge("other", ("fail", "a")), "fail")
        got = c.decide("other", "client", [], PLAIN)
        self.assertEqual(got, ("unobservable", "", "binds the server only"))
        self.assertIn("client", c.decide("other", "server", [], PLAIN)[2])

    def test_unbuilt_stays_so(self):
        self.assertEqual(self.judge("unbuilt:genl"), "unbuilt")
        self.assertEqual(self.judge("unbuilt:genl", ("pass", "a")), "unbuilt")
        self.assertEqual(self.judge("unbuilt:genl", ("fail", "a")), "fail")

    def test_advertised_fails_without_a_case(self):
        signs = {"genl": [{"brs": 2}]}
        self.assertEqual(set(signs), set(c.FEATURES))
        for feature, all_signs in signs.items():
            self.assertEqual(self.judge(f"unbuilt:{feature}"), "unbuilt")
            for sign in all_signs:
                self.assertEqual(self.judge(f"unbuilt:{feature}", advertised=sign), "fail")
                self.assertEqual(self.judge(f"unbuilt:{feature}", ("skip", "a"), advertised=sign), "fail")
                self.assertEqual(self.judge(f"unbuilt:{feature}", ("pass", "a"), advertised=sign), "pass")

    def test_nothing_known_of_the_end(self):
        self.assertEqual(c.decide("unbuilt:genl", "client", [], {})[0], "fail")


class Merging(unittest.TestCase):
    """From the tables of the peer to those of a person."""

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.path = Path(self.dir.name)
        self.cases = c.read_cases(c.TESTS / "peer")

    def peer(self, spoil=None, skip=()):
        """Writes what the peer writes if all goes well, but for one case, and without some."""
        count = len(self.cases["client"]) + len(self.cases["server"])
        (self.path / "conformance-x.log").write_text(
            f"KTAP version 1\n1..{count * 2}\n" + "ok\n" + "not ok 1 x\nok 2 x\n" * count, encoding="utf-8")
        with open(self.path / "conformance-x.csv", "w", encoding="utf-8") as f:
            for end in c.ENDS:
                for device in c.DEVICES:
                    for what, value in PLAIN.items():
                        f.write(f'advertised,{end},{device},{value},{what},""\n')
                    for case, ids in self.cases[end].items():
                        result = "fail" if (end, device, case) == spoil else "skip" if case.startswith(skip) else "pass"
                        for name in ids:
                            f.write(f'{name},{end},{device},{result},{case},"a ""b"", c"\n')

    def merge(self):
        """Merges, and returns status, rows and page."""
        args = Namespace(results=self.path, sources="5" * 64, rst=self.path / "page.rst", csv=self.path / "out/all.csv")
        with redirect_stdout(io.StringIO()):
            rc = c.merge(args)
        with open(args.csv, newline="", encoding="utf-8") as f:
            return rc, list(csv.DictReader(f)), args.rst.read_text(encoding="utf-8")

    def test_one_row_each(self):
        self.peer()
        _, rows, page = self.merge()
        keys = {(r["id"], r["end"], r["device"]) for r in rows}
        self.assertEqual((len(rows), len(keys)), (414 * 4, 414 * 4))
        self.assertLessEqual({r["result"] for r in rows}, set(c.WORDS))
        for i in c.read_ids(c.HERE / "ids.tsv"):
            self.assertIn(f"\n{i.name} ", page)

    def test_the_page_names_its_sources(self):
        self.peer()
        self.assertEqual(sources.told(self.merge()[2]), "5" * 64)

    def test_the_page_counts_cases(self):
        self.peer(("client", "siw", "neg_close"))
        page = self.merge()[2].split("Cases that ran")[1]
        count = len(self.cases["client"])
        self.assertRegex(page, rf"client +rxe +unknown +{count} +{count} +0 +0\n")
        self.assertRegex(page, rf"client +siw +unknown +{count} +{count - 1} +1 +0\n")

    def test_a_case_that_two_runs_have(self):
        results = c.Results()
        for result in ("skip", "pass", "skip"):
            results.add(c.Row("B-01", "server", "rxe", result, "null_v2", ""))
        self.assertEqual(results.cases["server", "rxe"], {"null_v2": "pass"})

    def test_a_failed_case(self):
        self.peer(("client", "siw", "neg_close"))
        rc, rows, page = self.merge()
        bad = {(r["id"], r["end"], r["device"]): r["why"] for r in rows if r["result"] == "fail" and "neg_close" in r["case"]}
        self.assertEqual(rc, 1)
        self.assertEqual(bad["B-88", "client", "siw"], 'neg_close: a "b", c')
        self.assertNotIn(("B-88", "client", "rxe"), bad)
        self.assertIn("rxe pass, siw fail", page)

    def test_what_is_no_longer_advertised_fails(self):
        self.peer(skip=("xmt_", "place_", "resp_", "cont_", "reverse_group", "reverse_long", "reverse_resp"))
        rc, rows, _ = self.merge()
        got = {(r["id"], r["end"]): r["result"] for r in rows}
        self.assertEqual(rc, 1)
        for name in ("P-24", "C-01", "E-17", "N-126", "N-181"):
            self.assertEqual({got[name, end] for end in c.ENDS}, {"fail"})

    def test_a_part_of_the_cases(self):
        self.peer()
        path = self.path / "conformance-x.csv"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(x for x in lines if ",null_v2," not in x), encoding="utf-8")
        _, rows, _ = self.merge()
        self.assertNotIn("null_v2", " ".join(r["why"] for r in rows))

    def test_a_run_that_broke_off(self):
        self.peer()
        log = self.path / "conformance-x.log"
        log.write_text(log.read_text(encoding="utf-8")[:-9], encoding="utf-8")
        path = self.path / "conformance-x.csv"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(x for x in lines if ",server,rxe,pass,null_v2," not in x), encoding="utf-8")
        rc, rows, _ = self.merge()
        bad = [r for r in rows if r["result"] == "fail" and "null_v2: has not run" in r["why"]]
        self.assertEqual(rc, 1)
        self.assertEqual({(r["end"], r["device"]) for r in bad}, {("server", "rxe")})

    def test_nothing_ran(self):
        rc, rows, _ = self.merge()
        self.assertEqual(rc, 1)
        self.assertEqual(len(rows), 414 * 4)
        self.assertNotIn("pass", {r["result"] for r in rows})
        self.assertNotIn("unbuilt", {r["result"] for r in rows})



class Foreign(unittest.TestCase):
    """The table for an implementation that is not ours."""

    def test_judge(self):
        seen = [c.Seen("pass", "a", ""), c.Seen("skip", "b", "needs a hand")]
        self.assertEqual(foreign.judge("case", seen), ("pass", "a"))
        self.assertEqual(foreign.judge("case", seen + [c.Seen("fail", "d", "why")]), ("fail", "d: why"))
        self.assertEqual(foreign.judge("other", []), ("-", ""))
        self.assertEqual(foreign.judge("case", seen[1:]), ("not covered", "b: needs a hand"))

    def test_not_offered(self):
        seen = [c.Seen("skip", "place_read", "RTRSUPP is not advertised")]
        for i in c.read_ids(c.HERE / "ids.tsv"):
            for end in c.ENDS:
                self.assertNotEqual(foreign.judge(i.how[end], seen)[0], "fail")
        self.assertEqual(foreign.judge("case", seen), ("not covered", "place_read: RTRSUPP is not advertised"))

    def test_not_covered(self):
        for how, why in (("case", "no case was run"), ("unobservable:nobody sees it", "nobody sees it"),
                         ("covered:codec_x", "asserted only"), ("unbuilt:genl", "BRS GENL")):
            result, text = foreign.judge(how, [])
            self.assertEqual(result, "not covered")
            self.assertIn(why, text)

    def test_page(self):
        ids = [an_id("B-01"), an_id("B-02", "other"), an_id("N-01")]
        seen = foreign.defaultdict(list, {"B-01": [c.Seen("pass", "a", "")]})
        text, count = foreign.page(ids, "server", seen, {"rbsiz": "4096"})
        self.assertEqual([count[w] for w in foreign.WORDS], [1, 0, 1])
        self.assertIn("RBSIZ", text)
        self.assertRegex(text, r"B-02 .*\\-")


if __name__ == "__main__":
    unittest.main()
