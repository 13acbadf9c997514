"""People in real browsers: letting them in, inviting, joining, a security key, a guest; every page accessible."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.axe import check
from tests.e2e.conftest import CASES
from tests.e2e.watch import Watched
from tests.harness.server import Server
from tests.robustness.takeover.make import ACCOUNTS, manage

pytestmark = pytest.mark.e2e
PASSWORD = "seven lamps of green tin"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server as it starts by itself."""
    made = Server(tmp_path_factory.mktemp("people"))
    made.start(120)
    yield made
    made.stop()
    assert not made.faults()


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server where everybody signs in."""
    made = Server(tmp_path_factory.mktemp("accounts"), **ACCOUNTS)
    made.start(120)
    for name in ("olivia", "nina"):
        manage(made, "add_user", name, "--team", "Payments", AWRDIFF_PASSWORD=PASSWORD)
    yield made
    made.stop()
    assert not made.faults()


def sign_in(page: Page, name: str) -> None:
    page.get_by_label("Name or e-mail address").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def with_authenticator(context: BrowserContext, page: Page) -> None:
    """Chromium's own virtual security key."""
    client = context.new_cdp_session(page)
    client.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "usb", "hasResidentKey": True, "hasUserVerification": True}
    client.send(
        "WebAuthn.addVirtualAuthenticator",
        {"options": {**options, "isUserVerified": True, "automaticPresenceSimulation": True}},
    )


def confirm_password(page: Page) -> None:
    """Where it is asked for."""
    if page.get_by_role("heading", name="Is it you?").count():
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()
        expect(page.get_by_role("heading", name="Is it you?")).to_have_count(0)


def test_from_one_local_user_to_a_team(watched: Watched, team: Server) -> None:
    client = team.client()
    ids = [client.upload(name, (CASES / name).read_bytes()).json["id"] for name in ("before.html", "after.html")]
    comparison = client.compare(*ids)
    assert client.settled(comparison)["state"] == "ready"

    context = watched.context(base_url=team.url)
    owner = context.new_page()
    owner.goto("/")
    owner.get_by_role("link", name="Let people in").click()
    expect(owner.get_by_role("heading", name="Let people in", level=1)).to_be_visible()
    check(owner)
    owner.get_by_role("button", name="Let people in").click()
    owner.get_by_label("Name", exact=True).fill("olivia")
    owner.get_by_label("Password", exact=True).fill("short")
    owner.get_by_role("button", name="Become the owner").click()
    expect(owner.get_by_role("alert").first).to_be_visible()
    check(owner)
    owner.get_by_label("Password", exact=True).fill(PASSWORD)
    owner.get_by_role("button", name="Become the owner").click()
    expect(owner.locator("#files")).to_be_attached()

    stranger = watched.context(base_url=team.url).new_page()
    stranger.goto(comparison)
    expect(stranger.get_by_role("heading", name="Sign in")).to_be_visible()
    check(stranger)

    owner.get_by_text("olivia").first.click()
    owner.get_by_role("link", name="People").click()
    nina = invite(owner, watched, team, "nina@example.com", "member")
    nina.goto(comparison)
    expect(nina.get_by_role("button", name="Share")).to_be_visible()

    gus = invite(owner, watched, team, "gus@example.com", "guest")
    expect(gus.locator("main")).to_contain_text("Nothing is shown to you yet")
    check(gus)
    owner.goto(comparison)
    owner.get_by_role("button", name="Share").click()
    owner.get_by_role("button", name="Show it to gus").click()
    owner.get_by_role("button", name="Share").click()
    expect(owner.get_by_role("button", name="Hide it from gus")).to_be_visible()
    check(owner)
    gus.goto("/")
    gus.get_by_role("link", name=re.compile("before|after|INVENTED|→|vs", re.I)).first.click()
    expect(gus.locator("#summary")).to_be_visible()
    expect(gus.get_by_role("button", name="Share")).to_have_count(0)

    owner.goto("/people/")
    check(owner)
    owner.get_by_label("Remove gus").click()
    watched.expect_errors("403")  # his open page asks for what is new by itself
    owner.get_by_role("button", name="Remove gus from the team").click()
    gus.goto(comparison)
    expect(gus.locator("main")).to_contain_text("You are not on a team")


def invite(owner: Page, watched: Watched, team: Server, email: str, role: str) -> Page:
    """Whoever is invited, signed up and on the team."""
    owner.get_by_label("E-mail address").fill(email)
    owner.get_by_label("Role", exact=True).select_option(role)
    owner.get_by_role("button", name="Invite", exact=True).click()
    address = owner.get_by_label("Address of the invitation").input_value()
    check(owner)
    page = watched.context(base_url=team.url).new_page()
    page.goto(address)
    assert page.url == f"{team.url}/join/"
    check(page)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page).to_have_url(f"{team.url}/")
    return page


def test_a_security_key_is_added_and_asked_for(watched: Watched, accounts: Server) -> None:
    context = watched.context(base_url=accounts.url)
    page = context.new_page()
    with_authenticator(context, page)
    page.goto("/login/")
    sign_in(page, "nina")
    page.goto("/account/second-factor/")
    check(page)
    with page.expect_navigation():
        page.get_by_role("link", name="Add a key").click()
    confirm_password(page)
    expect(page.get_by_label("Name")).to_be_visible()
    check(page)
    page.get_by_label("Name").fill("Key of the desk")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    check(page)
    page.goto("/account/second-factor/keys/")
    expect(page.locator("main")).to_contain_text("Key of the desk")
    check(page)

    page.get_by_text("nina").first.click()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/login/")
    sign_in(page, "nina")
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    check(page)
    page.goto("/people/")  # the password alone opens nothing
    expect(page).to_have_url(re.compile("/login/second-factor/"))
    page.get_by_role("button", name="Use a security key").click()
    expect(page.locator("#files")).to_be_attached()


@pytest.mark.parametrize(
    "path",
    [
        *("/account/email/", "/account/password/", "/account/sessions/", "/account/second-factor/app/", "/password/"),
        *("/people/", "/team/", "/team/old-reports/?days=70&hours=3", "/audit/", "/notices/"),
    ],
)
def test_pages_of_an_account_are_accessible(watched: Watched, accounts: Server, path: str) -> None:
    page = watched.context(base_url=accounts.url).new_page()
    if path != "/password/":
        page.goto("/login/")
        sign_in(page, "olivia")
        expect(page.locator("#files")).to_be_attached()
    page.goto(path)
    confirm_password(page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    check(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
