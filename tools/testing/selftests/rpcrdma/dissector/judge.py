#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""judge.py fields: prints the options that make tshark write a table.
judge.py CHECK TABLE STATE: judges a capture by that table, which holds one line
for each frame, and by what the client said of its connection at the time (the
file "state" of debugfs). Prints what is wrong, or how much was looked at; the
exit status is 1 if something is wrong. The checks are the functions with a name
that begins with "check_".

The capture begins before the mount and ends after the unmount.
"""

import sys

import groups

FIELDS = (
    "frame.number", "ip.src", "_ws.lua.error", "rpcordma.xid",
    "rpcrdma2.xid", "rpcrdma2.vers", "rpcrdma2.credit", "rpcrdma2.proc", "rpcrdma2.dir",
    "rpcrdma2.opttype", "rpcrdma2.optinfo_len", "rpcrdma2.xchv_which",
    "rpcrdma2.rbsiz", "rpcrdma2.reqreminv", "rpcrdma2.brs",
    "rpcrdma2.inv_handle", "rpcrdma2.invalidated",
    "rpcrdma2.read.handle", "rpcrdma2.read.length", "rpcrdma2.read.offset",
    "rpcrdma2.write.handle", "rpcrdma2.write.length", "rpcrdma2.write.offset",
    "rpcrdma2.reply.handle", "rpcrdma2.reply.length", "rpcrdma2.reply.offset",
    "rpcrdma2.malformed", "rpcrdma2.violation", "rpcrdma2.unknown", "rpcrdma2.sequence",
    "rpcrdma2.rtrsupp", "rpcrdma2.xmrbuf_length", "rpcrdma2.placed.tbsn", "rpcrdma2.behind",
    "rpcrdma2.xmdmi_where", "rpcrdma2.xmdmi_length", "rpc.xid",
    "rpcrdma2.transmission", "rpcrdma2.group_end", "rpcrdma2.reqrxlim", "rpcrdma2.respsxlim",
    "rpcrdma2.xmrgrp_count", "rpcrdma2.xmrseg_length", "rpcrdma2.xmrseg_flags",
    "rpcrdma2.xmdl_ex.handle", "rpcrdma2.xmdl_ex.length", "rpcrdma2.xmdl_ex.offset",
    "rpcrdma2.xmdrsdl_ex.handle", "rpcrdma2.xmdrsdl_ex.length", "rpcrdma2.xmdrsdl_ex.offset",
    "rpcrdma2.xmdrsdl_bsex.handle", "rpcrdma2.xmdrsdl_bsex.length",
    "rpcrdma2.xmdrsdl_bsex.offset",
    "infiniband.bth.opcode", "infiniband.reth.va", "infiniband.reth.r_key",
    "infiniband.reth.dmalen",
    "iwarp_rdma.opcode", "iwarp_rdma.srcstag", "iwarp_rdma.srcto", "iwarp_rdma.rdmardsz",
    "iwarp_ddp.stag", "iwarp_ddp.tagged_offset",
)
FINDINGS = ("_ws.lua.error", "rpcrdma2.malformed", "rpcrdma2.violation", "rpcrdma2.unknown",
            "rpcrdma2.sequence")
CALL, REPLY = 0, 1
OPTIONAL, INITXCH, REQXCH, UPDXCH, XMTREQ, XMTRESP = 5, 1, 2, 4, 5, 6
XREQ, XRESP = 1, 2
TBSN = 2
IB_WRITES, IB_READ = (6, 10, 11), 12
CHARS = ("rbsiz", "reqreminv", "brs")
FIRST_MAX = 1024


def number(text):
    """Returns the value of a field."""
    return {"True": 1, "False": 0}[text] if text in ("True", "False") else int(text, 0)


class Frame:
    """One frame: field("name") is the list of a field's values."""

    def __init__(self, line):
        self.values = dict(zip(FIELDS, line.rstrip("\n").split("|")))
        self.number = self.values["frame.number"]
        self.source = self.values["ip.src"]

    def field(self, name):
        """Returns the values of a field, as numbers."""
        text = self.values.get(name, "")
        return [number(v) for v in text.split(",")] if text else []

    def segments(self, kind):
        """Returns the segments of a kind as (handle, offset, length)."""
        names = ("handle", "offset", "length")
        return list(zip(*(self.field(f"rpcrdma2.{kind}.{name}") for name in names)))


