#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads examples.txt and puts its messages on a wire: pcap files of RoCEv2 or
of iWARP, for a dissector to look at.

A message begins with the line "> NAME what it is" (from the client) or "< NAME
..." (from the server); with "v1" before it, it goes over a connection of its
own. These lines follow:

  00112233 44556677 ...  bytes of the message
  fill N, count N        zeroes, or bytes that tell their place, until it has N bytes
  put AT 00112233        overwrites
  invalidate 00112233    it is sent with Send With Invalidate of that handle
  again                  it is sent twice, as if the first had been lost
  sound N                no header is missing as long as the message has N bytes
  FIELD = VALUE          what the dissector finds; "-" is nothing, "@NAME" the
                         number of the frame that ends that message, "#A..B"
                         those bytes of the message. With "roce" or "iwarp" before
                         it, only there.
"""

import struct

PACKET = 4096
CLIENT, SERVER = b"\x0a\x09\x00\x02", b"\x0a\x09\x00\x01"


class Message:
    """One message: how it is sent, its bytes, and what is expected."""

    def __init__(self, line):
        arrow, self.name, *rest = line.strip().split(None, 2)
        self.title = " ".join([self.name] + rest)
        self.client = arrow.endswith(">")
        self.other = arrow.startswith("v1")
        self.data = bytearray()
        self.invalidate, self.again, self.sound = None, False, None
        self.expect = []

    def line(self, text):
        """Takes one line of the message."""
        words = text.split()
        if " = " in text:
            left, value = text.split(" = ")
            self.expect.append((left.split()[:-1], left.split()[-1], value.strip()))
        elif words[0] in ("fill", "count"):
            more = int(words[1]) - len(self.data)
            step = words[0] == "count"
            self.data += bytes(step * (i + (i >> 8)) & 255 for i in range(more))
        elif words[0] == "put":
            at, value = int(words[1]), bytes.fromhex(words[2])
            self.data[at:at + len(value)] = value
        elif words[0] == "invalidate":
            self.invalidate = bytes.fromhex(words[1])
        elif words[0] == "again":
            self.again = True
        elif words[0] == "sound":
            self.sound = int(words[1])
        else:
            self.data += bytes.fromhex(text)

    def with_data(self, data):
        """Returns a message that is sent the same way but holds other bytes."""
        copy = Message("> -")
        copy.__dict__.update(self.__dict__, data=bytearray(data), again=False)
        return copy


def parse(lines):
    """Returns the messages of some lines."""
    found = []
    for line in lines:
        line = line.split("#", 1)[0] if " = #" not in line else line
        if line.startswith((">", "<", "v1>", "v1<")):
            found.append(Message(line))
        elif line.strip():
            found[-1].line(line.strip())
    return found


def read(path):
    """Returns the messages of a file."""
    with open(path, encoding="ascii") as f:
        return parse(f)


class Pcap:
    """A pcap file that is being written."""

    def __init__(self, path):
        self.frames = 0
        self.file = open(path, "wb")
        self.file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))

    def add(self, protocol, client, data):
        """Writes an IPv4 packet from the client or the server."""
        ends = (CLIENT, SERVER) if client else (SERVER, CLIENT)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(data), 0, 0x4000, 64, protocol, 0,
                         *ends)
        frame = b"\x52\x54\0\0\0\1\x52\x54\0\0\0\2\x08\0" + ip + data
        self.frames += 1
        self.file.write(struct.pack("<IIII", self.frames // 1000, self.frames % 1000 * 1000,
                                    len(frame), len(frame)) + frame)

    def close(self):
        """Ends the file."""
        self.file.close()


def packets(message):
    """Yields (first, last, offset, bytes) of the packets of a Send."""
    for at in range(0, len(message.data) or 1, PACKET):
        part = bytes(message.data[at:at + PACKET])
        yield at == 0, at + PACKET >= len(message.data), at, part


class Roce:
    """Sends messages over RoCEv2, on reliable connections."""

    name = "roce"

    def __init__(self, pcap):
        self.pcap, self.psn = pcap, {}

    def send(self, message):
        """Writes the packets of a message; returns the last frame's number."""
        for n in range(1 + message.again):
            if n:
                self.psn[message.client, message.other] -= len(list(packets(message)))
            for first, last, _, part in packets(message):
                self.packet(message, first, last, part)
        return self.pcap.frames

    def packet(self, message, first, last, part):
        """Writes one packet."""
        way = message.client, message.other
        psn = self.psn[way] = self.psn.get(way, 99) + 1
        opcode = (4 if last else 0) if first else (2 if last else 1)
        extra = b""
        if message.invalidate and last:
            opcode, extra = (0x17 if first else 0x16), message.invalidate
        pad = -len(part) % 4
        queue = 0x10 + message.client + 2 * message.other
        bth = struct.pack(">BBHII", opcode, 0x40 | pad << 4, 0xffff, queue, 0x80000000 | psn)
        body = bth + extra + part + bytes(pad) + bytes(4)
        udp = struct.pack(">HHHH", 49152, 4791, 8 + len(body), 0)
        self.pcap.add(17, message.client, udp + body)


class Iwarp:
    """Sends messages over iWARP, without markers and checksums."""

    name = "iwarp"

    def __init__(self, pcap):
        self.pcap, self.at, self.number = pcap, {}, {}
        for other in (False, True):
            self.connect(other)

    def connect(self, other):
        """Writes the handshakes of TCP and of MPA."""
        for client, flags in ((True, 2), (False, 18)):
            self.at[client, other] = 1000
            self.tcp(client, other, b"", flags)
            self.at[client, other] += 1
        self.tcp(True, other, b"", 16)
        self.tcp(True, other, b"MPA ID Req Frame\0\1\0\0")
        self.tcp(False, other, b"MPA ID Rep Frame\0\1\0\0")

    def tcp(self, client, other, data, flags=24):
        """Writes one TCP segment."""
        ports = (50000 + other, 20049) if client else (20049, 50000 + other)
        head = struct.pack(">HHIIBBHHH", *ports, self.at[client, other],
                           self.at.get((not client, other), 0), 0x50, flags, 65535, 0, 0)
        self.pcap.add(6, client, head + data)
        self.at[client, other] += len(data)

    def send(self, message):
        """Writes the FPDUs of a message; returns the last frame's number."""
        way = message.client, message.other
        for _ in range(1 + message.again):
            self.number[way] = self.number.get(way, 0) + 1
            for _, last, offset, part in packets(message):
                rdmap = 0x44 if message.invalidate else 0x43
                ddp = struct.pack(">BB4sIII", 0x41 if last else 1, rdmap,
                                  message.invalidate or bytes(4), 0, self.number[way], offset)
                pdu = struct.pack(">H", len(ddp + part)) + ddp + part
                self.tcp(*way, pdu + bytes(-len(pdu) % 4) + bytes(4))
        return self.pcap.frames


LAYERS = (Roce, Iwarp)


def write(path, layer, messages):
    """Writes a pcap; returns the number of the last frame of each message."""
    pcap = Pcap(path)
    lower = layer(pcap)
    last = [lower.send(m) for m in messages]
    pcap.close()
    return last
