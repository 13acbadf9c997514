"""A database: printed facts, and the team's notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.course.largest_changes import Mover, SlotLargest, movers_of
from awrdiff.analysis.course.report_timeline import Slot, slots_of
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.comparisons import time_window_comparison
from awrdiff.comparisons.databases_of_comparisons import comparisons_in
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.time_window_comparison import Window
from awrdiff.databases import queries, reports_over_time, services
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database
from awrdiff.databases.report_assignment import Identity
from awrdiff.incidents.past_incident_knowledge import bad_hours, confirmed_causes, open_actions
from awrdiff.processing.storable_values import storable_text
from awrdiff.web import links, query_options
from awrdiff.web import value_formatting as fmt
from awrdiff.web.api import comparisons as api
from awrdiff.web.content_negotiation import done, json_response, wants_json
from awrdiff.web.presenters.database import stacked_active_sessions
from awrdiff.web.presenters.database.metrics_over_time import chart_unit, unit_text
from awrdiff.web.presenters.database.timeline_span import Span, moment
from awrdiff.web.presenters.page import databases_json as shown
from awrdiff.web.sign_in.permission_helpers import member, no_guest
from awrdiff.web.views.database_metrics import SpanOfReports, database_or_redirect, span_of_reports

_NOT_LISTED = "not among the largest"


@dataclass(frozen=True, slots=True)
class MoverLine:
    kind: str
    name: str
    url: str
    before: str
    now: str
    change: str
    unit: str
    coverage: str
    cls: str


def _movers_view(database: Database, movers: Sequence[Mover] | None, span: Span, course: str) -> dict[str, Any] | None:
    """None without earlier span. `movers` None: too many reports."""
    if span.before is None:
        return None
    query = {**span.query, "course": course}
    nothing = "Nothing changed by a hundredth of a session and a twentieth of itself, or a time has under five reports."
    if movers is None:
        nothing = "Of so many reports this is not told: choose a shorter time."
    lines = [_line(database, mover, query) for mover in movers or ()]
    return {"before": span.before.text, "lines": lines, "nothing": nothing}


def _line(database: Database, mover: Mover, query: dict[str, str]) -> MoverLine:
    metric = BY_ID.get(mover.key) if mover.kind == "figure" else None
    in_sessions = metric is None or metric.unit == "sessions"
    better = metric.better if metric is not None else "lower"
    worse = mover.change > 0 if better == "lower" else mover.change < 0 if better == "higher" else None
    unit = (chart_unit(metric) or None) if metric is not None else None
    value_texts = [_text(value, unit) if value is not None else _NOT_LISTED for value in (mover.before, mover.now)]
    return MoverLine(
        kind=mover.kind,
        name=metric.title if metric is not None else mover.key,
        url=_url(database, mover, query),
        before=value_texts[0],
        now=value_texts[1],
        change=_change(mover, in_sessions=in_sessions),
        unit="active sessions" if metric is None else unit_text(metric),
        coverage=" → ".join(f"{n} of {of}" for n, of in zip(mover.listed_in, mover.of, strict=True)),
        cls="" if worse is None else "worse" if worse else "better",
    )


def _text(value: float, unit: str | None) -> str:
    return number(value) if unit is None else fmt.quantity(value, unit)


def _change(mover: Mover, *, in_sessions: bool) -> str:
    if mover.before is None or mover.now is None:
        return "entered" if mover.before is None else "left"
    if in_sessions:
        return fmt.signed(mover.change)
    if BY_ID[mover.key].unit == "percent":
        return fmt.points(mover.change)
    return fmt.relative(mover.before, mover.now) if mover.before > 0 and mover.now >= 0 else fmt.signed(mover.change)


def _url(database: Database, mover: Mover, query: dict[str, str]) -> str:
    if mover.kind == "figure":
        return f"{reverse('database-metrics', args=[database.uid])}?{urlencode({**query, 'metric': mover.key})}"
    return reverse(f"database-{mover.kind}", args=[database.uid, mover.key])


@require_safe
def database(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Facts from its latest 2,000 reports. `range`: `day`, `week`, `month` or `all`, or `from` and `to`; `course`:
    `awr-2` is one instance, `all` all of them. 302 if it was merged.
    """
    access = no_guest(request)
    own_database, elsewhere = database_or_redirect(request, access, uid)
    if elsewhere is not None:
        return elsewhere
    facts, alike = queries.facts_of(own_database), queries.alike(own_database)
    own = shown.facts_of(own_database, facts, alike)
    if wants_json(request):
        return json_response(own)
    context = {
        "access": access,
        "database": own_database,
        "own": own,
        "facts": facts,
        "alike": alike,
        "merged": own_database.merged.filter(pk__in=own_database.identities.values("came_from")).order_by("name", "pk"),
        "others": queries.databases_for(access).exclude(pk=own_database.pk) if access.can_write else (),
        **line_of(request, access, own_database),
    }
    return render(request, "databases/page.html", context)