class Message:
    """One message; a frame of iWARP can hold several, and then only what every
    message has can be told apart."""

    def __init__(self, frame, at):
        self.frame = frame
        self.alone = len(frame.field("rpcrdma2.xid")) == 1
        self.xid, self.version, self.credit, self.proc, self.dir = (
            frame.field(f"rpcrdma2.{f}")[at] for f in ("xid", "vers", "credit", "proc", "dir"))
        option = frame.field("rpcrdma2.proc")[:at].count(OPTIONAL)
        self.opttype = frame.field("rpcrdma2.opttype")[option] if self.proc == OPTIONAL else None

    def control(self):
        """It carries no RPC message."""
        return self.proc == OPTIONAL and self.opttype < XMTREQ

    def value(self, name):
        """Returns a field that not every message has, or None."""
        found = self.frame.field(f"rpcrdma2.{name}")
        return found[0] if found else None


class Capture:
    """All frames and messages, and the state of the connection."""

    def __init__(self, table, state):
        with open(table, encoding="ascii") as f:
            self.frames = [Frame(line) for line in f]
        with open(state, encoding="ascii") as f:
            self.state = dict(line.strip().split(": ", 1) for line in f if ": " in line)
        self.messages = [Message(frame, at) for frame in self.frames
                         for at in range(len(frame.field("rpcrdma2.xid")))]
        if not self.messages:
            sys.exit("no message of version 2 was captured")
        self.client = self.messages[0].frame.source


def check_sound(capture):
    """The dissector has found nothing to complain about."""
    for frame in capture.frames:
        for name in FINDINGS:
            if frame.values.get(name):
                yield f"frame {frame.number}: {name}"
    if len(capture.messages) < 50:
        yield f"only {len(capture.messages)} messages"


def announced(capture, message, name):
    """Returns what an end has said of a characteristic, in its INITXCH or since."""
    values = [m.value(name) for m in capture.messages
              if m.frame.source == message.frame.source and m.proc == OPTIONAL and
              m.value("opttype") in (INITXCH, UPDXCH)]
    return next((v for v in reversed(values) if v is not None), None)


def characteristics(capture, message, who):
    """An end has said what debugfs says of it, and nothing that debugfs does not
    know."""
    names = {"none": 0, "inline": 1, "general": 2, "false": 0, "true": 1}
    for name in CHARS:
        text = capture.state.get(f"{who}_{name}", "nothing (default)")
        sent = announced(capture, message, name)
        if text.endswith("(default)"):
            if sent is not None:
                yield f"{who}_{name} is '{text}', sent was {sent}"
        elif sent != names.get(text, None) and str(sent) != text:
            yield f"{who}_{name} is '{text}', sent was {sent}"
    if 28 + message.value("optinfo_len") > FIRST_MAX:
        yield f"the header has {28 + message.value('optinfo_len')} bytes"


def check_opening(capture):
    """The client's INITXCH comes first, the server's answer next."""
    first, second = capture.messages[:2]
    for message, way, who in ((first, CALL, "local"), (second, REPLY, "peer")):
        if message.proc != OPTIONAL or message.value("opttype") != INITXCH or message.dir != way:
            yield f"frame {message.frame.number} is not the INITXCH of the {who} end"
        else:
            yield from characteristics(capture, message, who)
    if second.xid != first.xid or second.frame.source == first.frame.source:
        yield "the second message does not answer the first"


def check_version(capture):
    """Version 2 it is from the first message to the last, with credits in each."""
    for frame in capture.frames:
        if frame.values["rpcordma.xid"]:
            yield f"frame {frame.number} is version 1"
    for message in capture.messages:
        if message.version != 2:
            yield f"frame {message.frame.number}: version {message.version}"
        if message.credit == 0:
            yield f"frame {message.frame.number}: no credits"


