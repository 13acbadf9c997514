"""Uploads that hold more than one report: what the request does, what the worker finds out, what pages say."""

from __future__ import annotations

import resource
from uuid import uuid5

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError

import parsers.archive
import parsers.files.encoding
import parsers.files.mail_and_browser_wrappings
import parsers.files.split
import parsers.reader
from awrdiff.comparisons import queries as comparison_queries
from awrdiff.comparisons import tasks as comparison_tasks
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.processing.models import State
from awrdiff.reports import files, services, tasks, uploaded_report_rows
from awrdiff.reports.models import LEFT_OUT, SEVERAL, Report
from awrdiff.reports.unpack import TOGETHER
from tests.unit.parsers.reports import DATABASE, HOST, snapshots
from tests.unit.parsers.reports import report as report_bytes
from tests.unit.parsers.test_archive import overlapping
from tests.web.test_uploads import archive, client, post, uploads

__all__ = ["client", "uploads"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("uploads")]

ONE = report_bytes()
OTHER = report_bytes(header=DATABASE.replace("INVENT", "OTHER") + HOST + snapshots())
README = b"Two hours of the order system.\nAsk Olivia.\n"
LIKE_ONE = b"The AWR report for the slow hour and the one before.\nAsk Olivia.\n"  # it names what it is not


def hostile() -> bytes:
    """50 files of 60 kB on which a reader would take long."""
    member = (b"<table><tr><td>x</td></tr>" + b"<td" * 20_000)[:60_000]
    return archive({f"{n}.html": member + b"%d" % n for n in range(50)})


def read_all() -> None:
    while pending := list(Report.objects.filter(state=State.PENDING)):
        for one in pending:
            tasks.read_now(one.pk)


def compared(url: str) -> Comparison:
    """The comparison at `url` once all that workers do is done."""
    comparison = Comparison.objects.get(pk=url.split("/")[2])
    for _ in range(3):
        read_all()
        comparison_tasks.compute_now(comparison.pk)
    comparison.refresh_from_db()
    return comparison


@pytest.fixture
def no_parser(monkeypatch):
    """Whatever looks into a file fails."""

    def looked(*_args, **_kwargs):
        raise AssertionError("a file was looked into in a web request")

    for module in (
        parsers.archive,
        parsers.files.encoding,
        parsers.files.mail_and_browser_wrappings,
        parsers.reader,
        parsers.files.split,
        tasks,
    ):
        for name in ("decode", "mended", "split_reports", "parse_report", "refuse_stray", "is_mail", "_parse"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, looked)


