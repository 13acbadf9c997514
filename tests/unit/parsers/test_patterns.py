"""Regular expressions that mean the same on every Python: before 3.11.5 a possessive group that fails half-way goes on
from there (Debian 12 has 3.11.2), and the match is longer than it should be."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

import parsers
from parsers.html.regular_table_rows import take_rows
from parsers.html.repair import is_overloaded

# Each of them says in a comment why it cannot, or why it does no harm.
READ_OVER = {"parsers.html.repair._WHOLE"}


def all_patterns() -> Iterator[tuple[str, str]]:
    """The name and the text of every pattern that a module of the parsers keeps."""
    for found in pkgutil.walk_packages(parsers.__path__, "parsers."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                yield f"{found.name}.{name}", value.pattern


def repeats_a_group(pattern: str) -> bool:
    """Whether something of more than one sign is repeated possessively."""
    parser: Any = re._parser  # type: ignore[attr-defined]

    def walk(parts: Any) -> bool:
        if isinstance(parts, parser.SubPattern):
            return any(walk(argument) or _is_group(code, argument) for code, argument in parts)
        return isinstance(parts, (list, tuple)) and any(map(walk, parts))

    def _is_group(code: Any, argument: Any) -> bool:
        if str(code) != "POSSESSIVE_REPEAT":
            return False
        [*_, repeated] = argument
        return len(repeated) > 1 or str(repeated[0][0]) in ("SUBPATTERN", "BRANCH", "MAX_REPEAT", "POSSESSIVE_REPEAT")

    return walk(parser.parse(pattern))


def test_no_other_pattern_may_fail_half_way():
    found = {name for name, pattern in all_patterns() if repeats_a_group(pattern)}
    assert found == READ_OVER
    assert len(list(all_patterns())) > 50


@pytest.mark.parametrize(("pattern", "does"), [("(?:ab)*+", True), ("(?:a|bc)?+", True), ("a*+[bc]++", False)])
def test_such_a_pattern_is_seen(pattern, does):
    assert repeats_a_group(pattern) is does


@pytest.mark.parametrize("value", ["", "=1", '="x"'])
def test_a_tag_of_many_attributes_is_seen_after_others(value):
    many = " ".join(f"a{n}{value}" for n in range(2_000))
    assert is_overloaded(f"<p>One</p><p>two</p>and <th {many}>three</th>", 10_000)
    assert not is_overloaded("<p>One</p>" + "<p>two 2 < 3</p>" * 2_000, 10_000)


def test_a_quote_that_is_not_closed_ends_with_its_tag():
    assert not is_overloaded('<p a="x>' + "text " * 2_000 + "</p>", 10_000)


@pytest.mark.parametrize("end", ["", "</tr>"])
def test_a_header_with_a_cell_that_does_not_end_is_left_to_the_tree(end):
    rows = "<tr><td>1</td><td>2</td></tr>" * 3
    [taken] = take_rows(f"<table><tr><th>Name</th><th>Value{end}{rows}</table>")[1]
    assert taken.labels is None


@pytest.mark.parametrize(
    "last", ["<tr><td>1</td><td>2</td>", "<tr><td>1</td>", "<tr><td>1</td><td>2</td><td>3</td></tr>"]
)
def test_rows_of_which_the_last_is_not_whole_are_left_to_the_tree(last):
    rows = "<tr><td>1</td><td>2</td></tr>" * 3
    assert take_rows(f"<table><tr><th>Name</th><th>Value</th></tr>{rows}{last}</table>")[1] == []
