"""A report compared with itself: nothing changed anywhere."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from fixtures.stories import invented
from fixtures.writer import LAYOUT_19, LAYOUT_112, LAYOUT_121, LAYOUTS, Layout, Model, write
from parsers import Report, parse_report
from tests.property.strategies import layout_and, models

BOTH = pytest.mark.parametrize("layout", [LAYOUT_19, LAYOUT_121, LAYOUT_112], ids=["19c", "12.1", "11.2"])


def nothing_changed(report: Report) -> None:
    from awrdiff.analysis.compare import compare_reports

    comparison = compare_reports(report, report)
    for section in comparison.sections:
        assert [r.key for r in section.rows if r.status != "same"] == [], section.id
        for row in section.rows:
            for column, delta in row.values.items():
                assert not delta.significant, (section.id, column)
                assert not delta.diff, (section.id, column)


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(layout_and(models))
def test_any_report_against_itself(drawn: tuple[str, Model]) -> None:
    nothing_changed(parse_report(write(drawn[1], LAYOUTS[drawn[0]])))


@BOTH
def test_the_invented_report_against_itself(layout: Layout) -> None:
    nothing_changed(parse_report(write(invented.after(modern=layout is LAYOUT_19), layout)))
