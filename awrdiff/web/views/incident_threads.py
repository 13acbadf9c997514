"""Threads of an incident, for team members."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.baseline_anchors import PairOrView
from awrdiff.incidents.queries import incident_for
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems import suggestions
from awrdiff.postmortems.queries import postmortem_of
from awrdiff.threads import queries, services
from awrdiff.threads.models import Comment
from awrdiff.threads.services import ThreadRefused
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.threads.about import SECTION, AboutIncident, of_incident
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
    return views.state_of(request, access, _subject(access, pk), thread_pk, request.POST.get("state", ""))


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


ANSWERS = {"accept": "Accepted", "reject": "Not accepted"}


@require_POST
def suggestion(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int) -> HttpResponse:
    """Answers a change suggested in a section: `answer` accept or reject, `seen` the suggestion's digest."""
    access = no_guest(request)
    about = _subject(access, pk)
    if not access.can_write:
        raise PermissionDenied
    with services.writing(about.subject):
        comment = queries.comment_for(access, about.found, thread_pk, comment_pk)
        change = _answer_suggestion(access, about, comment, request.POST.get("answer", ""), request.POST.get("seen"))
    if wants_json(request):
        return views.answer_written(request, access, about, change)
    return redirect(about.place_url(comment.thread.anchor, PairOrView()))


def _answer_suggestion(
    access: AccessContext, about: AboutIncident, comment: Comment, answer: str, digest_read: str | None
) -> services.Change:
    """Caller holds the incident's lock: the first answer decides. Raises ThreadRefused for later ones."""
    thread, digest = comment.thread, suggestions.digest_of(comment.body)
    if answer not in ANSWERS or not thread.anchor.startswith(SECTION) or not digest:
        raise ThreadRefused("“answer” must be accept or reject, of a comment that suggests a change of a section.")
    if digest != digest_read or thread.is_resolved:
        raise ThreadRefused("This suggestion has been changed or answered since you opened it: read it again.")
    to = f", @{comment.author}" if comment.author and comment.author != access.user else ""
    if answer == "accept":
        postmortems.accept(access, postmortem_of(about.found), thread.anchor.removeprefix(SECTION), comment)
    services.reply(access, thread, f"{ANSWERS[answer]}{to}.", uuid4())
    return services.resolve(access, thread)


def _subject(access: AccessContext, pk: UUID) -> AboutIncident:
    return of_incident(access, incident_for(access, pk))
