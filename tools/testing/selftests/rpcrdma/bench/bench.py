#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes sense of what the beds measured.

bench.py RESULTS --out DIR [--rst FILE --svg FILE]
    reads what bed.sh left below RESULTS/<bed>/bench, and what else it left of that bed:
    operations per instructions of two machines are those of one, below
    RESULTS/<bed>-alone/bench; what our module maps is in RESULTS/<bed>-ledger/bench; RESULTS/rxe-window
    has nothing but round trips. Writes DIR/results.csv, the picture
    DIR/results.svg and the page DIR/results.rst, and copies of the last two. Exits with 1
    if nothing was measured or something that is asked of version 2 is missed.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

import claims
import picture
from claims import DEPTHS, LONG_OPS, META_OPS, OPS

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[4]
BEDS = {"siw": "One virtual machine, soft-iWARP", "rxe": "Two virtual machines, soft-RoCE; instructions counted on one"}
# Where the IOPS of a bed are, if not with the rest, and what machine that is
IOPS_BEDS = {"rxe": ("rxe-alone", "One virtual machine, soft-RoCE")}
# Where only the device's window is another
WINDOW_BEDS = {"rxe-window": "Two virtual machines, soft-RoCE with a larger window"}
TRANSPORTS = tuple(picture.LOOK)
COUNTS = ("sends", "rdma_reads", "rdma_writes", "registrations", "invalidations", "copied_bytes", "wire_bytes")
# What the device and its bus do for an operation, and how people call it
HARDWARE = {"send_calls": "Send calls", "recv_calls": "Receive calls", "send_wrs": "Send WRs", "recv_wrs": "Receive WRs",
            "sges": "elements", "completions": "completions", "cq_events": "interrupts", "cq_runs": "runs",
            "mappings": "mappings", "mapped": "mapped", "registrations": "registered", "invalidations": "invalidated",
            "copied_bytes": "copied"}
# Of these the ledger knows, of our module
MAPS = ("mappings", "mapped")
RATES = tuple(f"{what}_qd{d}" for what in ("iops", "operations", "spread") for d in DEPTHS)
FIELDS = ("bed", "transport", "op", "bytes", "round_trips", *COUNTS, *(k for k in HARDWARE if k not in COUNTS), *RATES)
DIGITS = {"round_trips": 2, "copied_bytes": 0, "wire_bytes": 0,
          **{f"{what}_qd{d}": digits for what, digits in (("iops", 1), ("operations", 0), ("spread", 4)) for d in DEPTHS}}


def read_facts(path):
    """Returns name=value lines as a dictionary."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return dict(line.split("=", 1) for line in lines if "=" in line)


def typical(found):
    """Returns what latencies come to: the lower quartile. Whatever else the machine
    does only adds to them, and so does the beginning of a connection."""
    return sorted(found)[len(found) // 4]


def read_log(path):
    """Returns what one of fio's logs of latencies comes to, in milliseconds."""
    with open(path, encoding="ascii") as f:
        found = [int(line.split(",")[1]) for line in f if line.count(",") > 1]
    return typical(found) / 1e6 if found else None


def slope(points):
    """Returns the round trips out of {milliseconds of delay: milliseconds of latency}."""
    if len(points) < 2:
        return None
    low, high = min(points), max(points)
    return (points[high] - points[low]) / (high - low)


def read_rtt(folder):
    """Returns {(transport, op, bytes): round trips}."""
    found = defaultdict(dict)
    for path in folder.glob("*_lat.log"):
        name = re.fullmatch(r"(.+)\.(\w+)\.(\d+)\.(\d+)_lat\.log", path.name)
        if name and (ms := read_log(path)) is not None:
            found[name[1], name[2], int(name[3])][int(name[4])] = ms
    return {key: value for key, points in found.items() if (value := slope(points)) is not None}


