"""The project's documents as pages: every one a page names is there, at the section that is named, for anyone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from awrdiff.collecting.sqlplus_script import Wanted, script_of
from awrdiff.web.views.documentation import FOLDER, INDEX, anchor, chapters, document, find

pytestmark = pytest.mark.django_db
TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
NAMED = re.compile(r"\{% url 'document' '([a-z/-]+)' %\}(?:#([\w-]+))?")
NAMES = sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.md") if path.stem != INDEX)


def page(name: str) -> str:
    answer = Client().get(f"/docs/{name}/")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("name", NAMES)
def test_each_is_there_and_its_links_lead_somewhere(name):
    html = page(name)
    assert "<h1" in html
    links_lead_somewhere(html)
    assert not re.search(r'<(?!a )[^>]*(?:src|href)="(?:https?:)?//', html)  # nothing is fetched from elsewhere


def links_lead_somewhere(html: str) -> None:
    """Those of the document and of the chapters beside it."""
    for target in re.findall(r'href="((?:/docs/|#)[^"]*)"', html.rsplit("<main", maxsplit=1)[-1]):
        other, _, fragment = target.partition("#")
        there = page(other.removeprefix("/docs/").rstrip("/")) if other not in ("", "/docs/") else html
        assert not fragment or f'id="{fragment}"' in there, target


def test_the_chapters_have_every_document_once():
    html = Client().get("/docs/").content.decode()
    links_lead_somewhere(html)
    assert sorted(entry.name for chapter in chapters() for entry in chapter.entries) == NAMES
    assert [chapter.title for chapter in chapters()][-1] == "Reference"
    beside = page("glossary").split('class="chapters"')[1].split("</nav>")[0]
    assert all(f'href="/docs/{name}/"' in beside for name in NAMES)
    assert re.search(r'href="/docs/glossary/"\s+aria-current="page"', beside)


def test_a_part_is_found_by_all_its_words_and_led_to():
    first = find("sla COMMIT time")[0]
    assert first.url == "/docs/commit-latency/#section-7"
    assert f"{first.before}{first.hit}{first.after}".startswith(first.before + first.hit)
    assert find("sla commit xylophone") == find(" ") == []
    html = Client().get("/docs/", {"q": "<b>"}).content.decode()
    assert "“&lt;b&gt;”" in html
    assert "“<b>”" not in html


def test_of_many_that_are_found_the_first_are_shown_and_all_counted():
    html = Client().get("/docs/", {"q": "the"}).content.decode()
    total = len(find("the"))
    assert total > 40 == html.count("<mark>")
    assert re.search(rf"<h1>\s*{total} found for “the”, the first 40\s*</h1>", html)
    assert ", the first" not in Client().get("/docs/", {"q": "sla commit time"}).content.decode()


@pytest.mark.parametrize(
    "name", ["command-line", "findings", "http", "metrics", "reports-read", "robustness", "sections"]
)
def test_what_is_looked_up_is_found_where_it_was_before(client, name):
    assert leads(client, name) == f"/docs/reference/{name}/"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("team-reference", "reference/team"),
        ("sharing", "reference/team"),
        ("notices", "reference/team"),
        ("people", "team"),
        ("threads", "team"),
        ("incidents", "team"),
        ("review", "team"),
    ],
)
def test_what_was_put_together_is_found_by_its_old_name(client, before, now):
    assert leads(client, before) == f"/docs/{now}/"


def leads(client: Client, before: str) -> str:
    answer = client.get(f"/docs/{before}/")
    assert answer.status_code == 301
    assert client.get(answer["Location"]).status_code == 200
    return answer["Location"]


def test_comments_around_what_commands_write_are_not_shown():
    assert "<!-- api -->" in (FOLDER / "reference" / "http.md").read_text(encoding="utf-8")
    assert "end of" not in page("reference/http")
    assert not any("&lt;!--" in page(name) for name in NAMES)
    assert find("<!--") == []


def test_what_is_found_is_marked_where_it_stands():
    for one in find("db time"):
        assert one.hit.casefold() in ("db time", "db", "time", "")
        assert f'id="{one.url.partition("#")[2]}"' in page(
            one.url.split("#")[0].removeprefix("/docs/").rstrip("/")
        ) or ("#" not in one.url)


def test_what_the_pages_name_is_there():
    named = {found for path in TEMPLATES.rglob("*.html") for found in NAMED.findall(path.read_text())}
    assert ("commit-latency", "section-4") in named
    for name, fragment in named:
        assert not fragment or f'id="{fragment}"' in page(name), (name, fragment)


def test_no_page_names_a_document_without_leading_there():
    said = [path.name for path in TEMPLATES.rglob("*.html") if re.search(r"docs/[a-z/-]+\.md", path.read_text())]
    assert said == []


@pytest.mark.parametrize(
    "name", ["nothing", "..", "README", "schemas", "reference", "reference/../team", "%2e%2e%2fpyproject"]
)
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
