# SPDX-License-Identifier: GPL-2.0
"""Finds a piece of C by its tokens and the function around it, and replaces it.

Neither file nor line matters, nor how the piece is laid out, nor its comments.
"""

import re
from collections import defaultdict, namedtuple

TOKEN = re.compile(r"""
      /\*.*?\*/ | //[^\n]*                              # comments
    | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'
    | [A-Za-z_]\w* | \d[\w.]*
    | <<= | >>= | \.\.\. | -> | \+\+ | -- | << | >> | && | \|\|
    | [-+*/%&|^<>=!]= | \S
""", re.X | re.S)
# What is to be replaced, where the text around it is there to find it
FROM, TO = "[[", "]]"
CLOSING = {"(": ")", "{": "}"}

Token = namedtuple("Token", "text start end")
Place = namedtuple("Place", "path start end")


class Misfit(Exception):
    """A piece is not found, or not once."""


def tokens(text):
    """Returns the tokens of some C, without comments.

    >>> [t.text for t in tokens('a->b /* c */ <<= "d e";')]
    ['a', '->', 'b', '<<=', '"d e"', ';']
    """
    return [Token(m[0], *m.span()) for m in TOKEN.finditer(text) if m[0][:2] not in ("/*", "//")]


def closing(toks, at):
    """Returns where the bracket at some token is closed, or None."""
    opened, depth = toks[at].text, 0
    for n in range(at, len(toks)):
        depth += (toks[n].text == opened) - (toks[n].text == CLOSING[opened])
        if not depth:
            return n
    return None


def body(toks, at):
    """Returns the range of a function's body if its name, at some token, begins its definition."""
    behind = closing(toks, at + 1)
    while behind is not None and behind + 1 < len(toks):
        behind += 1
        if toks[behind].text == "{":
            return behind, closing(toks, behind)
        if toks[behind].text == "(":
            behind = closing(toks, behind)
        elif not re.match(r"\w", toks[behind].text):
            break
    return None


def bodies(toks, name):
    """Yields the range of each definition of a function.

    >>> toks = tokens("int f(int); int g(void) { f(1); } int f(int a) { return a; }")
    >>> [[t.text for t in toks[a:b + 1]] for a, b in bodies(toks, "f")]
    [['{', 'return', 'a', ';', '}']]
    """
    depth = 0
    for n, tok in enumerate(toks[:-1]):
        depth += (tok.text == "{") - (tok.text == "}")
        if not depth and tok.text == name and toks[n + 1].text == "(":
            found = body(toks, n)
            if found and found[1]:
                yield found


def parted(original):
    """Returns the tokens to find, and which of them to replace.

    >>> parted("f([[a + b]], c)")
    (['f', '(', 'a', '+', 'b', ',', 'c', ')'], 2, 5)
    """
    if FROM not in original:
        found = [t.text for t in tokens(original)]
        return found, 0, len(found)
    front, _, rest = original.partition(FROM)
    mid, _, end = rest.partition(TO)
    parts = [[t.text for t in tokens(part)] for part in (front, mid, end)]
    return sum(parts, []), len(parts[0]), len(parts[0]) + len(parts[1])


class Sources:
    """Source files, by path, as they are searched."""

    def __init__(self, texts):
        self.texts = texts
        self.toks = {}

    def tokens(self, path):
        """Returns the tokens of a file, which are made once."""
        if path not in self.toks:
            self.toks[path] = tokens(self.texts[path])
        return self.toks[path]

    def places(self, function, original):
        """Yields each place of a piece in definitions of a function."""
        want, first, last = parted(original)
        for path, text in self.texts.items():
            if function not in text:
                continue
            toks = self.tokens(path)
            for begin, end in bodies(toks, function):
                for n in range(begin, end - len(want) + 2):
                    if [t.text for t in toks[n:n + len(want)]] == want:
                        yield Place(path, toks[n + first].start, toks[n + last - 1].end)

    def place(self, function, original):
        """Returns the only place."""
        found = list(self.places(function, original))
        if not found:
            there = any(True for path in self.texts for _ in bodies(self.tokens(path), function))
            raise Misfit(f"{function}() has no such text" if there else f"there is no function {function}()")
        if len(found) > 1:
            raise Misfit(f"{function}() has that text {len(found)} times")
        return found[0]


def is_statement(text):
    """Is a piece one or more statements, or else an expression?"""
    return text.rstrip().endswith((";", "}"))


def choice(original, variants):
    """Returns C that is the original, or that of the variants whose number is chosen.

    >>> choice("a", {3: "b"})
    '(rpcrdma_mutant(3U) ? (b) : (a))'
    >>> choice("f();", {3: "g();", 4: ""})
    '{ if (rpcrdma_mutant(3U)) { g(); } else if (rpcrdma_mutant(4U)) { } else { f(); } }'
    """
    if is_statement(original):
        ifs = "".join(f"if (rpcrdma_mutant({nr}U)) {{ {text + ' ' if text else ''}}} else "
                      for nr, text in variants.items())
        return f"{{ {ifs}{{ {original} }} }}"
    ifs = "".join(f"rpcrdma_mutant({nr}U) ? ({text}) : " for nr, text in variants.items())
    return f"({ifs}({original}))"


def rewrite(texts, changes):
    """Returns those of some texts that change. changes: (number, place, replacement) for each."""
    by_path = defaultdict(lambda: defaultdict(dict))
    for nr, place, text in changes:
        by_path[place.path][place.start, place.end][nr] = text
    return {path: rewrite_one(texts[path], spots) for path, spots in by_path.items()}


def rewrite_one(text, spots):
    """Returns one text, changed from its end to its beginning."""
    behind = len(text)
    for (start, end), variants in sorted(spots.items(), reverse=True):
        if end > behind:
            raise Misfit(f"two places overlap: {text[start:end]!r}")
        behind = start
        text = text[:start] + choice(text[start:end], variants) + text[end:]
    return text
