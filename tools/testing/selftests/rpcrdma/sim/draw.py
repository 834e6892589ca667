#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""draw.py SIM [--check] FILE: memory of a server by the number of its connections, as an SVG.

SIM is the simulator, which is asked for each number. With --check nothing is written: it
ends with 1 if FILE is not what would be drawn.
"""

import math
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "bench"))
# pylint: disable-next=wrong-import-position
from picture import FAINT, GRID, line, text  # noqa: E402

MACHINE_MB = 65536
COUNTS = (33, 100, 316, 1000, 3162, 10000)
VERSION_1_KB = 139 * 8
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 420, 84, 70, 200, 54
LOW_MB, HIGH_MB = 4, 16384
# What is drawn, with its colour, and how far below its end its name is
SERIES = (("version 1", "#d55e00", 0), ("version 2, 32 busy: most", "#56b4e9", -2), ("version 2, 32 busy: mean", "#0072b2", -1),
          ("version 2, all idle", "#009e73", 12))


def simulated(sim, count):
    """Returns mean and most memory in MiB with any 32 busy, and in KiB what an idle one has."""
    said = subprocess.run([sim, "-n", str(count), "-m", str(MACHINE_MB), "any32", "pool"],
                          check=False, stdout=subprocess.PIPE, text=True).stdout
    row = next(words for words in map(str.split, said.splitlines()) if words[1:3] == ["any32", "pool"])
    idle = next(words for words in map(str.split, said.splitlines()) if words[1:3] == ["not", "placed"])
    return float(row[3]), float(row[4]), int(idle[idle.index("idle") + 1])


def points(sim):
    """Returns, for each of SERIES, MiB for each of COUNTS."""
    rows = [(count, *simulated(sim, count)) for count in COUNTS]
    return ([VERSION_1_KB * count / 1024 for count, *_ in rows], [most for _, _, most, _ in rows],
            [mean for _, mean, _, _ in rows], [idle * count / 1024 for count, _, _, idle in rows])


def x_of(count):
    """Returns where a number of connections is."""
    ends = math.log10(COUNTS[0]), math.log10(COUNTS[-1])
    return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(count) - ends[0]) / (ends[1] - ends[0])


def y_of(mib):
    """Returns where an amount of memory is."""
    part = (math.log2(mib) - math.log2(LOW_MB)) / (math.log2(HIGH_MB) - math.log2(LOW_MB))
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part


def axes():
    """Returns both axes with their names."""
    parts, mib = [], LOW_MB
    while mib <= HIGH_MB:
        name = f"{mib >> 10} GiB" if mib >= 1024 else f"{mib} MiB"
        parts += [line(LEFT, y_of(mib), WIDTH - RIGHT, y_of(mib), GRID), text(LEFT - 8, y_of(mib) + 4, name, 11, "end", FAINT)]
        mib *= 4
    parts += [text(x_of(count), HEIGHT - BOTTOM + 18, f"{count:,}", 11, "middle", FAINT) for count in COUNTS]
    return parts + [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, "connections", 12, "middle", FAINT)]


def draw(series):
    """Returns the picture."""
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
             text(LEFT, 26, "Memory for Receives of a server", 17, weight="bold"),
             text(LEFT, 48, f"simulated; {MACHINE_MB >> 10} GiB of memory, of which an eighth is for this", 12, fill=FAINT), *axes()]
    for (name, colour, below), values in zip(SERIES, series):
        at = [(x_of(count), y_of(mib)) for count, mib in zip(COUNTS, values)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-linejoin="round"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>' for x, y in at]
        parts.append(text(at[-1][0] + 10, at[-1][1] + 4 + below, name, 12, fill=colour))
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    """Draws, or compares."""
    sim, *rest = sys.argv[1:]
    check = rest[0] == "--check"
    path = Path(rest[-1])
    drawn = draw(points(sim))
    if not check:
        path.write_text(drawn, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != drawn:
        print(f"# {path.name} shows other figures: draw it with \"make -C tools/testing/selftests/rpcrdma/sim picture\"")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
