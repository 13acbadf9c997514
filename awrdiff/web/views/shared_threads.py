"""The threads below a share link by which one may comment: those that began there, and no other."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_http_methods, require_safe

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.comparisons.queries import comparison_for
from awrdiff.sharing.access import shared
from awrdiff.sharing.rate import PAGE, SECTION
from awrdiff.threads import queries
from awrdiff.web.negotiate import remembered
from awrdiff.web.presenters.threads.about import AboutComparison, of_comparison
from awrdiff.web.sign_in import link_guests
from awrdiff.web.sign_in.link_passwords import proof
from awrdiff.web.views import threads as views


@require_http_methods(["GET", "HEAD", "POST"])
def threads(request: HttpRequest, token: str) -> HttpResponse:
    access = shared(token, PAGE, proof(request, token))
    access, about = _below(request, access)
    return link_guests.kept(request, access, views.threads_of(request, access, about))


@require_http_methods(["GET", "HEAD", "POST"])
def thread(request: HttpRequest, token: str, thread_pk: int) -> HttpResponse:
    access = shared(token, PAGE, proof(request, token))
    access, about = _below(request, access)
    return link_guests.kept(request, access, views.thread_of(request, access, about, thread_pk))


@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def comment(request: HttpRequest, token: str, thread_pk: int, comment_pk: int) -> HttpResponse:
    access = shared(token, PAGE, proof(request, token))
    access, about = _below(request, access)
    return views.comment_of(request, access, about, (thread_pk, comment_pk))


@require_safe
def live(request: HttpRequest, token: str) -> HttpResponse:
    """As a member's, of what is seen here; who else is looking is told to nobody."""
    access = shared(token, SECTION, proof(request, token))
    link = _link(access)
    version = queries.version_below(link)

    def answer() -> HttpResponse:
        found = views.news(access, queries.threads_below(link), None)
        return JsonResponse({"version": version, "looking": [], "your_turn": 0, "threads": found})

    return remembered(request, (link.pk, version), answer)


def _below(request: HttpRequest, access: AccessContext) -> tuple[AccessContext, AboutComparison]:
    pk = _link(access).comparison_id
    if pk is None:
        raise NotFound("There is nothing at this address.")
    found = comparison_for(access, pk)
    access = link_guests.known(request, access)
    return access, of_comparison(access, found)


def _link(access: AccessContext) -> HeldLink:
    if access.link is None or not access.can_comment:
        raise NotFound("There is nothing at this address.")
    return access.link
