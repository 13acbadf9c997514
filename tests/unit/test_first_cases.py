"""Of tests without a database a second Python runs the first case."""

from __future__ import annotations

from types import SimpleNamespace
from unittest import mock

import pytest

from tests.harness import first_cases


def item(name: str, *fixtures: str, marks: tuple[str, ...] = ()) -> SimpleNamespace:
    return SimpleNamespace(
        nodeid=name,
        fixturenames=fixtures,
        get_closest_marker=lambda mark: mark if mark in marks else None,
        iter_markers=lambda: [SimpleNamespace(name=mark) for mark in marks],
    )


def chosen(*items: SimpleNamespace) -> tuple[list[str], list[str]]:
    config, kept = mock.Mock(), list(items)
    first_cases.keep(config, kept)
    calls = config.hook.pytest_deselected.call_args_list
    return [one.nodeid for one in kept], [one.nodeid for call in calls for one in call.kwargs["items"]]


def test_the_first_case_of_each_test_is_kept():
    left, out = chosen(item("a.py::x[1]"), item("a.py::x[2[3]]"), item("a.py::y"), item("b.py::x[1]"))
    assert (left, out) == (["a.py::x[1]", "a.py::y", "b.py::x[1]"], ["a.py::x[2[3]]"])


def test_a_case_of_another_mark_is_of_another_test():
    """It may be that case alone which -m leaves."""
    left, out = chosen(item("a.py::x[1]", marks=("hostile",)), item("a.py::x[2]"), item("a.py::x[3]"))
    assert (left, out) == (["a.py::x[1]", "a.py::x[2]"], ["a.py::x[3]"])


@pytest.mark.parametrize("more", [{"marks": ("django_db",)}, {}])
def test_all_cases_that_use_the_database_are_kept(more):
    fixtures = () if more else ("tmp_path", "db")
    items = [item(f"a.py::x[{n}]", *fixtures, **more) for n in range(3)]
    assert chosen(*items) == ([one.nodeid for one in items], [])


def test_items_are_what_pytest_calls_so(request):
    """A test with the fixtures of the database is known as one; this one has none."""
    assert not first_cases.uses_database(request.node)
    assert request.node.nodeid.startswith("tests/unit/test_first_cases.py::")


def test_what_the_fixtures_of_teams_rest_on_is_known(request, db):
    assert first_cases.uses_database(request.node)
