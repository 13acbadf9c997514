"""Somebody deletes while a page about the same thing is being made: between any two of its queries.

A page reads with several queries, and what the first one found may be gone at the second. That is answered with what is
left or with "not there", and never ends the request. Only the queries that read or write what goes can tell when it went:
it goes before each of these. While something is only read, that is done by the statements that deleting once sent, and
everywhere else by deleting: that took two thirds of the time of these tests. A page that asks what its JSON asks, as
most do that write, is not tried again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from awrdiff.comparisons import baseline_reports, services
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.models import Report
from awrdiff.web.views.comparison_page_cache import SHEETS
from tests.web.addresses import ROWS
from tests.web.cast import JSON, Cast, cast_of
from tests.web.conftest import context_of
from tests.web.pages import body

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
PAGE = {"Accept": "text/html"}
_CHANGED = re.compile(r'^(?:DELETE FROM|UPDATE) "(\w+)"')
_WRITES = re.compile("(DELETE|UPDATE|INSERT) ")
Answer = tuple[int, list[str]]
Written = list[tuple[str, Any]]
NAMES = sorted(name for name, row in ROWS.items() if row.kind != "public")


@pytest.fixture(scope="module")
def world(lasting) -> tuple[Cast, Written]:
    """What a team has, and what is written when everything goes."""
    with lasting():
        cast = cast_of(context_of("olivia", "Payments"))
        return cast, what_goes(cast)


@contextmanager
def before_query(number: int, act: Callable[[], object]) -> Iterator[list[str]]:
    """Does `act` before the numbered query, of those that are in no transaction of the request's own: what such a one has
    locked cannot go. The list has these queries, each with those of the transactions after it."""
    queries: list[str] = []
    outer = len(connection.savepoint_ids)

    def wrapper(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        if len(connection.savepoint_ids) == outer:
            queries.append("")
            if len(queries) == number:
                act()
        if queries:
            queries[-1] += sql
        return execute(sql, *given)

    with connection.execute_wrapper(wrapper):
        yield queries


def answered(
    client: Client, name: str, method: str, headers: dict[str, str], cast: Cast, number: int, goes: Callable[[], object]
) -> Answer:
    """The status, and the queries; with a number that no request has, of a request in which nothing goes."""
    row = ROWS[name]
    for kept in (
        baseline_reports._heads,
        baseline_reports._measures,
        baseline_reports._stacks,
        baseline_reports._changes,
    ):  # of an earlier request
        kept.clear()
    SHEETS.clear()
    cache.clear()  # and what somebody may ask for in a minute
    with transaction.atomic():
        address = reverse(name, kwargs=row.place(cast))
        with before_query(number, goes) as queries:
            answer = getattr(client, method.lower())(
                address, row.data(cast) if method == "POST" else None, headers=headers
            )
            body(answer)
        transaction.set_rollback(True)
    return answer.status_code, queries


def what_goes(cast: Cast) -> Written:
    """All that is written, with its values."""
    found: Written = []

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, *given: Any) -> Any:
        if _WRITES.match(sql):
            found.append((sql, params))
        return execute(sql, params, *given)

    with transaction.atomic(), connection.execute_wrapper(wrapper):
        everything_goes(cast)
        assert not Comparison.objects.exists()
        transaction.set_rollback(True)
    return found


def everything_goes_again(written: Written) -> None:
    with connection.cursor() as cursor:
        for sql, params in written:
            cursor.execute(sql, params)


def everything_goes(cast: Cast) -> None:
    for made in Comparison.objects.filter(pk=cast.comparison.pk):
        services.delete(cast.access, made)
    Report.objects.all().delete()


@pytest.mark.parametrize("name", NAMES)
def test_what_goes_while_it_is_read_is_not_there(sign_in, owner, world, name):
    client, (cast, written) = sign_in(owner), deepcopy(world)
    touched = {found[1] for sql, _ in written if (found := _CHANGED.match(sql))}
    assert len(touched) > 2
    tables = re.compile("|".join(f'"{table}"' for table in touched))
    for method in sorted(ROWS[name].methods - {"HEAD"}):
        goes = partial(everything_goes_again, written) if method == "GET" else partial(everything_goes, cast)
        tried: list[list[str]] = []
        for headers in [JSON] if name.startswith("api-") else [JSON, PAGE]:  # the API answers everybody with JSON
            _, queries = answered(client, name, method, headers, cast, 0, goes)
            if queries in tried:
                continue  # only what is made of them differs
            tried.append(queries)
            for number in (n for n, query in enumerate(queries, 1) if tables.search(query)):
                status, seen = answered(client, name, method, headers, cast, number, goes)
                assert len(seen) >= number, "nothing went"
                assert status < 500, f"{method} {name}, deleted before query {number}"
                assert name != "home" or status == 200