def read_long(path):
    """Returns {(transport, op, bytes): round trips} of long replies."""
    found = defaultdict(lambda: defaultdict(list))
    for row in path.read_text(encoding="ascii").splitlines() if path.is_file() else []:
        transport, op, size, delay, seconds = row.split("\t")
        found[transport, op, int(size)][int(delay)].append(1000 * float(seconds))
    slopes = {key: slope({delay: typical(took) for delay, took in delays.items()}) for key, delays in found.items()}
    return {key: value for key, value in slopes.items() if value is not None}


def read_rounds(folder):
    """Returns {(transport, op, bytes): {depth: [(operations a second, operations) of each
    round]}}. Of bytes and time, both of which fio counts from the end of its ramp to the last answer:
    its own figure is of operations that began in that time, and so leaves out as many as
    were under way at first: at depth 32 a third of what 1 MiB comes to in 300 ms."""
    found = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.json")):
        text = path.read_text(encoding="utf-8", errors="replace")
        # fio writes its warnings before the report
        report = json.loads(text[text.index("{"):]) if "{" in text else {"jobs": []}
        for job in report["jobs"]:
            op, size, depth = job["jobname"].split(".")
            key = path.name.rsplit(".", 2)[0], op, int(size)
            if not job["error"] and job[op]["io_bytes"] and job[op]["runtime"]:
                times = job[op]["io_bytes"] / int(size)
                found[key][int(depth[2:])].append((1000 * times / job[op]["runtime"], times))
    return found


def read_rates(path):
    """Returns the same of operations that are none of fio's."""
    found = defaultdict(lambda: defaultdict(list))
    for row in path.read_text(encoding="ascii").splitlines() if path.is_file() else []:
        transport, op, size, depth, _, times, seconds = row.split("\t")
        if int(times):
            found[transport, op, int(size)][int(depth)].append((int(times) / float(seconds), int(times)))
    return found


def rate_figures(depths):
    """Returns what the rounds of each depth come to: the operations a second, how many
    operations there were in all, and by how much of itself the first differs between
    rounds, if there was more than one."""
    found = {}
    for depth, rounds in depths.items():
        found[f"iops_qd{depth}"] = median(values := [value for value, _ in rounds])
        found[f"operations_qd{depth}"] = float(sum(times for _, times in rounds))
        if len(values) > 1:
            found[f"spread_qd{depth}"] = (max(values) - min(values)) / median(values)
    return found


def read_counts(path):
    """Returns {(transport, op, bytes): {key: per operation}}."""
    found = defaultdict(dict)
    for row in path.read_text(encoding="ascii").splitlines() if path.is_file() else []:
        transport, op, size, key, value = row.split("\t")
        found[transport, op, int(size)][key] = float(value)
    return found


