"""Texts of megabytes are taken a stretch at a time; what comes out is what they are as one."""

from __future__ import annotations

import random

import pytest

from parsers.html.table_reader import read_html
from parsers.tables.rawtable import collapse

BLANKS = (" ", "\n", "\xa0", " \t ", "\x1c")
WORDS = ("a", "of", "x" * 300, "é")
LONG = 300_000


def drawn(seed: int, *pieces: str) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice(pieces) for _ in range(40_000))


@pytest.mark.parametrize("seed", range(4))
def test_white_space_of_a_long_text_collapses_as_that_of_a_short_one(seed: int) -> None:
    text = drawn(seed, *BLANKS, *WORDS)
    assert len(text) > LONG
    assert collapse(text) == " ".join(text.split())


@pytest.mark.parametrize(
    "text", ["x" * LONG, " " * LONG, f"{' ' * LONG}x", f"x{' ' * LONG}", f"{'x' * LONG} y", f"{'x' * LONG}\t"]
)
def test_a_long_text_of_one_word_or_none(text: str) -> None:
    assert collapse(text) == " ".join(text.split())


@pytest.mark.parametrize("blank", [" ", "\n", "\t", "\xa0", "  ", "\x1c"])
def test_a_single_blank_in_a_long_text(blank: str) -> None:
    for text in (f"{'x' * LONG}{blank}y", f"{blank}{'x' * LONG}", f"{'x' * LONG}{blank}"):
        assert collapse(text) == " ".join(text.split())


def test_a_note_is_no_longer_than_any_that_is_printed() -> None:
    page = f"<h3>Waits</h3><p>{'x ' * LONG}</p><table><tr><th>A</th></tr><tr><td>1</td></tr></table>"
    (note,) = read_html(page).tables[0].notes
    assert note == " ".join("x" * 32_768)


@pytest.mark.parametrize("seed", range(4))
def test_entities_of_a_long_cell_are_read_wherever_they_stand(seed: int) -> None:
    written = drawn(seed, "&lt;", "&#60;", "&amp;", "of ", "x" * 40).strip()
    page = f'<table summary="s"><tr><th>A</th><th>B</th></tr><tr><td>{written}</td><td>1</td></tr></table>'
    plain = written.replace("&lt;", "<").replace("&#60;", "<").replace("&amp;", "&")
    assert len(written) > LONG
    assert read_html(page).tables[0].rows == [[" ".join(plain.split()), "1"]]
