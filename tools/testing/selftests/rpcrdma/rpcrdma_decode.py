#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""rpcrdma_decode.py FILE.pcap: prints the RPC-over-RDMA version 1 headers in
a RoCEv2 capture, one message a line, in the order of the wire.

These fields differ between two runs of the same work and are masked: "xid",
"credits" (they follow the load), and "handle" and "offset" of segments (chosen
by the device). Everything else is shown: direction, kind of Send, version,
procedure, the form of all lists, and position and length of segments. The
private data of connection requests and answers is shown as it is.
"""

import struct
import sys

from rpcrdma_pcap import roce_packets

# BTH opcodes of Sends: (begins a message, ends it, bytes of extended headers)
SENDS = {
    0x00: (True, False, 0), 0x01: (False, False, 0), 0x02: (False, True, 0),
    0x03: (False, True, 4), 0x04: (True, True, 0), 0x05: (True, True, 4),
    0x16: (False, True, 4), 0x17: (True, True, 4),
}
INVALIDATES = (0x16, 0x17)
PROCS = {0: "MSG", 1: "NOMSG", 2: "MSGP", 3: "DONE", 4: "ERROR"}
PRIVATE_MAGIC = bytes.fromhex("f6ab0e18")


def messages(path):
    """Yields (source, kind, bytes): "send", "send-inv" or "cm"."""
    parts = {}
    for packet in roce_packets(path):
        source, pkt = packet.flow[0], packet.data
        opcode, pad = pkt[0], pkt[1] >> 4 & 3
        queue = pkt[5:8]
        body = pkt[12:len(pkt) - 4 - pad]
        if opcode >> 5 == 3:
            yield source, "cm", body
            continue
        if opcode not in SENDS:
            continue
        first, last, extra = SENDS[opcode]
        if first:
            parts[source, queue] = b""
        if (source, queue) not in parts:
            continue
        parts[source, queue] += body[extra:]
        if last:
            kind = "send-inv" if opcode in INVALIDATES else "send"
            yield source, kind, parts.pop((source, queue))


class Words:
    """Takes XDR words from bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def u32(self):
        """Returns the next word."""
        value = struct.unpack_from(">I", self.data, self.at)[0]
        self.at += 4
        return value

    def segment(self):
        """Skips handle and offset, which are masked, and returns the length."""
        self.u32()
        length = self.u32()
        self.at += 8
        return str(length)


def read_list(words):
    """Returns the Read list as text: position:length of each segment."""
    out = []
    while words.u32():
        position = words.u32()
        out.append(f"{position}:{words.segment()}")
    return " ".join(out)


def chunk(words):
    """Returns one counted array of segments as text."""
    return "+".join(words.segment() for _ in range(words.u32()))


def write_list(words):
    """Returns the Write list as text."""
    out = []
    while words.u32():
        out.append(chunk(words))
    return " ".join(out)


def header(data):
    """Returns the header of a message as text."""
    words = Words(data)
    xid, version, _credits, proc = (words.u32() for _ in range(4))
    text = f"v{version} {PROCS.get(proc, proc)}"
    if proc == 4:
        return f"{text} error={words.u32()}"
    text += f" read[{read_list(words)}] write[{write_list(words)}]"
    text += f" reply[{chunk(words) if words.u32() else ''}]"
    if proc == 0:
        same = struct.unpack_from(">I", data, words.at)[0] == xid
        text += f" rpc-xid={'same' if same else 'OTHER'} header={words.at}"
    return text


def main():
    client = None
    for source, kind, data in messages(sys.argv[1]):
        if kind == "cm":
            at = data.find(PRIVATE_MAGIC)
            if at >= 0:
                print("private", data[at:at + 8].hex())
            continue
        client = client or source
        who = "call " if source == client else "reply"
        try:
            print(who, kind, header(data))
        except (struct.error, IndexError):
            print(who, kind, "MALFORMED", data[:64].hex())
            sys.exit(1)


main()
