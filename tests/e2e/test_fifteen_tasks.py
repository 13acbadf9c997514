"""What people come for, by mouse and by finger: each in at most three actions. A click, a few words typed, files let go
and a scroll are one each: what is clicked is in view, or a scroll more is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.test_baselines import mondays  # noqa: F401 - a fixture
from tests.harness.server import Server
from tests.robustness.takeover.make import manage
from tests.unit.parsers.kind_pages import global_report

pytestmark = pytest.mark.e2e

MOST_ACTIONS = 3
SIZES = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1280, "height": 900}}
LIBRARY = 40
# Whether its middle is to be seen: in the window, and not below a bar, a panel or the end of a box that scrolls.
SEEN = """element => {
  const box = element.getBoundingClientRect();
  const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return Boolean(there && (element.contains(there) || there.contains(element)));
}"""
# A library: comparisons of the same reports, one a day back, nothing in them; the real one was made yesterday.
FILL = """
from datetime import timedelta
from django.utils import timezone
from awrdiff.comparisons.models import Comparison, ComparisonReport
real = Comparison.objects.get(pk="{pk}")
now = timezone.now()
days = [n for n in range({count}) if n != 1]
made = [Comparison(team=real.team, state=real.state, title=f"Walk {{n}}", engine_version=real.engine_version) for n in days]
Comparison.objects.bulk_create(made)
for n, one in zip(days, made, strict=True):
    Comparison.objects.filter(pk=one.pk).update(created_at=now - timedelta(days=n))
places = list(real.places.all())
ComparisonReport.objects.bulk_create(
    ComparisonReport(comparison=one, report=p.report, position=p.position) for one in made for p in places)
