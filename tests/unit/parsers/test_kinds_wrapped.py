"""Reports spooled at a small line size read as the unwrapped ones."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace

from parsers import parse_report
from parsers.html.wrapped_line_rejoining import rejoin, wrapped_width
from parsers.model import Report
from tests.unit.parsers.kind_pages import global_report, wrapped


def content(report: Report) -> object:
    return replace(report, sections=tuple(replace(s, line=None) for s in report.sections))


@pytest.mark.parametrize(("width", "padded", "separators"), list(product((80, 132, 200), (False, True), (False, True))))
def test_a_wrapped_report_reads_as_the_unwrapped(width: int, padded: bool, separators: bool) -> None:
    data = global_report()
    spooled = wrapped(data, width, padded=padded, separators=separators)
    assert spooled != data
    assert content(parse_report(spooled)) == content(parse_report(data))


def test_words_and_tags_are_joined() -> None:
    lines = [f"{' ' * n}<table><tr><th>{'Eve' * 30}</th></tr>" for n in range(60)]
    text = wrapped("\n".join(lines).encode(), 60, padded=False, separators=True).decode()
    assert wrapped_width(text) == 60
    assert [line.rstrip() for line in rejoin(text).split("\n") if line] == lines


def test_line_numbers_hold() -> None:
    spooled = wrapped(global_report(), 80, padded=True, separators=True).decode()
    assert rejoin(spooled).count("\n") == spooled.count("\n")


def test_carriage_returns_are_no_part_of_a_line() -> None:
    data = wrapped(global_report(), 132, padded=True, separators=True).replace(b"\n", b"\r\n")
    assert content(parse_report(data)) == content(parse_report(global_report()))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n" * 5000,
        "<td>short</td>\n" * 100,
        ("x" * 79 + "\n") * 100,  # text of one width, but no tag is cut
        "<td>" + "a" * 10_000 + "</td>\n" + "<tr>\n" * 100,
        "<td \n" * 10,  # too little to say
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert rejoin(text) is text


def test_a_report_that_is_not_wrapped_is_left_alone() -> None:
    text = global_report().decode()
    assert rejoin(text) is text