def check_pairs(capture):
    """Each Call has one reply, which comes from the other end and later. Only an
    UPDXCH has none, and an XMTCONT belongs to the message before it. A REQXCH has none,
    either, when the other end says nothing any more: the connection is being closed."""
    waiting, last = {}, {}
    for message in capture.messages:
        control = message.control()
        last[message.frame.source] = message.frame.number
        if message.opttype in (UPDXCH, groups.XMTCONT):
            continue
        if message.dir == CALL:
            caller = message.frame.source
            if (caller, control, message.xid) in waiting:
                yield f"frame {message.frame.number}: its xid is in use"
            waiting[caller, control, message.xid] = message
        else:
            calls = [k for k in waiting if k[1:] == (control, message.xid) and
                     k[0] != message.frame.source]
            if len(calls) != 1:
                yield f"frame {message.frame.number}: {len(calls)} Calls wait for it"
            for key in calls:
                del waiting[key]
    for (caller, _, _), message in waiting.items():
        number = message.frame.number
        if message.opttype != REQXCH or any(n > number for end, n in last.items() if end != caller):
            yield f"frame {number}: no reply"


def reads_seen(capture):
    """Returns the RDMA Reads as a set of (handle, offset, length)."""
    seen = set()
    for frame in capture.frames:
        if IB_READ in frame.field("infiniband.bth.opcode"):
            names = ("infiniband.reth.r_key", "infiniband.reth.va", "infiniband.reth.dmalen")
        else:
            names = ("iwarp_rdma.srcstag", "iwarp_rdma.srcto", "iwarp_rdma.rdmardsz")
        seen.update(zip(*(frame.field(n) for n in names)))
    return seen


def within(part, whole):
    """A segment of memory lies in another."""
    return (part[0] == whole[0] and part[1] >= whole[1] and
            part[1] + part[2] <= whole[1] + whole[2])


def check_reads(capture):
    """RDMA Reads fetch all that the Read lists of Calls name, and nothing else."""
    listed = {s for f in capture.frames if f.source == capture.client
              for kind in ("read", "xmdl_ex") for s in f.segments(kind)}
    seen = reads_seen(capture)
    for read in seen:
        if not any(within(read, segment) for segment in listed):
            yield "read, but in no list: handle 0x%x offset 0x%x length %d" % read
    for segment in listed:
        got = sum(read[2] for read in seen if within(read, segment))
        if got != segment[2]:
            yield "handle 0x%x offset 0x%x length %d" % segment + f": {got} bytes were read"
    if not listed:
        yield "no Call has a Read list"


def writes_seen(capture):
    """Returns the RDMA Writes as a set of (handle, offset, length); of iWARP's only
    where they begin is known."""
    seen = set()
    for frame in capture.frames:
        if set(IB_WRITES) & set(frame.field("infiniband.bth.opcode")):
            names = ("r_key", "va", "dmalen")
            seen.update(zip(*(frame.field(f"infiniband.reth.{name}") for name in names)))
        opcodes = frame.field("iwarp_rdma.opcode")
        if opcodes and set(opcodes) <= {0, 3, 4, 5, 6} and frame.source != capture.client:
            seen.update((s, o, 0) for s, o in zip(frame.field("iwarp_ddp.stag"),
                                                  frame.field("iwarp_ddp.tagged_offset")))
    return seen


def check_writes(capture):
    """RDMA Writes go where Calls allow it."""
    offered = {s for f in capture.frames if f.source == capture.client
               for kind in ("write", "reply", "xmdrsdl_ex", "xmdrsdl_bsex")
               for s in f.segments(kind)}
    seen = writes_seen(capture)
    for write in seen:
        if not any(within(write, segment) for segment in offered):
            yield "written, but not offered: handle 0x%x offset 0x%x length %d" % write
    if not seen:
        yield "no RDMA Write"


