# SPDX-License-Identifier: GPL-2.0
"""What is asked of version 2, and whether the figures of a run keep to it."""

import operator

import picture

OPS = ("write", "read")
META_OPS = ("getattr", "openclose", "readdir100")
LONG_OPS = ("readdir", "getacl", "getxattr")
DEPTHS = (1, 8, 32)

# What version 2 is to show
ROUND_TRIPS = 1.05
WIRE = 1.15
FASTER = 1.2
# How much of depth 8 there is at depth 32 at least
NO_COLLAPSE = 0.97
# Round trips are what a slope comes to: as near to each other they are the same
SAME_TRIPS = 0.1
# Receives are posted in batches, and completions are polled in batches: as near to each
# other, per operation, averages over some of them are the same
SAME_COUNT = 0.1
# Up to here one round trip does, of what the device of a bed allows
ONE_TRIP_UP_TO = {"siw": 1 << 20, "rxe": 256 << 10}
LARGE = 1 << 20
FASTER_FROM = 256 << 10
# What version 2 is held against
OTHERS = ("v1", "v1-inline64k")
# What a device and its bus do for an operation
HARDWARE = {"doorbells": ("send_calls", "recv_calls"), "Work Requests and elements": ("send_wrs", "recv_wrs", "sges"),
            "completions, interrupts and runs": ("completions", "cq_events", "cq_runs"),
            "mappings": ("mappings", "mapped"), "bytes copied": ("copied_bytes",)}

# Of what was not measured so many are named
NAMED = 3

KINDS = {"at most": operator.le, "at least": operator.ge}


class Claim:
    """Something that is asked: that all figures of some kind keep to a limit."""

    def __init__(self, words, kind, digits=2):
        self.words, self.kind, self.digits = words, kind, digits
        self.found, self.unknown, self.limits = [], [], []

    def ask(self, where, value, limit):
        """Takes one figure; None was not measured."""
        if value is None or limit is None:
            self.unknown.append(where)
        else:
            self.found.append((self.excess(value, limit), where, value, KINDS[self.kind](value, limit)))
            self.limits.append(limit)

    def excess(self, value, limit):
        """Returns how far beyond the limit a figure is: as a part of the limit, unless
        that is zero."""
        beyond = value - limit if self.kind == "at most" else limit - value
        return beyond / limit if limit else beyond

    @property
    def none(self):
        """Is it asked that there is none of something?"""
        return not any(self.limits)

    @property
    def missed(self):
        """Those figures that do not keep to it, the worst first, as text."""
        return [f"{where}: {value:.{self.digits}f}" for _, where, value, good in sorted(self.found, reverse=True) if not good]

    def verdict(self):
        """Returns the words for a table."""
        if not self.found:
            return "not measured"
        beyond, where, value, _ = max(self.found)
        missed = self.missed
        if not missed:
            text = f"met, all {len(self.found)}" + ("" if self.none else f"; the nearest to it {where}: {value:.{self.digits}f}")
        else:
            # of what must not be at all there is no part
            by = f"{beyond:.2f} for each" if self.none else f"{100 * beyond:.1f} %"
            text = f"missed by {by} at most, {len(missed)} of {len(self.found)}: " + "; ".join(missed)
        if self.unknown:
            more = len(self.unknown) - NAMED
            text += f"; not measured: {', '.join(self.unknown[:NAMED])}" + (f" and {more} more" if more > 0 else "")
        return text


def name(bed, op, size):
    """Returns how people call an operation of a bed."""
    return f"{bed.name} {op.upper()} {picture.size_name(size)}" if size else f"{bed.name} {op}"


def cells_of(beds, wanted=lambda bed, op, size: True):
    """Yields bed, operation, bytes and a name of all cells of WRITE and READ that matter."""
    for bed in beds:
        for op in OPS:
            for size in bed.sizes:
                if wanted(bed, op, size):
                    yield bed, op, size, name(bed, op, size)


def meta_cells(beds):
    """Yields the same of operations of metadata."""
    for bed in beds:
        for op in META_OPS if bed.meta else ():
            yield bed, op, 0, name(bed, op, 0)


def all_cells(beds):
    """Yields the same of all of these."""
    yield from cells_of(beds)
    yield from meta_cells(beds)


def fits(bed, op, size):
    """Is there room for that much data where it is received?"""
    return size <= bed.placed(op)


def trips(beds, words, wanted):
    """Returns a claim of one round trip."""
    claim = Claim(f"{words}: at most {ROUND_TRIPS} round trips", "at most")
    for bed, op, size, where in cells_of(beds, wanted):
        claim.ask(where, bed.get("v2", op, size, "round_trips"), ROUND_TRIPS)
    return claim


