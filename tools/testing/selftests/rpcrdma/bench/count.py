#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""count.py TRANSPORT FOLDER OUT OP:BYTES:TIMES...: what operations cost.

Runs in the client of a bed. Does operations of operations.py below FOLDER, one
at a time, and appends to OUT what each of them cost on average, as lines of
transport, operation, bytes, key and value. Files are opened before the
counters are read, and they are read when all is quiet, so that nothing but the
operations themselves is counted.
"""

import os
import subprocess
import sys
import tempfile
import time

import operations
import wire

HERE = os.path.dirname(os.path.abspath(__file__))
ALONE = os.environ.get("TB_ROLE") == "alone"
DEVICE = os.environ.get("TB_DEV")
NETDEV = "lo" if ALONE else "eth0"
FILTER = "udp port 4791" if DEVICE == "rxe" else "tcp port 20049"
# What there is to be counted of TCP; of its copies nobody keeps count
PLAIN = ("wire_bytes", "rpcs", "call_bytes", "reply_bytes")


# How often something is measured whose RPCs say that it was not alone
TRIES = 4
LEDGER = os.environ.get("TB_MODULE") == "ledger"


def shell(command):
    """Returns what a command prints that may use the library of the test bed."""
    return subprocess.run(["bash", "-c", f". /repo/testbed/lib.sh; {command}"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def counters():
    """Returns the counters of both ends together."""
    total = {}
    show = f"{HERE}/counters.sh show"
    text = shell(show if ALONE else f"{show}; echo; tb_server '{show}'")
    for line in text.split("\n"):
        if line:
            name, value = line.split()
            total[name] = total.get(name, 0) + int(value)
    return total


def wire_bytes():
    """Returns what has gone over the interface, both ways, each byte once."""
    total = 0
    for name in ("tx_bytes", "rx_bytes")[:1 if ALONE else 2]:
        with open(f"/sys/class/net/{NETDEV}/statistics/{name}", encoding="ascii") as f:
            total += int(f.read())
    return total


def settle():
    """Waits until nothing has gone over the interface for a while."""
    before, until = None, time.monotonic() + 5
    while (now := wire_bytes()) != before and time.monotonic() < until:
        before = now
        time.sleep(0.2)


def mark():
    """Returns the time and all counters, once all is quiet."""
    settle()
    return time.time(), {"wire_bytes": wire_bytes(), **counters()}


def map_counts(cost, transport):
    """Makes one number of calls that map memory, and of what they map, of those that were
    seen. Trace points tell of what version 1 maps alone, the ledger of all; of version 2
    without the ledger nothing is known."""
    lists, elements, pieces, pages = (cost.pop(key) for key in ("sg_maps", "sg_mapped", "single_maps", "page_maps"))
    if LEDGER and transport not in ("v1", "v1-inline64k"):
        pages = pieces
    elif transport.startswith("v2"):
        return
    cost.update(mappings=lists + pages, mapped=elements + pages)


def measure(cells):
    """Returns the spans of time in which the cells were measured, and their costs. Time
    may jump while the machine waits for its host, and the client then says that it is still
    there: what is not the same number of RPCs for each operation is measured again. Half as
    many operations come first, or one: a connection gives memory to data when it comes, and
    that takes as many messages as it has short Receives, some 22."""
    spans, costs = [], []
    for cell, times in cells:
        tries = 1 if cell.prepare() else TRIES
        cell.work(max(times // 2, cell.warmup))
        cell.prepare()
        before = mark()
        for _ in range(tries):
            cell.work(times)
            after = mark()
            span, cost = (before[0], after[0]), {name: value - before[1].get(name, 0) for name, value in after[1].items()}
            before = after
            if not cost["rpcs"] % times:
                break
        spans.append(span)
        costs.append(cost)
    return spans, costs


class Capture:
    """A capture of all that goes over the interface."""

    def __init__(self):
        self.path = tempfile.mktemp(dir="/tmp", suffix=".pcap")
        # of RoCE the headers are enough; FPDUs follow one another without a mark
        keep = "128" if DEVICE == "rxe" else "0"
        command = ["tcpdump", "-i", NETDEV, "-s", keep, "-B", "65536", "-U", "-w", self.path, FILTER]
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        if "listening on" not in self.process.stderr.readline():
            raise OSError("tcpdump does not start")

    def end(self, spans):
        """Returns how many operations there were in each of the spans."""
        self.process.terminate()
        said = self.process.stderr.read()
        self.process.wait()
        try:
            if "\n0 packets dropped by kernel" not in said:
                raise wire.Incomplete(said.strip())
            return wire.count(self.path, DEVICE, spans)
        finally:
            os.unlink(self.path)


def parse(cell, folder):
    """Returns an operation and how often it is to be done."""
    op, size, times = cell.split(":")
    return operations.operation(op, folder, int(size)), int(times)


def main():
    """Measures all cells; results are written when all of them are there."""
    transport, folder, out, *names = sys.argv[1:]
    cells = [parse(name, folder) for name in names]
    capture = Capture() if transport != "tcp" else None
    spans, costs = measure(cells)
    for cell, _ in cells:
        cell.close()
    if capture:
        for cost, messages in zip(costs, capture.end(spans)):
            cost.update(messages)
            map_counts(cost, transport)
    else:
        costs = [{key: cost[key] for key in PLAIN} for cost in costs]
    with open(out, "a", encoding="ascii") as f:
        for name, (cell, times), cost in zip(names, cells, costs):
            for key, value in sorted(cost.items()):
                print(transport, name.split(":")[0], cell.bytes, key, value / times, sep="\t", file=f)


if __name__ == "__main__":
    main()
