# SPDX-License-Identifier: Apache-2.0
"""Measured values as text, as a markdown table, and as bars in an SVG, and the machine that they are from."""

import html
import os
import pathlib
import platform
import re
import statistics

NAMES, WIDTH, VALUES = 170, 330, 240  # pixels: for the names, the longest bar, the values
BAR, GAP, LINE = 14, 4, 20
# An SVG that a page embeds as a picture sees the reader's light or dark mode, and nothing else of the page.
STYLE = """\
text { font: 12px sans-serif; fill: #1f2328 }
.title { font-weight: bold; font-size: 14px }
.heading { font-weight: bold }
.range { stroke: #1f2328; stroke-width: 1 }
.bar0 { fill: #2f81c7 } .bar1 { fill: #8b949e } .bar2 { fill: #c98a1b } .bar3 { fill: #7d62b5 }
.bar4 { fill: #3f9142 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .range { stroke: #e6edf3 } }
"""


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return (f"{len(os.sched_getaffinity(0))} CPUs ({model[1] if model else platform.machine()}), "
            f"Linux {platform.release()}")


def spread(values, form):
    """The median, and the range where there is one; `form` is a format such as "{:.2f}"."""
    low, middle, high = (form.format(value) for value in (min(values), statistics.median(values), max(values)))
    return middle if low == high else f"{middle} ({low} to {high})"


def markdown(header, rows):
    """A table, its columns padded so that it reads well as text too."""
    table = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in table]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"


def _text(x, y, text, kind=""):
    attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{attribute}>{html.escape(text, quote=False)}</text>'


def _bar(y, colour, name, values, scale, form):
    """A bar as long as the median, and a line over it from the least to the most."""
    low, middle, high = (NAMES + value * scale for value in (min(values), statistics.median(values), max(values)))
    return [_text(0, y + BAR - 3, name),
            f'<rect x="{NAMES}" y="{y}" width="{max(middle - NAMES, 1):.1f}" height="{BAR}" class="bar{colour}"/>',
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y + BAR / 2}" y2="{y + BAR / 2}" class="range"/>',
            _text(NAMES + WIDTH + 10, y + BAR - 3, spread(values, form))]


def bars_svg(title, groups):
    """Each group is (heading, form, rows), with bars of its own scale; each row is (name, values). One name has one
    colour in all groups."""
    names = list(dict.fromkeys(name for _, _, rows in groups for name, _ in rows))
    parts = [_text(0, LINE - 6, title, "title")]
    y = 2 * LINE
    for heading, form, rows in groups:
        parts.append(_text(0, y, heading, "heading"))
        y += GAP + 2
        scale = WIDTH / max(max(values) for _, values in rows)
        for name, values in rows:
            parts += _bar(y, names.index(name) % 5, name, values, scale, form)
            y += BAR + GAP
        y += LINE
    width, height = NAMES + WIDTH + VALUES, y - LINE + GAP
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                      f'viewBox="0 0 {width} {height}">', f"<title>{html.escape(title, quote=False)}</title>",
                      f"<style>\n{STYLE}</style>", *parts, "</svg>"]) + "\n"
