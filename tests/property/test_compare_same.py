"""A report compared with itself: nothing changed anywhere. Compared the other way round: the same, mirrored."""

from __future__ import annotations

from itertools import takewhile
from math import isclose

import pytest
from hypothesis import HealthCheck, given, settings

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Comparison
from fixtures.stories import invented
from fixtures.writer import LAYOUTS, Model, write
from parsers import Report, parse_report
from tests.fuzz_documents import built
from tests.property.strategies import layout_and, models

REPORTS = {name: parse_report(data) for name, data in built() if name not in ("trace", "wrapped")}
BEFORE = {name: parse_report(write(invented.before(modern=name != "11.2"), layout)) for name, layout in LAYOUTS.items()}
OTHER_SIDE = {"only_first": "only_second", "only_second": "only_first"}
SLOW = settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))


def nothing_changed(report: Report) -> None:
    comparison = compare_reports(report, report)
    for section in comparison.sections:
        assert [r.key for r in section.rows if r.status != "same"] == [], section.id
        for row in section.rows:
            for column, delta in row.values.items():
                assert not delta.significant, (section.id, column)
                assert not delta.significant_per_s, (section.id, column)
                assert not delta.diff, (section.id, column)


def rows_of(section: ComparedSection) -> dict[str, ComparedRow]:
    return {r.row_id: r for r in section.rows}


def mirrored(first: Report, second: Report) -> None:
    """Every row's status, figures, difference and significance are those of the other direction, turned round."""
    there, back = compare_reports(first, second), compare_reports(second, first)
    assert sorted(s.id for s in there.sections) == sorted(s.id for s in back.sections)
    for section in there.sections:
        same = section_of(back, section.id)
        ours, theirs = rows_of(section), rows_of(same)
        assert ours.keys() == theirs.keys(), section.id
        for key, row in ours.items():
            other = theirs[key]
            assert OTHER_SIDE.get(row.status, row.status) == other.status, (section.id, key)
            for column, delta in row.values.items():
                turned = other.values[column]
                what = (section.id, key, column)
                assert (delta.first, delta.second) == (turned.second, turned.first), what
                assert (delta.significant, delta.significant_per_s) == (turned.significant, turned.significant_per_s), (
                    what
                )
                if delta.diff is None:
                    assert turned.diff is None, what
                else:
                    assert isclose(delta.diff, -turned.diff, rel_tol=1e-9, abs_tol=1e-12), what


def section_of(comparison: Comparison, section_id: str) -> ComparedSection:
    return next(s for s in comparison.sections if s.id == section_id)


@SLOW
@given(layout_and(models))
def test_any_report_against_itself(drawn: tuple[str, Model]) -> None:
    nothing_changed(parse_report(write(drawn[1], LAYOUTS[drawn[0]])))


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_of_each_kind_against_itself(name: str) -> None:
    nothing_changed(REPORTS[name])


@pytest.mark.parametrize("name", LAYOUTS)
def test_an_hour_against_the_next_and_back(name: str) -> None:
    mirrored(BEFORE[name], REPORTS[name])


@pytest.mark.parametrize("name", REPORTS)
def test_kinds_and_layouts_against_each_other_and_back(name: str) -> None:
    """Each against those before it."""
    for other in takewhile(lambda other: other != name, REPORTS):
        mirrored(REPORTS[other], REPORTS[name])