class Bed:
    """What was measured on one bed; IOPS may be in a folder of their own, and what is
    mapped."""

    def __init__(self, name, folder, iops=None, ledger=None):
        self.name, self.folder = name, folder
        self.facts = read_facts(folder / "facts")
        self.iops_facts = read_facts(iops / "facts") if iops else {}
        self.cells = defaultdict(dict)
        for key, value in read_rtt(folder / "rtt").items():
            self.cells[key]["round_trips"] = value
        for key, value in read_long(folder / "long.tsv").items():
            self.cells[key]["round_trips"] = value
        for key, depths in {**read_rounds((iops or folder) / "iops"), **read_rates((iops or folder) / "rates.tsv")}.items():
            self.cells[key].update(rate_figures(depths))
        for key, values in read_counts(folder / "counts.tsv").items():
            self.cells[key].update(values)
        for key, values in read_counts(ledger / "counts.tsv").items() if ledger else ():
            if key in self.cells:
                self.cells[key].update({k: v for k, v in values.items() if k in MAPS})
        self.meta = any(op in META_OPS for _, op, _ in self.cells)
        self.sizes = sorted({size for _, op, size in self.cells if op in OPS})
        self.transports = [t for t in TRANSPORTS if any(t == key[0] for key in self.cells)]

    def get(self, transport, op, size, key):
        """Returns a figure, or None if it was not measured."""
        return self.cells.get((transport, op, size), {}).get(key)

    def ratio(self, transport, op, size, key):
        """Returns a figure as a multiple of that of stock version 1."""
        one, base = self.get(transport, op, size, key), self.get("v1", op, size, key)
        return one / base if one is not None and base else None

    def row(self, transport, op, size):
        """Returns all of one row of the table."""
        return {"bed": self.name, "transport": transport, "op": op, "bytes": size, **self.cells.get((transport, op, size), {})}

    def long_size(self, op):
        """Returns the bytes of a long reply, which are the same over all transports;
        0 if it was not measured."""
        return max((size for _, o, size in self.cells if o == op), default=0)

    def long_rows(self):
        """Yields the rows of long replies."""
        for op in LONG_OPS:
            for transport in self.transports:
                if (transport, op, self.long_size(op)) in self.cells:
                    yield self.row(transport, op, self.long_size(op))

    def rows(self):
        """Yields the rows of the table."""
        for op, size in self.kinds():
            for transport in self.transports:
                yield self.row(transport, op, size)
        yield from self.long_rows()

    def kinds(self):
        """Returns operations and bytes of all rows but those of long replies."""
        return [(op, size) for op in OPS for size in self.sizes] + [(op, 0) for op in META_OPS if self.meta]

    def several(self, what):
        """Returns one figure of each depth, of all cells."""
        return [v for cell in self.cells.values() for d in DEPTHS if (v := cell.get(f"{what}_qd{d}")) is not None]

    def state(self, which):
        """Returns what version 2 said of a connection of the client."""
        path = self.folder / f"state.{which}.client"
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def longest(self):
        """Returns bytes, transmissions and row of the longest message that took several
        Sends, or None: of operations that are one RPC each, whose messages are known."""
        found = []
        for (transport, op, size), v in self.cells.items():
            if transport == "v2" and v.get("rpcs") == 1 and v.get("groups") == 1:
                found.append((max(v["call_bytes"], v["reply_bytes"]), 1 + v["xmtconts"], op, size))
        return max(found, default=None)

    def placed(self, op):
        """Returns how many bytes of data the receiving end of an operation offers
        buffers for; 0 without placement."""
        which = {"write": "peer", "read": "local"}[op]
        groups = re.search(rf"^{which}_rbstruct: (.*)$", self.state("v2"), re.M)
        return sum(int(count) * int(length)
                   for count, length in re.findall(r"(\d+)x(\d+)/\d+p", groups[1] if groups else ""))


