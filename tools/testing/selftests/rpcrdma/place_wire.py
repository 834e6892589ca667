#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""place_wire.py FILE.pcap SINCE: counts what a RoCEv2 capture has of each kind of
operation from that time on (seconds), one "name: packets" a line, and all bytes of it
as "bytes".

RDMA Reads are counted as requests and as responses; RDMA Writes and Sends by
their packets.
"""

import collections
import sys

from rpcrdma_pcap import roce_packets


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


def main():
    """Counts, and prints."""
    count, since = collections.Counter(), float(sys.argv[2])
    for packet in roce_packets(sys.argv[1]):
        opcode = packet.data[0]
        if opcode >> 5 or packet.time < since:
            continue
        count[kind(opcode)] += 1
        count['bytes'] += packet.length
    for name in ('send', 'write', 'read_request', 'read_response', 'ack', 'other', 'bytes'):
        print('%s: %d' % (name, count[name]))


main()