Comparison.objects.filter(pk=real.pk).update(created_at=now - timedelta(days=1))
"""
EMPTY = """
from django.utils import timezone
from awrdiff.comparisons.models import Comparison
Comparison.objects.filter(title__startswith="Walk ").delete()
Comparison.objects.filter(pk="{pk}").update(created_at=timezone.now())
"""


@dataclass
class Walk:
    """A page, and how often its reader has done something."""

    page: Page
    actions: int = 0

    @property
    def is_narrow(self) -> bool:
        size = self.page.viewport_size
        return size is not None and size["width"] <= 960

    def open(self, path: str) -> None:
        self.actions = 0
        self.page.goto(path)
        self.page.wait_for_load_state("networkidle")

    def click(self, target: Locator) -> None:
        target.wait_for(state="attached")
        if not target.evaluate(SEEN):
            target.scroll_into_view_if_needed()
            self.actions += 1
        target.tap() if self.is_narrow else target.click()
        self.actions += 1

    def type(self, words: str) -> None:
        """Into what has the focus."""
        self.page.keyboard.type(words)
        self.actions += 1

    def drop(self, files: list[Path]) -> None:
        self.page.set_input_files("#files", [str(path) for path in files])
        self.actions += 1

    def section(self, section: str) -> Locator:
        """By the list of sections, which a narrow window has behind a button."""
        if self.is_narrow:
            self.click(self.page.locator(".rail-button"))
        self.click(self.page.locator(f'.rail a[data-s="{section}"]'))
        expect(self.page.locator(f"#{section} tbody tr").first).to_be_in_viewport()
        return self.page.locator(f"#{section}")

    def find(self, words: str, found: str | None = None) -> None:
        """By the box that finds: the button, the words, what was found."""
        self.click(self.page.locator("[data-find]"))
        with self.page.expect_response(lambda answer: parse_qs(urlsplit(answer.url).query).get("q") == [words]):
            self.type(words)  # what was found meanwhile, for the letters before, is another list
        expect(self.page.locator("#find-list a").first).to_be_visible()
        self.click(self.page.locator("#find-list a", has_text=found or words).first)


@pytest.fixture(params=SIZES)
def walk(watched, server: Server, request) -> Iterator[Walk]:
    context = watched.context(base_url=server.url, viewport=SIZES[request.param], has_touch=request.param == "phone")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    made = Walk(context.new_page())
    yield made
    assert made.actions <= MOST_ACTIONS


@pytest.fixture(scope="module")
def library(server: Server, comparison_path: str) -> Iterator[str]:
    pk = comparison_path.split("/")[2]
    manage(server, "shell", "-c", FILL.format(pk=pk, count=LIBRARY))
    yield comparison_path
    manage(server, "shell", "-c", EMPTY.format(pk=pk))


def clipboard(page: Page) -> str:
    found: str = page.evaluate("navigator.clipboard.readText()")
    return found


def test_which_parameter_changed(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    walk.find("init parameters", "Initialization Parameters")
    row = walk.page.locator("#init_parameters tbody tr", has_text="parallel_max_servers")
    expect(row).to_be_in_viewport()
    expect(row).to_contain_text("160")


def test_how_long_a_read_takes(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    walk.find("db file sequential read")
    expect(walk.page.locator("#panel .drawn svg").first).to_be_in_viewport()
    expect(walk.page.locator("#panel .percentiles").first).to_be_visible()


def test_the_summary_for_the_ticket(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    walk.click(walk.page.locator("summary", has_text="Export"))
    walk.click(walk.page.locator("[data-copy-ticket]"))
    expect(walk.page.locator("#copied-link")).to_contain_text("copied")
    assert clipboard(walk.page).startswith("First: ")


def test_which_statement_got_worse_per_execution(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    walk.section("sql_by_elapsed_time")
    walk.click(walk.page.locator("#sql_by_elapsed_time tbody th a.to").first)
    panel = walk.page.locator("#panel")
    expect(panel.locator("pre").first).to_be_visible()
    figures = panel.locator("table.twice")
    each = figures.locator("tbody tr").first.locator("td")
    for place in (3, 4, 5):  # First, Second and the change, with nothing moved sideways
        expect(each.nth(place)).to_be_in_viewport(ratio=1)


def test_a_row_for_a_colleague(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    section = walk.section("foreground_wait_events")
    row = section.locator("tbody tr").first
    if not walk.is_narrow:
        row.hover()
    walk.click(row.locator("a.pl"))
    expect(walk.page.locator("#copied-link")).to_contain_text("Link to this row copied")
    assert re.search(r"#foreground_wait_events/\w+$", clipboard(walk.page))


def test_today_against_the_last_three_mondays(walk: Walk, mondays: list[Path]):  # noqa: F811 - a fixture
    walk.open("/")
    walk.drop(mondays[-4:])
    walk.page.wait_for_url(re.compile(r"/comparisons/.*baseline=0,1,2&second=3"))
    expect(walk.page.locator(".verdict")).to_be_visible(timeout=60_000)
    expect(walk.page.locator("#summary")).to_contain_text("the median of 3 reports")


def test_hot_objects(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    walk.find("segments by", "Segments by Logical Reads")
    expect(walk.page.locator("#segments_by_logical_reads tbody tr").first).to_be_in_viewport()


def test_everything_about_one_statement(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    walk.find("5ty1pj8ra3gk7")
    expect(walk.page.locator("#entity-h")).to_contain_text("5ty1pj8ra3gk7")
    expect(walk.page.locator("#panel pre").first).to_be_visible()


def test_yesterdays_comparison_of_forty(walk: Walk, library: str):
    walk.open("/")
    walk.click(walk.page.locator("#find"))
    walk.type("yesterday before.html")
    expect(walk.page.locator("h2", has_text="Found for")).to_be_visible()
    walk.click(walk.page.locator(f'.work a[href="{library}"]'))
    walk.page.wait_for_url(f"**{library}")


def test_what_moved_by_less_than_five_percent_is_hidden(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    choice = walk.page.locator("[data-material-choice]")
    if walk.is_narrow:
        choice.evaluate("choice => choice.scrollIntoView({ inline: 'center' })")
        walk.actions += 1
    choice.select_option("5")
    walk.actions += 2  # the list opens, one of it is chosen
    expect(walk.page).to_have_url(re.compile("material=5"))
    expect(walk.page.locator("#ranked")).to_contain_text("below 5 %")


def test_from_a_finding_to_its_evidence_and_back(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    finding = walk.page.locator(".find > li").first
    finding.scroll_into_view_if_needed()  # the way begins at the finding
    walk.click(finding.locator("summary"))
    link = finding.locator(".ev a[href*='/']").first
    walk.click(link)
    expect(walk.page.locator("tr.aim")).to_be_in_viewport()
    walk.page.go_back()
    walk.actions += 1
    expect(link).to_be_in_viewport()
    expect(link).to_be_focused()


def test_one_section_as_csv(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    section = walk.section("foreground_wait_events")
    with walk.page.expect_download() as taken:
        walk.click(section.locator(".take a"))
    assert "foreground_wait_events" in taken.value.suggested_filename


def test_why_a_statement_is_not_there(walk: Walk, comparison_path: str):
    walk.open(comparison_path)
    walk.click(walk.page.locator("[data-find]"))
    walk.type("8k507ua6gpr5z")
    expect(walk.page.locator("#find-list")).to_contain_text("for no longer than the last here")


def test_a_wrong_upload_is_undone(walk: Walk, mondays: list[Path]):  # noqa: F811 - a fixture
    walk.open("/")
    walk.drop(mondays[-4:])
    walk.page.wait_for_url(re.compile(r"/comparisons/"))
    expect(walk.page.locator(".verdict")).to_be_visible(timeout=60_000)
    walk.actions = 0
    walk.page.once("dialog", lambda asked: asked.accept())
    walk.click(walk.page.get_by_label("More: add reports, rename or delete"))
    walk.click(walk.page.locator(".menu[open]").get_by_role("button", name="Remove").first)
    expect(walk.page.locator("#summary")).to_contain_text("the median of 2 reports", timeout=60_000)


def test_a_global_report_by_instance(walk: Walk):
    pages = {"cluster-a.html": global_report(), "cluster-b.html": global_report(elapsed=("30.00", "30.00"))}
    walk.open("/")
    files = [{"name": name, "mimeType": "text/html", "buffer": data} for name, data in pages.items()]
    walk.page.set_input_files("#files", files)
    walk.page.wait_for_url(re.compile(r"/comparisons/"))
    expect(walk.page.locator(".verdict")).to_be_visible(timeout=60_000)
    one = walk.page.get_by_role("group", name="Both look at").get_by_role("button", name="instance 1")
    walk.click(one)
    expect(one).to_have_attribute("aria-pressed", "true", timeout=30_000)
