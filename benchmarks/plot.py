"""Draw lines on logarithmic axes as an SVG that is readable on light and on dark pages."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT, COLUMNS = 680, 310, 1
LEFT, RIGHT, TOP, BOTTOM = 60, 290, 34, 44
COLOURS = ["#0b6e4f", "#2a9d8f", "#1d4ed8", "#7c3aed", "#6b7280", "#c2410c", "#b91c1c", "#a16207", "#be185d",
           "#0369a1", "#4d7c0f", "#111827"]  # fmt: skip
UNITS = {-6: "1 µs", -5: "10 µs", -4: "0.1 ms", -3: "1 ms", -2: "10 ms", -1: "0.1 s", 0: "1 s", 1: "10 s"}
LABEL_HEIGHT = 12.0
THICK, THIN = 2.6, 1.4


@dataclass
class Panel:
    """A diagram: the quantity that grows, and for every contestant the seconds by size."""

    name: str
    unit: str
    lines: dict[str, dict[int, float]]
    xs: tuple[float, float] = field(init=False)
    ys: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        sizes = [math.log10(size) for line in self.lines.values() for size in line]
        seconds = [math.log10(took) for line in self.lines.values() for took in line.values()]
        self.xs = min(sizes), max(sizes)
        self.ys = math.floor(min(seconds)), math.ceil(max(seconds))

    def place(self, size: float, seconds: float) -> tuple[float, float]:
        """Return the position of a point."""
        x = (math.log10(size) - self.xs[0]) / (self.xs[1] - self.xs[0])
        y = (math.log10(seconds) - self.ys[0]) / (self.ys[1] - self.ys[0])
        return LEFT + x * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM)


def apart(wanted: dict[str, float]) -> dict[str, float]:
    """Move labels up and down until none overlaps another or leaves the panel."""
    found: dict[str, float] = {}
    lowest: float = TOP
    for name in sorted(wanted, key=wanted.__getitem__):
        found[name] = lowest = max(wanted[name], lowest)
        lowest += LABEL_HEIGHT
    highest: float = HEIGHT - BOTTOM + LABEL_HEIGHT
    for name in reversed(found):
        found[name] = highest = min(found[name], highest)
        highest -= LABEL_HEIGHT
    return found


def text(x: float, y: float, words: str, **attributes: str) -> str:
    """Return a text element."""
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{given}>{escape(words)}</text>'


def panel_lines(panel: Panel, colours: dict[str, str]) -> list[str]:
    """Draw one diagram."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    found = [text(LEFT, TOP - 14, f"Time over {panel.name}", font_weight="bold")]
    for power in range(round(panel.ys[0]), round(panel.ys[1]) + 1):
        _, y = panel.place(10 ** panel.xs[0], 10.0**power)
        found.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#e2e8f0"/>')
        found.append(
            text(LEFT - 6, y + 4, UNITS.get(power, f"1e{power} s"), text_anchor="end", fill="#475569")
        )
    for power in range(math.ceil(panel.xs[0]), math.floor(panel.xs[1]) + 1):
        x, _ = panel.place(10.0**power, 10 ** panel.ys[0])
        found.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#e2e8f0"/>')
        found.append(text(x, bottom + 15, f"{10**power:,}", text_anchor="middle", fill="#475569"))
    found.append(text((LEFT + right) / 2, HEIGHT - 8, panel.unit, text_anchor="middle", fill="#475569"))
    ends: dict[str, tuple[float, float]] = {}
    for name, line in panel.lines.items():
        if line:
            places = [panel.place(size, took) for size, took in sorted(line.items())]
            ends[name] = places[-1]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            found.append(
                f'<polyline points="{path}" fill="none" stroke="{colours[name]}" '
                f'stroke-width="{THICK if name.startswith("midstream") else THIN}"/>'
            )
            found += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colours[name]}"/>' for x, y in places]
    labels = apart({name: y + 4 for name, (_, y) in ends.items()})
    for name, y in labels.items():
        x, end = ends[name]
        found.append(
            f'<path d="M{x + 3:.1f} {end:.1f}L{right + 8} {y - 4:.1f}" stroke="{colours[name]}" '
            'stroke-width="0.6" stroke-dasharray="2 2"/>'
        )
        found.append(text(right + 11, y, name.replace("midstream, ", ""), fill=colours[name], font_size="11"))
    return found


def draw(panels: list[Panel]) -> str:
    """Draw all diagrams in a grid."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}
    rows = math.ceil(len(panels) / COLUMNS)
    width, height = WIDTH * COLUMNS, HEIGHT * rows
    found = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="12" fill="#0f172a">',
        "<title>How time grows, on logarithmic axes</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
    ]
    for number, panel in enumerate(panels):
        x, y = number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT
        found += [f'<g transform="translate({x} {y})">', *panel_lines(panel, colours), "</g>"]
    return "\n".join([*found, "</svg>", ""])
