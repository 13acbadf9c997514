"""Pins: a row, a finding or a section kept per person, whatever becomes of the comparison, and as a text to paste."""

from __future__ import annotations

import re

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from msgspec.structs import replace

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.model.comparison import Subject
from awrdiff.comparisons.models import REVERSE, Comparison, ComparisonSection
from awrdiff.comparisons.queries import load_section
from awrdiff.comparisons.result_storage import section_rows
from awrdiff.pins import queries, services
from awrdiff.pins.models import Pin
from awrdiff.pins.services import PinRefused
from awrdiff.web.presenters.page.pins import FORMATS, PinLine, Sheet
from tests.web import compared
from tests.web.conftest import computed_both_ways, context_of
from tests.web.pages import check_markup, store_comparison
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
WAITS = "foreground_wait_events"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def row(comparison) -> str:
    """The anchor of log file sync: 100 waits in First, 250 in Second."""
    rows = load_section(comparison, WAITS).rows
    return f"{WAITS}/{next(r.row_id for r in rows if r.key['event'] == 'log file sync')}"


def pin(client: Client, comparison: Comparison, anchor: str, **fields) -> dict:
    answer = client.post(f"/comparisons/{comparison.pk}/pins/", {"anchor": anchor, **fields}, headers=JSON)
    assert answer.status_code == 201, answer.content
    return answer.json()


def pins(client: Client, comparison: Comparison) -> list[dict]:
    return client.get(f"/comparisons/{comparison.pk}/pins/", headers=JSON).json()["pins"]


def figures(found: dict) -> dict[str, str]:
    return dict(found["figures"])


def test_a_row_is_pinned_with_its_figures_and_leads_there(client, comparison, row):
    made = pin(client, comparison, row)
    assert (made["title"], made["place"], made["gone"]) == ("log file sync", "Foreground Wait Events", False)
    assert figures(made)["Waits"] == "100 → 250 (+150.0 % per s)"
    assert made["url"] == f"/comparisons/{comparison.pk}/#{row}"
    assert pins(client, comparison) == [made]


def test_twice_is_once(client, comparison, row):
    assert pin(client, comparison, row) == pin(client, comparison, row)
    assert Pin.objects.count() == 1


def test_a_section_and_the_waterfall_are_pinned(client, comparison):
    pin(client, comparison, "time")
    pin(client, comparison, "init_parameters")
    assert [p["title"] for p in pins(client, comparison)] == ["Where the time went", "init.ora Parameters"]


def test_each_finding_is_pinned_by_itself_also_of_one_rule(client, owner, reports):
    """A rule speaks of several statements: what is pinned is the one that was pointed at."""
    computed = compared.comparison()
    one = replace(computed.findings[0], rule="sql-dominant", title="A stands out.", subject=Subject("sql", "a"))
    other = replace(one, title="B stands out.", text="b took long.", subject=Subject("sql", "b"))
    whole = replace(one, rule="redo", title="More redo.", subject=None)
    made = store_comparison(owner, reports, replace(computed, findings=(one, other, whole)))
    anchors = re.findall(r'data-finding="([^"]+)"', client.get(f"/comparisons/{made.pk}/").content.decode())
    assert anchors[2] == "finding:redo"
    assert anchors[1].startswith("finding:sql-dominant/")
    found = [pin(client, made, anchor) for anchor in anchors]
    assert [p["title"] for p in found] == ["A stands out.", "B stands out.", "More redo."]
    assert [p["url"] for p in found] == [f"/comparisons/{made.pk}/#{anchor}" for anchor in anchors]
    assert "b took long." in found[1]["figures"][0][1]


@pytest.mark.parametrize(
    "anchor",
    [
        "",
        "nothing",
        f"{WAITS}/0000",
        "finding:",
        "finding:none",
        "finding:redo/x",
        "/",
        "a/b/c",
        "x" * 5000,
        "time/x",
        "\x00",
    ],
)
def test_what_is_not_there_is_refused(client, comparison, anchor):
    answer = client.post(f"/comparisons/{comparison.pk}/pins/", {"anchor": anchor}, headers=JSON)
    assert (answer.status_code, Pin.objects.count()) == (400, 0)
    assert "There is nothing here to keep" in answer.json()["error"]