def number(key, value):
    """Returns a figure as the table has it."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    digits = DIGITS.get(key, 2)
    return f"{value:.{digits}f}"


def write_csv(path, beds):
    """Writes the table."""
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(FIELDS)
        for bed in beds:
            for row in bed.rows():
                out.writerow([number(key, row.get(key)) for key in FIELDS])


def table(head, body):
    """Returns a table in reStructuredText; the last column may be long."""
    widths = [max(len(row[n]) for row in [head] + body) for n in range(len(head) - 1)] + [len(head[-1])]
    rule = "  ".join("=" * w for w in widths)
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in [head] + body]
    return "\n".join([rule, lines[0], rule] + lines[1:] + [rule])


def title(text, mark):
    """Returns a title in reStructuredText."""
    return f"{text}\n{mark * len(text)}"


def filled(row):
    """Returns a row without empty cells, which would join it to the next."""
    return [cell or "\\-" for cell in row]


def matrix(bed, key, show):
    """Returns one figure of all transports, beside each other."""
    body = [filled([op.upper(), picture.size_name(size)] + [show(bed.get(t, op, size, key)) for t in bed.transports])
            for op in OPS for size in bed.sizes]
    return table(["op", "size", *bed.transports], body)


def trips(bed):
    """Returns the round trips of all transports, beside each other."""
    return matrix(bed, "round_trips", lambda v: number("round_trips", v))


def kind_name(row):
    """Returns the first cell of a row: the bytes of data, or the operation where there is
    none."""
    return picture.size_name(row["bytes"]) if row["bytes"] else row["op"]


def figures(bed, ops, columns, wanted=lambda row: True):
    """Returns some figures of some operations: columns are {key: head}."""
    body = [filled([kind_name(r), r["transport"]] + [number(k, r.get(k)) for k in columns])
            for r in bed.rows() if r["op"] in ops and wanted(r)]
    return table(["size" if ops[0] in OPS else "operation", "transport", *columns.values()], body) if body else "Not measured."


def whole(bed, ops):
    """Returns what goes over the wire for operations."""
    first = {"round_trips": "trips"} if ops[0] in OPS else {"rpcs": "RPCs"}
    heads = ("Sends", "Reads", "Writes", "registered", "invalidated", "copied", "on the wire")
    return figures(bed, ops, {**first, **dict(zip(COUNTS, heads))})


def hardware(bed, ops):
    """Returns what the device and its bus do for operations."""
    return figures(bed, ops, HARDWARE, lambda r: r["transport"] != "tcp")


def rates(bed):
    """Returns the operations per 10^9 instructions, all transports beside each other."""
    transports = [t for t in bed.transports if any(bed.get(t, op, size, f"iops_qd{d}") for op, size in bed.kinds() for d in DEPTHS)]
    body = []
    for op, size in bed.kinds():
        for depth in DEPTHS:
            values = [bed.get(t, op, size, f"iops_qd{depth}") for t in transports]
            if any(values):
                ratio, whose = claims.against_best(bed, op, size, depth)
                body.append(filled([op.upper() if size else op, picture.size_name(size) if size else "", str(depth),
                                    *(number("iops_qd1", v) for v in values), "" if ratio is None else f"{ratio:.3f}", whose or ""]))
    return table(["op", "size", "depth", *transports, "v2 / best", "the best"], body) if body else "Not measured."


def judged(asked):
    """Returns what became of claims."""
    return table(["asked of version 2", "in this run"], [[c.words, c.verdict()] for c in asked])


def long_table(bed):
    """Returns all figures of long replies."""
    keys = ("rpcs", "round_trips", "sends", "rdma_reads", "rdma_writes", "reply_chunks", "registrations", "invalidations",
            "copied_bytes", "wire_bytes")
    head = ["op", "bytes", "transport", "RPCs", "trips", "Sends", "Reads", "Writes", "Reply chunks", "registered",
            "invalidated", "copied", "on the wire"]
    body = [filled([r["op"], str(r["bytes"]), r["transport"]] + [number(k, r.get(k)) for k in keys]) for r in bed.long_rows()]
    return table(head, body) if body else "Not measured."


def longest(beds):
    """Returns what the longest message of each bed was."""
    lines = []
    for bed in beds:
        found = bed.longest()
        if found:
            size, transmissions, op, data = found
            lines.append(f"* {bed.name}: {size:.0f} bytes in {transmissions:.0f} transmissions, {op.upper()} of "
                         f"{picture.size_name(data)}")
    return "\n".join(lines) or "No message took several transmissions, as far as its length is known."


def ways(bed):
    """Returns which way the messages of version 2 went, as its client counts them."""
    names = {"v2": "writing and reading", "v2-hw": "the same, v2-hw", "v2-long": "long replies"}
    found = {which: dict(re.findall(r"^((?:groups|xmtconts|placement)_\w+): (\d+)$", bed.state(which), re.M)) for which in names}
    keys = [key for which in names for key in found[which] if key != "placement_kb"]
    body = [filled([key] + [found[which].get(key, "") for which in names]) for key in dict.fromkeys(keys)]
    return table(["counter", *names.values()], body) if body else "Not known."


def host():
    """Returns what the machine is that all this ran on."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*: (.*)$", info, re.M)
    memory = int(re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text(encoding="ascii"))[1])
    commit = subprocess.run(["git", "-C", str(TOP), "describe", "--always", "--dirty", "--abbrev=12"],
                            capture_output=True, text=True, check=False).stdout.strip()
    return {"cpu": model[1] if model else "unknown", "cpus": str(os.cpu_count()),
            "memory": f"{memory / (1 << 20):.0f} GiB", "accel": os.environ.get("ACCEL", "unknown"),
            "commit": commit or "unknown", "sources": os.environ.get("SOURCES", "unknown")}