class TestRequest:
    @pytest.mark.parametrize(
        ("data", "name"),
        [(ONE, "a.html"), (ONE + OTHER, "two.html"), (hostile(), "h.zip"), (archive({"r": README}), "r")],
    )
    def test_looks_into_no_file(self, client, no_parser, data, name):
        assert post(client, data, name).status_code == 201

    def test_looks_into_no_file_of_the_form_either(self, client, no_parser):
        files = [SimpleUploadedFile("h.zip", archive({"a": ONE, "b": OTHER})), SimpleUploadedFile("a.html", ONE)]
        answer = client.post("/reports/", {"file": files}, headers={"Accept": "text/html"})
        assert answer.status_code == 302

    def test_a_hostile_archive_costs_it_no_more_than_another(self, client):
        """As many members of as many bytes; reading them all would take ten times as long."""
        plain = archive({f"{n}.html": (b"<p>%d</p>" % n).ljust(60_000) for n in range(50)})
        took = []
        for data in (archive({"a": ONE, "b": OTHER}), plain, hostile()):  # the first loads what all need
            before = resource.getrusage(resource.RUSAGE_SELF)
            answer = post(client, data, "h.zip")
            after = resource.getrusage(resource.RUSAGE_SELF)
            assert answer.status_code == 201
            took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert len(answer.json()["reports"]) == 50
        assert took[2] < 4 * took[1], took

    def test_a_few_bytes_become_no_mass_on_the_disk(self, client, uploads):
        """One member listed fifty times, and fifty that shrank more than a report does."""
        assert post(client, overlapping(b"<html>" + b"\0" * 3_000_000, 50), "a.zip").status_code == 415
        data = archive({f"{n}.html": b"<html>" + b"\0" * 3_000_000 for n in range(50)})
        post(client, data, "b.zip")
        kept = sum(path.stat().st_size for path in uploads.parent.rglob("*") if path.is_file())
        assert kept <= max(4 << 20, 100 * len(data))

    def test_all_rows_of_an_upload_are_made_together_or_none(self, client, monkeypatch):
        """The request ends in the middle: whatever was written by then is not there."""
        sent = []

        def dies(_task, pks, **_):
            sent.extend(pks)
            raise DatabaseError("the server is gone")

        monkeypatch.setattr(services, "wake_on_commit", dies)
        with pytest.raises(DatabaseError):
            post(client, archive({"a.html": ONE, "b.html": OTHER, "c.html": ONE + OTHER}), "a.zip")
        assert len(sent) == 3
        assert not Report.objects.exists()

    def test_of_more_what_was_kept_is_there_when_the_archive_comes_again(self, client, monkeypatch, uploads):
        many = archive({"bad.png": b"\x89PNG\r\n\x1a\n", **{f"{n}.html": ONE + b"%d" % n for n in range(3 * TOGETHER)}})
        store = services.store_uploads
        open_at_once = []

        def dies_later(access, incoming):
            open_at_once.append(len(list(uploads.glob("*.upload"))))
            if len(open_at_once) == 3:
                raise DatabaseError("the server is gone")
            return store(access, incoming)

        with monkeypatch.context() as patched:
            patched.setattr(services, "store_uploads", dies_later)
            with pytest.raises(DatabaseError):
                post(client, many, "night.zip")
        assert max(open_at_once) <= TOGETHER + 1
        assert (kept := Report.objects.count()) == 2 * TOGETHER - 1
        assert not any(uploads.glob("*.upload"))
        again = client.post("/reports/", {"file": SimpleUploadedFile("night.zip", many), "same": "reuse"}).json()
        assert (len(again["reports"]), [o["name"] for o in again["left_out"]]) == (3 * TOGETHER, ["bad.png"])
        assert Report.objects.count() == 3 * TOGETHER > kept
        assert set(Report.objects.values_list("archive", "in_bulk")) == {("night.zip", True)}

    def test_the_members_of_an_archive_know_it(self, client):
        post(client, archive({"a.html": ONE, "b.html": OTHER}), "case.zip")
        post(client, archive({"alone.html": ONE}), "one.zip")
        assert dict(Report.objects.values_list("name", "archive")) == {
            "a.html": "case.zip", "b.html": "case.zip", "alone.html": "",
        }  # fmt: skip


