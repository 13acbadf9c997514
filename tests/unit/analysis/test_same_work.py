"""Whether two reports are of one database, and of the same work: what may be called a change."""

from __future__ import annotations

import pytest

from awrdiff.analysis.model.comparison import different_databases


def header(dbid: str | None, name: str | None, *hosts: str) -> dict[str, object]:
    return {
        "database": {"dbid": dbid, "name": name},
        "host": {"name": hosts[0] if hosts else None},
        "instances": [{"host": h} for h in hosts[1:]],
    }


@pytest.mark.parametrize(
    ("first", "second", "different"),
    [
        (header("1", "PROD", "a"), header("1", "PROD", "b"), False),  # it moved
        (header("1", "PROD", "a"), header("1", "MASKED", "a"), False),
        (header("1", "PROD", "a"), header("2", "SALES", "a"), True),
        (header("1", "FREE", "a"), header("2", "FREE", "b"), True),  # each host has its own FREE
        (header("1", "FREE", "a"), header("2", "FREE", "A"), False),  # made anew
        (header("1", "FREE"), header("2", "FREE", "b"), False),  # no host is printed
        (header("1", "RAC", "a", "b"), header("2", "RAC", "c", "b"), False),
        (header(None, "PROD", "a"), header("2", "SALES", "b"), False),
    ],
)
def test_two_databases_are_told_apart_by_id_and_name_or_host(first, second, different):
    assert different_databases(first, second) is different
    assert different_databases(second, first) is different
