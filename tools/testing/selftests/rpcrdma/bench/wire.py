#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Counts the RDMA operations in a capture, whoever asked for them.

Takes Ethernet captures of soft-RoCE (RDMA over UDP) and of soft-iWARP (DDP over
TCP, without markers). Neither end is believed: what a transport forgets to
count is on the wire all the same.
"""

import struct
from collections import namedtuple

ROCE_PORT = 4791
SEND, READ, WRITE = "sends", "rdma_reads", "rdma_writes"

# The first or only packet of each message of a reliable connection
ROCE = {0x00: SEND, 0x04: SEND, 0x05: SEND, 0x17: SEND,
        0x06: WRITE, 0x0a: WRITE, 0x0b: WRITE, 0x0c: READ}
IWARP = {0: WRITE, 1: READ, 3: SEND, 4: SEND, 5: SEND, 6: SEND}
DDP_LAST = 0x40
SYN = 0x02
MPA_SETUP = b"MPA ID Re"

Packet = namedtuple("Packet", "time proto flow data seq flags")


class Incomplete(Exception):
    """The capture lacks a part of what went over the wire."""


def read_pcap(path):
    """Yields (seconds, frame) of a capture."""
    with open(path, "rb") as f:
        magic = f.read(24)[:4]
        order = "<" if magic[0] in (0xd4, 0x4d) else ">"
        unit = 1e-9 if magic in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1e-6
        while len(head := f.read(16)) == 16:
            sec, frac, kept, _ = struct.unpack(order + "4I", head)
            yield sec + frac * unit, f.read(kept)


def packets(path):
    """Yields the IPv4 packets of a capture; padding behind them is cut off."""
    for time, frame in read_pcap(path):
        if frame[12:14] != b"\x08\x00":
            continue
        ip = frame[14:]
        size, proto = struct.unpack(">H", ip[2:4])[0], ip[9]
        # as large as 64 KiB and more, the kernel says 0
        ip, head = ip[:size] if size else ip, (ip[0] & 15) * 4
        ports = struct.unpack(">HH", ip[head:head + 4])
        flow = (ip[12:16], ports[0], ip[16:20], ports[1])
        if proto == 17:
            yield Packet(time, proto, flow, ip[head + 8:], 0, 0)
        elif proto == 6:
            seq, off, flags = struct.unpack(">I4xBB", ip[head + 4:head + 14])
            yield Packet(time, proto, flow, ip[head + (off >> 4) * 4:], seq, flags)


def roce(path):
    """Yields (seconds, kind) of each operation over soft-RoCE; once, although a
    packet may be sent again."""
    seen = set()
    for p in packets(path):
        if p.proto != 17 or p.flow[3] != ROCE_PORT or p.data[0] not in ROCE:
            continue
        which = (p.flow[2], p.data[5:8], p.data[9:12], p.data[0])
        if which not in seen:
            seen.add(which)
            yield p.time, ROCE[p.data[0]]


class Stream:
    """One direction of a TCP connection, captured from its beginning or from between
    two FPDUs."""

    def __init__(self, seq):
        self.next = seq
        self.rest = b""

    def take(self, packet):
        """Returns what is new in a packet, joined to what was left over."""
        data, ahead = packet.data, (packet.seq - self.next) & 0xffffffff
        if ahead >= 1 << 31:
            data, ahead = data[(1 << 32) - ahead:], 0
        elif ahead and data:
            raise Incomplete(f"{ahead} bytes of a TCP stream are missing")
        self.next += len(data)
        return self.rest + data

    def fpdus(self, packet):
        """Yields both control bytes of each FPDU that the packet completes."""
        data = self.take(packet)
        while len(data) >= 20:
            setup = data.startswith(MPA_SETUP)
            ulpdu, ddp, rdmap = struct.unpack(">HBB", data[:4])
            size = 20 + struct.unpack(">H", data[18:20])[0] if setup else (2 + ulpdu + 3) // 4 * 4 + 4
            if len(data) < size:
                break
            if not setup:
                yield ddp, rdmap
            data = data[size:]
        self.rest = data


def iwarp(path):
    """Yields (seconds, kind) of each operation over soft-iWARP."""
    streams = {}
    for p in packets(path):
        if p.proto != 6:
            continue
        if p.flags & SYN:
            streams.pop(p.flow, None)
        elif p.data:
            for ddp, rdmap in streams.setdefault(p.flow, Stream(p.seq)).fpdus(p):
                if ddp & DDP_LAST and rdmap & 15 in IWARP:
                    yield p.time, IWARP[rdmap & 15]


def count(path, device, spans):
    """Returns {kind: number} for each of the spans of time (begin, end)."""
    counts = [dict.fromkeys((SEND, READ, WRITE), 0) for _ in spans]
    for time, kind in (roce if device == "rxe" else iwarp)(path):
        for (begin, end), found in zip(spans, counts):
            if begin <= time < end:
                found[kind] += 1
    return counts
