"""What docs/ has of the code is what the code says, and what is written by hand stays short."""

from __future__ import annotations

import re

import pytest

from awrdiff.cli.main import awrdiff
from awrdiff.web import urls
from tests.documents import addresses
from tests.documents.made import MADE
from tests.documents.parts import DOCS, parts, words_by_hand

MOST_WORDS = 25_000  # written by hand, in all


@pytest.mark.parametrize(("document", "part"), MADE, ids=map(": ".join, MADE))
def test_a_part_is_what_the_code_says(document, part):
    assert parts(DOCS / f"{document}.md")[part] == MADE[document, part](), "run: python -m tests.documents"


def test_every_address_that_scripts_may_ask_is_described():
    """All but the first page, probes and documents, signing in, and one's own account."""
    described = {pattern.name for room in addresses.PAGES.values() for pattern in room}
    apart = (*urls.ENTRANCE, *urls.API, *urls.SIGNING_IN, *urls.ACCOUNT)
    assert described == {pattern.name for pattern in urls.urlpatterns} - {pattern.name for pattern in apart}


@pytest.mark.parametrize("room", addresses.PAGES)
def test_every_address_says_what_it_does(room):
    assert [line for line in addresses.pages(room).splitlines()[2:] if re.search(r"\|\s*\|$", line)] == []


def test_methods_are_those_that_are_taken():
    by_name = {pattern.name: pattern for room in addresses.PAGES.values() for pattern in room}
    assert addresses.methods_of(by_name["pins"].callback) == ["GET", "POST"]
    assert addresses.methods_of(by_name["link-revoke"].callback) == ["DELETE", "POST"]


def test_every_command_has_a_chapter_and_no_other_option():
    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    chapters = {
        found[1]: chapter for chapter in page.split("\n## ")[1:] if (found := re.match(r"awrdiff ([a-z]+)", chapter))
    }
    assert set(chapters) == set(awrdiff.commands)
    for name, chapter in chapters.items():
        options = {one for param in awrdiff.commands[name].params for one in param.opts if one.startswith("--")}
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", chapter)) == options, name


def test_what_is_written_by_hand_stays_short():
    counts = {str(path.relative_to(DOCS)): words_by_hand(path) for path in DOCS.rglob("*.md")}
    assert sum(counts.values()) <= MOST_WORDS, counts


def test_words_are_counted_without_what_is_made(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n\n| one | `two` |\n|---|---|\n\n<!-- x -->\n\nmade by it\n\n<!-- end of x -->\n\n- last\n"
    )
    assert words_by_hand(page) == 5  # A page one two last
