"""/healthz for this process, /readyz for dependencies, /metrics for Prometheus.

Anonymous callers get words only; members also get figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from secrets import compare_digest
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import Error, connection
from django.db.models import Count, Max, Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

from awrdiff import disk_space, storage
from awrdiff.accounts.access import NotFound, SignInNeeded
from awrdiff.notices.models import Delivery, Way
from awrdiff.processing import heartbeats, metric_counters
from awrdiff.processing.models import Heartbeat, State
from awrdiff.processing.work_kinds import KINDS
from awrdiff.web.sign_in.permission_helpers import member
from parsers.version import VERSION


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """200 while this process and the database answer."""
    if not _database_answers():
        return JsonResponse({"status": "the database does not answer"}, status=503)
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """503 if this process cannot answer: database, disk or storage fails. Workers, sweeper and queue belong to the
    whole server and never cause a 503.
    """
    try:
        ages, database = heartbeats.ages(), "ok"
    except Error:
        ages = dict.fromkeys(heartbeats.ALL, ("unknown", None))
        database = "unprepared" if _database_answers() else "silent"  # it answers, and has no tables of ours
    here = {"database": database, "disk": _disk_word(), "storage": storage.word()}
    words = {**here, **{part: word for part, (word, _) in ages.items()}}
    figures = {"free_bytes": _free_bytes(), **{f"{part}_age_s": age_s for part, (_, age_s) in ages.items()}}
    ready = set(here.values()) == {"ok"}
    status = "ok" if set(words.values()) == {"ok"} else "degraded" if ready else "not ready"
    document: dict[str, Any] = {"status": status, **words}
    if words["database"] == "ok" and _is_member(request):
        document["figures"] = figures
    return JsonResponse(document, status=200 if ready else 503, headers={"Cache-Control": "private, no-store"})


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Needs the token from the settings; 404 if none is set."""
    if not settings.AWRDIFF_METRICS_TOKEN:
        raise NotFound("There is nothing at this address.")
    wanted = f"Bearer {settings.AWRDIFF_METRICS_TOKEN}"
    if not compare_digest(request.headers.get("Authorization", "").encode(), wanted.encode()):
        return HttpResponse("The token of AWRDIFF_METRICS_TOKEN is asked for.\n", status=401, headers=_ASKING)
    try:
        exposition = prometheus_text()
    except Error:
        return HttpResponse("The database does not answer.\n", status=503, content_type="text/plain")
    return HttpResponse(exposition, content_type=CONTENT_TYPE_LATEST)


_ASKING = {"WWW-Authenticate": "Bearer", "Content-Type": "text/plain"}


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def _disk_word() -> str:
    try:
        disk_space.try_writing(settings.AWRDIFF_UPLOAD_DIR)
    except OSError as error:
        return "full" if disk_space.is_no_room(error) else "not writable"
    return "ok" if disk_space.has_room() else "full"


def _free_bytes() -> int | None:
    try:
        return disk_space.free_bytes(settings.VAR)
    except OSError:
        return None


def _is_member(request: HttpRequest) -> bool:
    if not hasattr(request, "user"):  # asked by a name that is not ours
        return False
    try:
        return member(request).can_read
    except (SignInNeeded, PermissionDenied):
        return False


VIEWS = {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics}


# Name of the tally, and what it counts by which labels.
COUNTERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "requests": ("Requests that were answered", ("route", "status")),
    "refusals": ("Requests, and reports and comparisons by workers, that were refused", ("of", "reason")),
    "outcomes": ("How attempts of workers at a row ended", ("kind", "outcome")),
    "issues": ("What reading reports found to say about them", ("code",)),
    "uploads": ("Files that were kept", ()),
    "upload_bytes": ("Bytes of these, as they were sent", ()),
}
HISTOGRAMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "request_seconds": ("From the whole request to the end of its answer", ("route",)),
    "work_seconds": ("What workers took for a stage of a row", ("kind", "stage")),
}


def prometheus_text() -> bytes:
    """Raises django.db.Error."""
    metric_counters.add_up()
    registry = CollectorRegistry()
    registry.register(_Collector())
    return generate_latest(registry)


