"""A post-mortem as Markdown and as HTML, and hostile text in them and on the pages."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from markdown_it import MarkdownIt

from awrdiff.postmortems import services
from awrdiff.postmortems.sections import SECTIONS
from tests.web.pages import check_markup
from tests.web.postmortems import BY_UNDECIDED, CONFIRMED, EXPLAINED, REJECTED, UNDECIDED, Told, told
from tests.web.test_postmortems import edit

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}
HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) ![i](http://evil.example/i.png) @all #1 | \n# Heading"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


class TestTakenAway:
    @pytest.fixture
    def case(self, owner, reports) -> Told:
        return told(owner, reports)

    @pytest.fixture(autouse=True)
    def drafted(self, owner, case) -> None:
        services.draft(owner, case.incident)

    @pytest.fixture
    def base(self, case) -> str:
        return f"/incidents/{case.incident.pk}/postmortem/"

    def test_as_markdown(self, client, case, base):
        answer = client.get(f"{base[:-1]}.md")
        said = answer.content.decode()
        assert answer["Content-Type"] == "text/markdown; charset=utf-8"
        assert 'filename="awrdiff-post-mortem-receipts-were-slow.md"' in answer["Content-Disposition"]
        assert [line for line in said.splitlines() if line.startswith("## ")] == [f"## {s.title}" for s in SECTIONS]
        assert f"<http://testserver/comparisons/{case.comparison.pk}/?pair=0#{case.row}>" in said
        assert "| Bind the literals | olivia | 1 Feb 2018 | Open |  |" in said
        assert "<https://tickets.example/1?a=1&b=2>" in said
        assert "A draft: not reviewed yet." in said
        assert "Failover" in said

    def test_as_html_that_needs_nothing_else(self, client, case, base):
        said = client.get(f"{base[:-1]}.html").content.decode()
        check_markup(said)
        assert "default-src &#x27;none&#x27;" in said
        assert re.search(r"<td>Bind the literals</td>\s*<td>olivia</td>", said)  # its cells show their white space
        assert not re.search(r"src=|<link|<script|url\(", said)
        assert f'href="http://testserver/comparisons/{case.comparison.pk}/?pair=0#{case.row}"' in said
        assert 'href="https://tickets.example/1?a=1&amp;b=2"' in said

    def test_causes_once_more_in_both(self, client, base):
        for ending in ("md", "html"):
            said = client.get(f"{base[:-1]}.{ending}").content.decode()
            causes = said[said.index("Causes") : said.index("What went well")]
            first = causes[: causes.index("Ruled out")]
            assert CONFIRMED in first
            assert not any(title in first for title in (REJECTED, EXPLAINED, UNDECIDED, BY_UNDECIDED))
            assert UNDECIDED not in causes


class TestHostileText:
    @pytest.fixture
    def base(self, client, owner, reports) -> str:
        case = told(owner, reports, hostile=HOSTILE)
        made = services.draft(owner, case.incident)
        for one in SECTIONS:
            if one.key in ("went-well", "actions"):
                edit(owner, made, one.key, f"{HOSTILE}\n\n```\nnever closed <script>")
        return f"/incidents/{case.incident.pk}/postmortem/"

    @pytest.mark.parametrize("where", ["", "versions/?from=0&to=9", "versions/9/", "sections/went-well/", ".html"])
    def test_in_pages_it_is_text(self, client, base, where):
        said = client.get(f"{base[:-1]}.html" if where == ".html" else base + where, headers=HTML).content.decode()
        check_markup(said)
        assert "<script>alert" not in said
        assert "<img" not in said
        assert 'href="javascript' not in said

    def test_in_markdown_nothing_of_it_is_live(self, client, base):
        said = client.get(f"{base[:-1]}.md").content.decode()
        made = MarkdownIt("gfm-like").render(said)
        assert "<script" not in made
        assert "<img" not in made
        targets = set(re.findall(r'href="([^"]+)"', made))
        known = ("http://testserver/", "https://tickets.example/", "http://evil.example/i.png")  # typed as a picture
        assert all(one.startswith(known) for one in targets), targets
        heads = re.findall(r"<h2>(.*?)</h2>", made)
        assert heads == [one.title for one in SECTIONS]
        assert not re.search(r"(?<![`\w])@all", said)
