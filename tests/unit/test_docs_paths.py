"""Every file that the guides name is there, so that nobody is sent to a room that has moved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from awrdiff.web.views.documentation import anchor

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ["CONTRIBUTING.md", "docs/life-of-a-row.md", "docs/reference/words.md"]
PATH = re.compile(r"`((?:awrdiff|parsers|templates|static|tests|fixtures|bin|docs)/[\w./-]*)`")

PAGES = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
LINK = re.compile(r"""(?:\]\(|src(?:set)?=")((?!https?:|mailto:)[^)"\s]+)""")


def named(guide: str) -> set[str]:
    return set(PATH.findall((ROOT / guide).read_text(encoding="utf-8")))


@pytest.mark.parametrize("guide", GUIDES)
def test_every_file_a_guide_names_is_there(guide):
    missing = sorted(path for path in named(guide) if not (ROOT / path).exists())
    assert not missing


def test_the_guides_do_name_files():
    assert all(len(named(guide)) >= 10 for guide in GUIDES)


def test_the_life_of_a_row_visits_the_rooms_on_its_way():
    rooms = {"/".join(Path(path).parts[:2]) for path in named("docs/life-of-a-row.md")}
    assert rooms >= {"parsers/files", "parsers/html", "parsers/text", "parsers/tables", "parsers/sections"}
    assert rooms >= {"awrdiff/web", "awrdiff/reports", "awrdiff/processing", "awrdiff/analysis", "awrdiff/comparisons"}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_document_leads_to_a_file_and_a_heading(page):
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))
    lost = []
    for link in LINK.findall(text):
        path, _, fragment = link.partition("#")
        there = (page.parent / path) if path else page
        if not there.exists() or (fragment and fragment not in anchors(there)):
            lost.append(link)
    assert lost == []


def anchors(page: Path) -> set[str]:
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)}
