# SPDX-License-Identifier: GPL-2.0
"""Reads captures: what all programs share that look at one, packet by packet.

rpcrdma_pcap.py FILE COPY: writes a copy without the packets that a device has sent again.
"""

import struct
import sys
from collections import namedtuple

ROCE_PORT = 4791
TCP, UDP = 6, 17
ACKNOWLEDGE = 0x11
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


class Repeats:
    """Knows which packets of RoCEv2 a device sends again, as soft-RoCE does after half a
    second without an acknowledgement.

    >>> r, bth = Repeats(), bytes([4]) + bytes(11)
    >>> [r.has(Packet(0, UDP, (b"a", 1, b"b", 4791), x, 0, 0, 0)) for x in (bth, bth, bytes([17]) + bytes(11))]
    [False, True, False]
    """

    def __init__(self):
        self.seen = set()

    def has(self, p):
        """Returns whether it is one of a connection that was there before; p has a BTH."""
        opcode = p.data[0]
        if opcode >> 5 or opcode == ACKNOWLEDGE:
            return False
        key = p.flow[0], p.data[5:8], p.data[9:12], opcode
        if key in self.seen:
            return True
        self.seen.add(key)
        return False


def is_roce(p):
    """Returns whether a packet, or None, is one of RoCEv2."""
    return bool(p) and p.proto == UDP and p.flow[3] == ROCE_PORT


def roce_packets(path):
    """Yields the packets of RoCEv2 in a capture, none twice; their data begins with the BTH."""
    repeats = Repeats()
    return (p for p in packets(path) if is_roce(p) and not repeats.has(p))


def copy(source, target):
    """Writes the capture once more, without the packets of RoCEv2 that repeat others."""
    repeats, left = Repeats(), 0
    with open(target, "wb") as out:
        out.write(struct.pack("<4sHHIIII", NANOSECONDS[0], 2, 4, 0, 0, 1 << 18, 1))
        for frame in frames(source):
            p = packet(frame)
            if is_roce(p) and repeats.has(p):
                left += 1
                continue
            sec = int(frame.time)
            out.write(struct.pack("<4I", sec, round((frame.time - sec) * 1e9) % 10**9, len(frame.data), frame.length))
            out.write(frame.data)
    print(left, "packets were sent again")


if __name__ == "__main__":
    copy(*sys.argv[1:])
