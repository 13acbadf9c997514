"""Threads of an incident and its timeline, for team members."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.incidents.queries import incident_for
from awrdiff.threads import queries
from awrdiff.web.presenters.threads.about import AboutIncident, of_incident
from awrdiff.web.sign_in.members import no_guest
from awrdiff.web.views import threads as views


@require_http_methods(["GET", "HEAD", "POST"])
def threads(request: HttpRequest, pk: UUID) -> HttpResponse:
    """As of a comparison; `anchor`: a timeline line's, or `summary`."""
    access = no_guest(request)
    return views.threads_of(request, access, _subject(access, pk))


@require_safe
def live(request: HttpRequest, pk: UUID) -> HttpResponse:
    """As of a comparison; `typing`: the line being written in."""
    access = no_guest(request)
    return views.live_of(request, access, queries.incident_by(access, pk))


@require_http_methods(["GET", "HEAD", "POST"])
def thread(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """One thread; a POST answers in it."""
    access = no_guest(request)
    return views.thread_of(request, access, _subject(access, pk), thread_pk)


@require_POST
def state(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """Field `state`: `resolved` or `open`."""
    access = no_guest(request)
    return views.state_of(request, access, _subject(access, pk), thread_pk)


@require_POST
def turn(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """Field `person`: user name of the next to answer."""
    access = no_guest(request)
    return views.turn_of(request, access, _subject(access, pk), thread_pk)


@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def comment(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int) -> HttpResponse:
    """As of a comparison."""
    access = no_guest(request)
    return views.comment_of(request, access, _subject(access, pk), (thread_pk, comment_pk))


@require_http_methods(["POST", "DELETE"])
def agree(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int) -> HttpResponse:
    """Agrees; a DELETE: not any more."""
    access = no_guest(request)
    return views.agree_of(request, access, _subject(access, pk), (thread_pk, comment_pk))


def _subject(access: AccessContext, pk: UUID) -> AboutIncident:
    return of_incident(access, incident_for(access, pk))
