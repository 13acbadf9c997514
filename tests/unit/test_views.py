"""Every view's first line is its permission helper, whatever address leads to it."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

OPEN_TO_ALL = {"login", "logout", "healthz", "readyz"}


def patterns(resolver: URLResolver | None = None) -> list[URLPattern]:
    found = []
    for pattern in (resolver or get_resolver()).url_patterns:
        found += patterns(pattern) if isinstance(pattern, URLResolver) else [pattern]
    return found


GUARDED = [p for p in patterns() if p.name not in OPEN_TO_ALL]


@pytest.mark.parametrize("pattern", GUARDED, ids=lambda p: p.name)
def test_the_first_line_asks_who_it_is(pattern):
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(pattern.callback)))
    body = ast.parse(source).body[0].body
    first = body[1] if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else body[0]
    helper = "shared(token" if str(pattern.pattern).startswith("s/") else "member(request"
    assert isinstance(first, ast.Assign), ast.unparse(first)
    assert ast.unparse(first).startswith(f"access = {helper}"), ast.unparse(first)


def test_there_are_views_to_look_at():
    assert len(GUARDED) >= 15
