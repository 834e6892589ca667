#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes sense of what the beds measured.

bench.py RESULTS --out DIR [--rst FILE --svg FILE]
    reads what bed.sh left below RESULTS/<bed>/bench, and IOPS of two machines below
    RESULTS/<bed>-alone/bench, which were those of one; writes DIR/results.csv, the
    picture DIR/results.svg and the page DIR/results.rst, and copies of the last two.
    Exits with 1 if nothing was measured.
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
from claims import DEPTHS, LONG_OPS, OPS

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[4]
BEDS = {"siw": "One virtual machine, soft-iWARP", "rxe": "Two virtual machines, soft-RoCE; IOPS on one"}
# Where the IOPS of a bed are, if not with the rest, and what machine that is
IOPS_BEDS = {"rxe": ("rxe-alone", "One virtual machine, soft-RoCE")}
TRANSPORTS = tuple(picture.LOOK)
COUNTS = ("sends", "rdma_reads", "rdma_writes", "registrations", "invalidations", "copied_bytes", "wire_bytes")
FIELDS = ("bed", "transport", "op", "bytes", "round_trips", *COUNTS, *(f"iops_qd{d}" for d in DEPTHS))
DIGITS = {"round_trips": 2, "copied_bytes": 0, "wire_bytes": 0, **{f"iops_qd{d}": 1 for d in DEPTHS}}


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
    """Returns {(transport, op, bytes): {depth: [operations a second in each round]}}.
    Of bytes and time, both of which fio counts from the end of its ramp to the last answer:
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
                found[key][int(depth[2:])].append(1000 * job[op]["io_bytes"] / int(size) / job[op]["runtime"])
    return found


def spread(rounds):
    """Returns by how much of itself the same number of operations a second differs
    between rounds, as a median and at most, or None if there was only one."""
    many = [values for depths in rounds.values() for values in depths.values() if len(values) > 1]
    found = [(max(v) - min(v)) / median(v) for v in many]
    return (median(found), max(found)) if found else None


def read_counts(path):
    """Returns {(transport, op, bytes): {key: per operation}}."""
    found = defaultdict(dict)
    for row in path.read_text(encoding="ascii").splitlines() if path.is_file() else []:
        transport, op, size, key, value = row.split("\t")
        found[transport, op, int(size)][key] = float(value)
    return found


class Bed:
    """What was measured on one bed; IOPS may be in a folder of their own."""

    def __init__(self, name, folder, iops=None):
        self.name, self.folder = name, folder
        self.facts = read_facts(folder / "facts")
        self.iops_facts = read_facts(iops / "facts") if iops else {}
        self.cells = defaultdict(dict)
        for key, value in read_rtt(folder / "rtt").items():
            self.cells[key]["round_trips"] = value
        for key, value in read_long(folder / "long.tsv").items():
            self.cells[key]["round_trips"] = value
        rounds = read_rounds((iops or folder) / "iops")
        self.spread = spread(rounds)
        for key, depths in rounds.items():
            self.cells[key].update({f"iops_qd{depth}": median(values) for depth, values in depths.items()})
        for key, values in read_counts(folder / "counts.tsv").items():
            self.cells[key].update(values)
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
        for op in OPS:
            for size in self.sizes:
                for transport in self.transports:
                    yield self.row(transport, op, size)
        yield from self.long_rows()

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


def whole(bed, op):
    """Returns all figures of an operation."""
    head = ["size", "transport", "trips", "Sends", "Reads", "Writes", "registered", "invalidated", "copied", "on the wire",
            *(f"IOPS {d}" for d in DEPTHS)]
    body = [filled([picture.size_name(r["bytes"]), r["transport"]] + [number(k, r.get(k)) for k in FIELDS[4:]])
            for r in bed.rows() if r["op"] == op]
    return table(head, body)


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
    names = {"v2": "writing and reading", "v2-long": "long replies"}
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
    return Bed(name, results / name / "bench", results / alone[0] / "bench" if alone else None)


def described(facts):
    """Returns what the machines of a bed were, and what they did."""
    if not facts:
        return "nothing was measured"
    parts = [f"of {facts.get('cpus', '?')} processor and {facts.get('memory', '?')} MiB, "
             f"Linux {facts.get('kernel', '?')}, {facts.get('fio', 'fio')}; time is {facts.get('time', '?')}"]
    if facts.get("parts") != "iops":
        parts.append(f"delays of {facts.get('delays', '?')} ms, {facts.get('ios', '?')} operations each, and of "
                     f"{facts.get('long_delays', '?')} ms for long replies")
    if facts.get("parts") != "costs":
        parts.append(f"{facts.get('rounds', '?')} times {facts.get('runtime', '?')} ms for each number of IOPS, "
                     "and twice that above 64 KiB")
    return "; ".join(parts)


def machine(beds, host_facts):
    """Returns the machine's description."""
    body = [["host", f"{host_facts['cpus']} of {host_facts['cpu']}, {host_facts['memory']}"],
            ["accelerator where time is real", host_facts["accel"]], ["sources", host_facts["commit"]],
            ["sources of the module (``conformance/sources.py``)", host_facts["sources"]]]
    for bed in beds:
        body.append([BEDS[bed.name].split(";", maxsplit=1)[0], described(bed.facts)])
        if bed.name in IOPS_BEDS:
            body.append([IOPS_BEDS[bed.name][1], described(bed.iops_facts)])
        if bed.spread is not None:
            body.append([f"{bed.name}, the same IOPS between rounds",
                         "differ by {:.1f} % (median), {:.1f} % at most".format(*(100 * part for part in bed.spread))])
        body += [[f"{bed.name}, note on {k.split('.', 1)[1]}", v]
                 for facts in (bed.facts, bed.iops_facts) for k, v in facts.items() if k.startswith("note.")]
    body += [[where, "nothing was measured"] for name, where in BEDS.items() if name not in [bed.name for bed in beds]]
    return table(["what", "which"], body)


