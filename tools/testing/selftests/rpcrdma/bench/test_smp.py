#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does smp.py make sense of what several processors did?"""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import smp

LINE = "{name:>40}: {bounces:14} {waits:14}           0.38         134.56        1030.78           6.01           2000 " \
       "{taken:14}           0.20         310.15       50110.21           2.50\n"


NAMES = {"cn_lock": "&conn->cn_lock", "ve_post_lock": "&ve->ve_post_lock", "sc_sq_lock": "&rdma->sc_sq_lock",
         "rb_lock": "&buf->rb_lock"}


def lock_stat(**waits):
    """Returns what the kernel says of locks that were waited for so often."""
    text = f"lock_stat version 0.4\n{60 * '-'}\n class name    con-bounces    contentions   waittime-min\n{60 * '-'}\n\n"
    for name, n in ((NAMES.get(short, f"&x->{short}"), n) for short, n in waits.items()):
        text += LINE.format(name=name, bounces=n // 2, waits=n, taken=10 * n)
        for function in ("who_waits", "who_had_it"):
            text += f"{'-' * 20:>40}\n{name:>40} {n:14}          [<00000000c0ffee00>] {function}+0x1d/0x40 [x]\n"
        text += "\n" + 60 * "." + "\n\n"
    return text


class Folder(unittest.TestCase):
    """A folder as smp.sh leaves it."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(temporary.cleanup)
        self.dir = Path(temporary.name)
        (self.dir / "facts").write_text("cpus=2\nothers=1.5\n", encoding="utf-8")

    def add(self, name, rate, locks=None):
        """Has two seconds of so many operations a second been measured."""
        _, _, op, size, _ = name.rsplit(".", 4)
        job = {"error": 0, op: {"io_bytes": 2 * rate * int(size), "runtime": 2000}}
        (self.dir / f"{name}.json").write_text("fio: a note\n" + json.dumps({"jobs": [job]}), encoding="utf-8")
        if locks is not None:
            (self.dir / f"{name}.locks").write_text(locks, encoding="utf-8")


class Locks(Folder):
    """Which locks are waited for."""

    def judge(self):
        """Returns whether it is as it should be, and what was said."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            good = smp.judge_locks(self.dir)
        return good, said.getvalue()

    def test_names(self):
        names = smp.read_ours()
        self.assertLessEqual({*NAMES.values(), "&v2->sv_ctrl_mutex"} - {NAMES["rb_lock"]}, names)
        self.assertFalse({NAMES["rb_lock"], "&ep->re_connect_wait", "&cma_xprt->sc_send_lock"} & names)

    def test_ours_first(self):
        self.add("v2.1.read.8192.1", 500, lock_stat(slock=50, ve_post_lock=100))
        good, said = self.judge()
        self.assertFalse(good)
        self.assertRegex(said, r"100\.00 +100\.00 +1\.03 +1\.00  &ve->ve_post_lock \(ours\)\n")
        self.assertIn("waited for in who_waits 100.00\n", said)

    def test_ours_behind(self):
        """It is told of all the same."""
        self.add("v2.1.read.8192.1", 500, lock_stat(cn_lock=1, rb_lock=5, **{f"other{n}": n + 6 for n in range(9)}))
        good, said = self.judge()
        self.assertTrue(good)
        self.assertRegex(said, r"&conn->cn_lock \(ours\), not among the first ten")
        self.assertRegex(said, r"&buf->rb_lock \(version 1's\)\n")

    def test_nobody_waits(self):
        """A lock that nobody waited for is not the tenth."""
        self.add("v2.1.read.8192.1", 500, lock_stat(slock=50, cn_lock=0))
        self.assertTrue(self.judge()[0])

    def test_version_1(self):
        """What waits there is not judged, and without version 2 nothing is."""
        self.add("v1.1.read.8192.1", 500, lock_stat(sc_sq_lock=50))
        self.assertFalse(self.judge()[0])
        self.add("v2.1.read.8192.1", 500, lock_stat(slock=50))
        self.assertTrue(self.judge()[0])

    def test_rounds(self):
        """They are added up."""
        self.add("v2.1.read.8192.1", 500, lock_stat(slock=50))
        self.add("v2.1.read.8192.2", 500, lock_stat(slock=150))
        (done, locks), = smp.read_locks(self.dir)["v2"].values()
        self.assertEqual((done, locks.waits["&x->slock"]), (2000, 200))


class Ratios(Folder):
    """How many operations a second there are."""

    def test_page(self):
        for which, rates in enumerate(((100, 200, 300), (100, 100, 100), (100, 400, 200)), 1):
            for transport, rate in zip(("v1", "v1-inline64k", "v2"), rates):
                self.add(f"{transport}.4.write.65536.{which}", rate)
        text = smp.page(self.dir)
        self.assertRegex(text, r"WRITE +64K +4 +100 +200 +200 +2\.00 \(1\.00 to 3\.00\) +1\.00 \(0\.50 to 1\.50\)\n")
        self.assertRegex(text, r"all .* 2\.00 \(1\.00 to 3\.00\)")
        self.assertIn("1.5 processors, on average", text)

    def test_failed(self):
        """What failed has no part in a ratio."""
        self.add("v1.1.read.8192.1", 100)
        self.add("v2.1.read.8192.1", 0)
        (self.dir / "v2.1.read.8192.1.json").write_text('{"jobs": [{"error": 5}]}', encoding="utf-8")
        self.assertRegex(smp.page(self.dir), r"READ +8K +1 +100 +\\- +\\- +\\- +\\-\n")


if __name__ == "__main__":
    unittest.main()
