#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Are mutants made of the right places, and does a run say what came of them?"""

import contextlib
import doctest
import io
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import mutants
import rewrite
import table

SOURCE = """
static int other(int a) { return a + 1; }
int f(int a);

/* f(a) { return a + 1; } */
int f(int a)
	__acquires(&lock)
{
	const char *s = "}";

	if (a > 1)	/* more
			   than one */
		return a + 1;
	else
		g(a);
	return a - 1;
}
"""
TABLE = """# A comment
= one
wrong: the sum is
  wrong
end: client server
ids: B-01 C-02
in: f
-	return [[a + 1]];
+	a + 2
= two
wrong: nothing is done
end: server
ids: X-07
device: rxe siw
complains: yes
notice: case x_* X-08
notice: test reconnect
notice: unit codec
in: f
-	g(a);
in: other
-	a + 1
+	a
"""
CASES = {"client": {"c1": ["B-01"]}, "server": {"x_1": ["E-01"], "s1": ["B-01", "X-08"]}}


def load_tests(_, tests, __):
    """Adds the examples in the tools' own text."""
    for module in (rewrite, mutants):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


class Rewrite(unittest.TestCase):
    """Pieces are found by words and function, once, and replaced."""

    def place(self, original, function="f", **texts):
        return rewrite.Sources(texts or {"a.c": SOURCE}).place(function, original)

    def rewritten(self, original, replacement, source=SOURCE):
        place = rewrite.Sources({"a.c": source}).place("f", original)
        return rewrite.rewrite({"a.c": source}, [(7, place, replacement)])["a.c"]

    def test_expression(self):
        self.assertIn("return (rpcrdma_mutant(7U) ? (a + 2) : (a + 1));", self.rewritten("return [[a + 1]];", "a + 2"))

    def test_statement(self):
        text = self.rewritten("g(a);", "")
        self.assertIn("{ if (rpcrdma_mutant(7U)) { } else { g(a); } }", text)

    def test_layout_and_file_do_not_matter(self):
        moved = "int f(int a) { if (a>1) return a\n\n+ /* one */ 1; else g( a ); return a-1; }"
        self.assertEqual(self.place("if (a > 1) return [[a + 1]];", **{"b.c": moved, "a.c": "int h;"}).path, "b.c")

    def test_only_in_that_function(self):
        text = self.rewritten("a + 1", "a + 2")
        self.assertIn("return a + 1; }\nint f(int a);", text)

    def test_misfits(self):
        for original, function, why in (("a * 2", "f", "no such text"), ("a", "f", "4 times"), ("a", "h", "no function")):
            with self.assertRaisesRegex(rewrite.Misfit, why):
                self.place(original, function)

    def test_two_definitions(self):
        with self.assertRaisesRegex(rewrite.Misfit, "2 times"):
            self.place("g(a);", **{"a.c": SOURCE, "b.c": SOURCE})

    def test_part_of_a_word_is_no_match(self):
        with self.assertRaises(rewrite.Misfit):
            self.place("urn", **{"a.c": "int f(void) { return 1; }"})

    def test_several_at_one_place(self):
        places = rewrite.Sources({"a.c": SOURCE})
        spot = places.place("f", "g(a);")
        out = rewrite.rewrite({"a.c": SOURCE}, [(1, spot, ""), (2, spot, "h(a);")])["a.c"]
        self.assertIn("{ if (rpcrdma_mutant(1U)) { } else if (rpcrdma_mutant(2U)) { h(a); } else { g(a); } }", out)

    def test_overlap(self):
        places = rewrite.Sources({"a.c": SOURCE})
        with self.assertRaisesRegex(rewrite.Misfit, "overlap"):
            rewrite.rewrite({"a.c": SOURCE}, [(1, places.place("f", "g(a);"), ""), (2, places.place("f", "g([[a]]);"), "b")])

    def test_same_program_without_a_mutant(self):
        source = SOURCE.replace("__acquires(&lock)", "").replace("int f(int a);", "static void g(int a) { (void)a; }")
        main = '#include <stdio.h>\nint main(void) { printf("%d %d\\n", f(1), f(5)); return other(0) - 1; }\n'
        for number, want in (0, "0 6"), (7, "0 7"):
            text = f"#define rpcrdma_mutant(n) ({number} == (n))\n" + self.rewritten("return [[a + 1]];", "a + 2", source) + main
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(["gcc", "-Wall", "-Werror", "-Wno-unused-variable", "-x", "c", "-o", f"{folder}/a", "-"], input=text,
                               text=True, check=True)
                self.assertEqual(subprocess.run([f"{folder}/a"], capture_output=True, text=True, check=True).stdout.strip(), want)


