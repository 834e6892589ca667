#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does rpcrdma2stat say what the kernel exports, and what it could not read?"""

import contextlib
import doctest
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import connections
import exported

HERE = Path(__file__).resolve().parent
SAMPLE = HERE / "samples" / "two-ends"
MODULE = HERE.parents[3] / "net" / "sunrpc" / "xprtrdma" / "v2"
CLIENT = "sys/kernel/debug/rpcrdma2/client/1/state"
SERVER = "sys/kernel/debug/rpcrdma2/server/2/state"
MEMORY = "sys/kernel/debug/rpcrdma2/server_memory"
CLIENT_MEMORY = "sys/kernel/debug/rpcrdma2/client_memory"
TRANSPORT = "sys/kernel/sunrpc/xprt-switches/switch-2/xprt-3-rdma"


def program():
    """Returns the program as a module."""
    loader = importlib.machinery.SourceFileLoader("rpcrdma2stat", str(HERE / "rpcrdma2stat"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("rpcrdma2stat", loader))
    loader.exec_module(module)
    return module


STAT = program()


@contextlib.contextmanager
def forbidden(part):
    """What has part in its path cannot be read, as by somebody who is not root."""
    def guard(real):
        def checked(path, *args, **kwargs):
            if part in str(path):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *args, **kwargs)
        return checked

    with mock.patch.object(pathlib.Path, "read_text", guard(Path.read_text)), \
            mock.patch.object(pathlib.Path, "iterdir", guard(Path.iterdir)):
        yield


class Copy(unittest.TestCase):
    """Each test has a copy of the sample, to change."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"
        shutil.copytree(SAMPLE, self.root)

    def change(self, path, **lines):
        """Gives lines of a file other values; those it has not are added."""
        file = self.root / path
        text = file.read_text()
        for name, value in lines.items():
            text, found = re.subn(rf"^{name}\b.*$", f"{name}: {value}", text, flags=re.MULTILINE)
            text += "" if found else f"{name}: {value}\n"
        file.write_text(text)

    def look(self):
        return exported.look(self.root)

    def found(self):
        return connections.connections(self.look())

    def lines(self):
        look = self.look()
        return STAT.as_text(look, connections.connections(look)).splitlines()

    def run_it(self, *arguments):
        """Returns the status, and what was written to both outputs."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = STAT.run(STAT.options(["--root", str(self.root), *arguments]))
        return status, out.getvalue(), err.getvalue()


class Lines(Copy):
    """One line a connection."""

    def test_both_ends(self):
        header, client, server, client_memory, memory, totals = self.lines()
        self.assertEqual(header, STAT.COLUMNS)
        self.assertEqual(client.split()[:9], ["client", "10.9.0.1", "port", "20049", "2", "3/64", "0/2", "on", "on"])
        self.assertEqual(server.split()[:7], ["server", "10.9.0.2", "2", "-/64", "0/2", "on", "on"])
        self.assertTrue(client.endswith("  characteristics were exchanged"), client)
        self.assertEqual(client_memory, "client, memory for Receives: 636k of 252M for 1 connections")
        self.assertEqual(memory, "server, memory for Receives: 2.3M of 252M for 1 connections")
        self.assertIn("118 messages, 0 RDMA Reads, 40 RDMA Writes", totals)

    def test_columns(self):
        self.change(CLIENT, version=1, why="peer refused version 2", peer_versions="1..1")
        for line in self.lines()[1:3]:
            for title in ("PEER", "VERS", "CREDITS", "BACK", "PLACE", "GROUPS", "NOTES"):
                at = STAT.COLUMNS.index(title)
                self.assertEqual(line[at - 1], " ", f"{title}: {line}")
                self.assertNotEqual(line[at], " ", f"{title}: {line}")

    def test_version_1(self):
        self.change(CLIENT, version=1, why="peer refused version 2", peer_versions="1..1")
        client = self.found()[0]
        self.assertEqual((client["version"], client["why"]), (1, "peer refused version 2"))
        self.assertIn("peer refused version 2; peer speaks 1..1", self.lines()[1])
        self.assertEqual(client["counters"]["calls_sent"], 104)     # mountstats: version 2 counted nothing

    def test_switched_off(self):
        self.change(CLIENT, placement="off: no memory", continuation="off: disabled here")
        line = self.lines()[1]
        self.assertIn("no placement: no memory; no groups: disabled here", line)
        self.assertEqual(line.split()[7:9], ["off", "off"])

    def test_trouble(self):
        self.change(CLIENT, forward_late=3, given_up=2, calls_sent=5)
        self.assertIn("2 credits of Calls given up; TROUBLE: forward_late 3", self.lines()[1])
        self.assertNotIn("TROUBLE", self.lines()[2])

    def test_trouble_of_the_server(self):
        (self.root / "proc/sys/sunrpc/svc_rdma/rdma_stat_sq_stuck").write_text("4\n")
        self.assertIn("TROUBLE: rdma_stat_sq_stuck 4", self.lines()[-1])

    def test_memory(self):
        self.change(MEMORY, squeezed_kb=1024, failed=2, dry=1)
        self.assertIn("1.0M wanted elsewhere, TROUBLE: failed 2, TROUBLE: dry 1", self.lines()[4])
        self.change(MEMORY, connections=0)
        self.change(CLIENT_MEMORY, connections=0)
        self.assertNotIn("memory", "".join(self.lines()))

    def test_not_connected(self):
        (self.root / TRANSPORT / "xprt_info").write_text("<closed>\n")
        self.assertIn("not connected", self.lines()[1])
        self.assertEqual(self.lines()[1].split()[5], "-")

    def test_nothing_mounted(self):
        shutil.rmtree(self.root / "sys/kernel/debug/rpcrdma2/client/1")
        shutil.rmtree(self.root / "sys/kernel/debug/rpcrdma2/server/2")
        shutil.rmtree(self.root / "sys/kernel/sunrpc")
        self.assertEqual(self.lines()[0], "no connections")