@pytest.mark.parametrize("pair", ["1", "9999", "-1", "x"])
def test_another_pair_is_another_place(client, comparison, row, pair):
    answer = client.post(f"/comparisons/{comparison.pk}/pins/", {"anchor": row, "pair": pair}, headers=JSON)
    assert answer.status_code == (400 if pair.isdigit() else 201)


def test_everybody_has_their_own(client, sign_in, colleague, stranger, comparison, row):
    made = pin(client, comparison, row)
    other = sign_in(colleague)
    assert pins(other, comparison) == []
    assert other.delete(made["remove_url"]).status_code == 404
    assert pin(other, comparison, row)["id"] != made["id"]
    assert sign_in(stranger).get(f"/comparisons/{comparison.pk}/pins/", headers=JSON).status_code == 404
    assert client.delete(made["remove_url"]).status_code == 204
    assert client.delete(made["remove_url"]).status_code == 404
    assert (pins(client, comparison), len(pins(other, comparison))) == ([], 1)


def test_the_other_way_round_it_is_read_backwards(client, comparison, row):
    computed_both_ways(comparison)
    answer = client.post(f"/comparisons/{comparison.pk}/pins/", {"anchor": row, "pair": REVERSE}, headers=JSON).json()
    assert figures(answer)["Waits"] == "250 → 100 (−60.0 % per s)"
    assert answer["url"] == f"/comparisons/{comparison.pk}/?pair={REVERSE}#{row}"
    assert figures(pin(client, comparison, row))["Waits"] == "100 → 250 (+150.0 % per s)"
    assert [one["pair"] for one in pins(client, comparison)] == [REVERSE, 0]


class TestWhatIsGone:
    def recomputed(self, comparison: Comparison, *, without: str = "") -> None:
        """As a newer version may do it: other figures, or no such row."""
        section = load_section(comparison, WAITS)
        rows = [r for r in section.rows if r.row_id != without]
        ComparisonSection.objects.filter(comparison=comparison, section_id=WAITS).delete()
        found = compared.comparison()
        computed = replace(found, sections=(replace(section, rows=tuple(rows)),))
        ComparisonSection.objects.bulk_create(section_rows(comparison, 0, computed))

    def test_after_a_recomputation_the_pin_is_where_it_was(self, client, comparison, row):
        made = pin(client, comparison, row)
        self.recomputed(comparison)
        Pin.objects.update(figures=[["Waits", "old"]], title="old")
        assert pins(client, comparison) == [made]

    def test_one_that_matches_nothing_is_kept_with_the_figures_as_they_were(self, client, comparison, row):
        made = pin(client, comparison, row)
        self.recomputed(comparison, without=row.split("/")[1])
        (kept,) = pins(client, comparison)
        assert kept["gone"]
        assert (kept["title"], kept["figures"]) == (made["title"], made["figures"])
        assert kept["note"].endswith("it is not in this comparison any more")
        assert "any more" in client.get(f"/comparisons/{comparison.pk}/pins.txt").content.decode()

    def test_while_it_is_computed_pins_stay(self, client, comparison, row):
        made = pin(client, comparison, row)
        Comparison.objects.update(state="pending")
        (kept,) = pins(client, comparison)
        assert (kept["figures"], kept["note"][-14:]) == (made["figures"], "being computed")
        assert client.get(f"/comparisons/{comparison.pk}/pins.md").status_code == 409


def test_there_is_a_limit(owner, comparison, row, monkeypatch):
    monkeypatch.setattr(services, "MOST_PINS", 1)
    services.pin(owner, comparison, row)
    services.pin(owner, comparison, row)
    with pytest.raises(PinRefused, match="You keep at most 1 pieces"):
        services.pin(owner, comparison, "time")


