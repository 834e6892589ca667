#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of wire.py, bench.py and picture.py: captures, logs and counters
whose meaning is known."""

import csv
import io
import json
import struct
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import bench
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
        path.write_text("1, 3000000, 0, 4096, 0\n2, 90000000, 0, 4096, 0\n3, 5000000, 0, 4096, 0\n")
        self.assertEqual(bench.read_log(path), 5.0)
        path.write_text("")
        self.assertIsNone(bench.read_log(path))

    def test_rtt(self):
        for name, ms in (("v1-inline64k.write.4096.20", 25), ("v1-inline64k.write.4096.100", 105), ("v2.read.8192.20", 1)):
            (self.dir / f"{name}_lat.log").write_text(f"1, {ms}000000, 1, 4096, 0\n")
        self.assertEqual(bench.read_rtt(self.dir), {("v1-inline64k", "write", 4096): 1.0})

    def test_iops(self):
        def job(iops, error=0):
            return {"jobname": "read.4096.qd8", "error": error, "read": {"iops": iops, "total_ios": 9}}
        for n, found in enumerate((10.0, 500.0, 30.0)):
            (self.dir / f"v2-base.{n}.json").write_text("note: what fio has to say\n" + json.dumps({"jobs": [job(found)]}))
        (self.dir / "v1.1.json").write_text(json.dumps({"jobs": [job(1.0, 5)]}))
        (self.dir / "tcp.1.json").write_text("fio: cannot open")
        self.assertEqual(bench.read_iops(self.dir), {("v2-base", "read", 4096): {8: 30.0}})

    def test_counts(self):
        path = self.dir / "counts.tsv"
        path.write_text("v1\twrite\t4096\tsends\t2.0\nv1\twrite\t4096\twire_bytes\t4710.5\n")
        self.assertEqual(dict(bench.read_counts(path)), {("v1", "write", 4096): {"sends": 2.0, "wire_bytes": 4710.5}})


GOOD = {"round_trips": 1.02, "sends": 2.0, "rdma_reads": 0.0, "rdma_writes": 0.0, "registrations": 0.0,
        "invalidations": 0.0, "copied_bytes": 0.0, "wire_bytes": 1000.0, "iops_qd1": 20.0, "iops_qd8": 30.0,
        "iops_qd32": 40.0}
POOR = {**GOOD, "round_trips": 2.0, "rdma_reads": 1.0, "registrations": 1.0, "wire_bytes": 1000.0, "iops_qd1": 10.0,
        "iops_qd8": 10.0, "iops_qd32": 10.0}


def a_bed(name="rxe", sizes=(4096, 8192, 1 << 20), placed=65536, **more):
    """Returns a bed where version 2 does all that is asked of it, but for the
    figures in more: op_bytes_key=value."""
    bed = bench.Bed(name, Path("/nonexistent"))
    bed.sizes, bed.transports = list(sizes), ["v1", "v2"]
    for op in bench.OPS:
        for size in sizes:
            bed.cells["v1", op, size], bed.cells["v2", op, size] = dict(POOR), dict(GOOD)
    for key, value in more.items():
        op, size, what = key.split("_", 2)
        bed.cells["v2", op, int(size)][what] = value
    bed.placed = lambda op: placed
    return bed


def missed(*beds):
    """Returns, for each claim, what missed it."""
    return [c.missed for c in bench.claims(beds)]


class Claims(Folder):
    """What is asked of placement."""

    def test_all_met(self):
        found = bench.claims([a_bed("siw"), a_bed("rxe")])
        self.assertEqual([c.missed for c in found], [[]] * 5)
        self.assertEqual([c.asked for c in found], [8, 24, 12, 24, 12])
        self.assertEqual({c.verdict() for c in found}, {"yes"})

    def test_each_missed(self):
        for n, (key, value) in enumerate([("write_4096_round_trips", 1.11), ("read_8192_registrations", 1.0),
                                          ("read_1048576_wire_bytes", 1151.0), ("write_8192_iops_qd32", 10.0),
                                          ("read_1048576_iops_qd1", 9.4)]):
            found = missed(a_bed(**{key: value}))
            self.assertEqual([len(f) for f in found], [int(n == i) for i in range(5)], key)

    def test_just_met(self):
        for key, value in (("write_4096_round_trips", 1.1), ("read_1048576_wire_bytes", 1150.0),
                           ("read_1048576_iops_qd1", 9.6)):
            self.assertEqual(missed(a_bed(**{key: value})), [[]] * 5, key)

    def test_too_large_for_the_buffer(self):
        self.assertEqual(missed(a_bed(write_1048576_round_trips=3.0, write_1048576_registrations=9.0)), [[]] * 5)
        self.assertEqual(len(missed(a_bed(placed=1 << 20, write_1048576_round_trips=3.0))[0]), 1)

    def test_operations_of_1k_may_cost_more_wire(self):
        self.assertEqual(missed(a_bed(sizes=(1024,), write_1024_wire_bytes=2000.0)), [[]] * 5)

    def test_not_measured(self):
        bed = a_bed(sizes=())
        self.assertEqual({c.verdict() for c in bench.claims([bed])}, {"not measured"})
        self.assertEqual(missed(a_bed(write_4096_round_trips=None)), [[]] * 5)

    def test_placed(self):
        bed = bench.Bed("rxe", self.dir)
        self.assertEqual(bed.placed("write"), 0)
        (self.dir / "state.v2.client").write_text(
            "local_rbstruct: 2 1x4096/1 4x16384/4096p\npeer_rbstruct: 3 1x4096/1 2x4096/4096p 1x8192/1p\n")
        self.assertEqual([bed.placed(op) for op in ("write", "read")], [16384, 65536])
        (self.dir / "state.v2.client").write_text("local_rbstruct: 1 1x4096/1 (default)\n")
        self.assertEqual(bed.placed("read"), 0)


HOST = {"cpu": "a processor", "cpus": "2", "memory": "8 GiB", "accel": "tcg,thread=multi", "commit": "abc"}


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
                         "copied_bytes wire_bytes iops_qd1 iops_qd8 iops_qd32".split())
        self.assertEqual(rows[2], "rxe v2 write 4096 1.02 2.00 0.00 0.00 0.00 0.00 0 1000 20.0 30.0 40.0".split())
        self.assertEqual(rows[3][:6], ["rxe", "v1", "read", "4096", "2.00", ""])
        self.assertEqual(len(rows), 5)

    def test_page(self):
        text = bench.page([a_bed("siw"), a_bed("rxe", write_4096_round_trips=1.5)], HOST, "some.svg")
        self.assertIn(".. image:: some.svg\n", text)
        self.assertIn("no, 1 of 8: rxe WRITE 4K: 1.50", text)
        self.assertIn("2 of a processor, 8 GiB", text)
        self.assertNotIn("@", text)
        self.assertIn("The whole form", text)

    def test_page_without_placement(self):
        text = bench.page([a_bed(placed=0)], HOST, "some.svg")
        self.assertIn("nothing to hold the figures against", text)
        self.assertNotIn("asked of version 2", text)

    def test_tables_have_no_empty_cells(self):
        bed = a_bed()
        bed.cells["v1", "write", 4096] = {}
        for text in (bench.whole(bed, "write"), bench.matrix(bed, "round_trips", lambda v: bench.number("round_trips", v))):
            rule, _, _, *body, end = text.splitlines()
            self.assertEqual(rule, end)
            for line in body:
                self.assertEqual(len(line.split()), len(rule.split()), line)

    def test_all_of_it(self):
        folder = self.dir / "siw/bench"
        (folder / "rtt").mkdir(parents=True)
        (folder / "facts").write_text("form=quick\nkernel=6.12\nnote.v2=failed\n")
        (folder / "counts.tsv").write_text("tcp\twrite\t4096\twire_bytes\t5000\n")
        argv = ["bench.py", str(self.dir), "--out", str(self.dir / "o"), "--rst", str(self.dir / "bench.rst"),
                "--svg", str(self.dir / "bench.svg")]
        with mock.patch.object(sys, "argv", argv), redirect_stdout(io.StringIO()):
            self.assertEqual(bench.main(), 0)
        self.assertIn("siw,tcp,write,4096,,,,,,,,5000,,,\n", (self.dir / "o/results.csv").read_text())
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
        # two beds, two operations, three sizes, two transports, five panels
        dots = [c.find(f"{SVG}title").text for c in self.svg.iter(f"{SVG}circle") if c.find(f"{SVG}title") is not None]
        self.assertEqual(len(dots), 2 * 2 * 3 * 2 * 5)
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