def find_bed(name, results):
    """Returns what there is of a bed below a folder."""
    alone = IOPS_BEDS.get(name)
    return Bed(name, results / name / "bench", results / alone[0] / "bench" if alone else None,
               results / f"{name}-ledger" / "bench")


def described(facts):
    """Returns what the machines of a bed were, and what they did."""
    if not facts:
        return "nothing was measured"
    parts = [f"of {facts.get('cpus', '?')} processor and {facts.get('memory', '?')} MiB, "
             f"Linux {facts.get('kernel', '?')}, {facts.get('fio', 'fio')}; time is {facts.get('time', '?')}"]
    if facts.get("parts") != "iops":
        parts.append(f"delays of {facts.get('delays', '?')} ms, {facts.get('ios', '?')} operations each"
                     + ("" if "window" in facts else f", and of {facts.get('long_delays', '?')} ms for long replies"))
    if "window" in facts:
        parts.append(f"{facts['window']} packets are unacknowledged at most")
    elif facts.get("parts") != "costs":
        parts.append(f"{facts.get('rounds', '?')} times {facts.get('runtime', '?')} ms for each figure of operations per "
                     f"instructions, {facts.get('runtime_large', '?')} ms above 64 KiB and of metadata, twice that for 1 MiB at depth 32")
    return "; ".join(parts)


def spreads(bed):
    """Returns rows that say how far the operations in a time can be relied on."""
    body, spread, times = [], bed.several("spread"), bed.several("operations")
    if spread:
        body.append([f"{bed.name}, operations per instructions, between rounds",
                     f"differ by {100 * median(spread):.1f} % (median), {100 * max(spread):.1f} % at most"])
    if times:
        body.append([f"{bed.name}, operations behind each of these figures",
                     f"{median(times):.0f} (median), {min(times):.0f} at least"])
    return body


def machine(beds, host_facts, windows=()):
    """Returns the machine's description."""
    body = [["host", f"{host_facts['cpus']} of {host_facts['cpu']}, {host_facts['memory']}"],
            ["accelerator where time is real", host_facts["accel"]], ["sources", host_facts["commit"]],
            ["sources of the module (``conformance/sources.py``)", host_facts["sources"]]]
    names = {**BEDS, **WINDOW_BEDS}
    for bed in (*beds, *windows):
        body.append([names[bed.name].split(";", maxsplit=1)[0], described(bed.facts)])
        if bed.name in IOPS_BEDS:
            body.append([IOPS_BEDS[bed.name][1], described(bed.iops_facts)])
        body += spreads(bed)
        body += [[f"{bed.name}, note on {k.split('.', 1)[1]}", v]
                 for facts in (bed.facts, bed.iops_facts) for k, v in facts.items() if k.startswith("note.")]
    body += [[where, "nothing was measured"] for name, where in names.items()
             if name not in [bed.name for bed in (*beds, *windows)]]
    return table(["what", "which"], body)


