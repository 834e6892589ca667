#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges the groups of a capture: messages by XMTREQ and XMTRESP, and the XMTCONTs
behind them, in either direction.

The dissector says of each transmission what a group is made of, in one line:

>>> t = Transmission("type=5 count=2 rsbuf=1 header=76 payload=80 send=12288 items=80+8192@0:0.1")
>>> t.type, t.count, t.payload, t.items
(5, 2, 80, [Item(disp=80, length=8192, offset=0, tbsns=[0, 1])])
>>> Transmission("type=6 count=1 header=68 payload=44 send=112 items=44+7@rdma").items
[Item(disp=44, length=7, offset=None, tbsns=[])]

and the receiver has said where its Receives have segments for data:

>>> plt_segments([(1, 4096, 0), (2, 1024, 1)])
[(4096, 1024), (5120, 1024)]
"""

import collections
import re

CALL, REPLY = 0, 1
OPTIONAL, ERROR = 5, 4
INITXCH, REQXCH, RESPXCH, UPDXCH, XMTREQ, XMTRESP, XMTCONT, REPTERR = range(1, 9)
PLT = 1

Item = collections.namedtuple("Item", "disp length offset tbsns")


def rounded(length):
    """Returns a length as a message counts it.

    >>> rounded(8191), rounded(4)
    (8192, 4)
    """
    return (length + 3) & ~3


class Transmission:
    """One transmission, out of the dissector's line."""

    def __init__(self, line):
        words = dict(word.split("=", 1) for word in line.split())
        self.items = [self.item(text) for text in words.pop("items", "").split(";") if text]
        self.type, self.count, self.rsbuf, self.xnum, self.itype = (
            int(words[name]) if name in words else None
            for name in ("type", "count", "rsbuf", "xnum", "itype"))
        self.header, self.payload, self.send = (int(words[n]) for n in ("header", "payload", "send"))

    @staticmethod
    def item(text):
        """Returns an item that was taken out of the payload stream."""
        disp, length, where = re.fullmatch(r"(\d+)\+(\d+)@(\S+)", text).groups()
        if where == "rdma":
            return Item(int(disp), int(length), None, [])
        offset, tbsns = where.split(":")
        return Item(int(disp), int(length), int(offset), [int(n) for n in tbsns.split(".") if n])


def plt_segments(groups):
    """Returns (offset, length) of the segments for data, of (count, length, flags)."""
    at, found = 0, []
    for count, length, flags in groups:
        for _ in range(count):
            if flags & PLT:
                found.append((at, length))
            at += length
    return found


class End:
    """What one end of a connection has said of itself, and what it has under way."""

    def __init__(self):
        self.plt, self.limits = [], {"reqrxlim": 1, "respsxlim": 1}
        self.open, self.drain = None, False
        self.grant, self.held, self.rsbufs = 1, {}, {}

    def say(self, message):
        """Takes its INITXCH or UPDXCH."""
        for name in self.limits:
            self.limits[name] = message.value(name) or self.limits[name]
        names = ("xmrgrp_count", "xmrseg_length", "xmrseg_flags")
        groups = list(zip(*(message.frame.field(f"rpcrdma2.{name}") for name in names)))
        if groups:
            self.plt = plt_segments(groups)


class Group:
    """The transmissions of one message."""

    def __init__(self, message, first):
        self.xid, self.dir, self.type, self.count = message.xid, message.dir, first.type, first.count
        self.parts = [first]

    def misfit(self, message, part):
        """Returns why a message is not the next transmission, or None."""
        if part is None or part.type != XMTCONT:
            return f"{len(self.parts)} of {self.count} transmissions came"
        if (message.xid, message.dir) != (self.xid, self.dir):
            return "an XMTCONT of another RPC"
        if part.itype != self.type:
            return f"optxc_itype is {part.itype}"
        if part.xnum != len(self.parts):
            return f"optxc_xnum is {part.xnum}, {len(self.parts)} was next"
        return None

    def pieces(self, item, plt):
        """Yields (transmission, from, to) of an item that lies in Receives."""
        left, skip = item.length, item.offset
        for tbsn in item.tbsns:
            at, room = plt[tbsn % len(plt)]
            taken = min(left, max(room - skip, 0))
            if taken:
                yield tbsn // len(plt), at + skip, at + skip + taken
            left, skip = left - taken, 0
        if left:
            yield None, item.length - left, item.length

    def claims(self, plt):
        """Yields what is wrong with where data lies, and then (transmission, from, to)
        of all of it, header and payload included."""
        taken = [(n, 0, part.header + part.payload) for n, part in enumerate(self.parts)]
        for item in self.parts[0].items:
            if item.offset is None or not item.length:
                continue
            if not plt:
                yield "data is placed where there is no place for it"
                return
            for piece in self.pieces(item, plt):
                n, begin, end = piece
                if n is None:
                    yield f"{end - begin} bytes of an item are in no segment"
                elif n >= self.count:
                    yield f"segments of transmission {n} are named, there are {self.count}"
                elif end > self.parts[n].send:
                    yield f"data up to {end} in transmission {n}, which has {self.parts[n].send} bytes"
                else:
                    taken.append(piece)
        taken.sort()
        for one, two in zip(taken, taken[1:]):
            if one[0] == two[0] and two[1] < one[2]:
                yield f"bytes {two[1]}..{min(one[2], two[2])} of transmission {one[0]} are claimed twice"

    def totals(self):
        """Yields what is wrong with the lengths, and with the order of the items."""
        reach, low = sum(part.payload for part in self.parts), 0
        for n, part in enumerate(self.parts):
            if part.payload % 4:
                yield f"{part.payload} bytes of payload in transmission {n}"
            if part.header + part.payload > part.send:
                yield f"the payload of transmission {n} ends behind it"
        for item in self.parts[0].items:
            if item.disp % 4 or item.disp < low or item.disp > reach:
                yield f"an item at {item.disp}, which may be from {low} to {reach}"
            reach += rounded(item.length)
            low = item.disp + rounded(item.length)

    def faults(self, plt):
        """Yields all that is wrong with a group that is complete."""
        yield from self.totals()
        yield from self.claims(plt)