def test_each_comparison_has_its_own(owner, comparison, row):
    kept = services.pin(owner, comparison, row)
    another = store_comparison(owner, [place.report for place in comparison.places.select_related("report")])
    assert list(queries.pins_of(owner, comparison)) == [kept]
    assert list(queries.pins_of(owner, another)) == []
    with pytest.raises(NotFound):
        queries.pin_for(owner, another, kept.pk)


def test_deleting_names_and_takes_them(client, sign_in, colleague, comparison, row):
    for who in (client, sign_in(colleague)):
        pin(who, comparison, row)
    assert "2 pieces of evidence" in client.get(f"/comparisons/{comparison.pk}/delete/").content.decode()
    client.post(f"/comparisons/{comparison.pk}/delete/")
    assert not Pin.objects.exists()


def test_a_shared_view_has_none_and_says_so(client, owner, comparison, row):
    pin(client, comparison, row)
    _, path = create_link(owner, comparison, days=1)
    html = Client().get(path).content.decode()
    assert "pins.js" not in html
    assert "data-pins" not in html
    assert "Evidence is kept for members" in html
    from awrdiff.sharing.access import shared

    assert list(queries.pins_of(shared(path.split("/")[2]), comparison)) == []


def test_the_page_has_the_tray_and_the_key(client, comparison, row):
    html = client.get(f"/comparisons/{comparison.pk}/").content.decode()
    check_markup(html)
    assert f'data-pins="/comparisons/{comparison.pk}/pins/"' in html
    pin(client, comparison, row)
    tray = client.get(f"/comparisons/{comparison.pk}/pins/", headers={"Accept": "text/html"}).content.decode()
    check_markup(tray)
    assert "log file sync" in tray
    assert "100 → 250" in tray


class TestTexts:
    HOSTILE = Sheet(
        "<b>T</b> [x](http://evil.example)",
        "http://testserver/c/",
        "@all <script>alert(1)</script>",
        [
            PinLine(
                id=1,
                anchor="a",
                pair=0,
                baseline=None,
                title="<img src=x> @bob www.evil.example",
                place="A_B",
                figures=[("Waits", "1 → 2"), ("", "|x|")],
                url="http://testserver/c/#a",
            )
        ],
    )

    def written(self, ending: str) -> str:
        return "".join(FORMATS[ending][0](self.HOSTILE))

    def test_verdict_pins_and_addresses_stand_in_each(self, client, comparison, row):
        pin(client, comparison, row)
        for ending, kind in (("md", "text/markdown"), ("txt", "text/plain"), ("html", "text/html")):
            answer = client.get(f"/comparisons/{comparison.pk}/pins.{ending}")
            text = answer.content.decode()
            assert answer["Content-Type"].startswith(kind)
            assert f"http://testserver/comparisons/{comparison.pk}/#{row}" in text
            assert "100 → 250" in text
            assert "log file sync" in text
        assert client.get(f"/comparisons/{comparison.pk}/pins.pdf").status_code == 404

    def test_in_markdown_only_the_servers_own_addresses_are_links(self):
        text = self.written("md")
        assert not re.search(r"(?<!\\)<(?!http://testserver/)", text)
        assert "`www.evil.example`" in text
        assert "`@bob`" in text
        assert "](" not in re.sub(r"`[^`]*`", "", text)
        assert text.count("<http://testserver/c/") == 2

    def test_in_html_it_is_text(self):
        text = self.written("html")
        check_markup(text)
        assert "<script" not in text
        assert "<img" not in text
        assert text.count("<a href=") == 2

    def test_plain_it_stands_as_it_is(self):
        assert "<script>alert(1)</script>" in self.written("txt")


def test_who_became_a_reader_removes_none_of_theirs(colleague, comparison, row):
    kept = services.pin(colleague, comparison, row)
    reader = context_of("carl", "Payments", "reader")
    with pytest.raises(PermissionDenied):
        services.unpin(reader, kept)
    assert Pin.objects.filter(pk=kept.pk).exists()
