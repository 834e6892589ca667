# SPDX-License-Identifier: GPL-2.0
"""What is asked of version 2, and whether the figures of a run keep to it."""

import operator

import picture

OPS = ("write", "read")
LONG_OPS = ("readdir", "getacl", "getxattr")
DEPTHS = (1, 8, 32)

# What version 2 is to show
ROUND_TRIPS = 1.1
WIRE = 1.15
# Round trips are what a slope comes to: as near to each other they are the same
SAME_TRIPS = 0.1
ONE_TRIP_UP_TO = 256 << 10
LARGE = 1 << 20

KINDS = {"at most": operator.le, "at least": operator.ge, "above": operator.gt}


class Claim:
    """Something that is asked: that all figures of some kind keep to a limit."""

    def __init__(self, words, kind):
        self.words, self.kind = words, kind
        self.found, self.unknown, self.none = [], [], False

    def ask(self, where, value, limit):
        """Takes one figure; None was not measured."""
        if value is None or limit is None:
            self.unknown.append(where)
        else:
            self.none = not limit
            self.found.append((self.excess(value, limit), where, value, KINDS[self.kind](value, limit)))

    def excess(self, value, limit):
        """Returns how far beyond the limit a figure is: as a part of the limit, unless
        that is zero."""
        beyond = value - limit if self.kind == "at most" else limit - value
        return beyond / limit if limit else beyond

    @property
    def missed(self):
        """Those figures that do not keep to it, the worst first, as text."""
        return [f"{where}: {value:.2f}" for _, where, value, good in sorted(self.found, reverse=True) if not good]

    def verdict(self):
        """Returns the words for a table."""
        if not self.found:
            return "not measured"
        beyond, where, value, _ = max(self.found)
        missed = self.missed
        if not missed:
            text = f"met, all {len(self.found)}" + ("" if self.none else f"; the nearest to it {where}: {value:.2f}")
        else:
            # of what must not be at all there is no part
            by = f"{beyond:.2f} for each" if self.none else f"{100 * beyond:.1f} %"
            text = f"missed by {by} at most, {len(missed)} of {len(self.found)}: " + "; ".join(missed)
        return text + (f"; not measured: {', '.join(self.unknown)}" if self.unknown else "")


def name(bed, op, size):
    """Returns how people call an operation of a bed."""
    return f"{bed.name} {op.upper()} {picture.size_name(size)}"


def cells_of(beds, wanted=lambda bed, op, size: True):
    """Yields bed, operation, bytes and a name of all cells of WRITE and READ that matter."""
    for bed in beds:
        for op in OPS:
            for size in bed.sizes:
                if wanted(bed, op, size):
                    yield bed, op, size, name(bed, op, size)


def fits(bed, op, size):
    """Is there room for that much data where it is received?"""
    return size <= bed.placed(op)


def trips(beds, words, wanted):
    """Returns a claim of one round trip."""
    claim = Claim(f"{words}: at most {ROUND_TRIPS} round trips", "at most")
    for bed, op, size, where in cells_of(beds, wanted):
        claim.ask(where, bed.get("v2", op, size, "round_trips"), ROUND_TRIPS)
    return claim


def iops(beds, words, kind, sizes, depths):
    """Returns a claim of operations a second of counted instructions, those of stock
    version 1 being 1."""
    claim = Claim(words, kind)
    for bed, op, size, where in cells_of(beds, lambda bed, op, size: size in sizes):
        for depth in depths:
            claim.ask(f"{where} depth {depth}", bed.ratio("v2", op, size, f"iops_qd{depth}"), 1)
    return claim


def plain(beds):
    """Returns the claim that data that fits goes without explicit RDMA."""
    claim = Claim("None for what fits the buffer offered: RDMA Read, RDMA Write, registration", "at most")
    for bed, op, size, where in cells_of(beds, fits):
        for key in ("rdma_reads", "rdma_writes", "registrations"):
            claim.ask(f"{where} {key}", bed.get("v2", op, size, key), 0)
    return claim


def wire(beds):
    """Returns the claim that placement does not cost bytes."""
    claim = Claim(f"Bytes on the wire at 4 KiB and more: at most {WIRE} times those of stock version 1", "at most")
    for bed, op, size, where in cells_of(beds, lambda bed, op, size: size >= 4096):
        claim.ask(where, bed.ratio("v2", op, size, "wire_bytes"), WIRE)
    return claim


def as_tcp(beds):
    """Returns the claim that the largest operations take no more round trips than
    over TCP."""
    claim = Claim(f"1 MiB: at most the round trips of TCP, and {SAME_TRIPS}", "at most")
    for bed, op, size, where in cells_of(beds, lambda bed, op, size: size == LARGE):
        tcp = bed.get("tcp", op, size, "round_trips")
        # less than one is what nothing takes
        claim.ask(where if tcp is None else f"{where} (TCP {tcp:.2f})", bed.get("v2", op, size, "round_trips"),
                  None if tcp is None else max(tcp, 1) + SAME_TRIPS)
    return claim


def long_replies(beds):
    """Returns the claim that no memory is offered for a long reply."""
    claim = Claim("None for a listing, an ACL, an extended attribute: Reply chunk, registration", "at most")
    for bed in beds:
        for op in LONG_OPS:
            size = bed.long_size(op)
            for key in ("reply_chunks", "registrations"):
                claim.ask(f"{bed.name} {op} {key}", bed.get("v2", op, size, key), 0)
    return claim


def of_placement(beds):
    """Returns all that is asked of placement."""
    return [trips(beds, "What fits the buffer offered", fits), plain(beds), wire(beds),
            iops(beds, "IOPS at 4 and 8 KiB: above stock version 1 at every depth", "above", (4096, 8192), DEPTHS),
            iops(beds, "1 MiB: not slower than stock version 1 at any depth", "at least", (LARGE,), DEPTHS)]


def of_groups(beds):
    """Returns all that is asked of messages of several Sends."""
    return [trips(beds, "Up to 256 KiB", lambda bed, op, size: size <= ONE_TRIP_UP_TO), as_tcp(beds), long_replies(beds),
            iops(beds, "1 MiB at depth 8: not slower than stock version 1", "at least", (LARGE,), (8,))]