class Table(unittest.TestCase):
    """Tables are read, and what they lack is said."""

    def setUp(self):
        self.one, self.two = table.parse(TABLE)

    def test_parse(self):
        self.assertEqual((self.one.wrong, self.one.ends, self.one.cases), ("the sum is wrong", ("client", "server"), ["B-01", "C-02"]))
        self.assertEqual(self.one.places, [("f", "return [[a + 1]];", "a + 2")])
        self.assertEqual([p.function for p in self.two.places], ["f", "other"])
        self.assertEqual((self.two.cases, self.two.tests, self.two.unit), (["x_*", "X-08"], ["reconnect"], "codec"))
        self.assertTrue(self.two.complains and not self.one.complains)

    def test_malformed(self):
        for text in ("= a\nwhat: b\n", "= a\nnotice: luck\n", "= a\nloose text\n"):
            with self.assertRaises(table.Malformed):
                table.parse(text)

    def test_complaints(self):
        ids = {"B-01", "C-02"}
        found = "\n".join(table.complaints([self.one, self.two, self.two], [("client", ["C-02"]), ("server", ["S-01"])], ids))
        self.assertIn("two is there twice", found)
        self.assertIn("two: what is 'X-07'?", found)
        self.assertIn("no mutant of the client stands for an id of group D", found)
        self.assertIn("no mutant of the server stands for S-01", found)
        self.assertNotIn("stands for C-02", found)
        self.assertIn("five does not name a function", "\n".join(table.complaints(table.parse("= five\nwrong: x\nend: client\nids: B-01\n"), [], ids)))

    def test_own_tables(self):
        self.assertEqual(list(table.complaints(table.read(), table.read_weak(), table.known_ids())), [])


