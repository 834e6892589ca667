#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What can be set, from the tables of net/sunrpc/xprtrdma/v2/settings.c.

settings.py page     prints Documentation/settings.rst
settings.py check    says whether that is what would be printed
settings.py list     prints FILE MIN MAX DEFAULT of each setting; FILE is below
                     /proc/sys/sunrpc, or settings/ in debugfs
"""

import re
import sys
from collections import namedtuple
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SOURCE = TOP / "net/sunrpc/xprtrdma/v2/settings.c"
PAGE = TOP / "Documentation/settings.rst"
HEADERS = ("net/sunrpc/xprtrdma/v2/conn.h", "net/sunrpc/xprtrdma/v2/memory.h", "net/sunrpc/xprtrdma/v2/assembly.h",
           "net/sunrpc/xprtrdma/v2/codec.h", "net/sunrpc/xprtrdma/v2/plan.h", "include/linux/sunrpc/rpc_rdma2.h")
FOLDERS = {"client": "", "server": "svc_rdma/", "test": "settings/"}
TITLES = {"client": "Client", "server": "Server", "test": "For tests"}
INTRO = {
    "client": "Below ``/proc/sys/sunrpc/``. The highest version is the parameter ``client_max_version`` of the\n"
              "module, too.",
    "server": "Below ``/proc/sys/sunrpc/``. The highest version is the parameter ``server_max_version`` of the\n"
              "module, too.",
    "test": "These are chosen well as they are. A module built with SUNRPC_XPRT_RDMA_V2_TEST has them below\n"
            "``/sys/kernel/debug/rpcrdma2/``.",
}

OTHERS = """
Settings of version 1
---------------------

Those that matter for version 2, too, also below ``/proc/sys/sunrpc/``. ``max_bc_requests`` and
``send_timeout`` are new; stock kernels have the others.

.. list-table::
   :header-rows: 1

   * - name
     - default
     - meaning
   * - ``rdma_slot_table_entries``
     - 128
     - requests of a mount at a time; a client uses no more credits. It takes a new mount
   * - ``rdma_max_inline_read``
     - 4096
     - leave it: a higher value turns placement off at the client
   * - ``svc_rdma/max_requests``
     - 64; 128 on 7.3
     - credits of a connection; if there is memory four times as many, at most 256; over iWARP
       one and a half times
   * - ``svc_rdma/max_req_size``
     - 4096
     - leave it: a higher value turns placement of WRITE data off at the server
   * - ``svc_rdma/max_bc_requests``
     - 2
     - callbacks that a connection has outstanding, 1 to 16
   * - ``svc_rdma/send_timeout``
     - 30
     - after how many seconds without any progress a client's connection is closed, 1 to 3600;
       it takes twice that at most"""

Setting = namedtuple("Setting", "end file min max dflt text")


def constants(texts):
    """Returns what names stand for in some C sources.

    >>> constants(["enum {\\n\\tA_B = 2,\\n\\t/* x */\\n\\tCC\\t= 3 * A_B,\\n};\\n#define D 5\\n"])["CC"]
    6
    """
    known = {"SZ_1M": 1 << 20, "INT_MAX": (1 << 31) - 1, "PAGE_SIZE": 4096}
    for text in texts:
        bare = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        for name, value in re.findall(r"^\s*(?:#define\s+)?([A-Z][A-Z0-9_]+)\s*=?\s+(\S[^,\n]*)", bare, re.M):
            try:
                known.setdefault(name, number(value, known))
            except (KeyError, SyntaxError):
                pass
    return known


def number(text, known):
    """Returns the value of an expression.

    >>> number("4 * A + 1", {"A": 3}), number("A / 2", {"A": 7})
    (13, 3)
    """
    words = re.sub(r"\b[A-Za-z_]\w*", lambda m: str(known[m.group()]), text.strip().rstrip("U")).replace("/", "//")
    if not re.fullmatch(r"[0-9 ()+*/<-]+", words):
        raise SyntaxError(text)
    return int(eval(words, {"__builtins__": {}}))  # pylint: disable=eval-used


def parse(source, known):
    """Yields the settings of a source.

    >>> s = "rpcrdma2_server_settings[] = {\\n\\t/* how\\n\\t * long */\\n\\t{ \\"x\\", &y, 1,\\n\\t  A, 2 * 3 },\\n};"
    >>> list(parse(s, {"A": 9}))
    [Setting(end='server', file='svc_rdma/x', min=1, max=9, dflt=6, text='how long')]
    """
    for end, rows in re.findall(r"rpcrdma2_(\w+)_settings\[\] = \{\n(.*?)\n\};", source, re.S):
        for comment, row in re.findall(r"/\*(.*?)\*/\s*\{(.*?)\}", rows, re.S):
            name, _, *numbers = [w.strip() for w in row.split(",")][:5]
            text = re.sub(r"\s*\n\s*\*?\s*", " ", comment).strip()
            yield Setting(end, FOLDERS[end] + name.strip('"'), *(number(n, known) for n in numbers), text)


def page(settings):
    """Returns the page, line by line."""
    yield ".. SPDX-License-Identifier: GPL-2.0"
    yield ".. Made by scripts/settings.py from net/sunrpc/xprtrdma/v2/settings.c"
    yield ""
    yield "Settings"
    yield "========"
    yield ""
    yield "All that can be set about version 2, and what of version 1 matters for it. What is set"
    yield "holds for connections that are made from then on, unless its page says otherwise."
    yield "The default is that of the module. The package and ``make install`` set"
    yield "``rdma_max_version`` to 1 (``admin.rst``)."
    for end, title in TITLES.items():
        yield from ("", title, "-" * len(title), "", INTRO[end], "", ".. list-table::", "   :header-rows: 1", "",
                    "   * - name", "     - range", "     - default", "     - meaning")
        for s in settings:
            if s.end == end:
                yield from (f"   * - ``{s.file}``", f"     - {s.min} to {s.max}", f"     - {s.dflt}", f"     - {s.text}")
    yield from OTHERS.splitlines()


def main():
    known = constants((TOP / h).read_text(encoding="utf-8") for h in HEADERS)
    source = SOURCE.read_text(encoding="utf-8")
    known.update(constants([source]))
    settings = list(parse(source, known))
    text = "\n".join(page(settings)) + "\n"
    if sys.argv[1:] == ["page"]:
        sys.stdout.write(text)
    elif sys.argv[1:] == ["list"]:
        for s in settings:
            print(s.file, s.min, s.max, s.dflt)
    elif sys.argv[1:] == ["check"]:
        if PAGE.read_text(encoding="utf-8") != text:
            print("Documentation/settings.rst is not what scripts/settings.py page prints")
            sys.exit(1)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
