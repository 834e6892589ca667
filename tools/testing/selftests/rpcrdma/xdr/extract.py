#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""extract.py FOLDER OUT: takes the protocol's XDR out of the drafts' own texts.

FOLDER holds the texts. OUT/draft.x is what rpcgen compiles: the lines behind the
marker /// of each text, without comments, with what the file corrections says put
right. OUT/draft_names.h lists its types and its constants. Neither is ever kept in
the project.

Two corrections are too regular for that file. What an arm of a union holds becomes
a structure of its own where it is more than one thing (A-04), and arms that follow
each other and hold the same are one, since XDR wants names of members to differ.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# In this order: later texts use types of earlier ones
TEXTS = {
    "V2": "draft-cel-nfsv4-rpcrdma-version-two-02.txt",
    "XC": "draft-dnoveck-nfsv4-rpcrdma-xcharext-02.txt",
    "RT": "draft-dnoveck-nfsv4-rpcrdma-rtrext-02.txt",
}
UNION = re.compile(r"union (\w+) switch *\(([^)]*)\) *\{([^}]*)\};")


def marked(text):
    """Returns the lines behind the marker; headers and footers of pages have none.

    >>> marked("1. Words\\n ///struct a {\\n\\nAuthor  [Page 2]\\n///   int b;\\n/// };\\n")
    'struct a {\\n   int b;\\n };\\n'
    """
    return "".join(m + "\n" for m in re.findall(r"^ *///(.*?) *$", text, re.M))


def bare(x):
    """Returns XDR without its comments.

    >>> bare("/* a\\n * b */int c; /**/ int d;")
    'int c;  int d;'
    """
    return re.sub(r"/\*.*?\*/", "", x, flags=re.S)


def read_corrections(text):
    """Returns (name, text it is for, how often, pattern, replacement) for each line.

    >>> read_corrections("# why\\nA-1\\tV2\\t2\\tfoo\\tbar\\n")
    [('A-1', 'V2', 2, 'foo', 'bar')]
    """
    rows = [x.split("\t") for x in text.splitlines() if x and x[0] != "#"]
    return [(name, code, int(count), pattern, new) for name, code, count, pattern, new in rows]


def corrected(x, rows):
    """Returns XDR put right, or raises ValueError if it is not wrong as often as a row says.

    >>> corrected("int a; int b;", [("A-1", "V2", 2, r"int (.)", r"\\1")])
    'a; b;'
    >>> corrected("int a;", [("A-1", "V2", 2, "int", "bool")])
    Traceback (most recent call last):
    ValueError: A-1 applies 1 times instead of 2: int
    """
    for name, _, count, pattern, new in rows:
        x, n = re.subn(pattern, new, x, flags=re.M)
        if n != count:
            raise ValueError(f"{name} applies {n} times instead of {count}: {pattern}")
    return x


def arms(body):
    """Returns (constants, members) for each arm of a union.

    >>> arms("case A: case B: int a; int b<>; case C: void;")
    [(['A', 'B'], ['int a', 'int b<>']), (['C'], ['void'])]
    """
    found = []
    for labels, members in re.findall(r"((?:case\s+\w+\s*:\s*)+)((?:[^;:]+;\s*?)+?)(?=\s*case|\s*$)", body):
        found.append((re.findall(r"case\s+(\w+)", labels), [" ".join(m.split()) for m in members.split(";") if m.strip()]))
    return found


def joined(found):
    """Returns arms, those that follow each other and hold the same as one.

    >>> joined([(["A"], ["int a"]), (["B"], ["int a"]), (["C"], ["void"]), (["D"], ["void"])])
    [(['A', 'B'], ['int a']), (['C', 'D'], ['void'])]
    """
    out = []
    for labels, members in found:
        if out and out[-1][1] == members:
            out[-1] = (out[-1][0] + labels, members)
        else:
            out.append((labels, members))
    return out


def plain_union(match):
    r"""Returns a union that rpcgen takes, and in front of it the structures that it needs.

    >>> print(UNION.sub(plain_union, "union u switch (e t) {case A: int a; int b; case B: void;};"))
    struct u_A {
    int a;
    int b;
    };
    union u switch (e t) {
    case A:
    u_A arm_A;
    case B:
    void;
    };
    """
    name, switch, body = match.groups()
    structs, lines = [], []
    for labels, members in joined(arms(body)):
        if len(members) > 1:
            structs += [f"struct {name}_{labels[0]} {{", *(f"{m};" for m in members), "};"]
            members = [f"{name}_{labels[0]} arm_{labels[0]}"]
        lines += [f"case {c}:" for c in labels] + [f"{m};" for m in members]
    return "\n".join([*structs, f"union {name} switch ({switch}) {{", *lines, "};"])


def extract(texts, rows):
    """Returns the XDR of all texts, given by their codes."""
    found = [corrected(bare(marked(texts[code])), [r for r in rows if r[1] == code]) for code in TEXTS]
    return UNION.sub(plain_union, "".join(found))


def types(x):
    """Returns the names of all types.

    >>> types("struct a { int b; }; typedef int c<>; enum d { E = 1 }; union u switch (d x) {};")
    ['a', 'c', 'd', 'u']
    """
    return sorted(re.findall(r"\b(?:struct|union|enum) (\w+)(?= *\{| switch)", x) +
                  re.findall(r"\btypedef [^;]*?(\w+) *(?:<>)? *;", x))


def constants(x):
    """Returns the names of all constants, enums' included.

    >>> constants("const A = 1; enum d { B = 1, C = 2 };")
    ['A', 'B', 'C']
    """
    return re.findall(r"\b([A-Z]\w*) *= *\w+ *(?=[,;}])", re.sub(r"\s+", " ", x))


def names_header(x):
    """Returns a header with the names of types and constants."""
    lines = ["#define DRAFT_TYPES(X)" + "".join(f" \\\n\tX({t})" for t in types(x)),
             "#define DRAFT_CONSTANTS(X)" + "".join(f" \\\n\tX({c})" for c in constants(x))]
    return "\n".join(lines) + "\n"


def main():
    folder, out = (Path(a) for a in sys.argv[1:])
    texts = {code: (folder / name).read_text(encoding="utf-8") for code, name in TEXTS.items()}
    x = extract(texts, read_corrections((HERE / "corrections").read_text(encoding="utf-8")))
    (out / "draft.x").write_text(x, encoding="utf-8")
    (out / "draft_names.h").write_text(names_header(x), encoding="utf-8")


if __name__ == "__main__":
    main()
