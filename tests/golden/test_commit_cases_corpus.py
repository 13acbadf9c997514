"""`manage.py compare` on real pairs that have the events: `commit_latency` has the form that scripts rely on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from awrdiff.analysis.export.formats import FORMATS
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Report
from tests.harness.corpus import beside, of_kinds

pytestmark = pytest.mark.corpus

KINDS = ("awr", "awr_pdb", "awr_global", "statspack")
# Every report once, against one of another database, release, kind or format: this many places further on.
FURTHER = 7
ESTIMATES = (
    "lfs_waits", "lfs_avg_s", "lfpw_avg_s", "naive_overhead_s", "naive_share", "measured_overhead_s",
    "waiter_weighted_write_s", "group_commit", "calls_per_commit",
)  # fmt: skip
# What a figure cannot be had without: a report that lacks the figure names at least one of them.
LACKING = ("log file", "redo", "stages", "histogram", "instance activity", "DB time", "user", "waits")
CONFIDENCES = ("proven", "high", "medium", "low", "note")


def with_the_events(corpus: Path) -> list[Report]:
    """In the order of their names: those of one database follow each other."""
    return [r for r in of_kinds(corpus, *KINDS) if "log file sync" in Side(r).foreground]


def chosen_pairs(found: list[Report]) -> Iterator[tuple[Report, Report]]:
    """Those of one database that follow each other, and each report in a pair with one that is not its neighbour."""
    yield from ((a, b) for a, b in pairwise(found) if a.database.dbid == b.database.dbid)
    for at, report in enumerate(found[::2]):
        yield report, found[(2 * at + FURTHER) % len(found)]


def printed(corpus: Path, first: Report, second: Report) -> dict[str, Any]:
    """What the command prints: one document."""
    written = "".join(FORMATS["json"]([beside(corpus, first, second)]))
    document: dict[str, Any] = json.loads(written, parse_constant=refuse)
    return document


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def test_the_command_prints_what_these_tests_look_at(corpus, tmp_path):
    first, second = with_the_events(corpus)[:2]
    out = StringIO()
    call_command("compare", str(corpus / first.name), str(corpus / second.name), "--format", "json", stdout=out)
    names = [str(corpus / r.name) for r in (first, second)]
    document, command = printed(corpus, first, second), json.loads(out.getvalue())
    assert [r["file"] for r in command["reports"]] == names
    assert command["commit_latency"] == document["commit_latency"]
    assert command["sections"] == document["sections"]


@pytest.mark.thorough
def test_every_pair_has_the_form_that_scripts_rely_on(corpus):
    found = with_the_events(corpus)
    pairs = list(chosen_pairs(found))
    assert {r.name for pair in pairs for r in pair} == {r.name for r in found}
    assert len(found) > 1
    for first, second in pairs:
        document = printed(corpus, first, second)
        latency, what = document["commit_latency"], f"{first.name} → {second.name}"
        # They are hours of a clock: no line through two of them is taken for what a commit costs.
        assert "The same work took" not in beside(corpus, first, second).summary, what
        assert len(latency["reports"]) == 2, what
        for figures in latency["reports"]:
            check_figures(figures, what)
        check_change(latency, what)
        check_causes(latency, document["sections"], what)
        check_what_if(latency["what_if"], what)


def check_figures(figures: dict[str, Any], what: str) -> None:
    for name in ESTIMATES:
        assert name in figures, (what, name)
        check_estimate(figures[name], (what, name))
        if figures[name] is None:
            assert any(word in m for m in figures["missing"] for word in LACKING), (what, name, figures["missing"])
    assert figures["lfs_waits"] is not None, what
    assert all(isinstance(m, str) and m for m in figures["missing"]), what
    naive, lfs, lfpw = figures["naive_overhead_s"], figures["lfs_avg_s"], figures["lfpw_avg_s"]
    if lfs and lfpw:
        assert naive["value"] == pytest.approx(lfs["value"] - lfpw["value"], rel=1e-6, abs=1e-9), what


def check_estimate(estimate: dict[str, Any] | None, what: object) -> None:
    if estimate is None:
        return
    assert list(estimate) == ["low", "value", "high"], what
    assert estimate["low"] <= estimate["value"] <= estimate["high"], (what, estimate)
    assert all(isfinite(v) for v in estimate.values()), (what, estimate)


def check_change(latency: dict[str, Any], what: str) -> None:
    first, second = latency["reports"]
    for name, estimate in latency["change"].items():
        check_estimate(estimate, (what, name))
    a, b, change = first["lfs_avg_s"], second["lfs_avg_s"], latency["change"]["lfs_avg_s"]
    assert (change is None) == (a is None or b is None), what
    if change is not None:
        assert change["value"] == pytest.approx(b["value"] - a["value"], rel=1e-6, abs=1e-12), what


def check_causes(latency: dict[str, Any], sections: list[dict[str, Any]], what: str) -> None:
    by_id = {s["id"]: s for s in sections}
    assert latency["material"] or latency["not_material"], what
    if not latency["material"]:
        assert {c["rule"] for c in latency["causes"]} <= {"commit-nowait", "commit-nowait-changed"}, what
    for cause in latency["causes"]:
        assert cause["rule"], what
        assert cause["confidence"] in CONFIDENCES, what
        assert cause["evidence"], (what, cause["rule"])
        for evidence in cause["evidence"]:
            section = by_id.get(evidence["section"])
            assert section is not None, (what, cause["rule"], evidence)
            assert evidence["column"] in [c["id"] for c in section["columns"]], (what, cause["rule"], evidence)
            assert has_row(section, evidence["key"]), (what, cause["rule"], evidence)


def has_row(section: dict[str, Any], key: str) -> bool:
    """Names are printed with and without a colon, and in either case; a section of one line has no names."""
    if not key:
        return [row["key"] for row in section["rows"]] == [{}]
    wanted = key.lower().rstrip(":")
    return any(wanted in [str(v).lower().rstrip(":") for v in row["key"].values()] for row in section["rows"])


def check_what_if(what_if: dict[str, Any], what: str) -> None:
    assert len(what_if["commits"]) == len(what_if["removable_s"]) == 2, what
    assert (what_if["fit"] is None) == bool(what_if["why_not"]), what
    for estimate in (*what_if["removable_s"], *what_if["without_s"]):
        check_estimate(estimate, what)
