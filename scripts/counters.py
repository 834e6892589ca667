#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What is counted, from the tables of net/sunrpc/xprtrdma/v2, and what it means.

counters.py page     prints Documentation/counters.rst
counters.py check    says whether that is what would be printed, and whether
                     scripts/counters has each counter once

The names are those of conn_counters.h and exchange.c, the meanings those of scripts/counters.
Which end has a counter is seen from the files that count, and what should not grow is
what rpcrdma2stat calls trouble.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
V2 = TOP / "net/sunrpc/xprtrdma/v2"
PAGE = TOP / "Documentation/counters.rst"
TABLES = ("conn_counters.h", "exchange.c")

HEAD = """.. SPDX-License-Identifier: GPL-2.0
.. Made by scripts/counters.py from scripts/counters and net/sunrpc/xprtrdma/v2

Counters
========

Everything that is counted about version 2. The lines are in
``/sys/kernel/debug/rpcrdma2/client/N/state`` and ``.../server/N/state``, one file for each
transport of the client and for each connection of the server. Root reads them.
``rpcrdma2stat`` sums them up.

The counters of a client go on when it connects again. Those of a server end with the
connection. "Both" in the second column means that each end counts.

What is marked "trouble" should not grow. If it does, ``troubleshooting.rst`` says what to do."""

TAIL = """
All connections of the server
-----------------------------

These files are in ``/proc/sys/sunrpc/svc_rdma/``. They count both versions together. The others there are
the kernel's own.

.. list-table::
   :header-rows: 1

   * - file
     - meaning
   * - ``rdma_stat_sq_starve``
     - how often something had to wait for room in a Send Queue
   * - ``rdma_stat_sq_stuck``
     - connections closed because nothing that was posted completed for ``send_timeout`` seconds"""


def names(source):
    """Yields the counters that a table of names has, as name and number.

    >>> list(names('COUNTER(A, "a_b")\\t/* x */\\n\\t[RPCRDMA2_XE_B]\\t= "b",\\n'))
    [('a_b', 'RPCRDMA2_CNT_A'), ('b', 'RPCRDMA2_XE_B')]
    """
    yield from ((name, f"RPCRDMA2_CNT_{number}") for number, name in re.findall(r'^COUNTER\((\w+), "(\w+)"\)', source, re.M))
    yield from ((name, number) for number, name in re.findall(r'\[(RPCRDMA2_XE_\w+)\]\s*= "(\w+)"', source))


def ends(number, files):
    """Returns who counts something. What both ends are made of counts for both: errors by
    their code, without naming most of the counters.

    >>> ends("X_A", {"clnt_a.c": "X_A", "svc_b.c": "X_AB"}), ends("X_B", {"conn.c": "X_B"}), ends("X_C", {})
    ('client', 'both', 'both')
    """
    found = {re.match(r"clnt|svc|", name)[0] for name, text in files.items() if re.search(rf"\b{number}\b", text)}
    if "" in found or len(found) != 1:
        return "both"
    return {"clnt": "client", "svc": "server"}[found.pop()]


def meanings(text):
    """Yields sections and counters: a title and "", or a name and what it means.

    >>> list(meanings("# x\\n= T\\na_b\\tone\\n\\ttwo\\n"))
    [('T', ''), ('a_b', 'one two')]
    """
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    for line in re.sub(r"\n\s+(?=\S)", " ", re.sub(r"\n\n+", "\n", text)).strip().splitlines():
        if line.startswith("= "):
            yield line[2:], ""
        else:
            yield tuple(line.split(maxsplit=1))


def trouble():
    """Returns what rpcrdma2stat calls trouble."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(TOP / "tools/net/sunrpc/rpcrdma2stat"))
    import exported  # pylint: disable=import-error,import-outside-toplevel
    return exported.TROUBLE


def page(known, rows, files):
    """Yields the page, line by line."""
    bad = trouble()
    yield HEAD
    for name, text in rows:
        if not text:
            yield from ("", name, "-" * len(name), "", ".. list-table::", "   :header-rows: 1", "",
                        "   * - name", "     - end", "     -", "     - meaning")
        else:
            yield from (f"   * - ``{name}``", f"     - {ends(known.get(name, name), files)}".rstrip(),
                        "     - trouble" if name in bad else "     -", f"     - {text}")
    yield TAIL


def main():
    """Does what the command line says."""
    known = dict(pair for t in TABLES for pair in names((V2 / t).read_text(encoding="utf-8")))
    files = {p.name: p.read_text(encoding="utf-8") for p in V2.glob("*.[ch]") if p.name not in ("exchange.h", "conn_counters.h")}
    files["exchange.c"] = re.sub(r"\[RPCRDMA2_XE_\w+\]\s*=", "", files["exchange.c"])
    rows = list(meanings((TOP / "scripts/counters").read_text(encoding="utf-8")))
    count = defaultdict(int)
    for name, text in rows:
        count[name] += bool(text)
    wrong = [f"scripts/counters has {n} {count.get(n, 0)} times" for n in known if count.get(n) != 1]
    wrong += [f"scripts/counters has {n}, which is not counted" for n, c in count.items() if c and n not in known]
    text = "\n".join(page(known, rows, files)) + "\n"
    if sys.argv[1:] == ["page"]:
        sys.stdout.write(text)
    elif sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        wrong.append("Documentation/counters.rst is not what scripts/counters.py page prints")
    if wrong:
        print("\n".join(wrong), file=sys.stderr if sys.argv[1:] == ["page"] else sys.stdout)
        sys.exit(1)


if __name__ == "__main__":
    main()