@require_POST
def describe(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Fields `tags` (by blanks, at most 12) and `zone` (an IANA name, or empty)."""
    access = member(request)
    own_database = queries.database_for(access, uid)
    services.describe(
        access, own_database, tags=request.POST.get("tags", ""), zone=request.POST.get("zone", "").strip()
    )
    return done(request, "database", own_database.uid)


@require_POST
def merge(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Field `into`: id of the database to merge into."""
    access = member(request)
    own_database = queries.database_for(access, uid)
    try:
        into = queries.database_for(access, UUID(request.POST.get("into", "")))
    except (ValueError, NotFound) as error:
        raise DatabaseRefused("Choose the database that this one is.") from error
    services.merge(access, own_database, into)
    return done(request, "database", into.uid)


@require_POST
def unmerge(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Take back that it was merged."""
    access = member(request)
    own_database = queries.database_for(access, uid)
    services.unmerge(access, own_database)
    return done(request, "database", own_database.uid)


@require_POST
def hosts(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Fields `dbid`, `name` and `host` as reports print them, and `is`: `same`, or `copy`, a separate database from
    then on.
    """
    access = member(request)
    own_database = queries.database_for(access, uid)
    identity = Identity.of(*(storable_text(request.POST.get(name, ""))[:255] for name in ("dbid", "name", "host")))
    answer = request.POST.get("is")
    if identity is None or answer not in ("same", "copy"):
        raise DatabaseRefused("Say of which reports, and whether they are of the same database or of a copy.")
    if answer == "same":
        services.keep(access, own_database, identity)
    else:
        own_database = services.split(access, own_database, identity)
    return done(request, "database", own_database.uid)


MOST_MOVED = 400  # intervals of each time: two weeks of hours


def line_of(request: HttpRequest, access: AccessContext, database: Database) -> dict[str, Any]:
    """Parameters as of `database`."""
    wanted = span_of_reports(request, database, with_largest=True)
    slots, chosen_span = wanted.slots(), wanted.span
    movers = None
    if len(slots) <= MOST_MOVED and not wanted.read.left_out:
        movers = _movers(database, wanted, _complete_slots(slots, wanted.read))
    return {
        "line": wanted.frame(sums=True),
        "stacked": stacked_active_sessions.present(
            slots,
            chosen_span,
            bad_hours(access, database, chosen_span.begin, chosen_span.end),
            comparisons_in(access, database, chosen_span.begin, chosen_span.end),
        ),
        "movers": _movers_view(database, movers, chosen_span, wanted.course),
        "causes": confirmed_causes(access, database),
        "actions": open_actions(access, database),
    }


def _movers(database: Database, wanted: SpanOfReports, now: Sequence[SlotLargest]) -> list[Mover] | None:
    if (before := wanted.span.before) is None:
        return None
    earlier = reports_over_time.read(
        database, before.begin, before.end, wanted.whose, most=MOST_MOVED, with_largest=True
    )
    if earlier.left_out:
        return None
    return movers_of(_complete_slots(slots_of(earlier.points, wanted.course, wanted.whose), earlier), now)


def _complete_slots(slots: Sequence[Slot], read_reports: reports_over_time.Read) -> list[SlotLargest]:
    """Worst hours of incomplete days against a full span are no change."""
    return [(slot, map(read_reports.largest, slot.points)) for slot in slots if not slot.is_left]


@require_POST
def compare(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Fields `from` and `to`; `against`: `normal`, `week`, or `other` with `other_from` and `other_to`; `course`."""
    access = member(request)
    database = queries.database_for(access, uid)
    database = database.merged_into or database
    window = _window(request, "from", "to")
    against = request.POST.get("against", "normal")
    if window is None:
        raise ComparisonRefused("Say from when to when the window is.")
    if against not in ("normal", "week", "other"):
        raise ComparisonRefused("“against” is normal, week or other.")
    comparison = time_window_comparison.compare(
        access,
        database,
        window,
        against,  # type: ignore[arg-type] # one of the three
        other=_window(request, "other_from", "other_to"),
        course=storable_text(request.POST.get("course", ""))[:200],
    )
    query = f"?{query_options.baseline_query(comparison.view)}" if comparison.view is not None else ""
    page_url = f"{links.comparison(access, comparison.comparison)}{query}"
    return api.created(request, access, comparison.comparison, page=page_url)


def _window(request: HttpRequest, begin: str, end: str) -> Window | None:
    first, last = moment(request.POST.get(begin, "")), moment(request.POST.get(end, ""))
    return Window(first, last) if first is not None and last is not None and first < last else None
