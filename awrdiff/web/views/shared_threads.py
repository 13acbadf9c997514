"""Threads begun below a commenting share link."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.comparisons.queries import comparison_for
from awrdiff.incidents.queries import incident_for
from awrdiff.sharing.access import PAGE, ask, shared
from awrdiff.threads import queries
from awrdiff.web import query_options
from awrdiff.web.content_negotiation import cached_response, json_response
from awrdiff.web.presenters.threads.author_names import Known
from awrdiff.web.presenters.threads.subject_addresses import of_comparison, of_incident
from awrdiff.web.sign_in import share_link_cookies
from awrdiff.web.sign_in.share_link_cookies import proof
from awrdiff.web.views import threads as views
from awrdiff.web.views.shared_incidents import outward
from awrdiff.web.views.visit import NOTHING


@require_http_methods(["GET", "HEAD", "POST"])
def threads(request: HttpRequest, token: str) -> HttpResponse:
    """As for a member, with threads begun below this link; a POST also takes `name`, the writer's."""
    access = shared(token, PAGE, proof(request, token))
    access, about = _below(request, access)
    return share_link_cookies.keep_name(request, access, outward(views.threads_of(request, access, about)))


@require_http_methods(["GET", "HEAD", "POST"])
def thread(request: HttpRequest, token: str, thread_pk: int) -> HttpResponse:
    """One of them; a POST answers in it."""
    access = shared(token, PAGE, proof(request, token))
    access, about = _below(request, access)
    return share_link_cookies.keep_name(request, access, outward(views.thread_of(request, access, about, thread_pk)))


@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def comment(request: HttpRequest, token: str, thread_pk: int, comment_pk: int) -> HttpResponse:
    """A comment; its author's browser changes it by a POST and deletes it by a DELETE."""
    access = shared(token, PAGE, proof(request, token))
    access, about = _below(request, access)
    return outward(views.comment_of(request, access, about, (thread_pk, comment_pk)))


@require_safe
def live(request: HttpRequest, token: str) -> HttpResponse:
    """As for a member, with what is visible here; without other readers."""
    access = shared(token, 0, proof(request, token))
    link = _link(access)
    ask(link.pk)
    version = queries.version_below(link)

    def answer() -> HttpResponse:
        marks = views.news(access, queries.threads_below(link), Known())
        return outward(
            json_response({"version": version, "looking": [], "looking_shown": [], "your_turn": 0, "threads": marks})
        )

    answered = cached_response(request, (link.pk, version), answer)
    answered[views.ASK_AGAIN] = str(queries.ask_again_below_s(version))
    return answered


def _below(request: HttpRequest, access: AccessContext) -> tuple[AccessContext, views.Subjects]:
    """Under the holder's chosen name."""
    link, access = _link(access), share_link_cookies.with_known_name(request, access)
    if link.comparison_id is not None:
        query_options.begin_with(request, link.pair)
        return access, of_comparison(access, comparison_for(access, link.comparison_id))
    if link.incident_id is not None:
        return access, of_incident(access, incident_for(access, link.incident_id))
    raise NotFound(NOTHING)


def _link(access: AccessContext) -> HeldLink:
    if access.link is None or not access.can_comment:
        raise NotFound(NOTHING)
    return access.link
