"""Traces: a request, the worker's attempt below it and its stages, as the SDK hands them to an exporter."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.uploadedfile import SimpleUploadedFile
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from awrdiff import logs, opentelemetry_spans
from awrdiff.processing.work_claims import claim, working
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from tests.unit.test_settings import settings_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def exported(settings, monkeypatch):
    settings.AWRDIFF_TRACES_ENDPOINT = "http://127.0.0.1:9/v1/traces"
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(opentelemetry_spans, "BatchSpanProcessor", lambda _: SimpleSpanProcessor(exporter))
    opentelemetry_spans._provider_of.cache_clear()
    yield exporter
    opentelemetry_spans._provider_of.cache_clear()
    logs.forget()


def upload(client, request_id: str) -> Report:
    data = {"file": SimpleUploadedFile("SECRET.html", b"<html>SECRET")}
    answer = client.post("/reports/?q=SECRET", data, headers={"Accept": "application/json", "X-Request-ID": request_id})
    logs.forget()
    return Report.objects.get(pk=answer.json()["id"])


@pytest.mark.parametrize("request_id", ["from-the-proxy", "0af7651916cd43dd8448eb211c80319c"])
def test_the_workers_span_stands_below_that_of_the_request(exported, sign_in, owner, request_id):
    report = upload(sign_in(owner), request_id)
    tasks.read_now(report.pk)
    request, stage, work = exported.get_finished_spans()
    assert (request.name, request.kind, request.parent) == ("POST report-upload", SpanKind.SERVER, None)
    assert request.attributes["http.response.status_code"] == 201
    assert (work.name, work.kind, work.parent.span_id) == ("report", SpanKind.CONSUMER, request.context.span_id)
    assert (stage.name, stage.parent.span_id) == ("reading", work.context.span_id)
    assert len({span.context.trace_id for span in (request, work, stage)}) == 1
    assert len({span.context.span_id for span in (request, work, stage)}) == 3
    assert work.attributes["report_id"] == str(report.pk)
    assert work.attributes["outcome"] == "refused"
    for span in (request, work, stage):
        assert span.start_time < span.end_time
        assert "SECRET" not in span.to_json()
    if len(request_id) == 32:
        assert f"{request.context.trace_id:032x}" == request_id


def test_a_fault_of_ours_is_an_error(exported, sign_in, owner):
    held = claim(Report, upload(sign_in(owner), "one").pk, "reading")
    with working(held):
        raise ValueError("SECRET")
    work = exported.get_finished_spans()[-1]
    assert work.status.status_code == StatusCode.ERROR
    assert "SECRET" not in work.to_json()


def test_what_the_sampler_leaves_out_of_a_trace_it_leaves_out_everywhere(exported, sign_in, owner, monkeypatch):
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0")
    tasks.read_now(upload(sign_in(owner), "one").pk)
    assert exported.get_finished_spans() == ()


def test_without_an_endpoint_nothing_of_it_is_loaded(tmp_path):
    code = (
        "import sys, django; django.setup(); import awrdiff.web.urls, awrdiff.web.middleware; "
        "print('awrdiff.opentelemetry_spans' in sys.modules or 'opentelemetry.exporter' in sys.modules)"
    )
    env = {"DJANGO_SETTINGS_MODULE": "awrdiff.settings", "AWRDIFF_VAR": str(tmp_path), "PATH": "/usr/bin"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_what_it_needs_and_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ImproperlyConfigured, match="requirements-traces"):
        settings_with(tmp_path, AWRDIFF_TRACES_ENDPOINT="http://collector:4318/v1/traces")
