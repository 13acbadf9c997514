"""The metrics of stored reports: made where a report is read, and anew where an older version did."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION, SECTIONS, metrics_of
from awrdiff.reports import metrics
from awrdiff.reports.models import Report, ReportMetrics, ReportSection
from fixtures.fleet.hours import fleet, hours_of
from fixtures.fleet.reports import report_of
from parsers import parse_report
from tests.web.conftest import store_parsed
from tests.web.uploaded import upload, uploading

pytestmark = pytest.mark.django_db

(DATABASE,) = fleet(1)
HOURS = list(hours_of(DATABASE, 3))
FILES = [report_of(DATABASE, hour) for hour in HOURS]


def stored(owner, number=0) -> Report:
    """As a version before metrics left it."""
    return store_parsed(owner, parse_report(FILES[number], name=f"{number}.html"))


def figure(report, metric="db_time"):
    return metrics.history_of(Report.objects.filter(pk=report.pk), metric)


def test_a_report_that_is_read_has_them_and_the_same_bytes_again_too(tmp_path):
    with uploading(tmp_path, "olga") as client:
        for number, data in enumerate([*FILES, FILES[0]]):
            upload(client, f"{number}.html", data)
    found = metrics.history_of(Report.objects.all(), "db_time")
    expected = [HOURS[0], *HOURS]
    assert [m.begin for m in found] == [h.begin for h in expected]
    assert [m.value.number for m in found] == pytest.approx([h.db_time_s / 3600 for h in expected], rel=1e-4)
    assert len({m.era for m in found}) == 1
    assert not metrics.outdated().exists()


def test_older_reports_get_theirs_and_no_report_twice(owner, django_assert_max_num_queries):
    report = stored(owner)
    assert figure(report) == []
    assert metrics.renew() == 1
    assert len(figure(report)) == 1
    with django_assert_max_num_queries(1):
        assert metrics.renew() == 0


def test_those_of_an_older_version_are_made_anew(owner):
    report = stored(owner)
    metrics.renew()
    ReportMetrics.objects.filter(report=report).update(figures=b"")
    Report.objects.filter(pk=report.pk).update(metrics_version=METRICS_VERSION - 1)
    assert metrics.renew() == 1
    assert len(figure(report)) == 1


def test_what_was_read_anew_meanwhile_keeps_what_that_made(owner, monkeypatch):
    report = stored(owner)
    computed = metrics.metrics_row

    def while_another_reads(*arguments):
        Report.objects.filter(pk=report.pk).update(attempt=7)
        return computed(*arguments)

    monkeypatch.setattr(metrics, "metrics_row", while_another_reads)
    assert metrics.renew() == 0
    assert not ReportMetrics.objects.exists()


def test_damaged_rows_hold_up_no_other(owner, caplog):
    damaged, whole = stored(owner), stored(owner, 1)
    ReportSection.objects.filter(report=damaged).update(payload=b"no section")
    assert metrics.renew() == 2
    assert (len(figure(damaged)), len(figure(whole))) == (0, 1)
    assert str(damaged.pk) in caplog.text
    assert metrics.renew() == 0


def test_a_report_of_no_interval_has_none_and_is_not_asked_again(owner):
    report = store_parsed(owner, replace(parse_report(FILES[0], name="ash.html"), kind="ash"))
    assert metrics.renew() == 1
    assert not ReportMetrics.objects.filter(report=report).exists()
    assert metrics.renew() == 0


def test_no_other_section_is_looked_at():
    whole = parse_report(FILES[0])
    part = replace(whole, sections=tuple(s for s in whole.sections if s.id in SECTIONS))
    assert metrics_of(part) == metrics_of(whole)


def test_a_report_takes_a_few_kilobytes(owner):
    report = stored(owner)
    metrics.renew()
    row = ReportMetrics.objects.get(report=report)
    assert len(row.figures) + len(row.largest) < 6000
