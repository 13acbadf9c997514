"""Signing in and out in a real browser: with accounts, and with the local user's token."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.watch import Watched
from tests.harness.server import ROOT, Server

pytestmark = pytest.mark.e2e
PASSWORD = "seven lamps of green tin"
ACCOUNTS = {"AWRDIFF_LOCAL_USER": "False", "AWRDIFF_HTTPS": "False", "AWRDIFF_ALLOWED_HOSTS": "localhost,127.0.0.1"}


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("accounts"), **ACCOUNTS)
    made.start()
    command = [sys.executable, "manage.py", "add_user", "olivia", "--team", "Payments"]
    subprocess.run(command, cwd=ROOT, env={**made.env, "AWRDIFF_PASSWORD": PASSWORD}, check=True)
    yield made
    made.stop()


def sign_in(page: Page, password: str) -> None:
    page.get_by_label("Name").fill("olivia")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_after_logging_out_back_shows_nothing(watched: Watched, accounts: Server) -> None:
    page = watched.context(base_url=accounts.url).new_page()
    page.goto("/")
    sign_in(page, PASSWORD)
    expect(page.locator("#files")).to_be_attached()
    page.locator("header summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/login/")
    page.go_back()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.locator("#files")).to_have_count(0)


def test_after_too_many_failures_the_page_says_when_to_come_again(watched: Watched, accounts: Server) -> None:
    watched.expect_errors("429")
    page = watched.context(base_url=accounts.url).new_page()
    page.goto("/login/")
    for _ in range(5):
        sign_in(page, "wrong-horse-Battery")
        expect(page.get_by_role("alert")).to_contain_text("Wrong name or password")
    accounts.database(
        "UPDATE accounts_spent SET times = 9"
    )  # the wait: 2 s are over soon on a busy machine, 32 are not
    sign_in(page, PASSWORD)
    expect(page.get_by_role("alert")).to_contain_text("Too many failed sign-ins: try again in")
    accounts.database("UPDATE accounts_spent SET last_at = datetime('now', '-10 minutes')")
    sign_in(page, PASSWORD)
    expect(page.locator("#files")).to_be_attached()


def test_the_token_opens_the_page_and_leaves_the_address(
    watched: Watched, tmp_path_factory: pytest.TempPathFactory
) -> None:
    watched.expect_errors("403")
    server = Server(tmp_path_factory.mktemp("token"), AWRDIFF_LOCAL_TOKEN="True")
    server.start()
    try:
        page = watched.context().new_page()
        page.goto(server.url)
        expect(page.locator("main")).to_contain_text(f"{server.var}{os.sep}local_address")
        page.goto((server.var / "local_address").read_text().strip())
        expect(page.locator("#files")).to_be_attached()
        assert page.url == f"{server.url}/"
        assert page.evaluate("document.cookie").count("awrdiff_local") == 0
        page.goto(f"{server.url}/")
        expect(page.locator("#files")).to_be_attached()
    finally:
        server.stop()
