#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do calls in version 2 only go downwards?

rooms.py [TREE]    prints what is wrong, and ends with 1 if anything is

scripts/rooms says which files there are, from the bottom to the top. A file, with its
header, calls functions of its own line, and of lines above it in the list. Functions
are those that are not static, inline ones of headers, and macros with arguments. Tables
that others can use count, too.
"allow: FROM TO" lets one file call another all the same for a while.
"""

import collections
import re
import sys
from pathlib import Path

LONGEST = 900  # lines of a file
FOLDER = "net/sunrpc/xprtrdma/v2"

NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", re.S)
FUNCTION = re.compile(r"^(?!static\b(?! inline)|typedef\b|extern\b|#)[A-Za-z_][\w \t*\n]*?\b(\w+)\s*\([^;{}]*\)\s*\n\{", re.M)
TABLE = re.compile(r"^(?!static\b)(?:const )?struct \w+ (\w+)(?:\[\w*\])? = \{", re.M)
MACRO = re.compile(r"^#\s*define\s+(\w+)\(", re.M)
TYPE = re.compile(r"\b(?:struct|enum|union)\s+\w+")
BODY = re.compile(r"^\{.*?^\}|^#\s*define\b(?:[^\n]*\\\n)*[^\n]*", re.M | re.S)


def code(text):
    """Returns a source without comments and strings.

    >>> code('a(); /* b() */ c("d()"); // e()')
    'a();   c( );  '
    """
    return NOT_CODE.sub(" ", text)


def defined(text, header):
    """Returns the names that others can call which a file defines.

    >>> text = "static int a(void)\\n{\\n}\\nint b(int x,\\n      int y)\\n{\\n}\\nint c(void);\\n#define d(x) x\\n"
    >>> sorted(defined(text, False)), sorted(defined(text, True))
    (['b'], ['b', 'd'])
    >>> sorted(defined("static inline void *\\ne(int x)\\n{\\n}\\n", True))
    ['e']
    >>> sorted(defined("const struct s f = {\\n};\\nstruct s g[N] = {\\n};\\nstatic const struct s h = {\\n};\\n", False))
    ['f', 'g']
    """
    names = {m.group(1) for m in FUNCTION.finditer(text)} | set(TABLE.findall(text))
    if header:
        names |= set(MACRO.findall(text))
    return names


def calling(text, header):
    """Returns the part of a file that calls something: no types, and of a header no declarations.

    >>> calling("struct a *b = a(enum c d);", False)
    ' *b = a( d);'

    >>> calling("int a(void);\\nstatic inline int b(void)\\n{\\n\\treturn c();\\n}\\n#define d() \\\\\\n\\te()\\nint f(void);\\n", True)
    '{\\n\\treturn c();\\n}\\n#define d() \\\\\\n\\te()'
    """
    return TYPE.sub("", "\n".join(BODY.findall(text)) if header else text)


def read_list(text):
    """Returns the line that each file is in, and the arrows that are allowed.

    >>> read_list("# floor\\na b # of bytes\\n\\nc\\nallow: a c\\n")
    ({'a': 1, 'b': 1, 'c': 2}, {('a', 'c')})
    """
    level, allowed, n = {}, set(), 0
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "allow:":
            allowed.add((words[1], words[2]))
            continue
        n += 1
        level.update((w, n) for w in words)
    return level, allowed


def arrows(files):
    """Returns which room calls which, and by what names. FILES are pairs of a name and its code.

    >>> call = "int f(void)\\n{\\n\\treturn g();\\n}\\n"
    >>> {a: dict(b) for a, b in arrows([("a.c", call), ("b.h", "static inline int g(void)\\n{\\n}\\n")]).items()}
    {'a': {'b': {'g'}}}
    """
    home = {name: room(f) for f, text in files for name in defined(text, f.endswith(".h"))}
    out = collections.defaultdict(lambda: collections.defaultdict(set))
    for f, text in files:
        for name in set(re.findall(r"\b\w+\b", calling(text, f.endswith(".h")))):
            if home.get(name, room(f)) != room(f):
                out[room(f)][home[name]].add(name)
    return out


def room(name):
    """Returns the room of a file: a header and what it describes share one.

    >>> room("plan.h"), room("plan.c")
    ('plan', 'plan')
    """
    return name.rsplit(".", 1)[0]


def apart(a, b):
    """Returns whether two rooms are of different ends, which know nothing of each other.

    >>> apart("clnt_call", "svc"), apart("clnt", "codec")
    (True, False)
    """
    ends = {r.split("_")[0] for r in (a, b)} & {"clnt", "svc"}
    return len(ends) == 2


def wrong(level, allowed, found):
    """Returns complaints about calls, one for each pair of rooms.

    >>> level = {"a": 1, "b": 2, "clnt_x": 3, "svc_x": 4}
    >>> wrong(level, set(), {"b": {"a": {"f"}}})
    []
    >>> wrong(level, set(), {"a": {"b": {"g", "f"}}, "svc_x": {"clnt_x": {"h"}}})
    ['a calls b, which is above it: f, g', 'svc_x calls clnt_x, of the other end: h']
    >>> wrong(level, {("a", "b")}, {"a": {"b": {"f"}}})
    []
    """
    out = []
    for a in sorted(found):
        for b, names in sorted(found[a].items()):
            if a not in level or b not in level or (a, b) in allowed:
                continue
            why = ", of the other end" if apart(a, b) else ", which is above it" if level[a] < level[b] else ""
            if why:
                out.append(f"{a} calls {b}{why}: {', '.join(sorted(names)[:6])}")
    return out


def listed(level, allowed, rooms, found):
    """Returns complaints about the list: what it lacks, and what it has too much.

    >>> listed({"a": 1, "b": 2}, {("a", "b")}, {"a", "c"}, {"a": {}})
    ['c is not in scripts/rooms', 'scripts/rooms has b, which is no file', 'scripts/rooms allows a b, which is not called']
    """
    out = [f"{r} is not in scripts/rooms" for r in sorted(rooms - set(level))]
    out += [f"scripts/rooms has {r}, which is no file" for r in sorted(set(level) - rooms)]
    out += [f"scripts/rooms allows {a} {b}, which is not called" for a, b in sorted(allowed) if b not in found.get(a, {})]
    return out


def main():
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    paths = sorted((tree / FOLDER).glob("*.[ch]"))
    files = [(p.name, code(p.read_text(encoding="utf-8"))) for p in paths]
    level, allowed = read_list((tree / "scripts/rooms").read_text(encoding="utf-8"))
    found = arrows(files)
    bad = [f"{p.name} has {n} lines" for p in paths if (n := p.read_text(encoding="utf-8").count("\n")) > LONGEST]
    bad += wrong(level, allowed, found) + listed(level, allowed, {room(f) for f, _ in files}, found)
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
