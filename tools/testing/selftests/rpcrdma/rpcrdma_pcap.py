# SPDX-License-Identifier: GPL-2.0
"""Reads captures: what all programs share that look at one, packet by packet."""

import struct
from collections import namedtuple

ROCE_PORT = 4791
TCP, UDP = 6, 17
IPV4 = b"\x08\x00"
NANOSECONDS = (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")

# length: of the frame as it was, even if the capture has kept less of it
Frame = namedtuple("Frame", "time data length")
# flow: addresses and ports; data: behind the header of UDP or TCP; seq, flags: of TCP
Packet = namedtuple("Packet", "time proto flow data seq flags length")


def frames(path):
    """Yields the Ethernet frames of a pcap file."""
    with open(path, "rb") as f:
        magic = f.read(24)[:4]
        order = "<" if magic[:1] in (b"\xd4", b"\x4d") else ">"
        unit = 1e-9 if magic in NANOSECONDS else 1e-6
        while len(head := f.read(16)) == 16:
            sec, frac, kept, length = struct.unpack(order + "4I", head)
            yield Frame(sec + frac * unit, f.read(kept), length)


def packet(frame):
    """Returns the packet of UDP or TCP over IPv4 in a frame, or None; padding behind
    it is cut off.

    >>> ip = struct.pack(">BxH5xB2x4s4s", 0x45, 29, UDP, bytes(4), bytes(4))
    >>> data = bytes(12) + IPV4 + ip + struct.pack(">4H", 9, 4791, 9, 0) + b"x" + bytes(17)
    >>> packet(Frame(1.5, data, 60))[1:4]
    (17, (b'\\x00\\x00\\x00\\x00', 9, b'\\x00\\x00\\x00\\x00', 4791), b'x')
    >>> packet(Frame(1.5, data[:40], 60)) is None
    True
    """
    if frame.data[12:14] != IPV4 or len(frame.data) < 14 + 20 + 8:
        return None
    ip = frame.data[14:]
    size, proto = struct.unpack(">H", ip[2:4])[0], ip[9]
    # as large as 64 KiB and more, the kernel says 0
    ip, head = ip[:size] if size else ip, (ip[0] & 15) * 4
    if proto not in (TCP, UDP):
        return None
    ports = struct.unpack(">HH", ip[head:head + 4])
    flow = (ip[12:16], ports[0], ip[16:20], ports[1])
    if proto == UDP:
        return Packet(frame.time, proto, flow, ip[head + 8:], 0, 0, frame.length)
    seq, off, flags = struct.unpack(">I4xBB", ip[head + 4:head + 14])
    return Packet(frame.time, proto, flow, ip[head + (off >> 4) * 4:], seq, flags, frame.length)


def packets(path):
    """Yields the packets of UDP and TCP in a capture."""
    return filter(None, map(packet, frames(path)))


def roce_packets(path):
    """Yields the packets of RoCEv2 in a capture; their data begins with the BTH."""
    return (p for p in packets(path) if p.proto == UDP and p.flow[3] == ROCE_PORT)
