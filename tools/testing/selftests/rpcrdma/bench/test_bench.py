#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of what makes sense of measurements: captures, logs and counters
whose meaning is known."""

import csv
import io
import json
import os
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import bench
import claims
import count
import operations
import picture
import wire

A, B = bytes((10, 9, 0, 1)), bytes((10, 9, 0, 2))
SVG = "{http://www.w3.org/2000/svg}"


def ip(proto, src, dst, body):
    """Returns a frame with an IPv4 packet, padded as Ethernet does."""
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 0, 0, 64, proto, 0, src, dst)
    return (bytes(12) + b"\x08\x00" + head + body).ljust(60, b"\xee")


def bth(opcode, psn, qpn=17, src=A, dst=B, port=4791):
    """Returns a frame with a packet of RoCE."""
    body = struct.pack(">BBHII", opcode, 0, 0xffff, qpn, psn)
    return ip(17, src, dst, struct.pack(">HHHH", 50000, port, 8 + len(body), 0) + body)


def tcp(seq, data, src=A, dst=B, flags=0x10):
    """Returns a frame with a segment of TCP."""
    ports = (20049, 40000) if src == A else (40000, 20049)
    return ip(6, src, dst, struct.pack(">HHIIBBHHH", *ports, seq & 0xffffffff, 0, 0x50, flags, 99, 0, 0) + data)


def fpdu(opcode, size, last=True):
    """Returns an FPDU with so many bytes of data."""
    body = struct.pack(">BB", 0x41 if last else 0x01, 0x40 | opcode) + bytes(12 + size)
    head = struct.pack(">H", len(body))
    return head + body + bytes(-(2 + len(body)) % 4) + b"CRC "


def fio_says(iops):
    """Returns what fio reports of READ of 4 KiB at that rate; of these 7 had begun
    before it counted."""
    return {"io_bytes": int(iops * 2 * 4096), "runtime": 2000, "total_ios": int(iops * 2 - 7), "iops": iops - 3.5}


class Folder(unittest.TestCase):
    """Tests that need a folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def pcap(self, frames, magic=0xa1b2c3d4, order="<", unit=1000000):
        """Writes a capture, a frame a second, and returns its path."""
        path = self.dir / "x.pcap"
        with open(path, "wb") as f:
            f.write(struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65536, 1))
            for n, frame in enumerate(frames):
                f.write(struct.pack(order + "IIII", 100 + n, unit // 2, len(frame), len(frame)) + frame)
        return path

    def kinds(self, device, frames, **how):
        """Returns what operations a capture holds."""
        found = wire.count(self.pcap(frames, **how), device, [(0, 1e6)])[0]
        return [found[k] for k in (wire.SEND, wire.READ, wire.WRITE)]


class Roce(Folder):
    """Captures of soft-RoCE."""

    def test_each_message_once(self):
        # a Send of three packets, one of one, one that invalidates; a Write of three; a Read and its answer
        opcodes = [0, 1, 2, 4, 0x17, 6, 7, 8, 0x0a, 0x0c, 0x0d, 0x0e, 0x11]
        self.assertEqual(self.kinds("rxe", [bth(o, n) for n, o in enumerate(opcodes)]), [3, 1, 2])

    def test_each_opcode(self):
        want = {0: 0, 4: 0, 5: 0, 0x17: 0, 0x0c: 1, 6: 2, 0x0a: 2, 0x0b: 2}
        for opcode in range(0x20):
            self.assertEqual(self.kinds("rxe", [bth(opcode, 1)]), [int(want.get(opcode) == n) for n in range(3)], opcode)

    def test_sent_again(self):
        self.assertEqual(self.kinds("rxe", [bth(4, 5), bth(4, 5), bth(4, 6), bth(4, 5, qpn=18)]), [3, 0, 0])

    def test_group(self):
        # five Sends, each of a first packet, fifteen more and a last one, and the answer
        call = [bth(o, n) for n, o in enumerate(([0] + [1] * 15 + [2]) * 5)]
        self.assertEqual(self.kinds("rxe", call + [bth(4, 1, qpn=18, src=B, dst=A)]), [6, 0, 0])

    def test_other_traffic(self):
        arp = bth(4, 3).replace(b"\x08\x00", b"\x08\x06", 1)
        self.assertEqual(self.kinds("rxe", [bth(0x64, 1), bth(4, 2, port=53), arp, tcp(1, b"\x04" * 40)]), [0, 0, 0])

    def test_formats(self):
        for magic, order, unit in ((0xa1b2c3d4, "<", 10**6), (0xa1b2c3d4, ">", 10**6),
                                   (0xa1b23c4d, "<", 10**9), (0xa1b23c4d, ">", 10**9)):
            path = self.pcap([bth(4, 1), bth(4, 2)], magic, order, unit)
            self.assertEqual([t for t, _ in wire.roce(path)], [100.5, 101.5])

    def test_spans(self):
        path = self.pcap([bth(4, n) for n in range(6)])
        found = wire.count(path, "rxe", [(100, 102), (102, 105), (200, 300)])
        self.assertEqual([f[wire.SEND] for f in found], [2, 3, 0])


class Iwarp(Folder):
    """Captures of soft-iWARP."""

    def test_each_message_once(self):
        data = b"".join([fpdu(3, 16, False), fpdu(3, 17), fpdu(5, 1), fpdu(6, 3), fpdu(1, 40), fpdu(2, 100),
                         fpdu(0, 50, False), fpdu(0, 50), fpdu(0, 2)])
        self.assertEqual(self.kinds("siw", [tcp(1000, data)]), [3, 1, 2])

    def test_group(self):
        # each Send is cut where a segment of TCP ends, and all of them follow at once
        data = (fpdu(3, 8000, False) * 8 + fpdu(3, 300)) * 5
        frames = [tcp(9 + at, data[at:at + 60000]) for at in range(0, len(data), 60000)]
        self.assertEqual(self.kinds("siw", frames + [tcp(3, fpdu(5, 200), B, A)]), [6, 0, 0])

    def test_cut_anywhere(self):
        data = fpdu(3, 21) + fpdu(4, 22) + fpdu(0, 23) + fpdu(1, 40)
        for cut in range(1, len(data)):
            frames = [tcp(7, data[:cut]), tcp(7 + cut, b""), tcp(7 + cut, data[cut:])]
            self.assertEqual(self.kinds("siw", frames), [2, 1, 1])

    def test_sent_again(self):
        data = fpdu(3, 21) + fpdu(3, 33)
        frames = [tcp(7, data[:30]), tcp(7, data[:10]), tcp(20, data[13:]), tcp(7, data)]
        self.assertEqual(self.kinds("siw", frames), [2, 0, 0])

    def test_sequence_numbers_wrap(self):
        data = fpdu(3, 50) * 3
        at = (1 << 32) - 70
        self.assertEqual(self.kinds("siw", [tcp(at, data[:100]), tcp(at + 90, data[90:])]), [3, 0, 0])

    def test_hole(self):
        data = fpdu(3, 50) * 3
        with self.assertRaisesRegex(wire.Incomplete, "10 bytes"):
            self.kinds("siw", [tcp(7, data[:50]), tcp(67, data[60:])])

    def test_beginning(self):
        data = b"MPA ID Req Frame" + struct.pack(">BBH", 0x40, 1, 70) + bytes(70) + fpdu(3, 9)
        frames = [tcp(6, b"", flags=2), tcp(7, data[:18]), tcp(25, data[18:])]
        self.assertEqual(self.kinds("siw", frames), [1, 0, 0])

    def test_another_connection(self):
        frames = [tcp(7, fpdu(3, 900)[:40]), tcp(70000, b"", flags=2), tcp(70001, fpdu(3, 9))]
        self.assertEqual(self.kinds("siw", frames), [1, 0, 0])

    def test_both_directions(self):
        frames = [tcp(7, fpdu(3, 9)), tcp(7, fpdu(4, 10), B, A), tcp(7, b"", B, A, 0x11)]
        self.assertEqual(self.kinds("siw", frames), [2, 0, 0])


class Collect(Folder):
    """What is read of a bed."""

    def test_slope(self):
        self.assertAlmostEqual(bench.slope({20: 45.0, 100: 205.0}), 2)
        self.assertIsNone(bench.slope({20: 45.0}))

    def test_log(self):
        path = self.dir / "x.log"
        rows = [f"{n}, {ms}000000, 0, 4096, 0\n" for n, ms in enumerate((7, 90, 3, 5, 80, 6, 4, 60))]
        path.write_text("".join(rows))
        self.assertEqual(bench.read_log(path), 5.0)
        path.write_text("")
        self.assertIsNone(bench.read_log(path))

    def test_rtt(self):
        for name, ms in (("v1-inline64k.write.4096.20", 25), ("v1-inline64k.write.4096.100", 105), ("v2.read.8192.20", 1)):
            (self.dir / f"{name}_lat.log").write_text(f"1, {ms}000000, 1, 4096, 0\n")
        self.assertEqual(bench.read_rtt(self.dir), {("v1-inline64k", "write", 4096): 1.0})

    def test_iops(self):
        def job(iops, error=0):
            return {"jobname": "read.4096.qd8", "error": error, "read": fio_says(iops)}
        for n, found in enumerate((10.0, 500.0, 30.0)):
            (self.dir / f"v2-base.{n}.json").write_text("note: what fio has to say\n" + json.dumps({"jobs": [job(found)]}))
        (self.dir / "v1.1.json").write_text(json.dumps({"jobs": [job(1.0, 5), job(0.0)]}))
        (self.dir / "tcp.1.json").write_text("fio: cannot open")
        found = bench.read_rounds(self.dir)
        self.assertEqual(found, {("v2-base", "read", 4096): {8: [(10.0, 20.0), (500.0, 1000.0), (30.0, 60.0)]}})

    def test_rates(self):
        path = self.dir / "rates.tsv"
        rows = [(1, 1, 100, 0.1), (1, 2, 300, 0.2), (8, 1, 50, 0.1), (8, 2, 0, 0.1)]
        path.write_text("".join(f"v2\tgetattr\t0\t{d}\t{r}\t{n}\t{s}\n" for d, r, n, s in rows))
        found = bench.read_rates(path)
        self.assertEqual(found, {("v2", "getattr", 0): {1: [(1000.0, 100), (1500.0, 300)], 8: [(500.0, 50)]}})
        self.assertEqual(bench.read_rates(self.dir / "none"), {})

    def test_rate_figures(self):
        found = bench.rate_figures({1: [(9.0, 90), (10.0, 100), (11.0, 110)], 8: [(10.0, 5)]})
        self.assertEqual(found, {"iops_qd1": 10.0, "operations_qd1": 300.0, "spread_qd1": 0.2,
                                 "iops_qd8": 10.0, "operations_qd8": 5.0})

    def test_maps_are_those_of_the_ledger(self):
        for folder, rows in (("siw", ("v1\tread\t4096\tmappings\t2.0", "v2\tread\t4096\tsends\t2.0")),
                             ("siw-ledger", ("v2\tread\t4096\tmappings\t3.0", "v2\tread\t4096\tmapped\t4.0",
                                             "v2\tread\t4096\tsends\t9.0", "v2\tread\t8192\tmappings\t5.0"))):
            (self.dir / folder / "bench").mkdir(parents=True)
            (self.dir / folder / "bench/counts.tsv").write_text("\n".join(rows) + "\n")
        bed = bench.find_bed("siw", self.dir)
        self.assertEqual(dict(bed.cells), {("v1", "read", 4096): {"mappings": 2.0},
                                           ("v2", "read", 4096): {"sends": 2.0, "mappings": 3.0, "mapped": 4.0}})

    def test_long(self):
        path = self.dir / "long.tsv"
        rows = [("v2", 20, 0.9), ("v2", 20, 0.5), ("v2", 180, 2.1), ("v2", 180, 7.0), ("v1", 20, 1.0)]
        path.write_text("".join(f"{t}\treaddir\t1300000\t{ms}\t{s}\n" for t, ms, s in rows))
        found = bench.read_long(path)
        self.assertEqual(list(found), [("v2", "readdir", 1300000)])
        self.assertAlmostEqual(found["v2", "readdir", 1300000], 10)
        self.assertEqual(bench.read_long(self.dir / "none"), {})

    def test_iops_are_medians(self):
        (self.dir / "iops").mkdir()
        for n, found in enumerate((10.0, 500.0, 30.0)):
            job = {"jobname": "read.4096.qd8", "error": 0, "read": fio_says(found)}
            (self.dir / f"iops/v2.{n}.json").write_text(json.dumps({"jobs": [job]}))
        bed = bench.Bed("rxe", self.dir)
        self.assertEqual(bed.get("v2", "read", 4096, "iops_qd8"), 30.0)
        self.assertEqual(bed.several("spread"), [490 / 30])
        self.assertEqual(bed.several("operations"), [1080.0])

    def test_iops_of_one_machine(self):
        def put(where, iops, **facts):
            folder = self.dir / where / "bench"
            (folder / "iops").mkdir(parents=True)
            job = {"jobname": "read.4096.qd8", "error": 0, "read": fio_says(iops)}
            (folder / "iops/v2.1.json").write_text(json.dumps({"jobs": [job]}))
            (folder / "facts").write_text("".join(f"{name}={value}\n" for name, value in facts.items()))
        put("siw", 1.0, parts="all", rounds="2")
        put("rxe", 2.0, parts="costs", rounds="1")
        put("rxe-alone", 3.0, parts="iops", rounds="2")
        siw, rxe = (bench.find_bed(name, self.dir) for name in bench.BEDS)
        self.assertEqual([bed.get("v2", "read", 4096, "iops_qd8") for bed in (siw, rxe)], [1.0, 3.0])
        self.assertEqual([bed.facts["parts"] for bed in (siw, rxe)], ["all", "costs"])
        self.assertEqual([bed.iops_facts.get("rounds") for bed in (siw, rxe)], [None, "2"])
        (self.dir / "rxe-alone").rename(self.dir / "elsewhere")
        self.assertIsNone(bench.find_bed("rxe", self.dir).get("v2", "read", 4096, "iops_qd8"))

    def test_counts(self):
        path = self.dir / "counts.tsv"
        path.write_text("v1\twrite\t4096\tsends\t2.0\nv1\twrite\t4096\twire_bytes\t4710.5\n")
        self.assertEqual(dict(bench.read_counts(path)), {("v1", "write", 4096): {"sends": 2.0, "wire_bytes": 4710.5}})


MOUNTSTATS = """device rootfs mounted on / with fstype rootfs
device 10.9.0.1:/ mounted on /mnt with fstype nfs4 statvers=1.1
\tbytes:\t1 2 3 4 5 6 7 8
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
\txprt:\trdma 0 0 1 0 2 50 50 0 9 0 3 4 5 0 0 1000 234 0 0 0 0 0 0 0 0 0 0
\txprt:\trdma 0 0 1 0 2 7 7 0 9 0 10 20 30 0 0 0 0 0 0 0 0 0 0 0 0 0 0
\tper-op statistics
\t        NULL: 1 1 0 44 24 0 0 0 0
\t     READDIR: 13 13 0 2600 4000000 0 90 95 0

device 10.9.0.1:/x mounted on /x with fstype nfs4 statvers=1.1
\tevents:\t1 2 3 4 5 6 7 8 9
"""


class Counters(Folder):
    """What counters.sh shows."""

    def show(self):
        """Returns what it shows of a system whose /proc and /sys are in a folder."""
        here = Path(__file__).resolve().parent
        text = subprocess.run([here / "counters.sh", "show"], env={**os.environ, "BENCH_ROOT": str(self.dir)},
                              check=True, capture_output=True, text=True).stdout
        return {name: int(value) for name, value in (line.split() for line in text.splitlines())}

    def put(self, name, text):
        """Writes one of its files."""
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_all(self):
        v2 = "sys/kernel/debug/rpcrdma2"
        self.put("proc/self/mountstats", MOUNTSTATS)
        self.put("sys/kernel/tracing/kprobe_profile", "  registrations  7  0\n  invalidations  6  0\n  other  5  0\n")
        events = "sys/kernel/tracing/events/rpcrdma"
        head = "# event histogram\n#\n# trigger info: hist:keys=num_sge:vals=hitcount:sort=hitcount:size=2048 [active]\n#\n\n"
        self.put(f"{events}/svcrdma_send_pullup/hist", "{ cq_id: 1 } hitcount: 2  msglen: 100\n")
        self.put(f"{events}/svcrdma_dma_map_page/hist", f"{head}{{ cq_id: 3 }} hitcount: 5\n{{ cq_id: 4 }} hitcount: 6\n\n"
                 "Totals:\n    Hits: 11\n    Entries: 2\n")
        self.put(f"{events}/xprtrdma_post_send/hist", f"{head}{{ num_sge:  2 }} hitcount:  50\n{{ num_sge:  5 }} hitcount:  10\n"
                 "{ num_sge:  1 } hitcount:  8\n\nTotals:\n    Hits: 68\n    Entries: 3\n")
        self.put("sys/kernel/debug/rpcrdma_verbs", "send_calls 7\nsingle_maps 0\n")
        self.put(f"{v2}/client/1/state", "groups_sent: 3\ngroups_received: 4\ngroups_broken: 99\n"
                 "xmtconts_sent: 48\nxmtconts_received: 64\nxmtconts_discarded: 99\nbounced_bytes: 10\n")
        self.put(f"{v2}/client/2/state", "groups_sent: 1\nxmtconts_sent: 1\n")
        self.put(f"{v2}/server/9/state", "groups_sent: 50\nbounced_bytes: 1\nplaced_bytes_copied: 2\n")
        self.assertEqual(self.show(), {
            "registrations": 7, "invalidations": 6, "copied_bytes": 1234 + 100 + 10 + 3, "page_maps": 5 + 6 + 3 * 10,
            "send_calls": 7, "single_maps": 0, "rpcs": 57, "call_bytes": 2644,
            "reply_bytes": 4000024, "read_chunks": 13, "write_chunks": 24, "reply_chunks": 35, "groups": 8, "xmtconts": 113})

    def test_nothing(self):
        self.put("proc/self/mountstats", "device rootfs mounted on / with fstype rootfs\n")
        self.put("sys/kernel/tracing/kprobe_profile", "")
        self.assertEqual(set(self.show().values()), {0})


class Count(unittest.TestCase):
    """What operations cost."""

    def test_maps(self):
        seen = {"sends": 2, "sg_maps": 1, "sg_mapped": 16, "single_maps": 7, "page_maps": 3}
        for transport, ledger, want in (("v1", False, (4, 19)), ("v1", True, (4, 19)), ("v1-ours", False, (4, 19)),
                                        ("v1-ours", True, (8, 23)), ("v2", True, (8, 23)), ("v2", False, None)):
            cost = dict(seen)
            with mock.patch.object(count, "LEDGER", ledger):
                count.map_counts(cost, transport)
            self.assertEqual(cost, {"sends": 2, **(dict(zip(("mappings", "mapped"), want)) if want else {})})

    def measured(self, *rpcs, prepared=False):
        """Returns what comes of 4 operations, and how often work was done, if that many
        RPCs are seen each time something is looked at."""
        cell, marks = mock.Mock(warmup=0), iter(rpcs)
        cell.prepare.return_value = prepared
        with mock.patch.object(count, "mark", lambda: ((n := next(marks)), {"rpcs": n})):
            spans, costs = count.measure([(cell, 4)])
        return spans, costs, [call.args[0] for call in cell.work.mock_calls]

    def test_measure(self):
        self.assertEqual(self.measured(7, 11), ([(7, 11)], [{"rpcs": 4}], [2, 4]))

    def test_measure_again(self):
        self.assertEqual(self.measured(7, 12, 20), ([(12, 20)], [{"rpcs": 8}], [2, 4, 4]))
        self.assertEqual(self.measured(0, 5, 10, 15, 20), ([(15, 20)], [{"rpcs": 5}], [2, 4, 4, 4, 4]))

    def test_measure_once_what_is_prepared(self):
        self.assertEqual(self.measured(0, 5, prepared=True), ([(0, 5)], [{"rpcs": 5}], [2, 4]))


class Operations(Folder):
    """What is measured."""

    def test_listing(self):
        (self.dir / "many").mkdir()
        with mock.patch.multiple(operations, ENTRIES=40, drop_caches=mock.DEFAULT) as patched:
            for n in range(40):
                (self.dir / "many" / operations.ENTRY.format(n)).touch()
            listing = operations.operation("readdir", self.dir)
            self.assertTrue(listing.prepare())
            self.assertEqual(len(listing.work(3)), 3)
            self.assertEqual(patched["drop_caches"].call_count, 3)
            (self.dir / "many" / operations.ENTRY.format(7)).unlink()
            listing.prepare()
            with self.assertRaisesRegex(OSError, "bytes of entries"):
                listing.work(1)
            listing.close()

    def test_value(self):
        (self.dir / "acl").touch()
        size = operations.ACL_LENGTH
        for size, wrong in ((size, ""), (size - 4, "61448 expected"), (-1, "not supported")):
            value = operations.operation("getacl", self.dir)
            with mock.patch.object(operations, "drop_caches"), mock.patch.object(operations, "LIBC") as libc:
                libc.fgetxattr.return_value = size
                value.prepare()
                if wrong:
                    with mock.patch.object(operations.ctypes, "get_errno", lambda: 95), self.assertRaisesRegex(OSError, wrong):
                        value.work(1)
                else:
                    self.assertEqual(len(value.work(4)), 4)
            value.close()

    def test_values_are_of_other_files(self):
        for n in range(operations.VALUES):
            (self.dir / f"value-{n}").touch()
        value = operations.operation("getxattr", self.dir)
        with mock.patch.object(operations, "drop_caches"), mock.patch.object(operations, "LIBC") as libc:
            libc.fgetxattr.return_value = operations.VALUE_LENGTH
            value.prepare()
            value.work(operations.VALUES)
            self.assertEqual(sorted(c.args[0] for c in libc.fgetxattr.mock_calls), sorted(value.fds))
        value.close()

    def test_acl(self):
        data = operations.posix_acl()
        entries = [struct.unpack_from("<HHi", data, at) for at in range(4, len(data), 8)]
        self.assertEqual([e[0] for e in entries[:2] + entries[-3:]], [1, 2, 4, 16, 32])
        self.assertEqual(len({e[2] for e in entries[1:-3]}), operations.USERS)
        self.assertTrue(all(len(str(e[2])) == 5 for e in entries[1:-3]))

    def test_short_listing(self):
        (self.dir / "hundred-0").mkdir()
        for n in range(operations.SHORT):
            (self.dir / "hundred-0" / operations.SHORT_ENTRY.format(n)).touch()
        listing = operations.operation("readdir100", self.dir)
        self.assertFalse(listing.prepare())
        self.assertEqual(len(listing.work(3)), 3)
        (self.dir / "hundred-0" / operations.SHORT_ENTRY.format(7)).unlink()
        with self.assertRaisesRegex(OSError, "bytes of entries"):
            listing.work(1)
        listing.close()

    def test_attributes(self):
        (self.dir / "file").touch()
        found = operations.operation("getattr", self.dir)
        self.assertEqual(len(found.work(2)), 2)
        self.assertTrue(stat.S_ISREG(struct.unpack_from("H", found.buf, 28)[0]))
        found.close()

    def test_open_and_close(self):
        for n in (0, 3):
            (self.dir / f"opened-{n}").touch()
        for process in (3, operations.PROCESSES + 3, operations.PROCESSES):
            self.assertEqual(len(operations.operation("openclose", self.dir, process=process).work(2)), 2)
        with self.assertRaises(FileNotFoundError):
            operations.operation("openclose", self.dir, process=4).work(1)

    def test_furnish(self):
        operations.furnish(self.dir, "short")
        for op in ("getattr", "openclose", "readdir100"):
            found = operations.operation(op, self.dir, process=31)
            found.work(1)
            found.close()
        self.assertFalse((self.dir / "many").exists())

    def test_rate(self):
        (self.dir / "file").touch()
        operations.take_rate("v2", self.dir, "1", "1000", self.dir / "r", "getattr:1", "getattr:3")
        rows = [line.split("\t") for line in (self.dir / "r").read_text().splitlines()]
        self.assertEqual([row[:5] for row in rows], [["v2", "getattr", "0", depth, "1"] for depth in ("1", "3")])
        for row in rows:
            self.assertGreater(int(row[5]), 0)
            self.assertGreaterEqual(float(row[6]), 1)

    def test_rate_of_what_fails(self):
        operation = mock.Mock(warmup=0, work=lambda times: [], once=mock.Mock(side_effect=OSError("no")))
        with mock.patch.object(operations, "operation", lambda *args, **more: operation), \
                mock.patch.object(sys, "stderr", io.StringIO()), self.assertRaisesRegex(OSError, "2 of 2 processes failed"):
            operations.rate("getattr", self.dir, 2, 60)

    def test_time(self):
        class Nothing(operations.Operation):
            """Does nothing, to so many bytes."""

            bytes = 77

            def __init__(self):
                super().__init__()
                self.bytes = 77

            def once(self, n):
                pass

        with mock.patch.object(operations, "operation", lambda op, folder: Nothing()):
            operations.take_time("v2", "/mnt", "20", self.dir / "t", "getacl:3", "readdir:1")
        rows = [line.split("\t") for line in (self.dir / "t").read_text().splitlines()]
        self.assertEqual([row[:4] for row in rows], [["v2", "getacl", "77", "20"]] * 3 + [["v2", "readdir", "77", "20"]])


GOOD = {"round_trips": 1.02, "sends": 2.0, "rdma_reads": 0.0, "rdma_writes": 0.0, "registrations": 0.0,
        "invalidations": 0.0, "copied_bytes": 0.0, "wire_bytes": 1000.0, "iops_qd1": 20.0, "iops_qd8": 30.0,
        "iops_qd32": 40.0}
POOR = {**GOOD, "round_trips": 2.0, "rdma_reads": 1.0, "registrations": 1.0, "wire_bytes": 1000.0, "iops_qd1": 10.0,
        "iops_qd8": 10.0, "iops_qd32": 10.0}
LONG = {"round_trips": 1.0, "sends": 3.0, "rdma_reads": 0.0, "rdma_writes": 0.0, "registrations": 0.0, "invalidations": 0.0,
        "copied_bytes": 60000.0, "wire_bytes": 70000.0, "rpcs": 1.0, "reply_chunks": 0.0}


META = {**GOOD, "round_trips": None, "copied_bytes": 200.0}
SEVERAL = ("send_calls", "recv_calls", "send_wrs", "recv_wrs", "sges", "completions", "cq_events", "cq_runs", "mappings", "mapped")


def a_bed(name="rxe", sizes=(4096, 8192, 1 << 20), placed=65536, **more):
    """Returns a bed where version 2 does all that is asked of it, but for the
    figures in more: op_bytes_key=value."""
    bed = bench.Bed(name, Path("/nonexistent"))
    bed.sizes, bed.transports = list(sizes), ["tcp", "v1", "v2"]
    bed.facts, bed.iops_facts = {"kernel": "6.12"}, {"kernel": "6.12"}
    for op in claims.OPS:
        for size in sizes:
            bed.cells["v1", op, size], bed.cells["v2", op, size] = dict(POOR), dict(GOOD)
            bed.cells["v1-inline64k", op, size] = {**POOR, "registrations": float(size > 8192), "rdma_reads": 0.0}
            bed.cells["tcp", op, size] = {"round_trips": 1.0}
    for op in claims.LONG_OPS if sizes else ():
        bed.cells["v1", op, 777], bed.cells["v2", op, 777] = {**LONG, "reply_chunks": 1.0, "registrations": 1.0}, dict(LONG)
    bed.meta = bool(sizes)
    for op in claims.META_OPS if sizes else ():
        for t in ("v1", "v1-inline64k", "v2"):
            bed.cells[t, op, 0] = dict(META)
    for cell in bed.cells.values():
        if "sends" in cell:
            cell.update(dict.fromkeys(SEVERAL, 3.0))
    for key, value in more.items():
        op, size, what = key.split("_", 2)
        bed.cells["v2", op, int(size)][what] = value
    bed.placed = lambda op: placed
    return bed


def a_window_bed(**more):
    """Returns one with nothing but round trips, and these figures of version 2."""
    bed = a_bed("rxe-window", sizes=())
    bed.sizes, bed.facts = [262144, 1 << 20], {"parts": "window", "window": "1024"}
    for key, value in {"write_262144": 1.01, "write_1048576": 1.01, "read_262144": 1.01, "read_1048576": 1.01, **more}.items():
        op, size = key.split("_")
        for t, trips in (("tcp", 1.0), ("v1", 2.0), ("v2", value)):
            bed.cells[t, op, int(size)] = {"round_trips": trips}
    return bed


def asked(*beds, windows=()):
    """Returns all claims."""
    return [c for found in claims.everything(beds, windows).values() for c in found]


def missed(*beds, windows=()):
    """Returns, for each claim, what missed it."""
    return [c.missed for c in asked(*beds, windows=windows)]


CLAIMS = 17


class Claims(Folder):
    """What is asked of version 2."""

    def test_all_met(self):
        found = asked(a_bed("siw"), a_bed("rxe"), windows=[a_window_bed()])
        self.assertEqual([c.missed for c in found], [[]] * CLAIMS)
        self.assertEqual([len(c.found) for c in found], [10, 4, 36, 18, 6, 18, 24, 12, 12, 36, 18 + 12,
                                                        *(14 * n for n in (2, 3, 3, 2, 1)), 4])
        for n, c in enumerate(found):
            self.assertRegex(c.verdict(), r"^met, all \d+" +
                             ("$" if n in (6, 7, 9) else "; the nearest to it (siw|rxe|rxe-window) [^;]*$"))

    def test_each_missed(self):
        for which, key, value in (([0], "write_4096_round_trips", 1.06), ([1], "write_1048576_round_trips", 1.11),
                                  ([2, 5], "write_8192_iops_qd32", 9.9), ([2], "read_1048576_iops_qd1", 9.9),
                                  ([3], "openclose_0_iops_qd1", 19.9), ([5], "readdir100_0_iops_qd8", 41.3),
                                  ([6], "read_8192_rdma_writes", 1.0), ([6, 9], "read_8192_registrations", 1.0),
                                  ([7], "readdir_777_reply_chunks", 0.1), ([7], "getacl_777_registrations", 1.0),
                                  ([8], "read_1048576_wire_bytes", 1151.0), ([9], "write_1048576_invalidations", 1.0),
                                  ([10], "read_1048576_mapped", 3.2), ([], "read_1048576_mappings", 3.2),
                                  ([10, 14], "getattr_0_mapped", 3.2), ([14], "getattr_0_mappings", 3.2),
                                  ([11], "getattr_0_recv_calls", 3.2), ([12], "write_8192_sges", 3.2),
                                  ([13], "read_4096_cq_runs", 3.2), ([15], "openclose_0_copied_bytes", 201.0)):
            found = missed(a_bed(**{key: value}))
            self.assertEqual([len(f) for f in found], [int(n in which) for n in range(CLAIMS)], key)

    def test_just_met(self):
        for key, value in (("write_4096_round_trips", 1.05), ("read_1048576_wire_bytes", 1150.0),
                           ("read_1048576_iops_qd1", 10.0), ("write_1048576_round_trips", 1.1),
                           ("readdir100_0_iops_qd8", 41.2), ("getattr_0_cq_runs", 3.1)):
            self.assertEqual(missed(a_bed(**{key: value})), [[]] * CLAIMS, key)

    def test_faster_over_iwarp(self):
        for value, good in ((12.0, True), (11.9, False)):
            found = missed(a_bed("siw", write_1048576_iops_qd1=value))
            self.assertEqual([len(f) for f in found], [int(n == 4 and not good) for n in range(CLAIMS)])
            self.assertEqual(missed(a_bed("rxe", write_1048576_iops_qd1=value)), [[]] * CLAIMS)

    def test_larger_window(self):
        for value, good in ((1.05, True), (1.06, False)):
            for key in ("write_1048576", "read_1048576", "read_262144"):
                found = missed(a_bed(), windows=[a_window_bed(**{key: value})])
                self.assertEqual([len(f) for f in found], [int(n == CLAIMS - 1 and not good) for n in range(CLAIMS)])

    def test_who_is_best(self):
        bed = a_bed()
        bed.cells["v1-inline64k", "write", 4096].update(iops_qd1=25.0, iops_qd8=39.0, iops_qd32=3.0)
        self.assertEqual(missed(bed)[2], ["rxe WRITE 4K depth 8 (v1-inline64k): 0.769", "rxe WRITE 4K depth 1 (v1-inline64k): 0.800"])
        self.assertEqual(claims.best(bed, "write", 4096, 32), (39.0, "v1-inline64k at depth 8"))
        bed.cells["v1", "write", 4096]["iops_qd32"] = 40.0
        self.assertEqual(claims.best(bed, "write", 4096, 32), (40.0, "v1"))
        self.assertIsNone(claims.best(bed, "write", 77, 32))

    def test_nothing_is_asked_of_what_hardware_is_to_do(self):
        bed = a_bed()
        bed.transports.append("v2-hw")
        for op in claims.OPS:
            for size in bed.sizes:
                bed.cells["v2-hw", op, size] = {**POOR, "round_trips": 9.0, "iops_qd8": 1.0}
        self.assertEqual(missed(bed), [[]] * CLAIMS)
        bed.cells["v2-hw", "write", 4096]["iops_qd8"] = 99.0
        self.assertEqual(claims.best(bed, "write", 4096, 8), (10.0, "v1-inline64k"))

    def test_what_one_does_not_send_inline_is_not_compared(self):
        bed = a_bed(read_4096_cq_runs=9.0)
        bed.cells["v1-inline64k", "read", 4096]["registrations"] = 1.0
        self.assertEqual(missed(bed), [[]] * CLAIMS)

    def test_verdict(self):
        found = asked(a_bed(write_4096_round_trips=1.26, read_4096_round_trips=1.11))
        self.assertEqual(found[0].verdict(), "missed by 20.0 % at most, 2 of 4: rxe WRITE 4K: 1.26; rxe READ 4K: 1.11")
        found = asked(a_bed(write_4096_iops_qd1=5.0, readdir_777_reply_chunks=3.0))
        self.assertEqual(found[2].verdict(), "missed by 50.0 % at most, 1 of 18: rxe WRITE 4K depth 1 (v1-inline64k): 0.500")
        self.assertEqual(found[7].verdict(), "missed by 3.00 for each at most, 1 of 6: rxe readdir reply_chunks: 3.00")
        found = asked(a_bed(write_4096_round_trips=1.04))
        self.assertEqual(found[0].verdict(), "met, all 4; the nearest to it rxe WRITE 4K: 1.04")

    def test_too_large_for_the_buffer(self):
        found = missed(a_bed(write_1048576_round_trips=1.4, write_1048576_rdma_reads=9.0))
        self.assertEqual([len(f) for f in found], [int(n == 1) for n in range(CLAIMS)])
        self.assertEqual(len(missed(a_bed(placed=1 << 20, write_1048576_rdma_reads=9.0))[6]), 1)

    def test_round_trips_as_tcp(self):
        bed = a_bed(write_1048576_round_trips=2.05)
        bed.cells["tcp", "write", 1 << 20]["round_trips"] = 2.0
        self.assertEqual(missed(bed), [[]] * CLAIMS)
        bed.cells["tcp", "read", 1 << 20]["round_trips"] = 0.8
        self.assertEqual(missed(bed), [[]] * CLAIMS)
        bed.cells["v2", "write", 1 << 20]["round_trips"] = 2.2
        self.assertEqual(missed(bed)[1], ["rxe WRITE 1M (TCP 2.00): 2.20"])

    def test_in_one_round_trip(self):
        for name, size, counts in (("rxe", 262144, 1), ("rxe", 262145, 0), ("siw", 262145, 1), ("siw", 1 << 20, 1), ("siw", 2 << 20, 0)):
            self.assertEqual(len(missed(a_bed(name, sizes=(size,), **{f"write_{size}_round_trips": 1.2}))[0]), counts)

    def test_operations_of_1k_may_cost_more_wire(self):
        self.assertEqual(missed(a_bed(sizes=(1024,), write_1024_wire_bytes=2000.0)), [[]] * CLAIMS)

    def test_not_measured(self):
        self.assertEqual({c.verdict() for c in asked(a_bed(sizes=()))}, {"not measured"})
        found = asked(a_bed(write_4096_round_trips=None))
        self.assertEqual(found[0].missed, [])
        self.assertTrue(found[0].verdict().startswith("met, all 3; "))
        self.assertTrue(found[0].verdict().endswith("; not measured: rxe WRITE 4K"))
        claim = claims.Claim("", "at most")
        claim.ask("one", 1, 2)
        for n in range(5):
            claim.ask(f"other {n}", None, 2)
        self.assertTrue(claim.verdict().endswith("; not measured: other 0, other 1, other 2 and 2 more"))

    def test_placed(self):
        bed = bench.Bed("rxe", self.dir)
        self.assertEqual(bed.placed("write"), 0)
        (self.dir / "state.v2.client").write_text(
            "local_rbstruct: 2 1x4096/1 4x16384/4096p\npeer_rbstruct: 3 1x4096/1 2x4096/4096p 1x8192/1p\n")
        self.assertEqual([bed.placed(op) for op in ("write", "read")], [16384, 65536])
        (self.dir / "state.v2.client").write_text("local_rbstruct: 1 1x4096/1 (default)\n")
        self.assertEqual(bed.placed("read"), 0)


HOST = {"cpu": "a processor", "cpus": "2", "memory": "8 GiB", "accel": "tcg,thread=multi", "commit": "abc",
        "sources": "5" * 64}


class Report(Folder):
    """What is written."""

    def test_numbers(self):
        for key, value, text in (("bytes", 4096, "4096"), ("sends", 2.0, "2.00"), ("wire_bytes", 4710.6, "4711"),
                                 ("iops_qd8", 12.34, "12.3"), ("sends", None, ""), ("round_trips", 0.996, "1.00")):
            self.assertEqual(bench.number(key, value), text)

    def test_csv(self):
        bed = a_bed(sizes=(4096,))
        del bed.cells["v1", "read", 4096]["sends"]
        bench.write_csv(self.dir / "results.csv", [bed])
        with open(self.dir / "results.csv", newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f))
        self.assertEqual(rows[0], "bed transport op bytes round_trips sends rdma_reads rdma_writes registrations invalidations "
                         "copied_bytes wire_bytes send_calls recv_calls send_wrs recv_wrs sges completions cq_events cq_runs mappings "
                         "mapped iops_qd1 iops_qd8 iops_qd32 operations_qd1 operations_qd8 operations_qd32 spread_qd1 spread_qd8 "
                         "spread_qd32".split())
        self.assertEqual(rows[3], "rxe v2 write 4096 1.02 2.00 0.00 0.00 0.00 0.00 0 1000".split() + ["3.00"] * 10 +
                         "20.0 30.0 40.0".split() + [""] * 6)
        self.assertEqual(rows[4], "rxe tcp read 4096 1.00".split() + [""] * 26)
        self.assertEqual(rows[5][:6], ["rxe", "v1", "read", "4096", "2.00", ""])
        self.assertEqual([row[2:4] for row in rows[7:16:3]], [[op, "0"] for op in claims.META_OPS])
        self.assertEqual(rows[17][:12], "rxe v2 readdir 777 1.00 3.00 0.00 0.00 0.00 0.00 60000 70000".split())
        self.assertEqual([row[1:4] for row in rows[16:]],
                         [[t, op, "777"] for op in ("readdir", "getacl", "getxattr") for t in ("v1", "v2")])

    def test_page(self):
        text = bench.page([a_bed("siw"), a_bed("rxe", write_4096_round_trips=1.5)], HOST, "some.svg")
        self.assertIn("5" * 64, text)
        self.assertIn(".. image:: some.svg\n", text)
        self.assertIn("missed by 42.9 % at most, 1 of 10: rxe WRITE 4K: 1.50", text)
        self.assertEqual([line.split("  ")[0] for line in text.splitlines() if line.endswith("nothing was measured")],
                         list(bench.WINDOW_BEDS.values()))
        self.assertIn("2 of a processor, 8 GiB", text)
        self.assertNotIn("@", text)
        self.assertIn("The whole form", text)

    def test_page_of_a_larger_window(self):
        text = bench.page([a_bed("siw"), a_bed("rxe")], HOST, "some.svg", [a_window_bed(write_1048576=3.02)])
        self.assertIn("rxe-window WRITE 1M: 3.02", text)
        self.assertIn("\n\nTwo virtual machines, soft-RoCE with a larger window\n====", text)
        self.assertRegex(text, r"\nWRITE +1M +1.00 +2.00 +3.02\n")
        self.assertRegex(text, r"larger window +of .* operations each; 1024 packets are unacknowledged at most\n")
        self.assertNotIn("nothing was measured", text)

    def test_page_of_one_bed(self):
        text = bench.page([a_bed("rxe", sizes=())], HOST, "some.svg")
        self.assertRegex(text, r"\nOne virtual machine, soft-iWARP +nothing was measured\n")
        self.assertIn("not measured", text)
        self.assertIn("\n\nNot measured.\n", text)

    def test_longest(self):
        bed = a_bed()
        self.assertIn("No message", bench.longest([bed]))
        large = {"rpcs": 1.0, "groups": 1.0, "xmtconts": 16.0, "call_bytes": 1048800.0, "reply_bytes": 200.0}
        bed.cells["v2", "write", 1 << 20].update(large)
        bed.cells["v2", "write", 8192].update(large, call_bytes=9000.0)
        bed.cells["v2", "readdir", 777].update(large, rpcs=2.0, reply_bytes=2e6)
        bed.cells["v1", "read", 1 << 20].update(large, reply_bytes=3e6)
        self.assertEqual(bench.longest([bed]), "* rxe: 1048800 bytes in 17 transmissions, WRITE of 1M")

    def test_ways(self):
        bed = bench.Bed("rxe", self.dir)
        self.assertEqual(bench.ways(bed), "Not known.")
        (self.dir / "state.v2.client").write_text("placement: on\nplacement_kb: 9\ngroups_sent: 12\nplacement_too_long: 0\n")
        (self.dir / "state.v2-long.client").write_text("groups_sent: 3\nxmtconts_received: 40\ncalls: 5\n")
        (self.dir / "state.v2-hw.client").write_text("groups_sent: 7\n")
        self.assertEqual([line.split() for line in bench.ways(bed).splitlines()[3:-1]],
                         [["groups_sent", "12", "7", "3"], ["placement_too_long", "0", "\\-", "\\-"],
                          ["xmtconts_received", "\\-", "\\-", "40"]])

    def test_spread_is_told(self):
        bed = a_bed()
        for key, more in (("write", (0.0071, 150.4)), ("read", (0.0123, 900.0)), ("write", (0.0071, 150.4))):
            bed.cells["v1" if key == "read" else "v2", key, 4096].update(spread_qd8=more[0], operations_qd8=more[1])
        text = bench.page([bed], HOST, "some.svg")
        self.assertIn("differ by 1.0 % (median), 1.2 % at most", text)
        self.assertIn("525 (median), 150 at least", text)

    def test_rates_are_beside_each_other(self):
        bed = a_bed(read_4096_iops_qd8=5.0)
        rows = [line.split() for line in bench.rates(bed).splitlines()]
        self.assertEqual(rows[1], "op size depth v1 v2 v2 / best the best".split())
        self.assertIn("READ 4K 8 10.0 5.0 0.500 v1-inline64k".split(), rows)
        self.assertIn("getattr \\- 1 20.0 20.0 1.000 v1-inline64k".split(), rows)
        bed.transports.append("v2-hw")
        bed.cells["v2-hw", "read", 4096] = {"iops_qd8": 7.0}
        rows = [line.split() for line in bench.rates(bed).splitlines()]
        self.assertEqual(rows[1], "op size depth v1 v2 v2-hw v2 / best the best".split())
        self.assertIn("READ 4K 8 10.0 5.0 7.0 0.500 v1-inline64k".split(), rows)

    def test_metadata_has_rpcs_for_round_trips(self):
        bed = a_bed()
        bed.cells["v2", "openclose", 0]["rpcs"] = 2.0
        rows = [line.split() for line in bench.whole(bed, claims.META_OPS).splitlines()]
        self.assertEqual(rows[1][:4], ["operation", "transport", "RPCs", "Sends"])
        self.assertIn("openclose v2 2.00 2.00 0.00 0.00 0.00 0.00 200 1000".split(), rows)
        self.assertEqual(bench.whole(bed, ("read",)).splitlines()[1].split()[:3], ["size", "transport", "trips"])

    def test_hardware(self):
        rows = [line.split() for line in bench.hardware(a_bed(), claims.META_OPS).splitlines()]
        self.assertIn(["getattr", "v2"] + ["3.00"] * 10 + ["0.00", "0.00", "200"], rows)
        self.assertFalse(any("tcp" in row for row in rows))

    def test_a_missed_claim_is_a_failure(self):
        none = bench.Bed("siw", self.dir / "none")
        for beds, status in (([none, a_bed(), none], 0), ([none, a_bed(write_4096_round_trips=3.0), none], 1),
                             ([none, none, a_window_bed()], 0), ([none, none, a_window_bed(read_1048576=1.06)], 1)):
            argv = ["bench.py", str(self.dir), "--out", str(self.dir / "o"), "--rst", str(self.dir / "o.rst"),
                    "--svg", str(self.dir / "o.svg")]
            each = mock.Mock(side_effect=beds)
            with mock.patch.object(sys, "argv", argv), mock.patch.object(bench, "find_bed", each), redirect_stdout(io.StringIO()):
                self.assertEqual(bench.main(), status)
            self.assertTrue((self.dir / "o/results.csv").exists())

    def test_machines(self):
        bed = a_bed()
        bed.facts = {"parts": "costs", "time": "real", "ios": "15", "note.v1": "one"}
        bed.iops_facts = {"parts": "iops", "time": "counted in instructions", "rounds": "2", "runtime": "200", "note.v2": "two"}
        rows = {" ".join(line.split("  ")[0].split()): line for line in bench.machine([bed], HOST).splitlines()}
        two, one = rows["Two virtual machines, soft-RoCE"], rows["One virtual machine, soft-RoCE"]
        self.assertIn("time is real; delays of ? ms, 15 operations", two)
        self.assertNotIn("per instructions", two)
        self.assertIn("time is counted in instructions; 2 times 200 ms for each figure", one)
        self.assertNotIn("delays", one)
        self.assertTrue(rows["rxe, note on v1"].endswith("one") and rows["rxe, note on v2"].endswith("two"))
        self.assertTrue(rows["One virtual machine, soft-iWARP"].endswith("nothing was measured"))
        bed.iops_facts = {}
        self.assertRegex(bench.machine([bed], HOST), r"\nOne virtual machine, soft-RoCE +nothing was measured\n")

    def test_tables_have_no_empty_cells(self):
        bed = a_bed()
        bed.cells["v1", "write", 4096] = {}
        for text in (bench.whole(bed, ("write",)), bench.hardware(bed, ("write",)), bench.long_table(bed),
                     bench.matrix(bed, "round_trips", lambda v: bench.number("round_trips", v))):
            rule, _, _, *body, end = text.splitlines()
            self.assertEqual(rule, end)
            for line in body:
                self.assertEqual(len(line.split()), len(rule.split()), line)
        self.assertIn("readdir   777    v2 ", bench.long_table(bed))

    def test_all_of_it(self):
        folder = self.dir / "siw/bench"
        (folder / "rtt").mkdir(parents=True)
        (folder / "facts").write_text("form=quick\nkernel=6.12\nnote.v2=failed\n")
        (folder / "counts.tsv").write_text("tcp\twrite\t4096\twire_bytes\t5000\ntcp\tgetacl\t99\trpcs\t1.0\n")
        (folder / "long.tsv").write_text("tcp\tgetacl\t99\t20\t0.03\ntcp\tgetacl\t99\t120\t0.13\n")
        argv = ["bench.py", str(self.dir), "--out", str(self.dir / "o"), "--rst", str(self.dir / "bench.rst"),
                "--svg", str(self.dir / "bench.svg")]
        with mock.patch.object(sys, "argv", argv), redirect_stdout(io.StringIO()):
            self.assertEqual(bench.main(), 0)
        self.assertIn(f"siw,tcp,write,4096,,,,,,,,5000{',' * 19}\nsiw,tcp,read,4096{',' * 27}\n"
                      f"siw,tcp,getacl,99,1.00{',' * 26}\n", (self.dir / "o/results.csv").read_text())
        self.assertIn("bench.svg", (self.dir / "bench.rst").read_text())
        page = (self.dir / "o/results.rst").read_text()
        self.assertIn("results.svg", page)
        self.assertIn("The short form", page)
        self.assertIn("note on v2", page)
        self.assertEqual((self.dir / "o/results.svg").read_text(), (self.dir / "bench.svg").read_text())

    def test_nothing_measured(self):
        argv = ["bench.py", str(self.dir), "--out", str(self.dir / "o")]
        with mock.patch.object(sys, "argv", argv), redirect_stdout(io.StringIO()):
            self.assertEqual(bench.main(), 1)
        self.assertFalse((self.dir / "o").exists())


class Picture(unittest.TestCase):
    """The picture."""

    def setUp(self):
        self.beds = [a_bed("siw"), a_bed("rxe")]
        self.svg = ElementTree.fromstring(bench.draw(self.beds, HOST))

    def test_every_figure_is_there(self):
        # two beds, two operations, three sizes; five panels of two transports, one more of TCP
        dots = [c.find(f"{SVG}title").text for c in self.svg.iter(f"{SVG}circle") if c.find(f"{SVG}title") is not None]
        self.assertEqual(len(dots), 2 * 2 * 3 * (2 * 5 + 1))
        self.assertIn("version 2, 4K: 1.02", dots)

    def test_all_within(self):
        width, height = (float(v) for v in self.svg.get("viewBox").split()[2:])
        for c in self.svg.iter(f"{SVG}circle"):
            self.assertTrue(0 < float(c.get("cx")) < width and 0 < float(c.get("cy")) < height)
        for t in self.svg.iter(f"{SVG}text"):
            if t.get("x"):
                self.assertTrue(0 < float(t.get("x")) < width and 0 < float(t.get("y")) < height, t.text)

    def test_scale(self):
        one = picture.Scale([1, 2, 4.2], picture.Metric("", None, False, 1, ""))
        self.assertEqual(one.ticks, [0, 1, 2, 3, 4, 5])
        self.assertEqual([one.y(0), one.y(5), one.y(9)], [0, picture.PANEL_H, picture.PANEL_H])
        two = picture.Scale([0.5, 4.0], picture.Metric("", None, True, 1, ""))
        self.assertEqual(two.ticks, [0.5, 1, 2, 4])
        self.assertEqual([two.y(0.5), two.y(4), two.y(0.01)], [0, picture.PANEL_H, 0])
        self.assertAlmostEqual(two.y(1), picture.PANEL_H / 3)

    def test_shared_axes(self):
        def panel(value, group):
            return picture.Metric("", lambda op, transport, size: value, True, 1, group)
        for group, large in (("a", 4), ("b", 2)):
            parts = picture.draw("", "", [("", ["read"], [4096], ["v1"], [panel(1.5, "a"), panel(7.0, group)])])
            self.assertEqual(parts.count(">½<") + parts.count(">1<"), 4)
            self.assertEqual(parts.count(">4<") + parts.count(">8<"), large)

    def test_names(self):
        self.assertEqual([picture.size_name(n) for n in (1024, 65536, 1 << 20)], ["1K", "64K", "1M"])
        self.assertEqual([picture.times(n) for n in (0.25, 1.0, 8)], ["¼", "1", "8"])


if __name__ == "__main__":
    unittest.main()
