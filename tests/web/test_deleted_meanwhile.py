"""Somebody deletes while a page about the same thing is being made: between any two of its queries.

A page reads with several queries, and what the first one found may be gone at the second. That is answered with what is
left or with "not there", and never ends the request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from awrdiff.comparisons import services
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.models import Report
from tests.web.addresses import JSON, ROWS, Cast, cast_of
from tests.web.pages import body

pytestmark = pytest.mark.django_db
PAGE = {"Accept": "text/html"}
MOST_QUERIES = 60
NAMES = sorted(name for name, row in ROWS.items() if row.kind != "public")


@contextmanager
def before_query(number: int, act: Callable[[], object]) -> Iterator[list[int]]:
    """Does `act` before the numbered query, or the first after it that is in no transaction of the request's own:
    what such a one has locked cannot go. The list counts the queries, and whether it was done."""
    counted = [0, 0]
    outer = len(connection.savepoint_ids)

    def wrapper(execute: Callable[..., Any], *given: Any) -> Any:
        if not counted[1] and len(connection.savepoint_ids) == outer:
            counted[0] += 1
            if counted[0] >= number:
                counted[1] = 1
                act()
        return execute(*given)

    with connection.execute_wrapper(wrapper):
        yield counted


def answered(client: Client, name: str, method: str, headers: dict[str, str], cast: Cast, number: int) -> int | None:
    """The status, or None where the request has fewer queries."""
    row = ROWS[name]
    with transaction.atomic():
        address = reverse(name, kwargs=row.place(cast))
        with before_query(number, lambda: everything_goes(cast)) as counted:
            answer = getattr(client, method.lower())(
                address, row.data(cast) if method == "POST" else None, headers=headers
            )
            body(answer)
        transaction.set_rollback(True)
    return answer.status_code if counted[1] else None


def everything_goes(cast: Cast) -> None:
    for made in Comparison.objects.filter(pk=cast.comparison.pk):
        services.delete(cast.access, made)
    Report.objects.all().delete()


@pytest.mark.parametrize("headers", [PAGE, JSON], ids=["page", "json"])
@pytest.mark.parametrize("name", NAMES)
def test_what_goes_while_it_is_read_is_not_there(sign_in, owner, name, headers):
    cast = cast_of(owner)
    client = sign_in(owner)
    for method in sorted(ROWS[name].methods - {"HEAD"}):
        for number in range(1, MOST_QUERIES):
            status = answered(client, name, method, headers, cast, number)
            if status is None:
                break
            assert status < 500, f"{method} {name}, deleted before query {number}"
            assert name != "home" or status == 200
        else:
            pytest.fail(f"{method} {name} has more queries than are tried")
        assert number > 1
