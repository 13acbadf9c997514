"""/metrics: who may ask, what it says as Prometheus itself reads it, what it costs; and the dashboard asks for what is there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InterfaceError, OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from awrdiff.processing import heartbeats, metric_counters
from awrdiff.processing.models import State, Tally
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from awrdiff.web import middleware
from awrdiff.web.views import health
from tests.web.builders import small_report
from tests.web.conftest import store_parsed, store_report

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-of-the-settings"
Samples = dict[tuple[str, frozenset], float]


@pytest.fixture(autouse=True)
def counting(settings, monkeypatch):
    settings.AWRDIFF_METRICS_TOKEN = TOKEN
    monkeypatch.setattr(middleware, "_start_adding", lambda: None)
    metric_counters._pending.clear()
    yield
    metric_counters._pending.clear()


def scrape(**headers: str):
    return Client().get("/metrics", headers={"Host": "10.0.0.7:8000", "Authorization": f"Bearer {TOKEN}", **headers})


def scraped() -> Samples:
    answer = scrape()
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(answer.content.decode())
    return {(s.name, frozenset(s.labels.items())): s.value for family in families for s in family.samples}


def value(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((f"awrdiff_{name}", frozenset(labels.items())))


def test_without_a_token_in_the_settings_there_is_nothing_and_nothing_is_counted(settings):
    settings.AWRDIFF_METRICS_TOKEN = ""
    assert Client().get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    assert not metric_counters._pending


@pytest.mark.parametrize("given", ["", TOKEN, f"Bearer {TOKEN}x", "Bearer", "Bearer ", f"Basic {TOKEN}", "Bearer ä"])
def test_who_has_not_the_token_is_told_nothing(given):
    answer = scrape(Authorization=given)
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert b"awrdiff_" not in answer.content


def test_nobody_is_let_in_by_their_session_or_another_method(sign_in, owner):
    assert sign_in(owner).get("/metrics").status_code == 401
    assert Client().post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


def test_the_rows_say_what_waits_and_for_how_long(owner, reports):
    ago = timezone.now() - timezone.timedelta(seconds=100)
    one, two = (store_report(owner, f"{n}.html") for n in "ab")
    Report.objects.filter(pk=one.pk).update(state=State.PENDING, queued_at=ago)
    Report.objects.filter(pk=two.pk).update(state=State.FAILED)
    heartbeats.beat("worker")
    found = scraped()
    for state, count in {"pending": 1, "running": 0, "ready": 2, "failed": 1}.items():
        assert value(found, "rows", kind="report", state=state) == count
    assert value(found, "queue_rows", kind="report") == 1
    assert 100 <= value(found, "queue_oldest_seconds", kind="report") < 130
    assert value(found, "queue_oldest_seconds", kind="comparison") == 0
    assert value(found, "queue_rows", kind="mail") == 0
    assert 0 <= value(found, "silent_seconds", part="worker") < 30
    assert value(found, "silent_seconds", part="sweeper") is None
    assert value(found, "disk_free_bytes") > 0


def test_an_upload_is_counted_from_the_request_to_what_was_read_of_it(sign_in, owner, monkeypatch):
    client, before = sign_in(owner), scraped()
    sent = client.post(
        "/reports/", {"file": SimpleUploadedFile("a.html", b"<html>12345")}, headers={"Accept": "application/json"}
    )
    refused = client.post(
        "/reports/", {"file": SimpleUploadedFile("a.pdf", b"%PDF-1.4")}, headers={"Accept": "application/json"}
    )
    assert (sent.status_code, refused.status_code) == (201, 415)
    tasks.read_now(Report.objects.get(name="a.html").pk)
    found = scraped()
    assert value(found, "uploads_total") == value(before, "uploads_total") + 1
    assert value(found, "upload_bytes_total") == value(before, "upload_bytes_total") + 11
    assert value(found, "requests_total", route="report-upload", status="2xx") == 1
    assert value(found, "requests_total", route="report-upload", status="4xx") == 1
    assert value(found, "request_seconds_count", route="report-upload") == 2
    assert value(found, "request_seconds_bucket", route="report-upload", le="+Inf") == 2
    assert value(found, "refusals_total", of="request", reason="WrongKind") == 1
    code = Report.objects.get(name="a.html").error_code
    assert value(found, "refusals_total", of="report", reason=code) == 1
    assert value(found, "outcomes_total", kind="report", outcome="refused") == 1
    assert value(found, "work_seconds_count", kind="report", stage="reading") == 1


def test_what_reading_finds_to_say_is_counted_by_its_code(owner, monkeypatch):
    report = store_parsed(owner, small_report("a.html"))
    Report.objects.filter(pk=report.pk).update(state=State.PENDING, parser_version=0)
    columns = {"issues": [{"code": "cut-off"}, {"code": "cut-off"}], "kind": "awr"}
    monkeypatch.setattr(tasks, "_same_bytes", lambda *_: None)
    monkeypatch.setattr(tasks, "_bytes_of", lambda *_: b"")
    monkeypatch.setattr(tasks, "_parsed", lambda *_: tasks.Read(columns, []))
    tasks.read_now(report.pk)
    assert value(scraped(), "issues_total", code="cut-off") == 2


def test_buckets_hold_all_that_took_no_longer():
    for took in (0.2, 0.3, 0.3, 500):
        metric_counters.observe("work_seconds", "report", "reading", value=took)
    found = scraped()
    counts = {
        le: value(found, "work_seconds_bucket", kind="report", stage="reading", le=le)
        for le in ("0.1", "0.25", "0.5", "120", "+Inf")
    }
    assert counts == {"0.1": 0, "0.25": 1, "0.5": 3, "120": 3, "+Inf": 4}
    assert value(found, "work_seconds_sum", kind="report", stage="reading") == pytest.approx(500.8)


def test_what_two_processes_count_is_added():
    metric_counters.add("uploads")
    metric_counters.add_up()
    metric_counters.add("uploads", amount=2)  # as another would
    metric_counters.add_up()
    assert Tally.objects.get(name="uploads").amount == 3
    assert value(scraped(), "uploads_total") == 3


@pytest.mark.parametrize("error", [OperationalError("database is locked"), InterfaceError("connection is closed")])
def test_what_the_database_does_not_take_is_added_later(monkeypatch, error):
    def fails(*_):
        raise error

    metric_counters.add("uploads")
    with monkeypatch.context() as patch:
        patch.setattr(metric_counters.transaction, "atomic", fails)
        metric_counters.add_up()
    metric_counters.add("uploads")
    metric_counters.add_up()
    assert Tally.objects.get(name="uploads").amount == 2


@pytest.mark.parametrize("path", ["/healthz", "/login/"])
def test_no_answer_waits_for_what_is_added(monkeypatch, path):
    """Which a thread does instead: on SQLite it waits for whoever else writes."""
    started, added = [], []
    monkeypatch.setattr(middleware, "_start_adding", lambda: started.append(path))
    monkeypatch.setattr(metric_counters, "add_up", lambda: added.append(path))
    metric_counters.add("uploads")
    assert Client().get(path).status_code == 200
    assert (started, added) == ([path], [])


def test_the_thread_adds_again_and_again_and_keeps_no_connection(monkeypatch):
    done = []

    def sleep(seconds):
        assert seconds == metric_counters.EVERY_S
        done.append("slept")
        if done.count("slept") == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(middleware.time, "sleep", sleep)
    monkeypatch.setattr(metric_counters, "add_up", lambda: done.append("added"))
    monkeypatch.setattr(middleware, "connection", SimpleNamespace(close=lambda: done.append("closed")))
    with pytest.raises(KeyboardInterrupt):
        middleware._keep_adding()
    assert done == ["slept", "added", "closed", "slept", "added", "closed", "slept"]


def test_a_database_that_does_not_answer_is_said(monkeypatch):
    def away():
        raise OperationalError("away")

    monkeypatch.setattr(health, "prometheus_text", away)
    assert scrape().status_code == 503


def test_it_asks_the_database_little(owner, reports, django_assert_max_num_queries):
    scraped()
    with django_assert_max_num_queries(12):
        scraped()


def test_nobodys_name_is_in_it(sign_in, owner, comparison):
    client = sign_in(owner)
    for url in (f"/comparisons/{comparison.pk}/?q=SECRET", "/SECRET/", f"/s/{'x' * 43}/"):
        client.get(url)
    text = scrape().content.decode()
    for secret in ("SECRET", owner.team.name, owner.user.username, str(comparison.pk), "x" * 43, "first.html"):
        assert secret not in text


def test_the_dashboard_asks_for_what_is_served(sign_in, owner, reports, comparison):
    """Every name and label in a query of deploy/grafana/awrdiff.json, after one of everything has happened."""
    heartbeats.beat("worker")
    for name, (_, labels) in health.COUNTERS.items():
        metric_counters.add(name, *labels)
    for name, (_, labels) in health.HISTOGRAMS.items():
        metric_counters.observe(name, *labels, value=1)
    served: dict[str, set[str]] = {}
    for name, labels in scraped():
        served.setdefault(name, set()).update(dict(labels))
    board = json.loads((ROOT / "deploy" / "grafana" / "awrdiff.json").read_text())
    queries = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    assert len(queries) >= 10
    asked = {name for query in queries for name in re.findall(r"awrdiff_\w+", query)}
    assert asked - set(served) == set()
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in served}
    assert families - {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked} == set(), "what nobody sees"
    for query in queries:
        known = {label for name in re.findall(r"awrdiff_\w+", query) for label in served[name]}
        named = [one for found in re.findall(r"by ?\(([^)]*)\)", query) for one in found.split(",")]
        named += re.findall(r"(\w+)=[~\"]", query)
        assert {one.strip() for one in named} <= known, query


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_rows_are_counted_by_an_index_alone(owner, reports):
    """Which is what keeps it quick over 100,000 reports, whose rows are large."""
    with CaptureQueriesContext(connection) as asked:
        scraped()
    counting = [one["sql"] for one in asked if "GROUP BY" in one["sql"] and '"state"' in one["sql"]]
    assert len(counting) == 2
    for query in counting:
        with connection.cursor() as cursor:
            assert "USING COVERING INDEX" in str(cursor.execute(f"EXPLAIN QUERY PLAN {query}").fetchall())
