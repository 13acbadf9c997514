"""ADDM reports that SQL*Plus has cut at its line size: the same as uncut ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fixtures.samples.from_addm import addm_samples
from parsers import parse_report
from parsers.model import Report
from parsers.text.addm_head import unwrap
from tests.harness.cost import is_linear

SAMPLES = {path.rpartition("/")[2]: data.decode() for path, data in addm_samples().items()}
TILDES = ["~" * 78]


def cut(text: str, width: int, *, indented: bool = True) -> str:
    """As SQL*Plus prints it at this line size, blanks at the ends of lines left out; pasted, without indentation."""
    out = []
    for line in text.split("\n"):
        pieces = [line[at : at + width] for at in range(0, len(line), width)] or [""]
        out += [piece.rstrip() if indented else piece.strip() for piece in pieces]
    return "\n".join(out)


def texts(report: Report) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Everything but blanks: where a word was cut, they may be missing or too many."""
    return [
        (s.id, [tuple(re.sub(r"\s", "", str(cell)) for cell in row.values()) for row in s.rows])
        for s in report.sections
    ]


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "10.2-addm.txt"])
@pytest.mark.parametrize("width", range(67, 78))  # of tables of containers, narrower ones lose columns
def test_every_figure_and_every_letter_is_read(name: str, width: int) -> None:
    whole, wrapped = (parse_report(text.encode()) for text in (SAMPLES[name], cut(SAMPLES[name], width)))
    assert texts(wrapped) == texts(whole)


@pytest.mark.parametrize("width", [66, 70, 77])
def test_pasted_into_a_page_all_set_in(width: int) -> None:
    text = SAMPLES["11.2-addm.txt"]
    page = "\n".join("    " + line for line in cut(text, width).split("\n"))
    assert texts(parse_report(page.encode())) == texts(parse_report(text.encode()))


def prose(*lines: str, width: int = 68) -> list[str]:
    return unwrap(cut("\n".join([*TILDES, *lines]), width).split("\n"))[1:]


def test_words_are_whole_where_the_whole_stands_elsewhere() -> None:
    begin = "Session connect and disconnect calls were consuming significant "
    assert len(begin) == 64
    assert prose(f"{begin}cartwheels", "Of cartwheels.") == [f"{begin}cartwheels", "Of cartwheels."]
    assert prose(f"{begin}cartwheels", "Nothing else.")[0] == f"{begin}cart wheels"  # nothing says that it is one
    assert prose(f"{begin}cart wheels", "Of cartwheels, a cart, the wheels.")[0] == f"{begin}cart wheels"
    assert prose(f"{begin}database")[0] == f"{begin}database"  # a word of the frame


def test_figures_and_stops_are_whole() -> None:
    impact = "Estimated benefit is .01 active sessions, which would have been of 18.83% of"
    assert prose(impact)[0] == impact
    sentence = 'Wait class "Application" was not consuming significant database time.'
    assert prose(sentence) == [sentence]


def test_a_line_that_only_is_as_long_is_none_that_was_cut() -> None:
    full = "numbered 1 and hosted at a-host-of-a-shop-with-a-long-name.example.x"
    assert len(full) == 68
    for below in ("Action", "", "See the part below for more of it."):
        assert prose(full, below)[:2] == [full, below]
    statement = ["   Related Object", "      SQL statement with SQL_ID x.", "      " + "s" * 62, "      from t"]
    assert prose(*statement) == statement


def test_without_the_tildes_nothing_is_proven() -> None:
    lines = ["a" * 68, "b", "c" * 68]
    assert unwrap(lines) == lines
    longer = [*cut(TILDES[0], 68).split("\n"), *lines, "d" * 69]
    assert unwrap(longer) == longer
    assert unwrap([*cut(TILDES[0], 68).split("\n"), *cut(TILDES[0], 60).split("\n"), *lines])[4:] == lines


@pytest.mark.parametrize(
    "piece", ["~" * 68 + "\n" + "~" * 10 + "\n", "a" * 68 + "\nb\n", "a" * 65 + "\n" + "b" * 9 + "\n"]
)
def test_time_is_in_proportion(piece: str) -> None:
    head = "~" * 68 + "\n" + "~" * 10 + "\n"
    assert is_linear(lambda size: (head + piece * (size // len(piece))).split("\n"), unwrap, 1_000_000)


def test_the_wrapped_report_of_the_corpus(corpus: Path) -> None:
    """Facts of the file alone: each benefit and each sentence are whole."""
    report = parse_report((corpus / "19.0-addm-cdb-587-589-wrapped68.txt").read_bytes())
    advice = report.section("addm_recommendations")
    assert advice is not None
    assert [advice.number(r, "pct_benefit") is not None for r in advice.records] == [True, True]
    assert "reduction of connect and disconnect calls" in advice.text(advice.records[0], "action")
    information = report.section("addm_information")
    assert information is not None
    assert [information.text(r, "heading") for r in information.records] == ["Miscellaneous Information"] * 2