def page(beds, host_facts, svg, windows=()):
    """Returns the page of the documentation, which shows that picture."""
    text = (HERE / "preface.rst").read_text(encoding="utf-8").rstrip().replace("@SVG@", svg)
    short = any(bed.facts.get("form") == "quick" for bed in beds)
    parts = [text, title("This run", "="), "The short form, ``QUICK=1``." if short else "The whole form.",
             machine(beds, host_facts, windows)]
    for head, asked in claims.everything(beds, windows).items():
        parts += [title(head, "="), judged(asked)]
    parts += [title("The longest message", "="), longest(beds)]
    for bed in beds:
        parts += [title(BEDS[bed.name], "="), "Round trips of an operation:", trips(bed),
                  "Operations per 10\\ :sup:`9` instructions, and those of v2 as a multiple of the best that version 1 does at that "
                  "depth or a lower one:", rates(bed)]
        for head, ops in (*((op.upper(), (op,)) for op in OPS), ("Metadata", META_OPS)):
            parts += [f"{head}, what goes over the wire for each operation:", whole(bed, ops),
                      f"{head}, what hardware pays for, for each operation:", hardware(bed, ops)]
        parts += ["Long replies, for each listing, ACL or attribute:", long_table(bed),
                  "What the client of version 2 counted in all:", ways(bed)]
    for bed in windows:
        parts += [title(WINDOW_BEDS[bed.name], "="), "Round trips of an operation:", trips(bed)]
    return "\n\n".join(parts) + "\n"


def metrics(bed):
    """Returns what the picture shows of a bed."""
    def of(key, get):
        return lambda op, transport, size: get(transport, op, size, key)

    def wire(op, transport, size):
        sent = bed.get(transport, op, size, "wire_bytes")
        return None if sent is None else sent / size

    found = [picture.Metric("round trips", of("round_trips", bed.get), False, 1, "trips"),
             picture.Metric("bytes sent for each of data", wire, True, 1, "wire")]
    for depth in DEPTHS:
        found.append(picture.Metric(f"per instructions, depth {depth}, v1 = 1", of(f"iops_qd{depth}", bed.ratio), True, 1, "iops"))
    return found


def draw(beds, host_facts):
    """Returns the picture."""
    kernel = beds[0].facts.get("kernel", "") if beds else "?"
    about = (f"NFSv4.1, O_DIRECT, Linux {kernel}; {host_facts['cpus']} processors, "
             f"QEMU with {host_facts['accel'].split(',')[0].upper()}. Operations are counted per 10^9 instructions.")
    return picture.draw("What a WRITE and a READ cost, by transport", about,
                        [(BEDS[bed.name], OPS, bed.sizes, bed.transports, metrics(bed)) for bed in beds])


def brief(beds, windows):
    """Prints what a person wants to know at once."""
    for bed in beds:
        print(f"{BEDS[bed.name]}: round trips")
        print(trips(bed).replace("\\-", " -"))
        print(f"{BEDS[bed.name]}: long replies")
        print(long_table(bed).replace("\\-", " -"))
    for bed in windows:
        print(f"{WINDOW_BEDS[bed.name]}: round trips")
        print(trips(bed).replace("\\-", " -"))
    for asked in claims.everything(beds, windows).values():
        for claim in asked:
            print(f"{claim.words}: {claim.verdict()}")


def main():
    """Writes everything."""
    parser = argparse.ArgumentParser(description="Makes sense of what the beds measured.")
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rst", type=Path)
    parser.add_argument("--svg", type=Path)
    args = parser.parse_args()
    beds, windows = ([bed for name in names if (bed := find_bed(name, args.results)).cells] for names in (BEDS, WINDOW_BEDS))
    if not beds and not windows:
        print("nothing was measured")
        return 1
    host_facts = host()
    args.out.mkdir(parents=True, exist_ok=True)
    write_csv(args.out / "results.csv", beds + windows)
    picture_text = draw(beds, host_facts)
    for rst, svg in ((args.out / "results.rst", args.out / "results.svg"), (args.rst, args.svg)):
        if rst and svg:
            rst.write_text(page(beds, host_facts, svg.name, windows), encoding="utf-8")
            svg.write_text(picture_text, encoding="utf-8")
    brief(beds, windows)
    return int(any(claim.missed for asked in claims.everything(beds, windows).values() for claim in asked))


if __name__ == "__main__":
    sys.exit(main())
