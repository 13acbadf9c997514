"""axe-core on a page as it is shown: no violation of WCAG 2.2 A and AA or of good practice, in light and dark colours.

How well a text can be read takes axe most of its time, and depends on few things: of the texts of a page that have all
of them in common (thousands have, in tables) it looks at one, in each scheme.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
# What lies over a page, or beside it: the page itself is looked at without it.
OPENED = "dialog[open], aside.panel:not([hidden])"
MARKS = (Path(__file__).parent / "axe_marks.js").read_text()


def check(page: Page, inside: str = "") -> None:
    """All rules, and those of colours in both schemes: of what is opened, or else of the whole page.

    What the head of a page that is scrolled hides by half would count as small: sizes are looked at from its top.
    A page that is still on its way is waited for.
    """
    page.wait_for_load_state()
    inside = inside or (OPENED if page.locator(OPENED).count() else "html")
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    clean(page, inside, sizes=inside != "html" or page.evaluate("scrollY == 0"))
    page.emulate_media(color_scheme="light" if is_dark else "dark")
    _colours_are_clean(page, inside)
    page.emulate_media(color_scheme="dark" if is_dark else "light")


def clean(page: Page, inside: str = "html", *, sizes: bool = True) -> None:
    """All rules, in the colours that are shown."""
    page.evaluate(f"{MARKS}.rows()")
    left = {"target-size": {"enabled": sizes}, **{name: {"enabled": False} for name in COLOURS}}
    options = {"runOnly": {"type": "tag", "values": TAGS}, "rules": left}
    _no_violations(page, {"include": [inside], "exclude": ["[data-alike]"]}, options)
    _colours_are_clean(page, inside)


def _colours_are_clean(page: Page, inside: str) -> None:
    if page.evaluate(f"(inside) => {MARKS}.texts(inside)", inside):
        _no_violations(page, {"include": ["[data-text]"]}, {"runOnly": COLOURS})


def _no_violations(page: Page, context: dict[str, Any], options: dict[str, Any]) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    run = "([context, options]) => axe.run(context, options).then((found) => found.violations)"
    found = page.evaluate(run, [context, {"resultTypes": ["violations"], "preload": False, **options}])
    said = [f"{v['id']}: {v['help']}: {n['target']} {n['failureSummary']}" for v in found for n in v["nodes"][:3]]
    assert not said, "\n".join(said)
