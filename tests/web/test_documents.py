"""The project's documents as pages: every one a page names is there, at the section that is named, for anyone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from awrdiff.collecting.script import Wanted, script_of
from awrdiff.web.documents import FOLDER, anchor, document

pytestmark = pytest.mark.django_db
TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
NAMED = re.compile(r"\{% url 'document' '([a-z-]+)' %\}(?:#([\w-]+))?")
NAMES = sorted(path.stem for path in FOLDER.glob("*.md"))


def page(name: str) -> str:
    answer = Client().get(f"/docs/{name}/")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("name", NAMES)
def test_each_is_there_and_its_links_lead_somewhere(name):
    html = page(name)
    assert "<h1" in html
    for href in re.findall(r"<article.*", html, re.DOTALL)[0].split('href="')[1:]:
        target = href.split('"')[0]
        other, _, fragment = target.partition("#")
        if target.startswith("https://"):
            continue
        there = page(other.split("/")[2]) if other else html
        assert not fragment or f'id="{fragment}"' in there, target


def test_what_the_pages_name_is_there():
    named = {found for path in TEMPLATES.rglob("*.html") for found in NAMED.findall(path.read_text())}
    assert ("commit-latency", "section-4") in named
    for name, fragment in named:
        assert not fragment or f'id="{fragment}"' in page(name), (name, fragment)


def test_no_page_names_a_document_without_leading_there():
    said = [path.name for path in TEMPLATES.rglob("*.html") if re.search(r"docs/[a-z-]+\.md", path.read_text())]
    assert said == []


@pytest.mark.parametrize("name", ["nothing", "..", "README", "schemas", "%2e%2e%2fpyproject"])
def test_another_name_is_not_there(name):
    assert Client().get(f"/docs/{name}/").status_code == 404


def test_tags_in_a_document_are_text():
    assert "&lt;kbd&gt;" in page("entities")


def test_a_column_without_a_head_has_an_empty_cell_there():
    assert not any(re.search(r"<th[^>]*></th>", page(name)) for name in NAMES)


def test_headings_have_the_anchors_that_links_use():
    assert anchor("4. Histograms") == "section-4"
    assert anchor("Reaching it from other machines") == "reaching-it-from-other-machines"
    assert document("operations").title == "Running awrdiff"


def test_the_script_for_sqlplus_as_it_is_asked_for(client):
    answer = client.get("/awrdiff_reports.sql", {"hours": "48", "ash": "yes", "statspack": ""})
    assert answer.status_code == 200
    assert answer.content.decode() == script_of(Wanted(hours=48, ash=True))
    assert "attachment" in answer["Content-Disposition"]


@pytest.mark.parametrize("asked", [{"hours": "x"}, {"hours": "0"}, {"hours": "²"}, {"statspack": "yes", "ash": "yes"}])
def test_what_makes_no_script_is_said(client, asked):
    answer = client.get("/awrdiff_reports.sql", asked, headers={"Accept": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")
