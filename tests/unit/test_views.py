"""Every view's first line is its permission helper, whatever address leads to it."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from awrdiff.web.urls import ACCOUNT, SIGNING_IN

OPEN_TO_ALL = {
    "healthz",
    "readyz",
    "metrics",
    "api-openapi",
    "documents",
    "document",
    "script",
    *(p.name for p in SIGNING_IN),
}


MEMBERS = ("member(request", "no_guest(request", "signed_in_person(request", "server_administrator(request")
EITHER = (
    "visit_of(request",
    "comparison_visit(request",
    "reader_and_subject(request",
)  # by the arguments of the address


def patterns(resolver: URLResolver | None = None) -> list[URLPattern]:
    found = []
    for pattern in (resolver or get_resolver()).url_patterns:
        found += patterns(pattern) if isinstance(pattern, URLResolver) else [pattern]
    return found


GUARDED = [p for p in patterns() if p.name not in OPEN_TO_ALL | {p.name for p in ACCOUNT}]


@pytest.mark.parametrize("pattern", GUARDED, ids=lambda p: p.name)
def test_the_first_line_asks_who_it_is(pattern):
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(pattern.callback)))
    body = ast.parse(source).body[0].body
    first = body[1] if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else body[0]
    if pattern.name == "shared-password":  # which is how it is proved
        assert ast.unparse(first) == "link = link_of(token)"
        return
    if pattern.name == "calendar":
        assert ast.unparse(first) == "access = api_tokens.calendar_access(token)"
        return
    if pattern.name == "tracker":
        assert ast.unparse(first) == "team, digest = tracker_team(request, pk)"
        return
    if pattern.name == "channel":
        assert ast.unparse(first) == "incident = channel_incident(request, pk, token)"
        return
    if pattern.name == "team-look":  # also who lacks the second factor that one of them requires
        assert ast.unparse(first) == "teams = own_teams(request)"
        return
    helpers = EITHER + (("shared(token",) if str(pattern.pattern).startswith("s/") else MEMBERS)
    assert isinstance(first, ast.Assign | ast.Expr), ast.unparse(first)
    assert ast.unparse(first.value).startswith(helpers), ast.unparse(first)


@pytest.mark.parametrize("pattern", ACCOUNT, ids=lambda p: p.name)
def test_what_is_about_oneself_asks_too(pattern):
    """Views of django-allauth, each wrapped (web/sign_in/permission_helpers.py)."""
    view = pattern.callback
    while not hasattr(view, "asks_who_it_is"):
        view = view.__wrapped__
    assert view.asks_who_it_is


def test_there_are_views_to_look_at():
    assert len(GUARDED) >= 15
