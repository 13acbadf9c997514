"""What becomes of the names in what people write."""

from __future__ import annotations

import pytest

from awrdiff.redaction.free_text import LINK_LEFT_OUT, Names
from awrdiff.redaction.link_options import Redaction
from parsers.model import Column, Database, Host, Report, Row, Section

KEY = "17" * 32


@pytest.fixture
def names() -> Names:
    found = Names(Redaction(KEY))
    found.add_report(
        Report(
            kind="awr",
            format="html",
            encoding="utf-8",
            release="19.0.0.0.0",
            database=Database("lumen", "1234567890", None, None, None, None, None),
            instances=(),
            host=Host("kestrel.barn.example", None, None, None, None, None),
            period=None,
            sections=(
                _section("segments_by_logical_reads", ("owner", "FERN"), ("object_name", "PEBBLES")),
                _section("foreground_wait_events", ("event", "log file sync")),
                _section("init_parameters", ("parameter", "cluster_name"), ("begin_value", "meadow")),
                _section(
                    "sql_text",
                    ("sql_id", "0abc1defgh2jk"),
                    (
                        "sql_text",
                        "select * from t where city = 'Linz' and at > '17 Feb 2023 08:15' and card = '4711-0815'",
                    ),
                ),
                _section("file_io", ("filename", "/u01/harvest/users01.dbf")),
            ),
            name="upload.html",
        )
    )
    found.add("person", "odette")
    return found


def _section(section: str, *cells: tuple[str, str]) -> Section:
    columns = tuple(Column(name, name) for name, _ in cells)
    return Section(section, section, True, "all", (columns[0].id,), columns, (Row(tuple(text for _, text in cells)),))


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("the lumen database", "lumen"),
        ("LUMEN was slow", "lumen"),
        ("odette's idea, said @odette", "odette"),
        ("rows of fern.pebbles and pebbles", "pebbles"),
        ("kestrel.barn.example and kestrel", "kestrel"),
        ("on kestrel.barn.example", "barn"),
        ("the file /u01/harvest/users01.dbf", "harvest"),
        ("id 1234567890 it is", "1234567890"),
        ("sql 0abc1defgh2jk", "0abc1defgh2jk"),
        ("near linz", "linz"),
        ("the meadow", "meadow"),
        (r"**lu\men** or \_lumen\_", "_lumen"),
        ("lumen_old and mylumen2", "lumen"),
        ("see [it](https://lumen.example/x?y) or https://pay.example", "example"),
        ("mail bo@example.org", "bo@"),
        ("ask Zdenka", "zdenka"),
        ("ask Max about it", "max"),
        ("host 10.1.22.3", "10.1.22.3"),
        ("table crm_contacts", "crm_contacts"),
        ("王芳 looked", "王芳"),
    ],
)
def test_no_name_is_left(names, text, gone):
    assert gone not in names.hide(text).lower()


@pytest.mark.parametrize(
    "text",
    [
        "Restarted at 14:05, after 3.5 s: 2.4x of 12,345,678 calls (+12 %), p95 16 ms, 11 Jan 2018 14:05 UTC.",
        "The waits on log file sync rose; the read-only standby's redo was late.",
        "Nobody could log in.",
        "Sessions wait more often and longer (8.78 → 12.1 ms), 5.3 of them unaccounted for.",
        r"1\. It was slow \*again\*",
    ],
)
def test_what_names_nobody_stays(names, text):
    assert names.hide(text) == text
    assert not names.unsure


def test_one_name_is_one_pseudonym_and_the_same_as_in_tables(names):
    shown = names.hide("lumen LUMEN")
    assert len(set(shown.split())) == 1
    assert shown.split()[0] == names.pseudonyms.name("db", "lumen")


def test_a_person_decides_on_words_that_only_look_like_names(names):
    text = "Zdenka saw it. Receipts piled up for zdenka and for lumen."
    assert "Zdenka" not in names.hide(text)
    assert {word: one.opens for word, one in names.unsure.items()} == {"zdenka": False, "receipts": True}
    names.keep(["receipts", "lumen"])
    shown = names.hide(text)
    assert "Receipts" in shown
    assert "Zdenka" not in shown
    assert "lumen" not in shown, "a known name is none that somebody could let stand"


def test_the_text_of_a_link_stays_and_where_it_leads_is_left_out(names):
    assert names.hide("see [the runbook](http://x/y) first") == f"see the runbook {LINK_LEFT_OUT} first"


def test_a_day_and_a_clock_stay_though_a_statement_holds_them(names):
    assert names.hide("from 17 to 2023 at 08:15") == "from 17 to 2023 at 08:15"
    assert "4711-0815" not in names.hide("with 4711-0815")


@pytest.mark.parametrize("word", ["local", "instance", "database", "host", "session", "snapshot", "cluster", "node"])
def test_a_word_of_the_pages_stays_though_something_is_called_so(names, word):
    names.add("db", word.upper())
    names.add("user", word[:-1])
    text = f"The {word} was slow. {word.title()} again."
    assert names.hide(text) == text
    assert not names.unsure
    assert word.upper() not in names.hide(f"On {word.upper()}")


def test_how_figures_and_headings_are_written_stays(names):
    """Awrdiff's own: a minus is no hyphen."""
    texts = ["9.00 s → 100,508 s (−84.0 % per s)", "×1.5, ≥ −2.2, ≥0.5, ±3"]
    texts += [
        "Participants",
        "Comparisons",
        "State",
        "Ruled out:",
        "Baseline → the incident's hour",
        "Baseline → the incident's window",
    ]
    assert [names.hide(text) for text in texts] == texts
    assert "−4711123" not in names.hide("card −4711123")


def test_a_long_word_is_no_figure(names):
    assert names.hide("grew 1x2x3") == "grew 1x2x3"
    assert "1x1x1x1" not in names.hide("1x" * 30 + "1")
