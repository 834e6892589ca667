#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The files of version 2 as a picture, from the bottom to the top.

layers.py draw     writes Documentation/layers.svg from scripts/rooms
layers.py check    ends with 1 if that is not what would be drawn
"""

import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

TREE = Path(__file__).resolve().parent.parent
PICTURE = TREE / "Documentation/layers.svg"
WIDTH, MARGIN, LINE, BOX, GAP, LETTER = 900, 16, 24, 19, 8, 7.3
SHARED, CLIENT, SERVER, UPSTREAM = "#dbe9f6", "#d5f0e3", "#fbe3d0", "#eeeeee"


def layers(text):
    """Returns title, comment and lines of files of each layer, from the bottom to the top.

    >>> layers("# head\\n\\n# 1. Wire: bytes\\na b # c\\n\\n# 2. Ends\\nc\\n")
    [('Wire', 'bytes', [['a', 'b']]), ('Ends', '', [['c']])]
    """
    out = []
    for line in text.splitlines():
        head = re.fullmatch(r"# \d+\. ([^:]*)(?:: (.*))?", line)
        words = line.split("#")[0].split()
        if head:
            out.append((head[1], head[2] or "", []))
        elif words and words[0] != "allow:" and out:
            out[-1][2].append(words)
    return out


def colour(name):
    """Returns the colour of a file: what both ends share, or of one end.

    >>> colour("clnt") == CLIENT, colour("svc_call") == SERVER, colour("codec") == SHARED
    (True, True, True)
    """
    return {"clnt": CLIENT, "svc": SERVER}.get(name.split("_")[0], SHARED)


def place(names):
    """Returns what goes to the left, the middle and the right of a line of files.

    >>> place(["clnt_call", "svc_call"]), place(["codec"])
    ((['clnt_call'], [], ['svc_call']), ([], ['codec'], []))
    """
    of = {CLIENT: [], SHARED: [], SERVER: []}
    for name in names:
        of[colour(name)].append(name)
    return of[CLIENT], of[SHARED], of[SERVER]


def words(x, y, what, size=12, weight="normal", anchor="start", fill="#222222"):
    """Returns a text."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
            f'fill="{fill}">{escape(what)}</text>')


def boxes(names, centre, y):
    """Returns the boxes of some files beside each other."""
    wide = [LETTER * len(name) + 14 for name in names]
    x, parts = centre - (sum(wide) + GAP * (len(names) - 1)) / 2, []
    for name, width in zip(names, wide):
        parts += [f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BOX}" rx="3" fill="{colour(name)}" stroke="#9a9a9a"/>',
                  words(x + width / 2, y + 14, name, 12, anchor="middle")]
        x += width + GAP
    return parts


def draw(found):
    """Returns the picture: the last layer on top, as calls go downwards."""
    parts, y = [words(MARGIN, 26, "The files of version 2, and what may call what", 17, "bold"),
                words(MARGIN, 46, "Calls go downwards, or stay in their line. Left the client, right the server, between them what both use.", 12, fill="#6b6b6b")], 62
    tops = [(("sunrpc and xprtrdma", "upstream's files, which reach version 2 through ops", []))] + found[::-1]
    for title, comment, lines in tops:
        height = 34 + LINE * len(lines)
        parts += [f'<rect x="{MARGIN}" y="{y}" width="{WIDTH - 2 * MARGIN}" height="{height - 6}" fill="{UPSTREAM if not lines else "#fafafa"}" stroke="#cccccc"/>',
                  words(MARGIN + 8, y + 18, title, 13, "bold"), words(MARGIN + 24 + 8.2 * len(title), y + 18, comment, 12, fill="#6b6b6b")]
        for n, names in enumerate(lines[::-1]):
            for part, centre in zip(place(names), (WIDTH * 0.24, WIDTH * 0.5, WIDTH * 0.76)):
                parts += boxes(part, centre, y + 26 + LINE * n)
        y += height
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 8}" viewBox="0 0 {WIDTH} {y + 8}" font-family="sans-serif">',
                      f'<rect width="{WIDTH}" height="{y + 8}" fill="#ffffff"/>', *parts, "</svg>"]) + "\n"


def main():
    """Draws, or compares."""
    drawn = draw(layers((TREE / "scripts/rooms").read_text(encoding="utf-8")))
    if sys.argv[1:] == ["draw"]:
        PICTURE.write_text(drawn, encoding="utf-8")
    elif sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    elif not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != drawn:
        print("Documentation/layers.svg is not what scripts/layers.py draw makes of scripts/rooms")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
