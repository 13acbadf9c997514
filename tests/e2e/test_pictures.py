"""A chart as a picture: a file that shows what the page shows, in its colours."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.e2e

# How many pixels of a picture are of each colour of the page, of all.
COLOURS = """async ([picture, names]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const drawing = canvas.getContext("2d");
  drawing.drawImage(image, 0, 0);
  const pixels = drawing.getImageData(0, 0, image.width, image.height).data;
  const shown = document.createElement("i");
  document.body.append(shown);
  const counts = names.map((name) => {
    shown.style.color = `var(--${name})`;
    const [r, g, b] = getComputedStyle(shown).color.match(/\\d+/g).map(Number);
    let found = 0;
    for (let at = 0; at < pixels.length; at += 4) found += pixels[at] === r && pixels[at + 1] === g && pixels[at + 2] === b;
    return found / (pixels.length / 4);
  });
  shown.remove();
  return counts;
}"""


def taken(page: Page, figure: Locator) -> tuple[str, list[float]]:
    """Its name, and the shares of the card, of First's and of Second's colour."""
    figure.locator(".chart-tools summary").click()
    with page.expect_download() as download:
        figure.locator("[data-picture=save]").click()
    data = Path(download.value.path()).read_bytes()
    shares = page.evaluate(COLOURS, [base64.b64encode(data).decode(), ["card", "first-fill", "second-fill"]])
    return download.value.suggested_filename, shares


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_histogram_is_taken_as_it_is_drawn(watched, server, comparison_path, scheme):
    page = watched.context(base_url=server.url, color_scheme=scheme, accept_downloads=True).new_page()
    page.goto(f"{comparison_path}#wait_event_histogram")
    figure = page.locator("#wait_event_histogram figure")
    figure.locator(".plot > svg").wait_for()
    name, (ground, first, second) = taken(page, figure)
    assert name == "wait-event-histogram-log-file-sync.png"
    assert ground > 0.6
    assert first > 0.01
    assert second > 0.01

    figure.locator("[data-explore]").click()
    figure.locator(".plot .main-svg").first.wait_for()
    _, (ground, first, second) = taken(page, figure)
    assert ground > 0.6
    assert min(first, second) > 0.01
