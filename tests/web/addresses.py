"""Every address with the kind of it, what it answers, and where it stands about the things of one team.

Kinds: `public` is for anyone; `member` for whoever is on a team, about the own team; `object` for the members of the team
it belongs to, for anyone else it is not there; `link` for whoever holds a link that is live.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.pins import services as pins
from awrdiff.pins.models import Pin
from awrdiff.reports.models import Report
from awrdiff.sharing.models import ShareLink
from parsers import parse_report
from tests.unit.analysis.traces import Slow, trace_text
from tests.web.conftest import store_parsed, store_report
from tests.web.pages import body
from tests.web.share import create_link

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
READ, WRITE, TAKE_AWAY = frozenset({"GET", "HEAD"}), frozenset({"POST"}), frozenset({"POST", "DELETE"})
FINE = frozenset({200, 201, 204, 302})
JSON = {"Accept": "application/json"}
Kind = Literal["public", "member", "object", "link"]


@dataclass(frozen=True)
class Cast:
    """What a team has: a ready comparison of two reports with a trace, a report and a trace beside it, a link."""

    access: AccessContext
    comparison: Comparison
    report: Report
    attached: Report
    loose: Report
    link: ShareLink
    token: str
    pin: Pin


@dataclass(frozen=True)
class Row:
    kind: Kind
    methods: frozenset[str]
    place: Callable[[Cast], dict[str, object]] = lambda _: {}
    data: Callable[[Cast], dict[str, object]] = lambda _: {}
    fine: frozenset[int] = FINE


def of_comparison(c: Cast) -> dict[str, object]:
    return {"pk": c.comparison.pk}


def of_report(c: Cast) -> dict[str, object]:
    return {"pk": c.report.pk}


def of_token(c: Cast) -> dict[str, object]:
    return {"token": c.token}


def also(place: Callable[[Cast], dict[str, object]], **more: object) -> Callable[[Cast], dict[str, object]]:
    return lambda c: {**place(c), **more}


SECTION = {"section_id": "foreground_wait_events"}
ENTITY = {"kind": "event", "key": "log file sync"}
ROWS = {
    "home": Row("member", READ),
    "report-upload": Row(
        "member", WRITE, data=lambda _: {"file": SimpleUploadedFile("a.html", b"<html>an AWR report")}
    ),
    "report": Row("object", READ, of_report),
    "report-retry": Row("object", WRITE, of_report),
    "report-delete": Row("object", READ | WRITE, of_report),
    "report-commit": Row("object", READ, lambda c: {"pk": c.comparison.places.get(position=0).report_id}),
    "report-search": Row("object", READ, of_report),
    "report-section": Row("object", READ, also(of_report, **SECTION)),
    "report-entity": Row("object", READ, also(of_report, **ENTITY)),
    "comparison-create": Row(
        "member",
        WRITE,
        data=lambda c: {
            "report": [c.report.pk, *c.comparison.places.filter(position=0).values_list("report", flat=True)]
        },
    ),
    "comparison": Row("object", READ, of_comparison),
    "comparison-status": Row("object", READ, of_comparison),
    "comparison-section": Row("object", READ, also(of_comparison, **SECTION)),
    "comparison-entity": Row("object", READ, also(of_comparison, **ENTITY)),
    "comparison-trend": Row("object", READ, of_comparison),
    "comparison-commit": Row("object", READ, of_comparison),
    "comparison-swap": Row("object", WRITE, of_comparison),
    "comparison-aspect": Row("object", WRITE, of_comparison, lambda _: {"place": "0", "aspect": ""}, frozenset({400})),
    "comparison-retry": Row("object", WRITE, of_comparison),
    "comparison-title": Row("object", WRITE, of_comparison, lambda _: {"title": "Slow Monday"}),
    "comparison-delete": Row("object", READ | WRITE, of_comparison),
    "comparison-export": Row("object", READ, also(of_comparison, ending="json")),
    "pins": Row("object", READ | WRITE, of_comparison, lambda _: {"anchor": "foreground_wait_events"}),
    "pins-text": Row("object", READ, also(of_comparison, ending="md")),
    # Everybody has their own: a colleague's is not there.
    "pin-remove": Row(
        "object", TAKE_AWAY, lambda c: {"pk": c.comparison.pk, "pin_pk": c.pin.pk}, fine=frozenset({204, 404})
    ),
    "trace-attach": Row("object", WRITE, of_comparison, lambda c: {"report": str(c.loose.pk)}),
    "trace-detach": Row("object", TAKE_AWAY, lambda c: {"pk": c.comparison.pk, "report_pk": c.attached.pk}),
    "comparison-search": Row("object", READ, of_comparison),
    "link-create": Row("object", WRITE, of_comparison),
    "link-revoke": Row("object", TAKE_AWAY, lambda c: {"pk": c.link.pk}),
    "shared-comparison": Row("link", READ, of_token),
    "shared-section": Row("link", READ, also(of_token, **SECTION)),
    "shared-entity": Row("link", READ, also(of_token, **ENTITY)),
    "shared-export": Row("link", READ, also(of_token, ending="json")),
    "shared-trend": Row("link", READ, of_token),
    "shared-commit": Row("link", READ, of_token),
    "shared-search": Row("link", READ, of_token),
    "login": Row("public", READ | WRITE),
    "logout": Row("public", WRITE),
    "healthz": Row("public", READ),
    "readyz": Row("public", READ),
}
# Django's own views answer these as well: they say what may be asked, or take what a form sends.
ALSO_ANSWERED = {"login": {"PUT", "OPTIONS"}, "logout": {"OPTIONS"}}


def stored_trace(access: AccessContext, name: str, elapsed_ms: int) -> Report:
    text = trace_text([Slow("2024-01-01 10:30:00", elapsed_ms)], instance="pay1", host="db01", unique="pay")
    return store_parsed(access, parse_report(text.encode(), name=name))


def cast_of(access: AccessContext) -> Cast:
    reports = [store_report(access, f"{n}.html", begin=f"2024-01-01T1{n}:00:00", waits=100.0 + n) for n in (0, 1)]
    attached, loose = stored_trace(access, "a.trc", 1500), stored_trace(access, "b.trc", 1600)
    made = services.create_comparison(access, [*reports, attached], order_by_time=False)
    compute_now(made.pk)
    link, path = create_link(access, made, days=1)
    made.refresh_from_db()
    assert made.is_ready, made.error
    pin = pins.pin(access, made, "init_parameters")
    return Cast(access, made, store_report(access, "alone.html"), attached, loose, link, path.split("/")[2], pin)


def ask(client: Client, name: str, method: str, cast: Cast):
    """One request whose doings are taken back, so that the next address finds everything as it was."""
    row = ROWS[name]
    address = reverse(name, kwargs=row.place(cast))
    data = row.data(cast) if method == "POST" else None
    with transaction.atomic():
        answer = getattr(client, method.lower())(address, data, headers=JSON)
        answer.whole, answer.changed = body(answer), state(cast)
        transaction.set_rollback(True)
    return answer


def state(cast: Cast) -> list[Any]:
    """All that a write could change."""
    return [
        list(Comparison.objects.order_by("pk").values_list("pk", "state", "attempt", "queued_at", "title")),
        list(Report.objects.order_by("pk").values_list("pk", "state", "queued_at")),
        list(cast.comparison.places.order_by("position").values_list("report_id", "aspect")),
        list(ShareLink.objects.order_by("pk").values_list("pk", "revoked_at")),
        list(Pin.objects.order_by("pk").values_list("pk", "anchor")),
    ]
