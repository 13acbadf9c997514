"""Every rule on commits says when it fires, and docs/commit-latency.md names every stage that the code has."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_args

import pytest

from awrdiff.analysis.commit_latency import figure_catalogue
from awrdiff.analysis.export.json_encoding import commit_dict
from awrdiff.analysis.model.commit_latency import CommitFigures, CommitLatency, Polling, StageId
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from tests.documents.causes import RULES

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "commit-latency.md").read_text()


def test_no_rule_twice_and_each_says_when_it_fires():
    assert len({rule.rule for rule in RULES}) == len(RULES)
    assert [rule.rule for rule in RULES if not inspect.getdoc(rule.test)] == []


@pytest.mark.parametrize(
    "stage", ["worker", "gather", "schedule", "issue", "I/O", "post-I/O", "broadcast", "posting", "queue", "wake-up"]
)
def test_every_stage_has_its_line(stage):
    assert f"| {stage} |" in DOCS


def test_a_figure_of_the_catalogue_is_a_field():
    polling = Polling(Estimate(1, 1, 1), Estimate(1, 1, 1))
    of = {name: Estimate(1, 1, 1) for name, kind in CommitFigures.__annotations__.items() if "Estimate" in kind}
    figures = CommitFigures(**of, polling=polling)
    assert all(figure_catalogue.value_of(f.name, figures) is not None for f in figure_catalogue.FIGURES)
    assert {f.name for f in figure_catalogue.FIGURES if "." not in f.name} == set(of)


def test_every_stage_is_in_the_catalogue_in_its_order():
    assert [s.id for s in figure_catalogue.STAGES] == list(get_args(StageId))


def test_the_document_carries_the_catalogue():
    told = commit_dict(CommitLatency(reports=()))["catalogue"]
    assert told["figures"]["naive_share"] == {
        "label": "outside the redo write, of a wait",
        "unit": "share",
        "derived": "1 − LFPW ÷ LFS",
        "rows": ["log file sync", "log file parallel write"],
        "better": "lower",
    }
    assert told["stages"]["io"]["derived"] == "finish − (issue or schedule)"


@pytest.mark.parametrize(
    ("name", "estimate", "text"),
    [
        ("lfs_avg_s", Estimate(0.0, 0.0, 0.0005), "under 500 µs"),
        ("typical_overhead_s", Estimate(0.001, 0.002, 0.003), "1.00 ms … 3.00 ms"),
        ("naive_share", Estimate(0.4, 0.5, 0.6), "50 %"),
    ],
)
def test_how_a_figure_is_written(name, estimate, text):
    (figure,) = figure_catalogue.figures(name)
    assert figure_catalogue.text_of(figure, estimate) == text