def check_invalidations(capture):
    """A reply's Send invalidates the handle that its Call nominated."""
    nominated, seen = {}, 0
    for message in (m for m in capture.messages if m.alone and m.proc != OPTIONAL):
        handle = message.value("invalidated")
        if message.dir == CALL:
            nominated[message.xid] = message.value("inv_handle")
            if handle is not None:
                yield f"frame {message.frame.number}: a Call invalidates"
        elif message.xid in nominated:
            call = nominated.pop(message.xid)
            seen += handle is not None
            if message.value("inv_handle") != call or handle not in (None, call):
                yield f"frame {message.frame.number}: handle 0x{call:x} was nominated"
            if (handle is None) != (call == 0 or capture.state["local_reqreminv"] != "true"):
                yield f"frame {message.frame.number}: invalidates {handle}, nominated was {call}"
    if not seen:
        yield "nothing was invalidated"


def check_offers(capture):
    """Both ends say that they take XMTREQ and XMTRESP, and how their receives are laid
    out; no such message comes before that."""
    for message, bit in zip(capture.messages[:2], (XRESP, XREQ)):
        if not (message.value("rtrsupp") or 0) & bit:
            yield f"frame {message.frame.number}: RTRSUPP is {message.value('rtrsupp')}"
        # at once, or as soon as there is data
        if announced(capture, message, "rbsiz") != message.value("xmrbuf_length"):
            yield f"frame {message.frame.number}: RBSTRUCT has {message.value('xmrbuf_length')} bytes"


def check_placed(capture):
    """Data goes by Send both ways, where the receiver has a place for it, and the RPC
    message is whole with it."""
    seen = {XMTREQ: 0, XMTRESP: 0}
    for message in (m for m in capture.messages if m.alone and m.proc == OPTIONAL):
        frame, kind = message.frame, message.value("opttype")
        if kind not in seen:
            continue
        placed = TBSN in frame.field("rpcrdma2.xmdmi_where")
        seen[kind] += placed
        if placed and not frame.field("rpcrdma2.placed.tbsn"):
            yield f"frame {frame.number}: an item, but no placed data"
        if frame.values["rpcrdma2.behind"]:
            yield f"frame {frame.number}: bytes behind the payload stream"
        if placed and not frame.values["rpc.xid"]:
            yield f"frame {frame.number}: no RPC message comes of it"
    for kind, name in ((XMTREQ, "request"), (XMTRESP, "response")):
        if not seen[kind]:
            yield f"no {name} with placed data"


def check_groups(capture):
    """Messages of several transmissions go both ways, each of them as it should be:
    numbers, totals, places and credits; and RPC comes of them."""
    watcher = groups.watch(capture.messages)
    yield from watcher.found
    for frame in (m.frame for m in watcher.whole if m.alone):
        if int(frame.values["rpcrdma2.group_end"] or 0) != int(frame.number):
            yield f"frame {frame.number}: its group is not whole"
        elif not frame.values["rpc.xid"]:
            yield f"frame {frame.number}: no RPC message comes of its group"
    if not watcher.several(XMTREQ, capture.client, True):
        yield "no request of several transmissions"
    if not watcher.several(XMTRESP, capture.client, False):
        yield "no response of several transmissions"


def check_single(capture):
    """Messages by XMTREQ and XMTRESP are as they should be, and one transmission each."""
    watcher = groups.watch(capture.messages)
    yield from watcher.found
    for mine in (True, False):
        for kind in (XMTREQ, XMTRESP):
            if watcher.several(kind, capture.client, mine):
                yield f"messages of type {kind} take several transmissions"


def check_reverse(capture):
    """Calls of the server take several transmissions, and are as they should be."""
    watcher = groups.watch(capture.messages)
    yield from watcher.found
    if not watcher.several(XMTREQ, capture.client, False):
        yield "no Call of the server takes several transmissions"


def main():
    """Prints the fields, or runs a check."""
    if sys.argv[1:] == ["fields"]:
        print(" ".join(f"-e {field}" for field in FIELDS))
        return
    check, table, state = sys.argv[1:]
    capture = Capture(table, state)
    faults = list(globals()[f"check_{check}"](capture))
    print("\n".join(faults[:20]) or f"{len(capture.messages)} messages")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
