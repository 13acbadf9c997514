"""The pictures of README, drawn anew from the built pair: python -m tests.pictures

A server of its own, Chromium, the pages as they are at 1280 pixels in light colours: docs/img/*.webp, below 150 kB each.
"""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.harness import tools
from tests.harness.server import Client, Server

ROOT = Path(__file__).resolve().parents[1]
PAIR = [ROOT / "fixtures" / "cases" / "invented" / name for name in ("before.html", "after.html")]
IMAGES = ROOT / "docs" / "img"
WIDTH, HEIGHT = 1280, 1340
MOST_BYTES = 150_000
PICTURES = {"comparison": "", "commit-latency": "commit/"}  # name of the picture, and what it shows below a comparison


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
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        made = compared(server.client())
        for name, below in PICTURES.items():
            (IMAGES / f"{name}.webp").write_bytes(draw(page, f"{server.url}{made}{below}"))
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
