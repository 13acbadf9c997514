"""Health checks: /healthz for this process, /readyz for its dependencies, /metrics for Prometheus.

Anonymous callers get words only; members also get figures.
"""

from __future__ import annotations

from secrets import compare_digest
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from awrdiff import disk, storage
from awrdiff.accounts.access import NotFound, SignInNeeded
from awrdiff.processing import heartbeats
from awrdiff.web.sign_in.members import member


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """200 while this process and the database answer."""
    if not _database_answers():
        return JsonResponse({"status": "the database does not answer"}, status=503)
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """503 if this process cannot answer: its database, disk or storage fails. Workers, sweeper and queue belong to the
    whole server and never cause a 503; one word each tells their state.
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
    if not compare_digest(request.headers.get("Authorization", "").encode(), _wanted().encode()):
        return HttpResponse("The token of AWRDIFF_METRICS_TOKEN is asked for.\n", status=401, headers=_ASKING)
    from awrdiff.web import prometheus  # noqa: PLC0415 - its client is loaded where somebody asks

    try:
        exposition = prometheus.text()
    except Error:
        return HttpResponse("The database does not answer.\n", status=503, content_type="text/plain")
    return HttpResponse(exposition, content_type=prometheus.CONTENT_TYPE)


_ASKING = {"WWW-Authenticate": "Bearer", "Content-Type": "text/plain"}


def _wanted() -> str:
    return f"Bearer {settings.AWRDIFF_METRICS_TOKEN}"


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def _disk_word() -> str:
    try:
        disk.try_writing(settings.AWRDIFF_UPLOAD_DIR)
    except OSError as error:
        return "full" if disk.is_no_room(error) else "not writable"
    return "ok" if disk.has_room() else "full"


def _free_bytes() -> int | None:
    try:
        return disk.free_bytes(settings.VAR)
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
