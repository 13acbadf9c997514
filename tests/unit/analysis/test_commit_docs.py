"""docs/commit-latency.md names every rule and every stage that the code has."""

from __future__ import annotations

from pathlib import Path

import pytest

from awrdiff.analysis.commit_latency.causes import between, single, traced

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "commit-latency.md").read_text()
RULES = [r.rule for r in (*single.RULES, single.NOT_REDO_IO, *between.RULES, *traced.RULES)]


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_its_line(rule):
    assert f"| `{rule}` |" in DOCS


def test_no_rule_twice():
    assert len(set(RULES)) == len(RULES)


def test_no_line_without_a_rule():
    table = DOCS.split("| rule | fires when |")[1].split("\n\n")[0]
    named = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert sorted(named) == sorted(RULES)


@pytest.mark.parametrize(
    "stage", ["worker", "gather", "schedule", "issue", "I/O", "post-I/O", "broadcast", "posting", "queue", "wake-up"]
)
def test_every_stage_has_its_line(stage):
    assert f"| {stage} |" in DOCS
