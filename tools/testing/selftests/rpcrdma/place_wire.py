#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""place_wire.py FILE.pcap: counts what a RoCEv2 capture has of each kind of
operation, one "name: packets" a line, and all bytes of it as "bytes".

RDMA Reads are counted as requests and as responses; RDMA Writes and Sends by
their packets.
"""

import collections
import struct
import sys

ROCE_PORT = 4791
UDP = 17


def kind(opcode):
    """Names the operation that a packet of a reliable connection belongs to."""
    if opcode in (0x16, 0x17) or opcode <= 0x05:
        return 'send'
    if opcode <= 0x0b:
        return 'write'
    if opcode == 0x0c:
        return 'read_request'
    if opcode <= 0x10:
        return 'read_response'
    return 'ack' if opcode == 0x11 else 'other'


def frames(path):
    """Yields the Ethernet frames of a pcap file, and how long they were."""
    with open(path, 'rb') as f:
        data = f.read()
    order = '<' if data[:4] in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1') else '>'
    at = 24
    while at + 16 <= len(data):
        kept, length = struct.unpack_from(order + 'II', data, at + 8)
        yield data[at + 16:at + 16 + kept], length
        at += 16 + kept


def main():
    """Counts, and prints."""
    count = collections.Counter()
    for frame, length in frames(sys.argv[1]):
        if frame[12:14] != b'\x08\x00' or frame[23] != UDP:
            continue
        udp = 14 + 4 * (frame[14] & 15)
        if struct.unpack_from('>H', frame, udp + 2)[0] != ROCE_PORT:
            continue
        opcode = frame[udp + 8]
        if opcode >> 5:
            continue
        count[kind(opcode)] += 1
        count['bytes'] += length
    for name in ('send', 'write', 'read_request', 'read_response', 'ack', 'other', 'bytes'):
        print('%s: %d' % (name, count[name]))


main()