class TestSeveralReportsInOneFile:
    @pytest.fixture
    def parent(self, client) -> Report:
        return Report.objects.get(pk=post(client, ONE + OTHER, "two.html").json()["id"])

    def test_each_becomes_a_report_of_its_own(self, client, parent):
        read_all()
        parts = list(Report.objects.filter(parent=parent).order_by("number"))
        assert [(p.name, p.state, p.db_name) for p in parts] == [
            ("two.html#1", "ready", "INVENT"), ("two.html#2", "ready", "OTHER"),
        ]  # fmt: skip
        found = client.get(f"/reports/{parent.pk}/").json()
        assert (found["state"], found["said"], found["sections"]) == ("ready", "File of several reports", [])
        assert found["parts"] == [{"id": str(p.pk), "name": p.name, "url": f"/reports/{p.pk}/"} for p in parts]
        assert client.get(f"/reports/{parts[0].pk}/").json()["parts"] == []

    def test_its_commits_are_those_of_its_parts(self, client, parent):
        read_all()
        answer = client.get(f"/reports/{parent.pk}/commit/")
        assert (answer.status_code, answer["Location"]) == (302, f"/reports/{parent.pk}/")

    def test_they_are_the_same_however_often_it_is_read(self, parent):
        tasks.read_now(parent.pk)
        read_all()
        before = {p.pk: p.state for p in Report.objects.filter(parent=parent)}
        services.restart([parent])
        tasks.read_now(parent.pk)
        assert {p.pk: p.state for p in Report.objects.filter(parent=parent)} == before
        assert set(before) == {uuid5(parent.pk, "1"), uuid5(parent.pk, "2")}

    def test_a_worker_that_dies_before_the_last_write_leaves_no_part(self, parent, monkeypatch):
        def dies(*_args, **_kwargs):
            raise SystemExit

        with monkeypatch.context() as patched:
            patched.setattr(tasks, "wake_on_commit", dies)
            with pytest.raises(SystemExit):
                tasks.read_now(parent.pk)
        parent.refresh_from_db()
        assert (parent.state, Report.objects.count()) == (State.RUNNING, 1)
        Report.objects.update(state=State.PENDING)
        read_all()
        assert Report.objects.filter(parent=parent, state=State.READY).count() == 2

    def test_an_attempt_that_was_superseded_makes_none(self, parent, monkeypatch):
        store = uploaded_report_rows.stored_parts

        def overtaken(*args):
            Report.objects.filter(pk=parent.pk).update(attempt=9)
            return store(*args)

        monkeypatch.setattr(uploaded_report_rows, "stored_parts", overtaken)
        tasks.read_now(parent.pk)
        assert Report.objects.count() == 1

    def test_the_same_file_again_has_parts_of_its_own(self, client, parent):
        read_all()
        again = Report.objects.get(pk=post(client, ONE + OTHER, "again.html").json()["id"])
        read_all()
        assert [p.name for p in again.parts.order_by("number")] == ["again.html#1", "again.html#2"]
        assert {p.state for p in again.parts.all()} == {"ready"}

    def test_the_same_file_is_known_while_all_its_parts_are_there(self, client, parent):
        def known() -> list[str]:
            asked = {"sha256": [parent.sha256]}
            return [one["id"] for one in client.post("/reports/known/", asked).json()["known"].values()]

        read_all()
        assert known() == [str(parent.pk)]
        parent.parts.order_by("number").last().delete()
        assert known() == []

    def test_other_parsers_read_the_parts_again_and_not_the_file(self, parent):
        read_all()
        Report.objects.update(parser_version=0)
        assert {r.name for r in tasks.outdated_reports()} == {"two.html#1", "two.html#2"}

    def test_the_page_leads_to_each_and_to_their_comparison(self, client, parent):
        read_all()
        page = client.get(f"/reports/{parent.pk}/", headers={"Accept": "text/html"}).content.decode()
        ids = [str(p.pk) for p in parent.parts.all()]
        assert all(f'href="/reports/{pk}/"' in page and f'name="report" value="{pk}"' in page for pk in ids)
        assert "Compare them" in page
        made = client.post("/comparisons/", {"report": ids, "order": "time"})
        assert compared(made.json()["url"]).state == State.READY

    def test_the_form_without_scripts_compares_what_is_in_it(self, client):
        files = [SimpleUploadedFile("two.html", ONE + OTHER), SimpleUploadedFile("third.html", ONE + b"<!-- 3 -->")]
        answer = client.post("/reports/", {"file": files}, headers={"Accept": "text/html"})
        comparison = compared(answer["Location"])
        assert comparison.state == State.READY, comparison.error
        names = [p.report.name for p in comparison.places.order_by("position")]
        assert sorted(names) == ["third.html", "two.html#1", "two.html#2"]

    def test_a_read_file_of_several_is_compared_by_its_parts(self, client, parent):
        read_all()
        made = client.post("/comparisons/", {"report": [str(parent.pk)]})
        assert made.status_code == 201
        assert [r["name"] for r in client.get(made.json()["url"]).json()["reports"]] == ["two.html#1", "two.html#2"]


