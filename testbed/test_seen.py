#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does scripts/seen.py take parts of "make check-all" together, whatever machine they ran on?"""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import plan
import seen


class Parts(unittest.TestCase):
    ALL = {"unit", "wire [stock rxe]", "unload [stock alone x4]"}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        for what in (mock.patch.object(seen, "PASSED", self.here / "passed"), mock.patch.object(seen, "every", lambda: self.ALL),
                     contextlib.redirect_stdout(io.StringIO())):
            what.__enter__()
            self.addCleanup(what.__exit__, None, None, None)

    def part(self, *verdicts, sources="a"):
        """Runs a part of it, with a lane and the machines of "export", and returns the rows of the table."""
        folder = self.here / "part"
        for logs in (folder / "1-stock-rxe-x2-wire", folder / "export-pair"):
            logs.mkdir(parents=True, exist_ok=True)
            (logs / "dmesg.client").write_text("[    0.0] Linux version 6.12.117+deb12-amd64 (x)\n")
        (folder / "verdicts").write_text("".join(f"{v}\n" for v in verdicts))
        return list(seen.parts([folder], sources))

    def test_machines(self):
        self.assertEqual(self.part("ok unit", "FAILED wire [stock rxe]"), [])
        self.assertEqual(self.part("ok unload [stock alone x4]"), [])
        (_, command, kind, text), = self.part("ok wire [stock rxe]")
        self.assertEqual((command, kind), ("make check-all", "stock"))
        self.assertIn("6.12.117+deb12-amd64: 2 tests, soft-RoCE, 1 and 4 processors", text)

    def test_last_counts(self):
        self.part("ok unit", "ok unload [stock alone x4]")
        self.part("FAILED unit")
        self.assertEqual(self.part("ok wire [stock rxe]"), [])
        self.assertEqual(plan.passed([seen.PASSED]), self.ALL - {"unit"})

    def test_other_sources(self):
        self.part(*(f"ok {x}" for x in sorted(self.ALL)))
        self.assertEqual(self.part("ok unit", sources="b"), [])
        self.assertEqual(plan.passed([seen.PASSED]), {"unit"})

    def test_no_time(self):
        self.part("ok wire [stock rxe]")
        self.assertEqual(len(list(seen.tests(self.here / "part", "make check"))), 1)
        (self.here / "part" / "late").write_text("unload [stock alone x4]\n")
        with self.assertRaises(SystemExit):
            list(seen.tests(self.here / "part", "make check"))


if __name__ == "__main__":
    unittest.main()