class Watcher:
    """Follows both ends of a connection; faults are kept as text, and the messages that
    made groups whole. What is left of a group that is broken, or too long, is not looked
    at."""

    def __init__(self):
        self.ends = collections.defaultdict(End)
        self.found, self.seen, self.whole = [], collections.Counter(), []

    def fault(self, message, text):
        """Keeps a fault."""
        self.found.append(f"frame {message.frame.number}: {text}")

    def other(self, source):
        """Returns the end that a message from an end goes to."""
        return next((end for name, end in self.ends.items() if name != source), End())

    def take(self, message, part):
        """Takes a message, and its transmission if it is one."""
        me = self.ends[message.frame.source]
        if message.proc == OPTIONAL and message.opttype in (INITXCH, UPDXCH):
            me.say(message)
        self.credits(message, me)
        misfit = me.open and me.open.misfit(message, part)
        me.drain &= bool(part) and part.type == XMTCONT
        if misfit:
            self.fault(message, f"the group of 0x{me.open.xid:08x} is broken: {misfit}")
            me.open, me.drain = None, True
        elif part and part.type == XMTCONT and not me.open:
            if not me.drain:
                self.fault(message, "an XMTCONT without a group")
        elif part and part.type == XMTCONT:
            me.open.parts.append(part)
        elif message.opttype in (XMTREQ, XMTRESP, XMTCONT) and not part:
            self.fault(message, "a transmission that cannot be read")
        if part and part.type != XMTCONT:
            self.begin(message, part, me)
        if me.open and len(me.open.parts) == me.open.count:
            self.end(message, me)

    def begin(self, message, part, me):
        """A group begins."""
        to = self.other(message.frame.source)
        if part.type == XMTREQ:
            limit = to.limits["reqrxlim"]
            me.rsbufs[message.xid] = part.rsbuf
            if not 1 <= part.rsbuf <= to.limits["respsxlim"]:
                self.fault(message, f"optxrq_rsbuf is {part.rsbuf}")
        else:
            limit = to.rsbufs.pop(message.xid, 0)
        if 1 <= part.count <= limit:
            me.open = Group(message, part)
        else:
            self.fault(message, f"{part.count} transmissions, where {limit} may be")
            me.drain = True

    def end(self, message, me):
        """A group is complete."""
        group, me.open = me.open, None
        for text in group.faults(self.other(message.frame.source).plt):
            self.fault(message, f"the group of 0x{group.xid:08x}: {text}")
        if group.count > 1:
            self.whole.append(message)
        self.seen[message.frame.source, group.type, group.count > 1] += 1

    def credits(self, message, me):
        """Counts what a Call takes, and what an answer gives back. A grant that was
        lowered does not call back what is under way."""
        to = self.other(message.frame.source)
        kind = message.proc == OPTIONAL and message.opttype in (INITXCH, REQXCH, RESPXCH)
        if message.proc == ERROR or message.opttype == REPTERR:
            to.held.pop((kind, message.xid), None)
        elif message.opttype == UPDXCH:
            return
        elif message.dir == REPLY:
            to.grant = max(to.grant, message.credit)
            if message.opttype != XMTCONT:
                to.held.pop((kind, message.xid), None)
        else:
            key = kind, message.xid
            me.held[key] = me.held.get(key, 0) + 1
            if sum(me.held.values()) > me.grant:
                self.fault(message, f"{sum(me.held.values())} credits in use, {me.grant} granted")

    def several(self, kind, client, mine):
        """Returns how many whole groups there were of a type, by the client or not."""
        return sum(count for (source, of, several), count in self.seen.items()
                   if of == kind and several and (source == client) == mine)

    def close(self):
        """The capture ends."""
        for end in self.ends.values():
            if end.open:
                self.found.append(f"the group of 0x{end.open.xid:08x} never ends")


def parts_of(messages):
    """Yields each message with its transmission, or None. A frame of iWARP can hold
    several messages."""
    at = collections.Counter()
    for message in messages:
        number, part = message.frame.number, None
        if message.opttype in (XMTREQ, XMTRESP, XMTCONT):
            lines = message.frame.values["rpcrdma2.transmission"].split(",")
            if at[number] < len(lines) and lines[at[number]]:
                part = Transmission(lines[at[number]])
            at[number] += 1
        yield message, part


def watch(messages):
    """Returns a Watcher that has seen all messages."""
    watcher = Watcher()
    for name in dict.fromkeys(message.frame.source for message in messages):
        watcher.ends[name] = End()
    for message, part in parts_of(messages):
        watcher.take(message, part)
    watcher.close()
    return watcher
