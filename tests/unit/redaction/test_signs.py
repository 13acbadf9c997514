"""A name is hidden whatever signs stand inside it, in any case, and soon."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from awrdiff.redaction.free_text import LINK_LEFT_OUT, Names
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.name_matching import as_read, as_words, fold, without_marks
from tests.harness.cost import is_linear

KEY = "17" * 32
SIGNS = {
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "soft hyphen": "\u00ad",
    "word joiner": "\u2060",
    "combining mark": "\u0301",
    "grapheme joiner": "\u034f",
    "hair space": "\u200a",
    "filler": "\u3164",
    "bold": "**",
    "underscore": "_",
    "struck out": "~~",
    "code": "`",
    "escape": "\\",
    "entity": "&shy;",
    "numbered entity": "&#8203;",
    "tag": "<b>",
}
CASES = {"lower": str.lower, "upper": str.upper, "title": str.title}
LETTERS = {
    "plain": str,
    "full-width": lambda text: "".join(chr(ord(c) + 0xFEE0) for c in text),
    "entities": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "hexadecimal": lambda text: "".join(f"&#x{ord(c):x};" for c in text),
    "bold mathematical": lambda text: "".join(chr(0x1D41A + ord(c) - 97) if "a" <= c <= "z" else c for c in text),
}


def names() -> Names:
    made = Names(Redaction(KEY))
    made.add("db", "harvestmoon")
    made.add("obj", "GRAIN_STORE")
    return made


@pytest.mark.parametrize("letters", LETTERS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("sign", SIGNS)
def test_a_known_name_is_hidden_with_signs_inside(sign, case, letters):
    known = names()
    name = CASES[case]("harvestmoon")
    text = f"so {LETTERS[letters](name[:4])}{SIGNS[sign]}{LETTERS[letters](name[4:7])}{SIGNS[sign]}{LETTERS[letters](name[7:])} was slow"
    assert known.hide(text) == f"so {known.pseudonyms.name('db', 'harvestmoon')} was slow"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("first", SIGNS)
def test_two_signs_at_once_hide_nothing_of_a_name_from_the_link(first, case):
    known = names()
    for second in SIGNS.keys() - {first}:
        text = "GR{0}AI{1}N_ST{0}O{1}RE".replace("GR", CASES[case]("gr")).format(SIGNS[first], SIGNS[second])
        assert fold(known.hide(text)).startswith("obj-"), second


@pytest.mark.parametrize("sign", ["\u200b", "\u00ad", "**", "`", "<i>", "&shy;"])
@pytest.mark.parametrize("name", ["zdenka", "Zdenka", "ZDENKA"])
def test_a_name_that_no_report_has_is_one_word_for_who_decides(sign, name):
    known = names()
    shown = known.hide(f"we asked {name[:3]}{sign}{name[3:]} first")
    assert shown == f"we asked {known.pseudonyms.name('name', 'zdenka')} first"
    assert list(known.unsure) == ["zdenka"]
    known.keep([name])
    assert name[:3] in known.hide(f"we asked {name[:3]}{sign}{name[3:]} first")


def test_a_link_inside_a_name_hides_it_too():
    known = names()
    pseudonym = known.pseudonyms.name("db", "harvestmoon")
    assert known.hide("harv[est](https://a.example/x)moon") == pseudonym
    assert known.hide("[harvestmoon](https://a.example) is slow") == f"{pseudonym} {LINK_LEFT_OUT} is slow"


def test_an_accent_more_or_less_is_the_same_name():
    known = names()
    known.add("person", "Zoëlle")
    assert len({known.hide(text) for text in ("zoelle", "Zoëlle", "Zoe\u0308lle", "ZOËLLE")}) == 1


def test_what_stands_around_a_name_stays():
    known = names()
    pseudonym = known.pseudonyms.name("db", "harvestmoon")
    assert (
        known.hide(r"**harvestmoon**, \*harvestmoon\*: &amp; so on")
        == rf"**{pseudonym}**, \*{pseudonym}\*: &amp; so on"
    )


@pytest.mark.parametrize(
    "text",
    ["It grew, fell and stalled; nobody's fault, so we didn't page anyone.", "2*3 is 6, 5 < 7 > 4, a | b"],
)
def test_words_of_everybody_stay_as_they_are(text):
    known = names()
    assert known.hide(text) == text
    assert not known.unsure


@given(st.text(st.characters() | st.sampled_from("*_`~\\<>&;[]()\u200b\u0301Aa. \n"), max_size=200))
@settings(max_examples=300, deadline=None)
def test_every_letter_that_is_matched_has_its_place(text):
    for read in (as_read(text), as_words(text), without_marks(text)):
        assert len(read.cased) == len(read.low) == len(read.begins) == len(read.ends)
        assert all(0 <= begin < end <= len(text) for begin, end in zip(read.begins, read.ends, strict=True))
        assert read.begins == sorted(read.begins)


@given(
    st.lists(st.sampled_from([*SIGNS.values(), ""]), min_size=10, max_size=10),
    st.lists(st.booleans(), min_size=11, max_size=11),
    st.text(st.sampled_from(" .,:;()\n"), max_size=5),
)
@settings(max_examples=300, deadline=None)
def test_no_combination_of_signs_shows_a_name(signs, capitals, around):
    known = names()
    letters = [c.upper() if big else c for c, big in zip("harvestmoon", capitals, strict=True)]
    text = "".join(letter + sign for letter, sign in zip(letters, [*signs, ""], strict=True))
    shown = known.hide(f"{around}{text}{around}")
    assert "harvestmoon" not in without_marks(shown).low
    assert known.pseudonyms.name("db", "harvestmoon") in shown


UNITS = [
    "harvestmoon ",
    "[](",
    "ha**rv**",
    "&#114;",
    "\u200b",
    "<a ",
    "*",
    "[[",
    "_a",
    "a.b.",
    "\\_",
    "e\u0301",
    "![](",
    "x:y/",
]


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_takes_about_twice_the_time(unit):
    assert is_linear(lambda size: unit * (size // len(unit)), lambda text: names().hide(text), 80_000)


def test_thousands_of_names_that_begin_alike_are_not_tried_one_by_one():
    known = names()
    for number in range(4_000):
        known.add("obj", f"SOE.T{number:05d}")
    begin = time.process_time()
    known.hide("soe x " * 10_000)
    assert time.process_time() - begin < 5
