"""Comparisons that became a pair of another."""

from __future__ import annotations

import re
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponsePermanentRedirect

from awrdiff.accounts.access import AccessContext, NotFound, SignInNeeded
from awrdiff.comparisons.models import REVERSE, Comparison, FormerComparison
from awrdiff.comparisons.queries import comparison_for, visible_to
from awrdiff.comparisons.report_pairs import other_way
from awrdiff.threads.models import Thread
from awrdiff.web import query_options
from awrdiff.web.sign_in.permission_helpers import member

_ADDRESS = re.compile(r"(?:/api/v1)?/comparisons/([0-9a-f-]{36})(?:/|$)")
_THREAD = re.compile(r"(?:/api/v1)?/comparisons/([0-9a-f-]{36})/threads/([0-9]{1,18})(?:/|$)")
# What follows the id where a comparison itself is changed or goes, or a report is named by its place.
_OF_ITSELF = re.compile(r"(?:(?:delete|without|aspect)/?)?")
_SAFE = ("GET", "HEAD", "OPTIONS")


def redirect_of(request: HttpRequest) -> HttpResponsePermanentRedirect | None:
    """308 to the same page. None without access, on deletion, or if a report is named by place: that would mean more,
    or another.
    """
    if (there := _moved_thread(request)) is not None:
        return HttpResponsePermanentRedirect(there, preserve_request=True)
    match = _ADDRESS.match(request.path_info)
    if match is None or (request.method not in _SAFE and _OF_ITSELF.fullmatch(request.path_info[match.end() :])):
        return None
    former = _former(request, match[1])
    if former is None:
        return None
    query = request.GET.copy()
    view = query_options.chosen_baseline(request, 2) if "baseline" in query else None
    is_back = view.second == 0 if view is not None else query_options.pair(request) == REVERSE
    query["pair"] = str(other_way(former.pair) if is_back else former.pair)
    for name in ("baseline", "second") if view is not None else ():
        del query[name]
    to = f"{request.path.replace(match[1], str(former.comparison_id), 1)}?{query.urlencode(safe='/,:')}"
    return HttpResponsePermanentRedirect(to, preserve_request=True)


def _moved_thread(request: HttpRequest) -> str | None:
    """A comparison and its former swap had each other's threads."""
    match = _THREAD.match(request.path_info)
    try:
        access = member(request) if match else None
    except (NotFound, SignInNeeded, PermissionDenied):
        return None
    if match is None or access is None or not access.sees_threads:
        return None
    family = set(visible_to(access).filter(_near(match[1])).values_list("pk", flat=True))
    threads = Thread.objects.filter(pk=int(match[2]), comparison__in=family)
    thread = (threads.filter(for_guests=True) if access.is_guest else threads).first()
    if thread is None or str(thread.comparison_id) == match[1] or UUID(match[1]) not in family:
        return None
    return request.get_full_path().replace(match[1], str(thread.comparison_id), 1)


def _near(pk: str) -> Q:
    """It, its subject, and views of either."""
    own = Comparison.objects.filter(pk=pk).values("chosen_from")
    return Q(pk=pk) | Q(chosen_from=pk) | Q(pk__in=own) | Q(chosen_from__in=own)


def with_direction(access: AccessContext, pk: UUID) -> tuple[Comparison, bool]:
    """Second: True if it was swapped. Raises NotFound."""
    try:
        return comparison_for(access, pk), False
    except NotFound:
        former = FormerComparison.objects.filter(pk=pk).first()
        if former is None:
            raise
    return comparison_for(access, former.comparison_id), former.pair == REVERSE


def _former(request: HttpRequest, pk: str) -> FormerComparison | None:
    try:
        visible = visible_to(member(request)).values("pk")
        return FormerComparison.objects.filter(pk=UUID(pk), comparison__in=visible).first()
    except (ValueError, NotFound, SignInNeeded, PermissionDenied):
        return None
