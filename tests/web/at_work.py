"""A row of work at a clock that stands still, and all that stands in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from awrdiff.processing import work_claims
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from tests.web.conftest import store_report

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
DUE_S, LEASE_S = 20, 300
FIELDS = (
    "state", "stage", "error", "error_code", "attempt", "failures", "interruptions", "lease_until", "due_at",
    "renewal_error", "renewal_tried", "queued_at", "parser_version",
)  # fmt: skip
AT_REST = {"stage": "", "lease_until": None, "due_at": None, "failures": 0, "interruptions": 0}


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch, settings):
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    settings.TASK_DUE_AFTER_S, settings.TASK_LEASE_S = DUE_S, LEASE_S
    settings.TASK_MAX_FAILURES, settings.TASK_MAX_INTERRUPTIONS = 3, 10


@pytest.fixture
def report(owner) -> Report:
    made = store_report(owner)
    put(made, **work_claims.enqueue_values(), parser_version=0)
    return made


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(tasks.read_report, "apply_async", lambda args, **_: found.append(args[0]))
    return found


def put(report: Report, **values: object) -> None:
    Report.objects.filter(pk=report.pk).update(**values)


def row(report: Report) -> dict[str, object]:
    return Report.objects.values(*FIELDS).get(pk=report.pk)


def claimed(report: Report, **more: object) -> work_claims.Claim:
    held = work_claims.claim(Report, report.pk, "reading", version=7, **more)
    assert held is not None
    return held


WAITING = {
    **AT_REST, "state": "pending", "error": "", "error_code": "", "attempt": 0, "due_at": after(DUE_S),
    "renewal_error": "", "renewal_tried": 0, "queued_at": NOW, "parser_version": 0,
}  # fmt: skip
RUNNING = {
    **WAITING,
    "state": "running",
    "stage": "reading",
    "attempt": 1,
    "lease_until": after(LEASE_S),
    "due_at": None,
}
