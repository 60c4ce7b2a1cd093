"""Record two browsers that read one stream while both workers of the gateway are killed, one after the other.

    python tools/pictures/make_recording.py

The frames are screenshots of real pages, joined by a canvas and written as an animated PNG with a palette.
Look at the recording before you keep it.
"""

from __future__ import annotations

import base64
import os
import signal
import struct
import sys
import time
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import httpx

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / folder) for folder in ("tests/support", "tests", "tests/server")]

from midstream.server import Settings, create_app
from relay_stage import workers
from stage import chromium
from test_server import running

if TYPE_CHECKING:
    from playwright.sync_api import Page

FILE = ROOT / "docs" / "pictures" / "two-browsers.png"
WIDTH, HEIGHT, CAPTION = 460, 420, 26
PACE = 12
MOST = 900_000
# the parts of the stream after which a worker is killed
KILLS = (0.3, 0.65)

# draws two pictures and a caption, and returns the pixels as numbers of a palette of up to 256 colours
COMPOSE = """
async ([left, right, caption, width, height, top]) => {
  const size = { width: 2 * width, height: height + top };
  const canvas = window.canvas ??= Object.assign(document.createElement("canvas"), size);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = caption.includes("killed") ? "#b00020" : "#223";
  context.fillRect(0, 0, canvas.width, top);
  context.fillStyle = "#fff";
  context.font = "14px sans-serif";
  context.fillText(caption, 10, top - 8);
  for (const [at, data] of [left, right].entries()) {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    context.drawImage(image, at * width, top);
  }
  context.fillStyle = "#223";
  context.fillRect(width - 1, top, 2, height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const colours = window.colours ??= [], known = window.known ??= new Map();
  const indexed = new Uint8Array(data.length / 4);
  for (let pixel = 0; pixel < indexed.length; pixel++) {
    const [r, g, b] = [data[4 * pixel] & 0xf0, data[4 * pixel + 1] & 0xf0, data[4 * pixel + 2] & 0xf0];
    const key = r << 16 | g << 8 | b;
    let index = known.get(key);
    if (index === undefined) {
      const far = ([x, y, z]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2;
      if (colours.length < 256) index = colours.push([r, g, b]) - 1;
      else index = colours.reduce((best, colour, at) => far(colour) < far(colours[best]) ? at : best, 0);
      known.set(key, index);
    }
    indexed[pixel] = index;
  }
  let text = "";
  const step = 32768;
  for (let at = 0; at < indexed.length; at += step)
    text += String.fromCharCode(...indexed.subarray(at, at + step));
  return [btoa(text), colours];
}
"""


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def animated(frames: list[tuple[float, bytes]], colours: list[list[int]], width: int, height: int) -> bytes:
    """Return an animated PNG, with the seconds that each frame is shown; it has only the rows that change."""
    parts, sequence, before = [], 0, b""
    for number, (seconds, pixels) in enumerate(frames):
        rows = [pixels[row * width : (row + 1) * width] for row in range(height)]
        changed = [row for row in range(height) if rows[row] != before[row * width : (row + 1) * width]] or [
            0
        ]
        first, last = (0, height - 1) if number == 0 else (changed[0], changed[-1])
        control = struct.pack(
            ">IIIIIHHBB", sequence, width, last - first + 1, 0, first, round(seconds * 100), 100, 0, 0
        )
        parts.append(chunk(b"fcTL", control))
        data = zlib.compress(b"".join(b"\0" + row for row in rows[first : last + 1]), 9)
        sequence += 1
        if number == 0:
            parts.append(chunk(b"IDAT", data))
        else:
            parts.append(chunk(b"fdAT", struct.pack(">I", sequence) + data))
            sequence += 1
        before = pixels
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    palette = bytes(min(255, part + 15 * (part >= 0xF0)) for colour in colours for part in colour)
    return b"".join([
        b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", head), chunk(b"acTL", struct.pack(">II", len(frames), 0)),
        chunk(b"PLTE", palette), *parts, chunk(b"IEND", b""),
    ])  # fmt: skip


def is_over(pages: list[Page]) -> bool:
    """Report whether both pages have seen the end."""
    return all(page.locator("#status[data-state=ended]").count() for page in pages)


def main() -> None:
    """Make the recording."""
    with (
        TemporaryDirectory() as folder,
        running(create_app(settings=Settings(pace=PACE))) as provider,
        workers(f"{provider}/provider", f"sqlite:///{folder}/store.db", 2) as gateway,
        chromium() as browser,
    ):
        url = f"{gateway.url}/v1/chat/completions"
        with httpx.stream("POST", url, json={"stream": True}) as response:
            stream = response.headers["midstream-stream"]
        options = {"viewport": {"width": WIDTH, "height": HEIGHT}}
        pages = [browser.new_context(**options).new_page() for _ in range(2)]  # type: ignore[arg-type]
        for page in pages:
            page.goto(f"{gateway.url}/?stream={stream}")
        canvas = browser.new_page()
        original, total = gateway.pids(), httpx.head(f"{gateway.url}/v1/streams/{stream}")
        assert total.status_code == 200
        frames: list[tuple[float, bytes]] = []
        killed, caption, caption_until = 0, "", 0.0
        events = int(httpx.get(f"{provider}/api/recordings/trip/events?pace=0").text.count("event: "))
        start = shown_at = time.monotonic()
        while True:
            is_last = is_over(pages)
            now = time.monotonic()
            reached = (now - start) * PACE / events
            if killed < len(KILLS) and reached > KILLS[killed]:
                os.kill(original[killed], signal.SIGKILL)
                killed += 1
                caption, caption_until = f"worker {killed} of 2 is killed", now + 1.5
            if now > caption_until:
                caption = "two browsers, one stream, two workers"
            if is_last:
                caption = "the end: the provider was asked once, and nothing is missing"
            shots = [base64.b64encode(page.screenshot()).decode() for page in pages]
            pixels, colours = canvas.evaluate(COMPOSE, [*shots, caption, WIDTH, HEIGHT, CAPTION])
            now = time.monotonic()
            frames.append((3.0 if is_last else min(now - shown_at, 1.0), base64.b64decode(pixels)))
            shown_at = now
            if is_last:
                break
            canvas.wait_for_timeout(120)
        for page in pages:
            assert "2 complete" in (page.locator("#status").text_content() or "")
    data = animated(frames, colours, 2 * WIDTH, HEIGHT + CAPTION)
    assert len(data) < MOST, len(data)
    FILE.write_bytes(data)
    print(f"{FILE.relative_to(ROOT)}: {len(frames)} frames, {len(data)} bytes")


if __name__ == "__main__":
    main()
