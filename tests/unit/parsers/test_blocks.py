"""JSON of stored sections: what goes in comes out, also of broken files and of earlier versions."""

from __future__ import annotations

import json
import zlib

import pytest

from parsers.model import Value
from parsers.storage.compressed_blocks import Packed, dumps, loads, slowly

DEEP = {"rows": [[["log file sync", [1.5, 0.05], None, True, 10**30, 1e300, -0.0, '\x00\x1f"\\\n\x7f']]], "é": "漢🙂"}


def test_a_document_comes_back_as_it_was():
    assert repr(loads(dumps(DEEP))) == repr(DEEP)


def test_numbers_are_lists_of_themselves_and_their_half():
    assert loads(dumps([Value(1.5, 0.05)])) == [[1.5, 0.05]]


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_what_is_no_finite_number_is_null(number):
    assert loads(dumps([number, 1.0])) == [None, 1.0]


def test_a_lone_surrogate_costs_itself_alone():
    assert loads(dumps(["a\ud800b", 2.5])) == ["a?b", 2.5]


@pytest.mark.parametrize("written", ['["a\ud800b", Infinity]', '["\\ud800", NaN, -Infinity]', "[1e999, 5]"])
def test_what_json_of_python_wrote_is_read(written):
    assert repr(loads(written.encode("utf-8", "surrogatepass"))) == repr(json.loads(written))


def test_both_ways_of_writing_are_one():
    assert json.loads(slowly(DEEP)) == json.loads(dumps(DEEP))


def test_a_section_packed_by_python_alone_is_read():
    packed = Packed(zlib.compress(json.dumps({"id": "a", "rows": [[["é"]], [["b"]]]}, ensure_ascii=False).encode()))
    assert (packed.document["id"], list(packed.rows())) == ("a", [[["é"]], [["b"]]])


@pytest.mark.parametrize("text", ["é", "a\ud800b"])
def test_rows_are_read_as_the_type_asked_for(text):
    """Also what only Python's own JSON reads: half a pair of surrogates, infinities."""
    written = f'{{"id": "a", "limit": Infinity, "rows": [["{text}", [9007199254740993, 0.5]], ["b", null]]}}'
    for whole in (written, written.replace("Infinity", "1")):
        packed = Packed(zlib.compress(whole.encode("utf-8", "surrogatepass")))
        (first, value), (second, missing) = packed.rows(tuple[str, Value | None])
        assert first in (text, text.encode("utf-8", "replace").decode())
        assert repr((value, second, missing)) == "(Value(number=9007199254740993, half=0.5), 'b', None)"
        assert packed.counts == (2,)
