# SPDX-License-Identifier: GPL-2.0
"""Draws what bench.py found out: an SVG of small panels that share their axes."""

import math
from collections import namedtuple
from xml.sax.saxutils import escape

# Colours that people who see fewer of them can tell apart, too
LOOK = {
    "tcp": ("#8a8a8a", "TCP"),
    "v1": ("#d55e00", "version 1, stock"),
    "v1-inline64k": ("#e69f00", "version 1, 64 KiB inline"),
    "v1-ours": ("#009e73", "version 1, our module"),
    "v2-base": ("#56b4e9", "version 2, no placement"),
    "v2": ("#0072b2", "version 2"),
    "v2-hw": ("#cc79a7", "version 2, hardware"),
}
WIDTH, LEFT, TOP = 1180, 74, 128
PANEL_W, PANEL_H, GAP_X, GAP_Y, BED_GAP = 192, 136, 26, 34, 66
INK, FAINT, GRID = "#222222", "#6b6b6b", "#e4e4e4"

# Metrics of one group share their vertical axis
Metric = namedtuple("Metric", "title value log base group")


def size_name(size):
    """Returns 4K for 4096."""
    return f"{size >> 20}M" if size >= 1 << 20 else f"{size >> 10}K"


def times(number):
    """Returns the label of a ratio: ½, 1, 2."""
    return {0.125: "⅛", 0.25: "¼", 0.5: "½"}.get(number, f"{number:g}")


def text(x, y, words, size=12, anchor="start", fill=INK, weight="normal"):
    """Returns a text."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{fill}" font-weight="{weight}">{escape(str(words))}</text>')


def line(x1, y1, x2, y2, stroke=GRID, width=1.0, dash=""):
    """Returns a straight line."""
    dash = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" '
            f'stroke-width="{width}"{dash}/>')


class Scale:
    """The vertical axis that the panels of one column share."""

    def __init__(self, values, metric):
        self.log = metric.log
        if self.log:
            ends = [math.log2(v) for v in values if v > 0] or [0]
            low = max(min(math.floor(min(ends)), -1), -3)
            high = min(max(math.ceil(max(ends)), 1), 4)
            self.low, self.high = low, high
            self.ticks = [2.0 ** n for n in range(low, high + 1)]
        else:
            step = max(1, math.ceil(max(values, default=1) / 4.5))
            self.low, self.high = 0, step * math.ceil(max(max(values, default=1) * 1.05, 1) / step)
            self.ticks = list(range(0, self.high + 1, step))

    def y(self, value):
        """Returns how far above the bottom of a panel a value is; what is beyond
        the end is at the end."""
        if self.log:
            value = math.log2(value) if value > 0 else self.low
        part = (value - self.low) / (self.high - self.low)
        return PANEL_H * min(max(part, 0), 1)


class Panel:
    """One diagram: a line for each transport over the sizes."""

    def __init__(self, x, y, sizes, scale):
        self.x, self.bottom, self.sizes, self.scale = x, y + PANEL_H, sizes, scale

    def at(self, size, n, count):
        """Returns where a size is; transports stand beside each other."""
        step = PANEL_W / len(self.sizes)
        dodge = (n - (count - 1) / 2) * min(3.2, step / (count + 3))
        return self.x + step * (self.sizes.index(size) + 0.5) + dodge

    def frame(self, base, ticks):
        """Returns the axes."""
        parts = []
        for tick in self.scale.ticks:
            y = self.bottom - self.scale.y(tick)
            strong = base is not None and tick == base
            parts.append(line(self.x, y, self.x + PANEL_W, y, FAINT if strong else GRID, 1,
                              "3 3" if strong else ""))
            if ticks:
                parts.append(text(self.x - 6, y + 4, times(tick), 11, "end", FAINT))
        for size in self.sizes:
            parts.append(text(self.at(size, 0, 1), self.bottom + 15, size_name(size), 10.5 if len(self.sizes) < 8 else 8.5,
                              "middle", FAINT))
        return parts

    def series(self, transport, n, count, points):
        """Returns the line of one transport."""
        colour, wide = LOOK[transport][0], transport == "v2"
        at = [(self.at(size, n, count), self.bottom - self.scale.y(value)) for size, value in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" '
                 f'stroke-width="{2.4 if wide else 1.4}" stroke-opacity="0.85" stroke-linejoin="round"/>']
        for (x, y), (size, value) in zip(at, points):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3.6 if wide else 2.9}" fill="{colour}" '
                         f'stroke="#ffffff" stroke-width="0.8"><title>{escape(LOOK[transport][1])}, '
                         f'{size_name(size)}: {value:.2f}</title></circle>')
        return parts


def legend(transports):
    """Returns what the colours mean."""
    parts, x = [], LEFT - 48
    for transport in transports:
        colour, name = LOOK[transport]
        parts += [line(x, 85, x + 22, 85, colour, 2.6 if transport == "v2" else 1.8),
                  f'<circle cx="{x + 11}" cy="85" r="4" fill="{colour}"/>', text(x + 29, 89, name, 13)]
        x += 40 + 7.6 * len(name)
    return parts


def bed(top, name, ops, sizes, transports, metrics, scales):
    """Returns all panels of one bed: a row for each operation."""
    parts = [text(LEFT - 48, top - 33, name, 15, weight="bold"),
             line(LEFT - 48, top - 54, WIDTH - 24, top - 54, "#cfcfcf")]
    for row, op in enumerate(ops):
        y = top + row * (PANEL_H + GAP_Y)
        parts.append(f'<text transform="translate({LEFT - 38} {y + PANEL_H / 2}) rotate(-90)" '
                     f'text-anchor="middle" font-size="13" font-weight="bold" fill="{INK}">{op.upper()}</text>')
        for column, (metric, scale) in enumerate(zip(metrics, scales)):
            x = LEFT + column * (PANEL_W + GAP_X)
            panel = Panel(x, y, sizes, scale)
            if row == 0:
                parts.append(text(x, y - 8, metric.title, 12, weight="bold"))
            parts += panel.frame(metric.base, True)
            for n, transport in enumerate(transports):
                points = [(size, value) for size in sizes
                          if (value := metric.value(op, transport, size)) is not None]
                if points:
                    parts += panel.series(transport, n, len(transports), points)
    return parts


def draw(title, subtitle, beds):
    """Returns the whole picture. Each of the beds is a tuple of a name, operations,
    sizes, transports and metrics."""
    parts, y = [text(LEFT - 48, 34, title, 21, weight="bold"), text(LEFT - 48, 57, subtitle, 12.5, fill=FAINT)], TOP
    shown = [t for t in LOOK if any(t in b[3] for b in beds)]
    parts += legend(shown)
    for name, ops, sizes, transports, metrics in beds:
        scales = [Scale([v for other in metrics if other.group == metric.group for op in ops for t in transports
                         for size in sizes if (v := other.value(op, t, size)) is not None], metric)
                  for metric in metrics]
        y += 40
        parts += bed(y, name, ops, sizes, [t for t in LOOK if t in transports], metrics, scales)
        y += len(ops) * (PANEL_H + GAP_Y) + BED_GAP - 40
    height = y - 20
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
                      f'width="{WIDTH}" height="{height}" '
                      'font-family="DejaVu Sans, Helvetica, Arial, sans-serif" role="img">',
                      f"<title>{escape(title)}</title>",
                      f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>', *parts, "</svg>"]) + "\n"
