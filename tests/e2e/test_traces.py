"""An LGWR trace in the browser: among the dropped files, attached to a comparison, and detached."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import check
from tests.unit.analysis.traces import Slow, Went, trace_text

# The pair is compared without a trace first: asked for again, it would be the comparison that has one.
pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("comparison_path")]

EVENTS = (
    Slow("2024-05-14 10:20:00.125", 812, 96),
    Went("2024-05-18T09:00:00"),
    Slow("2024-05-21 10:31:07.500", 1562, 640),
)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Of the instance that the invented pair is of."""
    path = tmp_path / "invented_lgwr_4711.trc"
    path.write_text(trace_text(EVENTS, instance="invented", host="invented-host.example", unique="invented"))
    return path


def test_two_reports_and_a_trace(page, pair, trace):
    page.goto("/")
    page.set_input_files("#files", [str(trace), str(pair[1]), str(pair[0])])
    page.wait_for_url(re.compile(r"/comparisons/"))
    leads = page.get_by_role("link", name="1 switch · 2 slow redo writes")
    expect(leads).to_be_visible(timeout=30_000)
    expect(page.locator(".strip > li")).to_have_count(2)
    leads.click()
    events = page.locator("#trace-events")
    expect(events).to_contain_text("1 switch · 2 slow redo writes")
    expect(page.locator(".traces")).to_contain_text(trace.name)
    places = events.locator(".events tbody td:nth-of-type(2)").all_inner_texts()
    assert places == ["First", "between", "Second"]


@pytest.mark.parametrize("reports", [0, 1])
def test_a_trace_without_two_reports(page, pair, trace, reports):
    page.goto("/")
    page.set_input_files("#files", [str(trace), *map(str, pair[:reports])])
    expect(page.locator("#outcome")).to_contain_text("two reports are needed beside it", timeout=30_000)
    assert "/comparisons/" not in page.url


def test_attach_and_detach(page, pair, trace):
    page.goto("/")
    page.set_input_files("#files", list(map(str, pair)))
    page.wait_for_url(re.compile(r"/comparisons/"))
    page.locator(".verdict").wait_for(timeout=30_000)
    address = f"{page.url}commit/"
    page.goto(address)
    expect(page.locator("#trace-events")).to_have_count(0)
    page.set_input_files("#attach-trace input[type=file]", str(trace))
    expect(page.locator("#trace-events")).to_contain_text("2 slow redo writes", timeout=30_000)
    assert page.url == address
    evidence = page.locator("#trace-events .events tbody tr").nth(2).get_attribute("id")
    page.goto(f"{address}#{evidence}")
    expect(page.locator("#trace-events tr:target")).to_contain_text("1.56")
    page.get_by_role("button", name=f"Detach {trace.name}").click()
    expect(page.locator("#attach-trace")).to_be_visible(timeout=30_000)
    expect(page.locator("#trace-events")).to_have_count(0)
    assert page.url.split("#")[0] == address


def test_a_report_is_not_attached(page, watched, pair, comparison_path):
    watched.expect_errors("400")
    page.goto(f"{comparison_path}commit/")
    page.set_input_files("#attach-trace input[type=file]", str(pair[0]))
    expect(page.locator("#attach-trace [role=status]")).to_contain_text("is not an LGWR trace", timeout=30_000)


def test_a_report_alone_with_its_trace(page, pair, trace):
    page.goto("/")
    page.set_input_files("#files", [str(trace), str(pair[0])])
    page.get_by_role("button", name="Look at the report alone, with the trace").click(timeout=30_000)
    page.wait_for_url(re.compile(r"/reports/[^/]+/$"))
    events = page.locator("#trace-events")
    expect(events).to_contain_text("1 switch · 2 slow redo writes")
    assert events.locator(".events tbody td:nth-of-type(2)").all_inner_texts() == [
        "in the window",
        "outside",
        "outside",
    ]
    check(page)
    page.keyboard.press("c")
    page.wait_for_url(re.compile("/commit/"))
    expect(page.locator("#trace-events")).to_contain_text("in the window")
    page.go_back()
    page.get_by_role("button", name=f"Detach {trace.name}").click()
    expect(page.locator("#trace-events")).to_have_count(0)
    with page.expect_navigation():
        page.set_input_files("#attach-trace input[type=file]", str(trace))
    expect(page.locator("#trace-events")).to_contain_text("2 slow redo writes")
