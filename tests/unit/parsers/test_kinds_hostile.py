"""Broken and hostile files of the other kinds end in a report or in `UnsupportedReport`, and soon."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from parsers import UnsupportedReport, parse_report
from tests.harness.cost import is_linear
from tests.unit.parsers.kind_pages import global_report, page, table, wrapped
from tests.unit.parsers.test_kinds_compare import compare_report
from tests.unit.parsers.test_kinds_lgwr import NEW, OLD

pytestmark = pytest.mark.hostile

SEEDS = {
    "global": global_report(),
    "wrapped": wrapped(global_report(), 132, padded=True, separators=True),
    "compare": compare_report(),
    "lgwr": (OLD + NEW).encode(),
}
_SWAPS = (
    (b"<td", b""),
    (b"</tr>", b""),
    (b"I#", b"1st"),
    (b"1st", b"I#"),
    (b"<th", b'<th colspan="99999" rowspan="9999"'),
    (b"1", b"9" * 2000),
    (b"***", b""),
    (b" ", b"\0"),
    (b"\n", b""),
)


def survives(data: bytes) -> None:
    try:
        report = parse_report(data)
    except UnsupportedReport:
        pass
    else:
        report.as_dict()
        for section in report.sections:
            assert all(len(section.key_of(r)) for r in section.records if section.key)


@pytest.mark.parametrize("name", SEEDS)
def test_cut_anywhere(name: str) -> None:
    data = SEEDS[name]
    for end in range(0, len(data), 997):
        survives(data[:end])


@pytest.mark.parametrize("name", SEEDS)
def test_swapped_and_flipped(name: str) -> None:
    chance = random.Random(name)
    for _ in range(120):
        data = bytearray(SEEDS[name])
        for _ in range(chance.randrange(1, 30)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        old, new = chance.choice(_SWAPS)
        survives(bytes(data).replace(old, new, chance.choice((1, 5, -1))))


@pytest.mark.parametrize("swap", _SWAPS)
@pytest.mark.parametrize("name", SEEDS)
def test_what_is_swapped_costs_what_its_size_does(name: str, swap: tuple[bytes, bytes]) -> None:
    data = SEEDS[name].replace(*swap)
    assert is_linear(lambda size: (data * (size // len(data) + 1))[:size], survives, 2**18)


def of_samples(cell: str) -> bytes:
    return page(
        "ASH Report",
        "ASH Report For SHOP/SHOP1",
        table(["DB Name", "DB Id", "Instance", "Inst num", "Release", "RAC"], [["S", "7", "S1", cell, "11.2", cell]]),
        table(["", "Sample Time", "Data Source"], [["Elapsed Time:", cell, ""], ["Analysis Begin Time:", cell, ""]]),
    )


def of_instances(cell: str) -> bytes:
    return global_report(elapsed=(cell, cell))


@pytest.mark.parametrize("made", [of_samples, of_instances])
@pytest.mark.parametrize("cell", ["9" * 50_000, "²", "9" * 5000 + " (mins)", ",." * 5000 + "(mins)", "\u0660" * 50])
def test_cells_that_are_no_numbers(cell: str, made: Callable[[str], bytes]) -> None:
    survives(made(cell))


@pytest.mark.parametrize("made", [of_samples, of_instances])
@pytest.mark.parametrize(("sign", "unit"), [("9", ""), ("9", " (mins)"), (",.", "(mins)")])
def test_and_cost_what_their_length_does(sign: str, unit: str, made: Callable[[str], bytes]) -> None:
    assert is_linear(lambda length: made(sign * length + unit), survives, 50_000)
