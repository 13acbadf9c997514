"""Reports with commits in them, stored, and their commit latency page."""

from __future__ import annotations

import re

from django.urls import reverse
from lxml import html as markup
from msgspec.structs import replace

from awrdiff.comparisons.services import create_comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.processing.models import State
from awrdiff.reports.models import Report, ReportSection
from awrdiff.reports.tasks import header_columns, section_rows
from parsers import PARSER_VERSION
from tests.unit.analysis.builders import exact, os_statistics
from tests.unit.analysis.commit_builders import USUAL, committing, histogram, stages
from tests.web.pages import check_markup

SHAPES = histogram({
    "log file sync": (exact(36_000), [None, 20.0, 60.0, 20.0, 0.0, None, None]),
    "log file parallel write": (exact(30_000), [None, 92.0, 8.0, None, None, None, None]),
})  # fmt: skip


def committed(**more):
    """Commits that wait for something besides the write, on a busy host, with the log writer's own stages."""
    statistics = {"user calls": 90_000, "user commits": 30_000, "redo size": 3_000_000, "redo synch writes": 36_000}
    chosen = {
        "lfs": (36_000, 108.0),
        "statistics": {**stages(**USUAL), **statistics, **more.pop("moved", {})},
        "more": [SHAPES, os_statistics(95, 5)],
        "release": "12.1.0.2.0",
        **more,
    }
    return committing(**chosen)


def run(commits: int, elapsed: float, work: int = 0, lfs: tuple[float, float] = (36_000, 72.0)):
    done = {"db block changes": work} if work else {}
    return committing(
        statistics={"user commits": commits, **done}, elapsed=elapsed, db_time=elapsed, lfs=lfs, begin_snap=commits
    )


def stored(owner, *reports):
    """A comparison of these reports, computed by the real engine."""
    kept = [keep(owner, r, f"{i}.html") for i, r in enumerate(reports)]
    made = create_comparison(owner, kept, order_by_time=False)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.state == State.READY, made.error
    return made


def keep(owner, parsed, name="one.html") -> Report:
    parsed = replace(parsed, name=name)
    report = Report.objects.create(
        team=owner.team, uploaded_by=owner.user, name=name, size=10, sha256=f"{abs(hash(name)):064x}"[:64],
        file=f"reports/{name}", state=State.READY, parser_version=PARSER_VERSION, **header_columns(parsed),
    )  # fmt: skip
    ReportSection.objects.bulk_create(section_rows(report, parsed))
    return report


def page(client, made, **query) -> str:
    answer = client.get(reverse("comparison-commit", args=[made.pk]), query)
    assert answer.status_code == 200
    html = answer.content.decode()
    check_markup(html)
    return html


def row_of(html: str, label: str) -> str:
    """The table row that begins with this label, without its tags."""
    rows = [re.sub(r"<[^>]+>", " ", r) for r in re.findall(r"<tr.*?</tr>", html, re.S)]
    return next(" ".join(r.split()) for r in rows if " ".join(r.split()).startswith(label))


def words_at_once(page_html: str) -> int:
    """Words of the page's main part before anything is opened: of what is folded its summary alone."""
    main = markup.fromstring(page_html).find(".//main")
    folded = ".//details[not(@open)]/*[not(self::summary)] | .//*[@hidden] | .//*[@class='vh'] | .//svg"
    for hidden in main.xpath(folded):
        hidden.drop_tree()
    return len(main.text_content().split())
