#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints instructions per operation by function, for some transports side by side.

What bed.sh has left of each transport: fio's report without the profiler, which says how
long an operation takes, a nanosecond being an instruction, and the profiler's samples,
which say how that time is divided. Time without anything to do is left out: it is waited
for timers, and mostly once for each run.
"""

import argparse
import json
import re

IDLE = {"pv_native_safe_halt", "default_idle", "acpi_idle_enter"}
OURS = re.compile(r"rpcrdma|xprt_rdma|svc_rdma|frwr")


def samples(text):
    """Samples of each function.

    >>> samples("   12  [k] queue_work_on \\n\\n 3 [.] main\\n 4 [k] queue_work_on\\n")
    {'queue_work_on': 16, 'main': 3}
    """
    found = {}
    for line in text.splitlines():
        m = re.match(r"\s*(\d+)\s+\[.\] (\S.*?)\s*$", line)
        if m:
            found[m[2]] = found.get(m[2], 0) + int(m[1])
    return found


def per_operation(found, iops):
    """Instructions per operation of each function that is not idle.

    >>> per_operation({"a": 1, "b": 2, "pv_native_safe_halt": 1}, 1e6)
    {'a': 250.0, 'b': 500.0}
    """
    total = sum(found.values())
    return {name: n * 1e9 / iops / total for name, n in found.items() if name not in IDLE}


def fio_iops(text, op):
    """Operations a second in a report of fio, which may begin with warnings.

    >>> fio_iops('fio: note\\n{"jobs": [{"write": {"iops": 8.5}}]}', "write")
    8.5
    """
    return json.loads(text[text.index("{"):])["jobs"][0][op]["iops"]


def table(columns, rows):
    """The lines of the table: totals, then the functions that differ most.

    >>> for line in table({"v1": {"a": 10.0, "svc_rdma_x": 5.0}, "v2": {"a": 12.0, "svc_rdma_x": 9.0}}, 2):
    ...     print(line)
             v1         v2   more  function
             15         21     +6  all
              5          9     +4  of them the transport's own
              5          9     +4  svc_rdma_x
             10         12     +2  a
    """
    names = list(columns)

    def line(values, name):
        cells = "".join(f"{v:11.0f}" for v in values)
        return f"{cells}{values[-1] - values[0]:+7.0f}  {name}"

    yield "".join(f"{n:>11}" for n in names) + "   more  function"
    yield line([sum(c.values()) for c in columns.values()], "all")
    yield line([sum(v for k, v in c.items() if OURS.search(k)) for c in columns.values()],
               "of them the transport's own")
    functions = {k: [c.get(k, 0) for c in columns.values()] for c in columns.values() for k in c}
    for k in sorted(functions, key=lambda k: -abs(functions[k][-1] - functions[k][0]))[:rows]:
        yield line(functions[k], k)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("folder")
    p.add_argument("op", choices=["read", "write"])
    p.add_argument("transports", nargs="+")
    p.add_argument("--rows", type=int, default=40)
    args = p.parse_args()
    columns = {}
    for t in args.transports:
        with open(f"{args.folder}/{t}.json", encoding="utf-8") as f:
            iops = fio_iops(f.read(), args.op)
        with open(f"{args.folder}/{t}.txt", encoding="utf-8") as f:
            columns[t] = per_operation(samples(f.read()), iops)
    for text in table(columns, args.rows):
        print(text)


if __name__ == "__main__":
    main()