class Several(Copy):
    """Connections to one address are told apart by their order."""

    def second(self, granted):
        """Adds another transport of the same mount."""
        shutil.copytree((self.root / CLIENT).parent, self.root / "sys/kernel/debug/rpcrdma2/client/12")
        other = self.root / TRANSPORT.replace("xprt-3", "xprt-10")
        shutil.copytree(self.root / TRANSPORT, other)
        (other / "xprt_info").write_text(f"cur_cong=256\ncong_win={granted << 8}\ndst_port=20049\n")
        return other

    def credits(self):
        return [(c["id"], c["credits"]["granted"]) for c in self.found() if c["end"] == "client"]

    def test_in_order(self):
        self.second(32)
        self.change("sys/kernel/debug/rpcrdma2/client/12/state", forward_credits=32)
        self.assertEqual(self.credits(), [(1, 64), (12, 32)])

    def test_numbers_are_no_words(self):
        self.second(32)
        (self.root / CLIENT).parent.rename(self.root / "sys/kernel/debug/rpcrdma2/client/9")
        self.assertEqual(self.credits(), [(9, 64), (12, 32)])

    def test_one_too_many(self):
        shutil.rmtree(self.second(32))
        self.assertEqual([c["credits"]["used"] for c in self.found()], [None, None, None])

    def test_in_two_switches(self):
        shutil.copytree((self.root / TRANSPORT).parent, self.root / "sys/kernel/sunrpc/xprt-switches/switch-9")
        self.assertEqual([t.number for t in self.look().transports], [3])


class Rates(Copy):
    """Two looks."""

    def compare(self, **lines):
        before = self.found()
        self.change(CLIENT, **lines)
        after = self.found()
        connections.compare(before, after, 2.0)
        return after[0]

    def test_rates(self):
        client = self.compare(calls_sent=302, placed_bytes_sent=4 << 20)
        self.assertEqual(client["rates"], {"calls": 100.0, "placed_out": 2097152.0, "placed_in": 0.0})
        self.assertIn("   100       0    2.1M  ", STAT.line(client))

    def test_more_trouble(self):
        self.change(CLIENT, unmatched=1, groups_broken=2)
        client = self.compare(unmatched=4, dropped=1)
        self.assertEqual(client["more_trouble"], {"unmatched": 3, "dropped": 1})
        self.assertIn("TROUBLE: dropped 1 (+1), groups_broken 2, unmatched 4 (+3)", STAT.line(client))

    def test_anew(self):
        self.assertIsNone(self.compare(calls_sent=1)["rates"])

    def test_another_peer(self):
        self.assertIsNone(self.compare(peer="10.9.0.7 port 20049", calls_sent=200)["rates"])


class Rights(Copy):
    """What is not to be seen is named."""

    def test_plain_user(self):
        with forbidden("/sys/kernel/debug"):
            status, out, err = self.run_it("-i", "0")
        self.assertEqual(status, 0)
        self.assertIn("/sys/kernel/debug/rpcrdma2 is for root to read: versions", err)
        client = out.splitlines()[1]
        self.assertEqual(client.split()[:6], ["client", "10.9.0.1", "port", "20049", "-", "3/64"])
        self.assertNotIn("server  10.9.0.2", out)
        self.assertIn("118 messages", out)

    def test_files_for_root(self):
        with forbidden("/state"):
            self.assertIn("is for root to read", self.run_it("-i", "0")[2])

    def test_rates_of_a_plain_user(self):
        with forbidden("/sys/kernel/debug"):
            before = self.found()
            stats = self.root / "proc/self/mountstats"
            stats.write_text(stats.read_text().replace("rdma 0 0 1 1 0 104 ", "rdma 0 0 1 1 0 204 "))
            after = self.found()
            connections.compare(before, after, 1.0)
        self.assertEqual(after[0]["rates"]["calls"], 100.0)

    def test_no_statistics(self):
        with forbidden("/proc/sys/sunrpc"):
            self.assertIn("some rates are not shown", self.run_it("-i", "0")[2])

    def test_no_debugfs(self):
        shutil.rmtree(self.root / "sys/kernel/debug/rpcrdma2")
        self.assertIn("is debugfs mounted?", self.run_it("-i", "0")[2])

    def test_stock_module(self):
        shutil.rmtree(self.root / "sys/kernel/debug/rpcrdma2")
        shutil.rmtree(self.root / "sys/module/rpcrdma/parameters")
        (self.root / "sys/module/rpcrdma/srcversion").write_text("X\n")
        status, out, err = self.run_it("-i", "0")
        self.assertEqual(status, 0)
        self.assertIn("the kernel's own, which speaks version 1 only", err)
        self.assertIn("client  10.9.0.1 port 20049", out)

    def test_not_loaded(self):
        shutil.rmtree(self.root / "sys/module")
        status, out, err = self.run_it("-i", "0")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("rpcrdma is not loaded", err)


