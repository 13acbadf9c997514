"""A real server with its worker, a real Chromium; a test fails on any console or page error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.watch import Watched
from tests.harness.server import Server

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "invented"
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
expect.set_options(timeout=60_000)  # Playwright's own 5 s are too few on a busy machine


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("e2e"), AWRDIFF_LOCAL_USER="True", AWRDIFF_MAX_UPLOAD_MB="8")
    made.start(120)
    yield made
    made.stop()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        yield started
        started.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):  # type: ignore[no-untyped-def]
    report = yield
    if report.when == "call":
        item.stash[_FAILED] = report.failed
    return report


_FAILED = pytest.StashKey[bool]()


@pytest.fixture
def watched(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Watched]:
    """Opens browser contexts; afterwards checks that none reported an error, with a screenshot on failure."""
    made = Watched(browser)
    yield made
    folder = Path(os.environ.get("AWRDIFF_SCREENSHOTS", "var/screenshots"))
    if request.node.stash.get(_FAILED, True) or made.errors:
        made.screenshots(folder, request.node.name)
    made.close()
    assert not made.errors, made.errors


@pytest.fixture
def context(watched: Watched, server: Server) -> BrowserContext:
    return watched.context(base_url=server.url)


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture(scope="session")
def pair() -> tuple[Path, Path]:
    """Two report files the project built itself: the good hour and the bad one."""
    return CASES / "before.html", CASES / "after.html"


@pytest.fixture(scope="session")
def comparison_path(server: Server, pair: tuple[Path, Path]) -> str:
    """The path of a ready comparison of the pair."""
    client = server.client()
    ids = []
    for path in pair:
        answer = client.upload(path.name, path.read_bytes())
        assert answer.status == 201, answer.body
        ids.append(answer.json["id"])
    made = client.compare(*ids)
    assert client.settled(made)["state"] == "ready"
    return made
