"""README's picture, drawn anew from the built pair: python -m tests.pictures

A server of its own, Chromium, the first screen of a comparison in light and in dark: docs/img/*.webp, below 150 kB each.
"""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, sync_playwright

from tests.harness import tools
from tests.harness.server import Client, Server

ROOT = Path(__file__).resolve().parents[1]
PAIR = [ROOT / "fixtures" / "cases" / "invented" / name for name in ("before.html", "after.html")]
IMAGES = ROOT / "docs" / "img"
WIDTH, HEIGHT = 1280, 960
MOST_BYTES = 150_000
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def compared(client: Client) -> str:
    """The address of the built pair, under a title that says what it is."""
    ids = [client.upload(path.name, path.read_bytes()).json["id"] for path in PAIR]
    made = client.compare(*ids)
    client.settled(made)
    client.post(f"{made}title/", [("title", "Invented: the log writer waits for a CPU")])
    return made


def draw(page: Page, url: str) -> bytes:
    page.goto(url)
    page.wait_for_load_state("networkidle")
    session = page.context.new_cdp_session(page)
    for quality in (82, 70, 55):
        taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": quality})
        picture = base64.b64decode(taken["data"])
        if len(picture) <= MOST_BYTES:
            return picture
    raise SystemExit(f"{url}: {len(picture)} bytes, more than {MOST_BYTES}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "var", AWRDIFF_LOCAL_USER="True")
        server.start(120)
        browser = playwright.chromium.launch(executable_path=tools.chromium(), args=["--no-sandbox", "--disable-gpu"])
        made = compared(server.client())
        for scheme in SCHEMES:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
            (IMAGES / f"comparison-{scheme}.webp").write_bytes(draw(page, f"{server.url}{made}"))
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
