"""A comparison taken away: the same files for a member and under a share link, and what they must never do."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.result_storage import pack_overviews, section_rows
from awrdiff.processing.models import State
from awrdiff.sharing.services import revoke
from tests.harness.exports import without_address
from tests.web.compared import HOSTILE, comparison, parameters_section, waits_section
from tests.web.pages import body, store_comparison
from tests.web.share import create_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
TYPES = {
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
}


@pytest.fixture
def stored(owner, reports) -> Comparison:
    return store_comparison(owner, reports)


def url(stored, ending: str) -> str:
    return reverse("comparison-export", args=[stored.pk, ending])


@pytest.mark.parametrize("ending", TYPES)
def test_a_member_and_a_guest_get_the_same_file(sign_in, owner, stored, ending, django_assert_max_num_queries):
    client = sign_in(owner)
    with django_assert_max_num_queries(14):
        mine = client.get(url(stored, ending))
    assert mine.status_code == 200
    assert mine["Content-Type"] == TYPES[ending]
    assert mine["Content-Disposition"] == (
        f'attachment; filename="awrdiff-pay-1-jan-2024-1000-1100-1100-1200.{ending}"'
    )
    _, path = create_link(owner, stored, days=7)
    theirs = Client().get(f"{path}export.{ending}")
    assert theirs.content == without_address(mine.content)  # a guest's address is the link: it is in no file
    assert (without_address(mine.content) != mine.content) == (ending in ("md", "txt"))
    assert theirs["Referrer-Policy"] == "no-referrer"
    assert "noindex" in theirs["X-Robots-Tag"]


def test_nobody_else_gets_it(sign_in, owner, stranger, stored):
    assert sign_in(stranger).get(url(stored, "json")).status_code == 404
    assert Client().get(url(stored, "json")).status_code in (302, 401)
    link, path = create_link(owner, stored, days=7)
    revoke(owner, link)
    assert Client().get(f"{path}export.csv").status_code == 404
    assert Client().post(f"{path}export.csv").status_code in (403, 405)


def test_unknown_endings_and_unfinished_comparisons(sign_in, owner, stored):
    client = sign_in(owner)
    assert client.get(url(stored, "exe")).status_code == 404
    Comparison.objects.filter(pk=stored.pk).update(state=State.RUNNING)
    answer = client.get(url(stored, "md"))
    assert answer.status_code == 409
    assert "not finished yet" in answer.content.decode()


def test_the_json_is_the_contract_document(sign_in, owner, stored):
    document = json.loads(sign_in(owner).get(url(stored, "json")).content)
    assert document["schema"] == "awrdiff.comparison/1"
    assert [s["id"] for s in document["sections"]] == [s.id for s in comparison().sections]
    row = document["sections"][0]["rows"][0]
    assert row["status"] == "changed"
    assert row["minor"] is False


def test_every_pair_is_in_it(sign_in, owner, reports, stored):
    other = comparison((parameters_section(),))
    Comparison.objects.filter(pk=stored.pk).update(overview=pack_overviews([comparison(), other]))
    ComparisonReport.objects.create(comparison=stored, report=reports[1], position=2)
    for line in section_rows(stored, 1, other):
        line.save()
    document = json.loads(sign_in(owner).get(url(stored, "json")).getvalue())
    assert len(document["reports"]) == 3
    assert [len(p["sections"]) for p in document["pairs"]] == [5, 1]


def test_the_summary_alone_has_no_tables_of_sections(sign_in, owner, stored):
    client = sign_in(owner)
    whole = client.get(url(stored, "md")).content.decode()
    summary = client.get(url(stored, "md"), {"part": "summary"}).content.decode()
    assert len(summary.splitlines()) <= 60
    assert f"- This comparison: <http://testserver{reverse('comparison', args=[stored.pk])}>\n" in summary
    page = client.get(url(stored, "html"), {"part": "summary"}).content.decode()
    assert "Foreground Wait Events</h2>" not in page
    assert "Average active sessions rose from 3.8 to 81.4" in summary
    assert "## Foreground Wait Events" in whole
    assert "## Foreground Wait Events" not in summary


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b"])
def test_no_cell_of_the_csv_is_a_formula(sign_in, owner, reports, start):
    from msgspec.structs import replace

    from awrdiff.analysis.model.comparison import Delta

    evil = f"{start}HYPERLINK(1)"
    section = parameters_section()
    row = replace(
        section.rows[0],
        key={"parameter": evil},
        values=section.rows[0].values | {"begin_value": Delta(evil, "x", significant=True)},
    )
    stored = store_comparison(owner, reports, comparison((replace(section, rows=(row,)),)))
    text = sign_in(owner).get(url(stored, "csv")).content.decode()
    lines = list(csv.reader(io.StringIO(text, newline="")))
    assert any("HYPERLINK" in cell for line in lines for cell in line)
    assert not [cell for line in lines for cell in line if cell.startswith(start)]


def test_report_text_is_no_markup_in_the_markdown(sign_in, owner, stored):
    text = sign_in(owner).get(url(stored, "md")).content.decode()
    assert HOSTILE not in text
    assert r"\<script\>" in text


def test_the_page_offers_the_files(sign_in, owner, stored):
    html = sign_in(owner).get(reverse("comparison", args=[stored.pk])).content.decode()
    for ending in TYPES:
        assert f'="{url(stored, ending)}"' in html
    _, path = create_link(owner, stored, days=7)
    shared = Client().get(path).content.decode()
    for ending in TYPES:
        assert f'="{path}export.{ending}"' in shared
    assert html.index(url(stored, "txt")) < min(html.index(url(stored, ending)) for ending in ("md", "html", "csv"))


def test_the_export_is_what_the_command_prints(sign_in, owner, tmp_path):
    """The same two files, once through the server and once by `manage.py compare`."""
    from awrdiff.comparisons.services import create_comparison
    from awrdiff.comparisons.tasks import compute_now
    from awrdiff.reports.received_files import receive_chunks
    from awrdiff.reports.services import store_upload
    from awrdiff.reports.tasks import read_now
    from tests.e2e.conftest import CASES

    paths = [CASES / "before.html", CASES / "after.html"]
    uploads = [store_upload(owner, receive_chunks(iter([p.read_bytes()]), p.name), p.name) for p in paths]
    for report in uploads:
        read_now(report.pk)
    made = create_comparison(owner, uploads, order_by_time=False)
    compute_now(made.pk)
    client = sign_in(owner)
    for ending, name in (("md", "markdown"), ("csv", "csv"), ("html", "html")):
        printed = tmp_path / f"out.{ending}"
        call_command("compare", *map(str, paths), format=name, output=printed)
        assert without_address(body(client.get(url(made, ending)))) == printed.read_bytes()


def test_an_export_costs_no_more_queries_for_more_rows(sign_in, owner, reports, django_assert_max_num_queries):
    large = store_comparison(owner, reports, comparison((waits_section(900),)))
    client = sign_in(owner)
    with django_assert_max_num_queries(14):
        assert client.get(url(large, "csv")).status_code == 200