class Run(unittest.TestCase):
    """A run tries each mutant where its table says, and judges by what came."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.mutants = table.parse(TABLE)
        for name, value in ("read", lambda: self.mutants), ("read_weak", list):
            patch = mock.patch.object(table, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch.object(mutants, "listed", lambda peer, end: CASES[end])
        patch.start()
        self.addCleanup(patch.stop)

    def call(self, function, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.rc = function(*args)
        return out.getvalue()

    def todo(self, lane):
        return mutants.read_rows(self.dir / f"{lane}.plan", mutants.Attempt)

    def test_plan(self):
        self.call(mutants.plan, self.dir, "peer", [])
        self.assertEqual([(a.name, a.kind, a.what) for a in self.todo("server-rxe")],
                         [("one", "case", "s1"), ("two", "case", "x_1 s1"), ("two", "test", "reconnect")])
        self.assertEqual([a.name for a in self.todo("client-rxe")], ["one"])
        self.assertEqual([a.kind for a in self.todo("server-siw")], ["case", "test"])
        self.assertIn((str(self.mutants[1].number), "two", "-", "-", "unit"), mutants.read_rows(self.dir / "all", lambda *x: x))

    def test_nothing_to_notice(self):
        self.mutants[0].cases = ["Z-99"]
        out = self.call(mutants.plan, self.dir, "peer", ["one"])
        self.assertIn("unnoticeable client rxe one", out)
        self.assertEqual([p.name for p in self.dir.glob("*.plan")], [])
        self.call(mutants.judge, self.dir)
        self.assertEqual(self.rc, 1)

    def test_chosen(self):
        for glob, names in ("two", ["two"]), ("B-0?", ["one"]), ("none", []):
            self.assertEqual([m.name for m in mutants.chosen(self.mutants, [glob])], names)

    def test_rest(self):
        self.call(mutants.plan, self.dir, "peer", [])
        output = self.dir / "output"
        output.write_text("begin 0\nresult 0 killed 3 s1: why not\nbegin 1\nretry 1\n")
        self.call(mutants.rest, self.dir / "server-rxe.plan", output)
        self.assertEqual((self.rc, [a.name for a in self.todo("server-rxe")]), (0, ["two", "two"]))
        output.write_text("begin 0\n")
        self.call(mutants.rest, self.dir / "server-rxe.plan", output)
        self.assertEqual([r.verdict for r in mutants.read_rows(self.dir / "results", mutants.Result)], ["killed", "killed"])
        output.write_text("")
        self.call(mutants.rest, self.dir / "server-rxe.plan", output)
        self.assertEqual(self.rc, 1)

    def test_follow(self):
        self.call(mutants.plan, self.dir, "peer", [])
        said = ["begin 0\n", "result 0 killed 3 s1: why not\n", "begin 1\n"]
        out = self.call(mutants.follow, self.dir / "server-rxe.plan", self.dir / "output", said)
        self.assertRegex(out, r"^killed +server rxe \w+ 3 s: s1: why not\n$")
        self.assertEqual((self.dir / "output").read_text().splitlines(True), said)

    def test_dead_machine_is_no_notice(self):
        self.call(mutants.plan, self.dir, "peer", ["one"])
        (self.dir / "output").write_text("begin 0\n")
        self.assertIn("died", self.call(mutants.rest, self.dir / "client-rxe.plan", self.dir / "output"))

    def test_judge(self):
        self.call(mutants.plan, self.dir, "peer", ["one"])
        for end, verdict in ("client", "killed"), ("server", "survived"):
            (self.dir / "output").write_text(f"begin 0\nresult 0 {verdict} 3 some case\n")
            self.call(mutants.rest, self.dir / f"{end}-rxe.plan", self.dir / "output")
        out = self.call(mutants.judge, self.dir)
        self.assertIn("SURVIVED: one (server, rxe, by cases): the sum is wrong: some case", out)
        self.assertIn("1 killed, 1 survived, 0 unnoticeable", out)
        self.assertEqual(self.rc, 1)

    def test_judge_not_tried(self):
        self.call(mutants.plan, self.dir, "peer", ["one"])
        self.assertIn("NOT TRIED: one (client", self.call(mutants.judge, self.dir))
        self.assertEqual(self.rc, 1)

    def test_judge_killed(self):
        self.call(mutants.plan, self.dir, "peer", ["one"])
        for lane in "client-rxe", "server-rxe":
            (self.dir / "output").write_text("begin 0\nresult 0 killed 3 x\n")
            self.call(mutants.rest, self.dir / f"{lane}.plan", self.dir / "output")
        self.assertTrue(self.call(mutants.judge, self.dir).endswith("2 killed, 0 survived, 0 unnoticeable, 0 complained, 0 died, 0 not tried\n"))
        self.assertEqual(self.rc, 0)

    def test_units(self):
        self.call(mutants.plan, self.dir, "peer", ["two"])
        for script, verdict in (("exit $((MUTANT != 0))", "killed"), ("exit 0", "survived"), ("echo not ok 1 x; exit 1", "unnoticeable")):
            unit = self.dir / "unit"
            unit.write_text(f"#!/bin/sh\n{script}\n")
            unit.chmod(0o755)
            self.assertIn(verdict, self.call(mutants.try_units, self.dir, str(unit)))


PEER = """#!/bin/bash
# Stands in for the peer: "bad" fails with the mutant 1, "late" is ended by timeout(1) with 2, "sick" always fails
chosen=$(( $(< TMP/client) + $(< TMP/server) ))
for c in $(sed 's/.*--case \\([^ ]*\\).*/\\1/; s/,/ /g' <<< "$*"); do
	case $c-$chosen in
	bad-1 | sick-*) echo "# $c: it is wrong"; echo "not ok 1 $c # B-01"; [[ $* != *first-failure* ]] || exit 1 ;;
	late-2) exit 124 ;;
	skipped-*) echo "ok 1 $c # SKIP not here (B-01)" ;;
	*) echo "ok 1 $c # B-01" ;;
	esac
