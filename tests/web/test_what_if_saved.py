"""What fewer commits save, on the page as in the engine: the fewer are left, the more is saved."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.commit_batching_savings import LESS, saved_at_least
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.web.presenters.commit import fewer_commits_savings as commit_what_if
from awrdiff.web.presenters.commit import figure_texts as commit_words
from tests.unit.analysis.commit_builders import committing

SIDE = commit_words.SideLabel("", "first", 0)


def bounds() -> dict[str, commit_words.Shown]:
    """The rows of the page for one report of 72 s of log file sync: what is saved, by what is left of the commits."""
    found = commit_latency((Side(committing(lfs=(36_000, 72.0))),))
    view = commit_what_if.present(found.what_if, found.reports, (SIDE,), 0, assume=False)
    return {factor: figures[0] for factor, figures, _ in view["rows"]}


def test_the_fewer_commits_the_more_is_saved():
    assert {factor: figure.text for factor, figure in bounds().items()} == {
        "1/100": "71.3 s",
        "1/10": "64.8 s",
        "1/4": "54.0 s",
        "1/2": "36.0 s",
        "3/4": "18.0 s",
    }


@pytest.mark.parametrize(("label", "factor"), LESS)
def test_the_page_says_what_the_engine_reckons(label, factor):
    (total,) = commit_latency((Side(committing(lfs=(36_000, 72.0))),)).what_if.removable_s
    saved = saved_at_least(total, factor)
    assert float(bounds()[label].text.removesuffix(" s")) == pytest.approx(saved.value, abs=0.05)
