"""A few strokes of SVG: what the generated pictures of the documentation are drawn with.

The pictures bring their own light ground, so that they read on a dark page, and are narrow enough to
read on a phone. Nothing in them depends on the time, the machine or the order of a set.
"""

from __future__ import annotations

from html import escape

SANS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# the widest of those fonts, in ems
MONO_WIDTH = 0.61

PAPER, EDGE, INK, QUIET = "#fdfcf9", "#d8d3c8", "#22252b", "#6a6d75"
BLUE, BLUE_FILL = "#1f5fa8", "#e8f0fa"
GREEN, GREEN_FILL = "#1d6b3f", "#e4f3ea"
AMBER, AMBER_FILL = "#8a5300", "#fbefd5"
RED, RED_FILL = "#a3261c", "#fbe6e3"


class Drawing:
    """A picture under way."""

    def __init__(self, width: int, title: str, description: str) -> None:
        self.width = width
        self.title = title
        self.description = description
        self.parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 14,
        fill: str = INK,
        mono: bool = False,
        bold: bool = False,
        anchor: str = "start",
    ) -> None:
        """Write one line with its baseline at y; spaces stay as they are."""
        weight = ' font-weight="600"' if bold else ""
        family = ' class="m"' if mono else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{family}{weight} '
            f'text-anchor="{anchor}" xml:space="preserve">{escape(text, quote=False)}</text>'
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = "#ffffff",
        stroke: str = EDGE,
        dashed: bool = False,
        radius: float = 6,
        thick: float = 1.2,
    ) -> None:
        """Draw a rectangle with its upper left corner at x, y."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="{thick:g}"{dash}/>'
        )

    def path(self, d: str, *, stroke: str = BLUE, arrow: bool = True, dashed: bool = False) -> None:
        """Draw a line along an SVG path."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        head = f' marker-end="url(#{"q" if stroke == QUIET else "a"})"' if arrow else ""
        self.parts.append(f'<path d="{d}" fill="none" stroke="{stroke}" stroke-width="1.5"{dash}{head}/>')

    def circle(self, x: float, y: float, radius: float, *, fill: str = INK) -> None:
        """Draw a filled circle."""
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"/>')

    def pill(
        self, x: float, y: float, text: str, *, size: float = 13, fill: str = "#ffffff", stroke: str = BLUE
    ) -> float:
        """Write a short text on a ground of its own, its left edge at x, centred at y; give its width."""
        width = len(text) * size * MONO_WIDTH + 10
        self.box(x, y - size * 0.8, width, size * 1.6, fill=fill, stroke=stroke, radius=4, thick=1)
        self.text(x + 5, y + size * 0.35, text, size=size, fill=stroke, mono=True, bold=True)
        return width

    def svg(self, height: int) -> str:
        """Return the complete picture, as a file holds it."""
        heads = "".join(
            f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto-start-reverse"><path d="M0 0.5 L8 4 L0 7.5 Z" fill="{fill}"/></marker>'
            for name, fill in (("a", BLUE), ("q", QUIET))
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" '
            f'viewBox="0 0 {self.width} {height}" role="img" aria-labelledby="t d" font-family="{SANS}">\n'
            f'<title id="t">{escape(self.title, quote=False)}</title>\n'
            f'<desc id="d">{escape(self.description, quote=False)}</desc>\n'
            f"<style>.m {{ font-family: {MONO}; }}</style>\n<defs>{heads}</defs>\n"
            f'<rect x="0.5" y="0.5" width="{self.width - 1}" height="{height - 1}" rx="10" '
            f'fill="{PAPER}" stroke="{EDGE}"/>\n' + "\n".join(self.parts) + "\n</svg>\n"
        )


def wrapped(text: str, columns: int) -> list[str]:
    """Break a text into lines of so many characters, after a comma or else at a space."""
    lines = []
    while len(text) > columns:
        comma, space = text.rfind(",", 0, columns) + 1, text.rfind(" ", 0, columns + 1)
        cut = next((at for at in (comma, space) if at > columns // 2), columns)
        lines.append(text[:cut].rstrip(" "))
        text = text[cut:].lstrip(" ")
    return [*lines, text]
