#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Counts the RDMA operations in a capture, whoever asked for them.

Takes Ethernet captures of soft-RoCE (RDMA over UDP) and of soft-iWARP (DDP over
TCP, without markers). Neither end is believed: what a transport forgets to
count is on the wire all the same.
"""

import struct
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
# pylint: disable-next=wrong-import-position
from rpcrdma_pcap import TCP, packets, roce_packets

SEND, READ, WRITE = "sends", "rdma_reads", "rdma_writes"

# The first or only packet of each message of a reliable connection
ROCE = {0x00: SEND, 0x04: SEND, 0x05: SEND, 0x17: SEND,
        0x06: WRITE, 0x0a: WRITE, 0x0b: WRITE, 0x0c: READ}
IWARP = {0: WRITE, 1: READ, 3: SEND, 4: SEND, 5: SEND, 6: SEND}
DDP_LAST = 0x40
SYN = 0x02
MPA_SETUP = b"MPA ID Re"


class Incomplete(Exception):
    """The capture lacks a part of what went over the wire."""


def roce(path):
    """Yields (seconds, kind) of each operation over soft-RoCE; once, although a
    packet may be sent again."""
    seen = set()
    for p in roce_packets(path):
        if p.data[0] not in ROCE:
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
        if p.proto != TCP:
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