class _Collector(Collector):
    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        now, added = timezone.now(), metric_counters.all_added()
        yield _gauge("info", "The version that runs", ("version",), [((VERSION,), 1)])
        yield from _of_rows(now)
        yield _gauge("silent_seconds", "Since the last sign of life of any of them", ("part",), _silent(now))
        yield _gauge("disk_free_bytes", "What may still be written below var/", (), _free())
        for name, (means, labels) in COUNTERS.items():
            yield _counter(name, means, labels, added.get(name, {}))
        for name, (means, labels) in HISTOGRAMS.items():
            yield _histogram(name, means, labels, metric_counters.BOUNDS[name], added.get(name, {}))


Samples = Iterable[tuple[tuple[str, ...], float]]


def _of_rows(now: datetime) -> Iterator[Metric]:
    """Counting by state uses an index only."""
    states, waiting, oldest = [], [], []
    for kind in KINDS:
        name, rows = kind.model._meta.model_name or "", kind.model._default_manager.order_by()
        counts = dict(rows.values_list("state").annotate(count=Count("*")))
        states += [((name, str(state)), float(counts.get(state, 0))) for state in State]
        waiting.append(((name,), float(counts.get(State.PENDING, 0))))
        first = rows.filter(state__in=[State.PENDING, State.RUNNING]).aggregate(at=Min("queued_at"))["at"]
        oldest.append(((name,), _age_s(now, first)))
    unsent = Delivery.objects.exclude(due_at=None).order_by().values_list("way")
    sent = {way: (count, at) for way, count, at in unsent.annotate(Count("pk"), Min("created_at"))}
    for way in Way.values:
        count, at = sent.get(way, (0, None))
        waiting.append(((way,), float(count)))
        oldest.append(((way,), _age_s(now, at)))
    yield _gauge("rows", "Reports and comparisons by state", ("kind", "state"), states)
    yield _gauge("queue_rows", "What waits, by the rows", ("kind",), waiting)
    means = "Age of the oldest that waits or is worked on; 0 where there is none"
    yield _gauge("queue_oldest_seconds", means, ("kind",), oldest)


def _age_s(now: datetime, then: datetime | None) -> float:
    return max(0.0, (now - then).total_seconds()) if then else 0.0


def _silent(now: datetime) -> Samples:
    beats = Heartbeat.objects.filter(part__in=heartbeats.PARTS).order_by()
    for part, at in beats.values_list("part").annotate(Max("at")):
        yield (part,), _age_s(now, at)


def _free() -> Samples:
    try:
        yield (), disk_space.free_bytes(settings.VAR)
    except OSError:
        return


def _gauge(name: str, means: str, labels: tuple[str, ...], samples: Samples) -> Metric:
    family = GaugeMetricFamily(f"awrdiff_{name}", means, labels=labels)
    for label_values, value in samples:
        family.add_metric(label_values, value)
    return family


def _counter(name: str, means: str, labels: tuple[str, ...], added: Mapping[tuple[str, ...], float]) -> Metric:
    family = CounterMetricFamily(f"awrdiff_{name}", means, labels=labels)
    for label_values, value in sorted(added.items()) or ([((), 0.0)] if not labels else ()):
        if len(label_values) == len(labels):
            family.add_metric(label_values, value)
    return family


def _histogram(
    name: str, means: str, labels: tuple[str, ...], bounds: tuple[float, ...], added: Mapping[tuple[str, ...], float]
) -> Metric:
    family = HistogramMetricFamily(f"awrdiff_{name}", means, labels=labels)
    for label_values in sorted({series[:-1] for series in added if len(series) == len(labels) + 1}):
        total, buckets = 0.0, []
        for bound in (*(f"{bound_s:g}" for bound_s in bounds), "+Inf"):
            total += added.get((*label_values, bound), 0.0)
            buckets.append((bound, total))
        family.add_metric(label_values, buckets, added.get((*label_values, metric_counters.SUM), 0.0))
    return family
