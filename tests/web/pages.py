"""What the page tests share: a stored comparison out of hand-built objects, and a check of the markup."""

from __future__ import annotations

from html.parser import HTMLParser

from django.db import transaction

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons import search_index
from awrdiff.comparisons.files import place
from awrdiff.comparisons.models import Comparison, ComparisonSection, current_version
from awrdiff.comparisons.result_storage import pack_overviews, section_rows
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from tests.web.compared import comparison


def store_comparison(access: AccessContext, reports: list[Report], computed: Computed | None = None) -> Comparison:
    """A ready comparison as the worker leaves it."""
    computed = computed or comparison()
    made = Comparison.objects.create(
        team=access.team,
        created_by=access.user,
        state=State.READY,
        engine_version=current_version(),
        overview=pack_overviews([computed]),
    )
    with transaction.atomic():
        place(made, reports, [""] * len(reports))
    sections = section_rows(made, 0, computed)
    ComparisonSection.objects.bulk_create(sections)
    search_index.write(made, search_index.words_of([computed], sections))
    return made


def body(answer) -> bytes:
    """All of it, whether it is streamed or not."""
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


class _Markup(HTMLParser):
    VOID = frozenset({"meta", "link", "input", "br", "img", "hr", "line", "rect", "progress"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.problems: list[str] = []
        self.scripts: list[dict[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.problems += [f"{tag} has {name}" for name in found if name.startswith("on")]
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "script":
            self.scripts.append(found)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")


def check_markup(html: str) -> None:
    """Tags nest, ids are unique, no inline script or handler."""
    markup = _Markup()
    markup.feed(html)
    assert not markup.problems, markup.problems
    assert not markup.open, markup.open
    twice = {i for i in markup.ids if markup.ids.count(i) > 1}
    assert not twice, twice
    assert all("src" in s for s in markup.scripts), markup.scripts