done
"""
# Stands in for the test bed's library
LIBRARY = """TB_SERVER_IP=10.9.0.1 TB_DEV=rxe TB_KERNEL=stock
tb_server() { echo "$1" >> TMP/asked; [[ $1 != *TMP/client ]] || eval "${1//client/server}"; }
tb_splats() { cat TMP/splats 2> /dev/null; rm -f TMP/splats; }
modprobe() { :; }
umount() { :; }
"""


# Where the script looks for things, and how long it waits
REPLACED = {
    "/sys/module/rpcrdma/parameters/mutant": "TMP/client",
    "/out/": "TMP/",
    "/run/tb/": "TMP/",
    "/repo/tools/testing/selftests/rpcrdma": "TMP/tests",
    "/repo/testbed/lib.sh": "TMP/lib.sh",
    "/proc/sys/sunrpc": "TMP",
    "/mnt/rpcrdma": "TMP/mnt",
    "60 + ${9} * 4": "1800",
}


class Kill(unittest.TestCase):
    """The script in the virtual machine, with others in place of the peer and the machines."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        own = {f"tests/{n}": (table.HERE.parent / n).read_text(encoding="utf-8")
               for n in ("callback_lib.sh", "rpcrdma_lib.sh", "place_lib.sh", "mutants/kill.sh")}
        made = {"lib.sh": LIBRARY, "bed": "", "bin/peer": PEER, "client": "0\n", "server": "0\n",
                "tests/good.sh": "echo ok 1 x\n", "tests/poor.sh": "exit $(( $(< TMP/server) == 1 ))\n"}
        for name, text in (own | made).items():
            path = self.dir / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for old, new in REPLACED.items():
                text = text.replace(old, new)
            path.write_text(text.replace("TMP", folder.name))
            path.chmod(0o755)

    def run_plan(self, *rows):
        plan = self.dir / "plan"
        plan.write_text("".join("\t".join(row) + "\n" for row in rows))
        got = subprocess.run(["bash", self.dir / "tests/mutants/kill.sh", plan], capture_output=True, text=True, timeout=3600, check=False)
        self.rc = got.returncode
        return [re.sub(r"^(result \d+ \w+) \d+", r"\1", line).strip() for line in got.stdout.splitlines()]

    def row(self, number, what, end="client", kind="case", complains="no"):
        return (str(number), f"m{number}", end, "rxe", kind, what, "usual", complains, "1")

    def test_killed_and_survived(self):
        out = self.run_plan(self.row(1, "good bad"), self.row(3, "good bad"), self.row(1, "bad", "server"))
        self.assertEqual(out, ["begin 0", "result 0 killed bad: it is wrong", "begin 1", "result 1 survived 2 passed",
                               "begin 2", "result 2 killed bad: it is wrong"])
        self.assertEqual(self.rc, 0)
        self.assertEqual([(self.dir / end).read_text() for end in ("client", "server")], ["0\n", "0\n"])

    def test_unnoticeable(self):
        out = self.run_plan(self.row(1, "sick skipped"))
        self.assertEqual(out[1], "result 0 unnoticeable nothing that should notice passes without it")

    def test_unnoticeable_is_tried_again(self):
        out = self.run_plan(self.row(1, "bad"), self.row(1, "sick"))
        self.assertEqual((out[-2:], self.rc), (["begin 1", "retry 1"], 99))

    def test_failing_anyway_kills_nothing(self):
        out = self.run_plan(self.row(3, "sick good"))
        self.assertEqual(out[1], "result 0 survived 1 passed")

    def test_hanging(self):
        out = self.run_plan(self.row(2, "late"))
        self.assertEqual(out[1], "result 0 killed it ended with status 124")

    def test_tests(self):
        out = self.run_plan(self.row(1, "good poor", "server", "test"), self.row(3, "good poor", "server", "test"))
        self.assertEqual([x for x in out if x[0] == "r"], ["result 0 killed poor:", "result 1 survived 1 passed"])

    def test_complaint(self):
        peer = self.dir / "bin/peer"
        peer.write_text(peer.read_text().replace("bad-1 |", f"loud-1) echo BUG > {self.dir}/splats; exit 1 ;;\n\tbad-1 |"))
        for says, verdict in ("no", "complained BUG"), ("yes", "killed it ended with status 1"):
            self.assertEqual(self.run_plan(self.row(1, "loud", complains=says))[1], f"result 0 {verdict}")


if __name__ == "__main__":
    unittest.main()
