# SPDX-License-Identifier: GPL-2.0
"""What the programs share that look at RoCEv2 captures, packet by packet."""

import struct

ROCE_PORT = 4791
UDP = 17
# Ethernet, the shortest header of IP, and that of UDP
HEADERS = 42


def frames(path):
    """Yields the Ethernet frames of a pcap file, and how long they were."""
    with open(path, "rb") as f:
        data = f.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at + 16 <= len(data):
        kept, length = struct.unpack_from(order + "II", data, at + 8)
        yield data[at + 16:at + 16 + kept], length
        at += 16 + kept


def packets(path):
    """Yields (source address, transport packet, length of its frame)."""
    for frame, length in frames(path):
        if len(frame) < HEADERS or frame[12:14] != b"\x08\x00" or frame[23] != UDP:
            continue
        at = 14 + (frame[14] & 15) * 4
        port, size = struct.unpack_from(">HH", frame, at + 2)
        if port == ROCE_PORT:
            yield frame[26:30], frame[at + 8:at + size], length
