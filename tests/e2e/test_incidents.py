"""An incident in two tabs of one browser; from its comparison to the post-mortem: test_team_journey.py."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import check

pytestmark = pytest.mark.e2e


def test_two_tabs_that_change_one_incident(watched, page: Page, comparison_path, context):
    watched.expect_errors("409")
    page.goto(comparison_path)
    page.get_by_label("More: add reports, rename or delete").click()
    page.get_by_role("button", name="Make an incident of this").click()
    page.wait_for_url(re.compile(r"/incidents/"))
    address, first, second = f"{page.url}edit/", page, context.new_page()
    for tab in (first, second):
        tab.goto(address)
    second.get_by_label("Summary").fill("The array was slow.")
    second.get_by_role("button", name="Save").click()
    expect(second.locator(".inc-head")).to_be_visible()
    first.get_by_label("Summary").fill("Redo logs are too small.")
    first.get_by_role("button", name="Save").click()
    expect(first.get_by_role("alert")).to_contain_text("while you were writing")
    expect(first.get_by_label("Summary")).to_have_value("Redo logs are too small.")
    expect(first.locator(".theirs")).to_contain_text("The array was slow.")
    check(first)
    first.get_by_role("button", name="Save mine").click()
    expect(first.locator(".prose").first).to_have_text("Redo logs are too small.")