def page(beds, host_facts, svg):
    """Returns the page of the documentation, which shows that picture."""
    text = (HERE / "preface.rst").read_text(encoding="utf-8").rstrip().replace("@SVG@", svg)
    short = any(bed.facts.get("form") == "quick" for bed in beds)
    parts = [text, title("This run", "="), "The short form, ``QUICK=1``." if short else "The whole form.",
             machine(beds, host_facts), title("What is asked of placement", "="), judged(claims.of_placement(beds)),
             title("What is asked of messages of several Sends", "="), judged(claims.of_groups(beds)),
             "The longest message:", longest(beds)]
    for bed in beds:
        parts += [title(BEDS[bed.name], "="), "Round trips of an operation:",
                  matrix(bed, "round_trips", lambda v: number("round_trips", v))]
        for op in OPS:
            parts += [f"{op.upper()}, everything, for each operation:", whole(bed, op)]
        parts += ["Long replies, for each listing, ACL or attribute:", long_table(bed),
                  "What the client of version 2 counted in all:", ways(bed)]
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
        found.append(picture.Metric(f"IOPS, depth {depth}, stock v1 = 1", of(f"iops_qd{depth}", bed.ratio), True, 1, "iops"))
    return found


def draw(beds, host_facts):
    """Returns the picture."""
    kernel = beds[0].facts.get("kernel", "")
    about = (f"NFSv4.1, O_DIRECT, Linux {kernel}; {host_facts['cpus']} processors, "
             f"QEMU with {host_facts['accel'].split(',')[0].upper()}. IOPS are by instructions, a nanosecond each.")
    return picture.draw("What a WRITE and a READ cost, by transport", about,
                        [(BEDS[bed.name], OPS, bed.sizes, bed.transports, metrics(bed)) for bed in beds])


def brief(beds):
    """Prints what a person wants to know at once."""
    for bed in beds:
        print(f"{BEDS[bed.name]}: round trips")
        print(matrix(bed, "round_trips", lambda v: number("round_trips", v)).replace("\\-", " -"))
        print(f"{BEDS[bed.name]}: long replies")
        print(long_table(bed).replace("\\-", " -"))
    for claim in claims.of_placement(beds) + claims.of_groups(beds):
        print(f"{claim.words}: {claim.verdict()}")


def main():
    """Writes everything."""
    parser = argparse.ArgumentParser(description="Makes sense of what the beds measured.")
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rst", type=Path)
    parser.add_argument("--svg", type=Path)
    args = parser.parse_args()
    beds = [bed for name in BEDS if (bed := find_bed(name, args.results)).cells]
    if not beds:
        print("nothing was measured")
        return 1
    host_facts = host()
    args.out.mkdir(parents=True, exist_ok=True)
    write_csv(args.out / "results.csv", beds)
    picture_text = draw(beds, host_facts)
    for rst, svg in ((args.out / "results.rst", args.out / "results.svg"), (args.rst, args.svg)):
        if rst and svg:
            rst.write_text(page(beds, host_facts, svg.name), encoding="utf-8")
            svg.write_text(picture_text, encoding="utf-8")
    brief(beds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
