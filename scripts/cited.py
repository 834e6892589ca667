#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cited.py: is there everything that the pages cite?

Functions, written name(), have to be called or defined somewhere; files have to be
there; and other names with an underscore, ``like_this``, have to occur. That finds
what a page still says of a function, a counter or a setting that has another name now.
"""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FOLDERS = ("net", "include", "patches", "tools", "testbed", "scripts", "debian")
# Not ours, and not in the context of a patch: of the kernel, its drivers, or the C library
ELSEWHERE = frozenset("memcpy rxe_mr_copy svc_check_conn_limits rdma_slot_table_entries xprt_request_dequeue_xprt kunit.py".split())


def cited(text):
    """Yields what a page cites.

    >>> list(cited("In ``a.c``, x_y() counts ``b_c`` in ``d_e/*``; see f-g.rst, linux_h.i\\n"))
    [('function', 'x_y'), ('file', 'a.c'), ('name', 'b_c')]
    """
    yield from (("function", n) for n in re.findall(r"\b([A-Za-z_]\w+)\(\)", text))
    yield from (("file", n) for n in re.findall(r"(?<![\w./*])(?:[\w.-]+/)*([\w-]+\.(?:c|h|py|sh|lua))\b", text))
    yield from (("name", n) for n in re.findall(r"``(?:[\w.-]+/)*([a-z][a-z0-9]*_\w+)``", text))


def bare(name, text):
    """Returns what of a file counts: not the comments of C, nor what a patch removes or says.

    >>> bare("a.c", "x(); /* y() */"), bare("b.patch", "why\\n--- a\\n+++ b\\n@@ 1 @@\\n-x\\n+y\\n z\\n")
    ('x(); ', '+++ b\\n@@ 1 @@\\n+y\\n z')
    """
    if name.endswith(".patch"):
        return "\n".join(line for line in text.splitlines() if re.match(r"[+@ ]", line))
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S) if name.endswith((".c", ".h")) else text


def main():
    """Prints what is not there."""
    files = [p for f in FOLDERS for p in (TOP / f).rglob("*") if p.is_file() and p.suffix != ".pyc"]
    text = "\n".join(bare(p.name, p.read_text(encoding="utf-8", errors="ignore")) for p in files)
    text += "\n".join((TOP / n).read_text(encoding="utf-8") for n in ("Makefile", "Kbuild"))
    have = {"function": set(re.findall(r"\b(\w+)\(", text)), "name": set(re.findall(r"\w+", text))}
    have["file"] = {p.name for p in files} | {Path(n).name for n in re.findall(r"^\+\+\+ b/(\S+)", text, re.M)}
    have["function"] |= set(re.findall(r"^(\w+)\(\)$", text, re.M))
    lost = [f"{p.relative_to(TOP)}: {kind} {n} is nowhere" for p in sorted([*TOP.glob("Documentation/*.rst"), TOP / "README.md"])
            for kind, n in sorted(set(cited(p.read_text(encoding="utf-8")))) if n not in have[kind] and n not in ELSEWHERE]
    print("\n".join(lost), end="\n" if lost else "")
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
