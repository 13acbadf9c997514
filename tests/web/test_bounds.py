"""Figures, times and texts that no column holds: they end as a report with an issue, on every database."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from msgspec.structs import replace

from awrdiff.comparisons import queries, services
from awrdiff.comparisons.tasks import compute_comparison
from awrdiff.processing.storable_values import storable, storable_text
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from parsers.model import Database, Host, Instance, Issue, Period, Snapshot, Value
from tests.unit.parsers.reports import DATABASE, HOST, report, section, snapshots, table
from tests.web.builders import small_report, text_section
from tests.web.conftest import store_report

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HUGE = "1" + "0" * 20
SURROGATE = "\ud800"


@pytest.fixture
def client(sign_in, owner, settings, tmp_path) -> Client:
    settings.AWRDIFF_UPLOAD_DIR, settings.MEDIA_ROOT = tmp_path / "uploads", tmp_path / "files"
    return sign_in(owner)


def read(client: Client, data: bytes, name: str = "a.html") -> Report:
    answer = client.post("/reports/", {"file": SimpleUploadedFile(name, data)}, headers=JSON)
    assert answer.status_code == 201, answer.content
    found = Report.objects.get(pk=answer.json()["id"])
    tasks.read_report(str(found.pk))
    found.refresh_from_db()
    return found


def compared(client: Client, owner, found: Report) -> None:
    """The report goes the whole way: its page, a comparison and the pages and exports of that."""
    assert client.get(f"/reports/{found.pk}/").status_code == 200
    assert client.get(f"/reports/{found.pk}/", headers=JSON).status_code == 200
    made = services.create_comparison(owner, [found, store_report(owner)], order_by_time=True)
    compute_comparison(str(made.pk))
    made.refresh_from_db()
    assert made.state == "ready", made.error
    base = f"/comparisons/{made.pk}/"
    paths = ["", "status/", "commit/", "export.json", "export.md", "export.csv"]
    paths += [f"sections/{line.section_id}/" for line in queries.rail(made)]
    for path in paths:
        assert client.get(base + path).status_code == 200, path
    assert client.get(f"/comparisons/{made.pk}/", headers=JSON).status_code == 200


def header(old: str, new: str) -> bytes:
    made = (DATABASE + HOST + snapshots()).replace(old, new, 1)
    assert new in made
    waits = table(["Event", "Waits", "Total Wait Time (s)"], ["log file sync", "10", "1"], summary="x")
    return report(section("Foreground Wait Events", waits), header=made)


@pytest.mark.parametrize(
    ("old", "new", "column", "words"),
    [
        ("<td>10</td>", f"<td>{HUGE}</td>", "begin_snap", "begin snapshot"),
        ("<td>11</td>", f"<td>{HUGE}</td>", "end_snap", "end snapshot"),
        ("<td>8</td>", f"<td>{HUGE}</td>", "cpus", "number of CPUs"),
        ("<td>8</td>", "<td>3,000,000,000</td>", "cpus", "number of CPUs"),
    ],
)
def test_a_number_beyond_the_column_is_an_issue(client, owner, old, new, column, words):
    found = read(client, header(old, new))
    assert (found.state, getattr(found, column)) == ("ready", None), found.error
    assert any(words in issue["text"] and not issue["ours"] for issue in found.issues)
    compared(client, owner, found)


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<td>1</td>", f"<td>{HUGE}</td>"),
        ("02-Feb-24 10:00:00", "31-Dec-9999 23:59:59"),
        ("02-Feb-24 11:00:00", "31-Dec-9999 23:59:59"),
        ("02-Feb-24 11:00:00", "01-Jan-0001 00:00:00"),
        ("01-Feb-24 08:15", "31-Dec-9999 23:59"),
        ("60.00 (mins)", f"{'9' * 400} (mins)"),
        ("120.00 (mins)", f"{'9' * 400} (mins)"),
        ("60.00 (mins)", "-60.00 (mins)"),
        ("<td>31.44</td>", f"<td>{'9' * 400}</td>"),
        ("<td>8</td>", f"<td>{'9' * 5000}</td>"),
        ("<td>10</td>", f"<td>{'9' * 5000}</td>"),
        ("<td>42</td>", f"<td>{'9' * 5000}</td>"),
        ("INVENT", "&#xD800;&#0;"),
        ("box1", "bo\x00x"),
        ("box1", "x" * 5000),
    ],
)
def test_an_impossible_header_is_read(client, owner, old, new):
    compared(client, owner, read(client, header(old, new)))


def test_whatever_the_parser_hands_over_is_stored(client, owner, monkeypatch):
    """The worst that its types allow, whether or not a file is known that leads to it."""
    text = f"a\x00b{SURROGATE}c"
    number = 10**30
    last = datetime(9999, 12, 31, 23, 59, 59)
    worst = replace(
        small_report(text),
        release=text * 50,
        database=Database(name=text * 100, dbid=text * 100, unique_name=text, role=text, edition=text),
        instances=(Instance(number, text * 100, last, text * 100),),
        host=Host(text * 100, text * 100, number, number, number, Value(float("inf"), float("nan"))),
        period=Period(
            Snapshot(number, datetime(1, 1, 1), number),
            Snapshot(-number, last, number),
            Value(float("inf"), 0.0),
            Value(float("nan"), 0.0),
        ),
        issues=(Issue(text, text, text, 1),),
    )
    worst = replace(worst, sections=(*worst.sections, text_section("other", (text, text))))
    monkeypatch.setattr(tasks, "parse_report", lambda data, name: worst)
    found = read(client, b"worst")
    assert found.state == "ready", found.error
    assert (found.cpus, found.begin_snap, found.elapsed_s, found.db_time_s) == (None, None, None, None)
    assert len([i for i in found.issues if i["code"] == "impossible-number"]) == 6
    compared(client, owner, found)


def test_a_heading_of_any_length(client, owner):
    rows = table(["Some long label " * 60, "Number"], ["x" * 3000, "10"])
    compared(client, owner, read(client, report(section("A heading without end " * 300, rows))))


@pytest.mark.parametrize("name", ["a\x00b.html", "\x00", f"a{SURROGATE}.html"])
def test_names_of_files(client, owner, name):
    from awrdiff.reports.uploaded_report_rows import clean_name

    cleaned = clean_name(name)
    cleaned.encode()
    assert "\x00" not in cleaned
    store = store_report(owner)
    Report.objects.filter(pk=store.pk).update(name=cleaned)


def test_nul_in_what_is_asked_and_typed(client, reports, comparison):
    for path in (f"/comparisons/{comparison.pk}/", f"/reports/{reports[0].pk}/"):
        for tail in ("", "search/", "sections/foreground_wait_events/"):
            assert client.get(f"{path}{tail}?q=log%00file").status_code == 200, path + tail
    found = client.get(f"/comparisons/{comparison.pk}/search/?q=log%00file", headers=JSON).json()["sections"]
    assert found["foreground_wait_events"] == 1
    wanted = {"report": [str(r.pk) for r in reports], "title": "a\x00b"}
    answer = client.post("/comparisons/", wanted, headers=JSON)
    assert answer.status_code == 201
    assert queries.comparisons_for(services_access(comparison))[0].title == "a b"


def services_access(comparison):
    from awrdiff.accounts.access import AccessContext

    return AccessContext(team=comparison.team, user=comparison.created_by)


def test_a_refusal_with_a_bad_character_is_still_a_refusal(client, monkeypatch):
    from parsers import UnsupportedReport

    def refuse(data, name):
        raise UnsupportedReport(f"It says “\x00{SURROGATE}”.", code="not-awr")

    monkeypatch.setattr(tasks, "parse_report", refuse)
    found = read(client, b"x")
    assert (found.state, found.error_code, found.error) == ("failed", "not-awr", "It says “ �”.")


def test_storable():
    assert storable_text("a\x00b\udfffc") == "a b�c"
    assert storable({"a\x00": [1.5, float("inf"), float("nan"), 10**30, None, True, ("x\ud800",)]}) == {
        "a ": [1.5, None, None, 10**30, None, True, ["x�"]]
    }
