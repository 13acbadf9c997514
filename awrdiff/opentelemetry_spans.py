"""OpenTelemetry traces (`awrdiff[traces]`), imported only with AWRDIFF_TRACES_ENDPOINT.

The request's id gives trace and parent. No attribute holds what logs may not.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache

from django.conf import settings
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from parsers.version import VERSION

SEND_S = 3
FLUSH_MS = 2000
Facts = Mapping[str, str | int | float | bool]
_next_ids: ContextVar[tuple[int, int] | None] = ContextVar("ids of the next span", default=None)


class _Ids(RandomIdGenerator):
    def generate_trace_id(self) -> int:
        ids = _next_ids.get()
        return ids[0] if ids else super().generate_trace_id()

    def generate_span_id(self) -> int:
        ids = _next_ids.get()
        return ids[1] if ids else super().generate_span_id()


def ids_of(request_id: str) -> tuple[int, int]:
    digest = hashlib.sha256(request_id.encode()).digest()
    own = int(request_id, 16) if re.fullmatch("[0-9a-f]{32}", request_id) else 0
    return own or int.from_bytes(digest[:16], "big"), int.from_bytes(digest[16:24], "big")


def tell_request(method: str, route: str, status: int, ids: Facts, took_s: float) -> None:
    ended_ns = time.time_ns()
    attributes = {"http.request.method": method, "http.route": route, "http.response.status_code": status, **ids}
    token = _next_ids.set(ids_of(str(ids["request_id"])))
    try:
        span = _tracer().start_span(
            f"{method} {route}",
            context=Context(),
            kind=SpanKind.SERVER,
            attributes=attributes,
            start_time=ended_ns - round(took_s * 1e9),
        )
    finally:
        _next_ids.reset(token)
    if status >= 500:
        span.set_status(Status(StatusCode.ERROR))
    span.end(ended_ns)


def tell_work(kind: str, outcome: str, ids: Facts, began_ns: int, stages: Mapping[str, float]) -> None:
    """Stages in seconds; a trace of its own without request."""
    above = Context()
    if request_id := str(ids.get("request_id", "")):
        trace_id, span_id = ids_of(request_id)
        # The same decision as the request's span.
        is_sampled = provider().sampler.should_sample(None, trace_id, "").decision == Decision.RECORD_AND_SAMPLE
        flags = TraceFlags(TraceFlags.SAMPLED if is_sampled else TraceFlags.DEFAULT)
        span_of_request = SpanContext(trace_id, span_id, is_remote=True, trace_flags=flags)
        above = trace.set_span_in_context(NonRecordingSpan(span_of_request))
    attributes = {**ids, "outcome": outcome}
    span = _tracer().start_span(kind, context=above, kind=SpanKind.CONSUMER, attributes=attributes, start_time=began_ns)
    for stage, took_s in stages.items():
        part = _tracer().start_span(stage, context=trace.set_span_in_context(span), start_time=began_ns)
        began_ns += round(took_s * 1e9)
        part.end(began_ns)
    if outcome == "given back":
        span.set_status(Status(StatusCode.ERROR))
    span.end(began_ns)


def _tracer() -> trace.Tracer:
    return provider().get_tracer("awrdiff", VERSION)


def provider() -> TracerProvider:
    """Per process: its sender is a thread, which forks lose."""
    return _provider_of(os.getpid())


@cache
def _provider_of(_pid: int) -> TracerProvider:
    tracer_provider = TracerProvider(
        resource=Resource.create({"service.name": "awrdiff", "service.version": VERSION}), id_generator=_Ids()
    )
    tracer_provider.add_span_processor(
        BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.AWRDIFF_TRACES_ENDPOINT, timeout=SEND_S))
    )
    return tracer_provider


def send_rest() -> None:
    provider().force_flush(FLUSH_MS)