class Programs(Copy):
    """--json, --watch, and what no kernel writes."""

    def test_json(self):
        status, out, err = self.run_it("--json", "-i", "0")
        self.assertEqual((status, err), (0, ""))
        said = json.loads(out)
        self.assertEqual(said["parameters"], {"client_max_version": 2, "server_max_version": 2})
        self.assertEqual([c["end"] for c in said["connections"]], ["client", "server"])
        self.assertEqual(said["connections"][0]["counters"]["groups_sent"], 8)
        self.assertEqual(said["connections"][0]["credits"], {"used": 3, "granted": 64, "waiting": 0})
        self.assertEqual(said["server"]["rdma_stat_recv"], 118)
        self.assertEqual(said["memory"]["server"]["used_kb"], 2263)
        self.assertEqual(said["memory"]["client"]["used_kb"], 621)
        self.assertEqual(said["lacks"], [])

    def test_json_lacks(self):
        with forbidden("/sys/kernel/debug"):
            said = json.loads(self.run_it("--json", "-i", "0")[1])
        self.assertEqual(len(said["lacks"]), 1)

    def test_watch(self):
        status, out, _ = self.run_it("--watch", "-i", "0.01", "--count", "3", "--json")
        self.assertEqual((status, len(out.splitlines())), (0, 3))
        self.assertEqual(json.loads(out.splitlines()[2])["connections"][0]["rates"]["calls"], 0.0)

    def test_as_a_program(self):
        done = subprocess.run([sys.executable, str(HERE / "rpcrdma2stat"), "--root", str(self.root), "-i", "0.01"],
                              capture_output=True, text=True, timeout=900, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 6)

    def test_wrong_options(self):
        for wrong in (["-i", "-1"], ["-w", "-i", "0"], ["--jsn5"], ["-c", "x"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                STAT.options(wrong)

    def test_odd_files(self):
        for text in ("", "\n", "peer", "peer:\nversion: two\nforward_credits: -1\n", "\0\xff: 3\n", "a: b: c\n"):
            (self.root / CLIENT).write_text(text)
            self.assertGreaterEqual(len(self.lines()), 3, repr(text))


class Names(unittest.TestCase):
    """The module's names are those that are known here."""

    @staticmethod
    def names(file, array):
        text = (MODULE / file).read_text(encoding="utf-8")
        table = re.search(rf"{array}\[\w*\] = {{(.*?)^}};", text, re.DOTALL | re.MULTILINE)
        return set(re.findall(r'"(\w+)"', table[1]))

    def test_counters(self):
        text = (MODULE / "conn_counters.h").read_text(encoding="utf-8")
        known = set(re.findall(r'^COUNTER\(\w+, "(\w+)"\)', text, re.M))
        known |= self.names("exchange.c", "rpcrdma2_xch_event_names")
        self.assertEqual(known, exported.ORDINARY | exported.TROUBLE)
        self.assertFalse(exported.ORDINARY & exported.TROUBLE)

    def test_lines(self):
        text = (MODULE / "debugfs.c").read_text(encoding="utf-8")
        known = set(re.findall(r'"(\w+): ', text))
        used = set(re.findall(r'f\.get\("(\w+)"', (HERE / "connections.py").read_text(encoding="utf-8")))
        self.assertGreater(len(used), 8)
        self.assertEqual(used - known, set())

    def test_memory(self):
        text = (MODULE / "conn_memory.c").read_text(encoding="utf-8")
        text = text.partition("budget_show(")[2].partition("\n}\n")[0]
        for name in (MEMORY, CLIENT_MEMORY):
            sample = (SAMPLE / name).read_text(encoding="utf-8")
            self.assertEqual(re.findall(r'"(\w+): %u', text), re.findall(r"^(\w+):", sample, re.MULTILINE))

    def test_totals(self):
        theirs = "".join(p.read_text() for p in (HERE.parents[3] / "patches").glob("*.patch"))
        for name in exported.TOTALS_TROUBLE:
            self.assertIn(f"svc{name};", theirs)


def load_tests(_loader, tests, _pattern):
    """Adds what is in the comments of the modules."""
    for module in (exported, connections, STAT):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == "__main__":
    unittest.main()