def best(bed, op, size, depth):
    """Returns the most operations in a time of the others, and whose they are; or None.
    Who does less at a depth than at a lower one is taken at the lower one: that somebody
    else collapses proves nothing."""
    found = [(value, d, t) for t in OTHERS for d in DEPTHS
             if d <= depth and (value := bed.get(t, op, size, f"iops_qd{d}"))]
    if not found:
        return None
    value, d, t = max(found)
    return value, t if d == depth else f"{t} at depth {d}"


def against_best(bed, op, size, depth):
    """Returns the operations of version 2 as a multiple of the best of the others, and
    whose these are."""
    one, base = bed.get("v2", op, size, f"iops_qd{depth}"), best(bed, op, size, depth)
    return (one / base[0], base[1]) if one is not None and base else (None, None)


def iops(beds, words, cells, times=1):
    """Returns a claim of operations in a time, those of the best of the others being 1."""
    claim = Claim(words, "at least", 3)
    for bed, op, size, where in cells(beds):
        for depth in DEPTHS:
            ratio, whose = against_best(bed, op, size, depth)
            claim.ask(f"{where} depth {depth}" + (f" ({whose})" if whose else ""), ratio, times)
    return claim


def no_collapse(beds):
    """Returns the claim that more operations at once are not fewer in a time."""
    claim = Claim(f"As many operations at depth 32 as at depth 8: at least {NO_COLLAPSE} of them", "at least", 3)
    for bed, op, size, where in all_cells(beds):
        many, few = (bed.get("v2", op, size, f"iops_qd{depth}") for depth in (32, 8))
        claim.ask(where, many / few if many is not None and few else None, NO_COLLAPSE)
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


def inline(bed, transport, op, size):
    """Does it send all of it in Sends?"""
    return all(bed.get(transport, op, size, key) == 0 for key in ("rdma_reads", "rdma_writes", "registrations"))


def hardware(beds, what, keys):
    """Returns the claim that Sends of version 2 cost a device no more than those of
    version 1, in some counts."""
    claim = Claim(f"What both send inline, {what}: at most those of v1-inline64k, and {SAME_COUNT}", "at most")
    for bed, op, size, where in all_cells(beds):
        if not all(inline(bed, t, op, size) for t in ("v2", "v1-inline64k")):
            continue
        for key in keys:
            base = bed.get("v1-inline64k", op, size, key)
            claim.ask(f"{where} {key}" + ("" if base is None else f" ({base:.2f})"), bed.get("v2", op, size, key),
                      None if base is None else base + SAME_COUNT)
    return claim


def fewer(beds):
    """Returns the claim that version 2 has less registered than stock version 1."""
    claim = Claim("Registrations and invalidations: one fewer than with stock version 1 at least, or none", "at most")
    for bed, op, size, where in all_cells(beds):
        for key in ("registrations", "invalidations"):
            base = bed.get("v1", op, size, key)
            claim.ask(f"{where} {key}" + ("" if base is None else f" ({base:.2f})"), bed.get("v2", op, size, key),
                      None if base is None else max(base - 1, 0))
    return claim


def no_more(beds):
    """Returns the claim that version 2 neither waits longer nor has more mapped. Calls
    that map are not compared: one maps a list, whatever its length."""
    claim = Claim(f"Pieces that are mapped (by {SAME_COUNT}), and round trips (by {SAME_TRIPS}): no more than with stock version 1",
                  "at most")
    for bed, op, size, where in all_cells(beds):
        for key, slack in (("mapped", SAME_COUNT), ("round_trips", SAME_TRIPS)):
            base = bed.get("v1", op, size, key)
            if key == "round_trips" and not size:
                continue
            claim.ask(f"{where} {key}" + ("" if base is None else f" ({base:.2f})"), bed.get("v2", op, size, key),
                      None if base is None else base + slack)
    return claim


def everything(beds, windows=()):
    """Returns {title: claims} of all that is asked: of these beds, and of those where only
    the device's window is another."""
    def one_trip(bed, op, size):
        return size <= ONE_TRIP_UP_TO[bed.name]

    def faster(beds):
        return cells_of(beds, lambda bed, op, size: bed.name == "siw" and size >= FASTER_FROM)

    return {
        "What is asked of round trips": [
            trips(beds, "Up to 1 MiB over soft-iWARP, up to 256 KiB over soft-RoCE", one_trip), as_tcp(beds)],
        "What is asked of operations per instructions": [
            iops(beds, "WRITE and READ, each size and depth: at least the best of stock version 1 and v1-inline64k", cells_of),
            iops(beds, "Metadata, each depth: likewise", meta_cells),
            iops(beds, f"256 KiB and more over soft-iWARP: at least {FASTER} times that", faster, FASTER),
            no_collapse(beds)],
        "What is asked of the device": [
            plain(beds), long_replies(beds), wire(beds), fewer(beds), no_more(beds),
            *(hardware(beds, what, keys) for what, keys in HARDWARE.items())],
        "What is asked of round trips with a larger window": [
            trips(windows, "Up to 1 MiB over soft-RoCE, whose window is larger", lambda bed, op, size: size <= LARGE)],
    }