class TestLeftOut:
    @pytest.fixture
    def made(self, client) -> list[dict]:
        data = archive({"README.TXT": README, "a.html": ONE, "b.html": OTHER})
        return post(client, data, "case.zip").json()["reports"]

    def test_a_readme_beside_reports_is_left_out_and_no_error(self, client, made):
        assert [r["name"] for r in made] == ["README.TXT", "a.html", "b.html"]
        read_all()
        found = [client.get(r["url"]).json() for r in made]
        assert [(f["state"], f["error_code"]) for f in found] == [
            ("failed", LEFT_OUT),
            ("ready", None),
            ("ready", None),
        ]
        assert found[0]["error"].startswith("This is a text file")
        page = client.get(made[0]["url"], headers={"Accept": "text/html"}).content.decode()
        assert "was left out" in page
        assert "notice bad" not in page

    def test_so_is_one_that_speaks_of_reports(self, client):
        made = post(client, archive({"NOTES": LIKE_ONE, "a.html": ONE}), "case.zip").json()["reports"]
        read_all()
        assert client.get(made[0]["url"]).json()["error_code"] == LEFT_OUT

    def test_a_large_one_without_rows_is_a_damaged_report(self, client):
        large = (
            b"<html><title>AWR Report for DB: X</title><h1>WORKLOAD REPOSITORY report for</h1>" + b"<p>x</p>\n" * 9000
        )
        made = post(client, archive({"large.html": large, "a.html": ONE}), "case.zip").json()["reports"]
        read_all()
        assert client.get(made[0]["url"]).json()["error_code"] == "no-rows"

    def test_by_itself_it_is_an_error(self, client):
        made = [
            post(client, README, "README.TXT").json(),
            post(client, archive({"README.TXT": README}), "r.zip").json(),
        ]
        read_all()
        assert {client.get(m["url"]).json()["error_code"] for m in made} == {"not-a-report"}

    def test_it_hinders_no_comparison_and_is_named_in_it(self, client, made):
        url = client.post("/comparisons/", {"report": [r["id"] for r in made]}).json()["url"]
        comparison = compared(url)
        assert comparison.state == State.READY, comparison.error
        warnings = comparison_queries.overview(comparison).warnings
        assert [w.text for w in warnings if w.code == "left-out"] == [
            "“README.TXT” was left out: This is a text file in which no Oracle performance report was found: take the file"
            " that awrrpt.sql wrote."
        ]
        assert [r["name"] for r in client.get(url).json()["reports"]] == ["a.html", "b.html"]
        assert client.get(url, headers={"Accept": "text/html"}).status_code == 200

    def test_it_is_still_named_when_the_comparison_is_renewed_or_swapped(self, client, made):
        url = client.post("/comparisons/", {"report": [r["id"] for r in made]}).json()["url"]
        comparison = compared(url)
        named = [w.text for w in comparison_queries.overview(comparison).warnings if w.code == "left-out"]
        assert "“README.TXT” was left out" in named[0]
        Comparison.objects.filter(pk=comparison.pk).update(engine_version=1, both_ways=True)
        comparison_tasks.compute_now(comparison.pk)
        comparison.refresh_from_db()
        assert comparison.engine_version > 1
        for pair in (0, REVERSE):
            warnings = comparison_queries.overview(comparison, pair).warnings
            assert [w.text for w in warnings if w.code == "left-out"] == named

    def test_one_report_beside_it_is_too_few(self, client, made):
        url = client.post("/comparisons/", {"report": [r["id"] for r in made[:2]]}).json()["url"]
        comparison = compared(url)
        assert (comparison.state, comparison.error_code) == (State.FAILED, "too-few-reports")
        assert "“README.TXT” was left out" in comparison.error
        page = client.get(url, headers={"Accept": "text/html"}).content.decode()
        assert "left out" in page

    def test_a_report_that_cannot_be_read_does_hinder_it(self, client, made):
        read_all()
        Report.objects.filter(name="b.html").update(state=State.FAILED, error_code="no-interval", error="No time.")
        url = client.post("/comparisons/", {"report": [r["id"] for r in made]}).json()["url"]
        assert compared(url).error_code == "report-failed"


def test_the_form_without_scripts_keeps_nothing_where_a_file_is_refused(client):
    files = [SimpleUploadedFile("a.html", ONE), SimpleUploadedFile("bad.zip", archive({"a.html": ONE})[:-30])]
    answer = client.post("/reports/", {"file": files}, headers={"Accept": "text/html"})
    assert answer.status_code == 400
    assert "bad.zip" in answer.content.decode()
    assert not Report.objects.exists()


def test_parts_keep_their_bytes(client):
    parent = Report.objects.get(pk=post(client, ONE + OTHER, "two.html").json()["id"])
    read_all()
    parts = parent.parts.order_by("number")
    assert parent.pk
    with files.opened(parts[1].file) as kept:
        assert b"OTHER" in kept.read()
    parent.refresh_from_db()
    assert parent.kind == SEVERAL
