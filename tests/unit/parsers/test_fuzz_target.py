"""The fuzzers' own code: what they feed the reader, and that a case is the same each time."""

from __future__ import annotations

import pytest

from tests import fuzz_text
from tests.fuzz import Memory, merged, run, table
from tests.fuzz_cases import MUTATIONS, mutate
from tests.fuzz_documents import built


@pytest.mark.parametrize("number", range(len(fuzz_text.seeds())))
def test_the_target_takes_whole_and_broken_listings(number: int) -> None:
    data = fuzz_text.seeds()[number]
    for piece in (data, data[: len(data) // 2], data[::-1], data[1000:] + data[:1000], b"", b"\xff\xfe"):
        fuzz_text.listing(piece)


def test_a_case_is_made_again_by_its_number() -> None:
    documents = built()
    again = [mutate(3, number, documents) for number in range(40)]
    assert [mutate(3, number, documents) for number in range(40)] == again
    assert {name for name, _, _ in again} == set(MUTATIONS)
    assert mutate(4, 5, documents) != again[5]


def test_cases_are_tallied_by_mutation() -> None:
    memory = Memory()
    found = [dict([run(3, number, None, memory)]) for number in range(21)]
    tallies = merged(found)
    assert sum(t.cases for t in tallies.values()) == 21
    assert sum(t.reports + t.refused for t in tallies.values()) == 21
    assert not any(t.failed for t in tallies.values())
    assert "| **all** | 21 |" in table(tallies, 3, "built reports")
