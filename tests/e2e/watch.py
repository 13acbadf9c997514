"""Browser contexts whose errors are kept, and pictures of what was on the screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page


class Watched:
    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: list[BrowserContext] = []
        self.errors: list[str] = []
        self.expected: list[re.Pattern[str]] = []
        self.settled = False

    def context(self, **options: Any) -> BrowserContext:
        # What turns while a page waits would be drawn sixty times a second.
        usual = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
        made = self.browser.new_context(**{**usual, **options})
        made.set_default_timeout(60_000)
        made.on("page", self._watch)
        self.contexts.append(made)
        return made

    def expect_errors(self, pattern: str) -> None:
        """Console errors a test brings about on purpose: a refused file is a 4xx answer the browser reports."""
        self.expected.append(re.compile(pattern))

    def settle(self) -> None:
        """End of the watch once the requests under way are answered: before a fixture removes what open pages poll."""
        for page in (page for context in self.contexts for page in context.pages):
            page.wait_for_load_state("networkidle")
        self.settled = True

    def _watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", self._page_error)

    def _page_error(self, error: Error) -> None:
        if not self.settled:
            self.errors.append(f"page error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if self.settled or message.type not in ("error", "warning"):
            return
        if not any(p.search(message.text) for p in self.expected):
            self.errors.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def screenshots(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        pages = [page for context in self.contexts for page in context.pages]
        for number, page in enumerate(pages):
            page.screenshot(path=folder / f"{re.sub(r'[^a-z0-9_-]+', '-', name.lower())}-{number}.png", full_page=True)

    def close(self) -> None:
        for context in self.contexts:
            context.close()
