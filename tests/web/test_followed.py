"""One upload is followed by its id from the access log to the worker, and no line tells what is nobody's business."""

from __future__ import annotations

import io
import json
import logging
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory, TestCase
from django.utils import timezone

from awrdiff import logs
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons.tasks import compute_now
from awrdiff.processing import dispatch, sweeper
from awrdiff.processing.models import State
from awrdiff.processing.work_claims import GAVE_UP_CODE, Claim, Refused, claim, note_death, working
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from awrdiff.sharing.services import create_link
from awrdiff.web.middleware import RequestLog
from tests.web.pages import body, store_comparison

pytestmark = pytest.mark.django_db
HOST = "secrethost01"
REPORT = f"<html><head><title>AWR Report for DB: SECRETDB</title></head><body>an AWR report of {HOST}".encode()


class Lines(io.StringIO):
    """What is logged, whichever logger says it."""

    def of(self, event: str) -> list[dict]:
        return [line for line in map(json.loads, self.getvalue().splitlines()) if line["event"] == event]


@pytest.fixture(params=[True], ids=["json"])
def lines(request):
    stream = Lines()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.formatter(as_json=request.param))
    root, level = logging.getLogger(), logs.events.level
    root.addHandler(handler)
    logs.events.setLevel(logging.INFO)
    yield stream
    root.removeHandler(handler)
    logs.events.setLevel(level)
    logs.forget()


def test_the_audit_log_goes_to_whoever_collects_logs_where_a_setting_says_so(lines, sign_in, owner, settings):
    audit = logging.getLogger("awrdiff.audit")
    client = sign_in(owner)
    report = upload(client)
    assert not lines.of("audit")
    with patch.object(audit, "level", logging.INFO), TestCase.captureOnCommitCallbacks(execute=True):
        audit.manager._clear_cache()
        client.get(f"/reports/{report.pk}/", headers={"Accept": "text/html"})
        client.post(f"/reports/{report.pk}/delete/", headers={"Accept": "application/json"})
    audit.manager._clear_cache()
    kept = AuditLine.objects.filter(thing=report.pk, action__in=("saw", "deleted")).order_by("pk")
    fields = ("audit_id", "team_id", "who", "action", "kind", "thing")
    assert {tuple(line[one] for one in fields) for line in lines.of("audit")} == {
        (one.pk, one.team_id, one.who, one.action, one.kind, one.thing) for one in kept
    }
    assert [one.action for one in kept] == ["saw", "deleted"]
    assert "SECRET" not in lines.getvalue()


def upload(client: Client, **headers: str) -> Report:
    data = {"file": SimpleUploadedFile("SECRETFILE.html", REPORT)}
    answer = client.post("/reports/", data, headers={"Accept": "application/json", **headers})
    assert answer.status_code == 201, answer.content
    logs.forget()  # what follows is another process
    return Report.objects.get(pk=answer.json()["id"])


def test_an_upload_is_found_by_its_id_in_the_access_log_and_in_the_workers_lines(lines, sign_in, owner):
    report = upload(sign_in(owner), **{"X-Request-ID": "from-the-proxy.1"})
    tasks.read_now(report.pk)
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    told = [line for line in told if line.get("request_id") == "from-the-proxy.1"]
    assert [line["event"] for line in told] == ["uploaded", "request", "begun", "refused"]
    uploaded, asked, begun, ended = told
    assert (uploaded["report_id"], uploaded["bytes"]) == (str(report.pk), len(REPORT))
    assert (asked["method"], asked["route"], asked["status"]) == ("POST", "report-upload", 201)
    assert asked["bytes_in"] > len(REPORT)
    assert asked["bytes_out"] > 100
    assert asked["ms"] > 0
    for line in (uploaded, asked):
        assert (line["team_id"], line["person_id"]) == (owner.team.pk, owner.user.pk)
    for line in (begun, ended):
        assert (line["team_id"], line["report_id"]) == (owner.team.pk, str(report.pk))
    assert begun["attempt"] == 1
    assert begun["waited_s"] >= 0
    assert ended["reading_s"] > 0
    assert ended["reason"] == Report.objects.get(pk=report.pk).error_code


def test_the_row_knows_the_id_when_the_sweeper_sends_it_later(lines, sign_in, owner, monkeypatch):
    report = upload(sign_in(owner), **{"X-Request-ID": "one"})
    monkeypatch.setattr(tasks.read_report, "apply_async", lambda args, **_: None)
    monkeypatch.setattr(dispatch, "_waiting", lambda *_: 0)
    Report.objects.filter(pk=report.pk).update(due_at=timezone.now() - timedelta(seconds=1))
    sweeper.sweep()
    again = lines.of("sent again")
    assert [(line["request_id"], line["report_id"]) for line in again] == [("one", str(report.pk))]


def test_what_is_asked_for_again_is_of_the_request_that_asked(lines, sign_in, owner):
    client = sign_in(owner)
    report = upload(client, **{"X-Request-ID": "one"})
    tasks.read_now(report.pk)
    client.post(f"/reports/{report.pk}/retry/", headers={"X-Request-ID": "two", "Accept": "application/json"})
    assert Report.objects.get(pk=report.pk).request_id == "two"


def test_a_renewal_was_asked_for_by_no_request(lines, owner, reports):
    Report.objects.filter(pk=reports[0].pk).update(parser_version=1, request_id="long-ago")
    held = claim(Report, reports[0].pk, "reading", version=9)
    assert held is not None
    assert held.renewing
    assert "request_id" not in lines.of("begun")[0]


@pytest.mark.parametrize("end", ["refused", "given back", "superseded", "waiting", "killed"])
def test_each_end_has_its_word(lines, sign_in, owner, end):
    report = upload(sign_in(owner), **{"X-Request-ID": "one"})
    held = claim(Report, report.pk, "reading")
    with logs.bound(**held.outcome.ids), working(held):
        if end == "refused":
            raise Refused("No.", "no-report")
        if end == "given back":
            raise ValueError("a fault of ours")
        if end == "superseded":
            Report.objects.filter(pk=report.pk).update(attempt=9)
            held.stage("storing")
        if end == "waiting":
            raise OSError(28, "No space left on device")
        note_death(Report, report.pk, 0, by_itself=True)
    assert [line["request_id"] for line in lines.of(end)] == ["one"]
    assert lines.of("done") == []


def test_a_row_that_killed_its_worker_too_often_is_refused_for_that(lines, sign_in, owner):
    report = upload(sign_in(owner), **{"X-Request-ID": "one"})
    Report.objects.filter(pk=report.pk).update(interruptions=99, due_at=timezone.now() - timedelta(seconds=1))
    sweeper.sweep()
    (line,) = lines.of("refused")
    assert (line["request_id"], line["report_id"], line["reason"]) == ("one", str(report.pk), GAVE_UP_CODE)


def test_what_was_written_and_not_committed_is_not_done(lines, sign_in, owner):
    report = upload(sign_in(owner))
    held = claim(Report, report.pk, "reading")

    def commits_nothing() -> None:
        with working(held):
            held.finish()
            raise DatabaseError

    with patch.object(Claim, "give_back", side_effect=DatabaseError), pytest.raises(DatabaseError):
        commits_nothing()
    assert lines.of("done") == []


def test_a_result_is_done(lines, owner, reports):
    from awrdiff.comparisons.services import create_comparison

    logs.bind(request_id="a-request")
    made = create_comparison(owner, reports, order_by_time=False)
    logs.forget()
    compute_now(made.pk)
    (done,) = lines.of("done")
    assert (done["request_id"], done["comparison_id"]) == ("a-request", str(made.pk))
    assert done["comparing_s"] > 0
    assert done["storing_s"] > 0


@pytest.mark.parametrize("given", ["", "a b", "x" * 41, "-x", 'a"b', "a\tb", "ä", "../x"])
def test_an_id_that_is_not_plain_is_not_taken_over(client, lines, given):
    answered = client.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]
    assert answered != given
    assert len(answered) == 32


def test_an_id_that_is_plain_is_answered(client, lines):
    assert client.get("/healthz", headers={"X-Request-ID": "a.B-1_c"})["X-Request-ID"] == "a.B-1_c"


def test_probes_and_styles_have_no_line_while_they_are_well(client, lines):
    for path in ("/healthz", "/static/there.css"):
        answer = RequestLog(lambda _: HttpResponse())(RequestFactory().get(path))
        answer.close()
    assert lines.of("request") == []
    client.get("/static/css/none.css")
    assert [(line["route"], line["status"]) for line in lines.of("request")] == [("static", 404)]


def test_an_answer_that_is_streamed_is_told_with_its_bytes_once_it_is_sent(lines, sign_in, owner, reports):
    comparison = store_comparison(owner, reports)
    answer = sign_in(owner).get(f"/comparisons/{comparison.pk}/export.json")
    (line,) = lines.of("request")
    assert (line["route"], line["bytes_out"]) == ("comparison-export", len(body(answer)))
    streamed = RequestLog(lambda _: StreamingHttpResponse([b"12", b"345"]))(RequestFactory().get("/"))
    assert len(lines.of("request")) == 1
    assert b"".join(streamed) == b"12345"
    streamed.close()
    assert lines.of("request")[1]["bytes_out"] == 5


def test_a_refusal_is_told_by_its_kind(lines, sign_in, owner):
    data = {"file": SimpleUploadedFile("SECRETFILE.pdf", b"%PDF-1.4")}
    sign_in(owner).post("/reports/", data, headers={"Accept": "application/json"})
    (line,) = lines.of("request")
    assert (line["status"], line["reason"]) == (415, "WrongKind")


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "SignInNeeded"), (413, "TooLarge"), (503, "TooMuchAtOnce"), (507, "NoRoom")]
)
def test_a_body_that_was_refused_while_it_arrived_is_told_too(lines, db, status, reason):
    Client().post("/reports/", headers={"Accept": "application/json"}, **{"awrdiff.refusal": status})
    (line,) = lines.of("request")
    assert (line["status"], line["reason"]) == (status, reason)


def test_what_one_may_not_see_is_told(lines, sign_in, stranger, reports):
    sign_in(stranger).get(f"/reports/{reports[0].pk}/")
    (line,) = lines.of("request")
    assert (line["status"], line["reason"], line["person_id"]) == (404, "NotFound", stranger.user.pk)


@pytest.mark.parametrize("lines", [True, False], indirect=True, ids=["json", "text"])
def test_no_line_holds_a_secret_or_what_stands_in_a_report(lines, sign_in, owner, reports):
    comparison = store_comparison(owner, reports)
    token = create_link(owner, comparison, days=3, password="SECRET-mauve-otter-91")[1]
    client, stranger = sign_in(owner), Client()
    upload(client, **{"X-Request-ID": token})
    tasks.read_now(Report.objects.get(name="SECRETFILE.html").pk)
    for url in (
        f"/s/{token}/?q=SECRETquery",
        f"/s/{token}/export.csv",
        f"/s/{token}/no-such-page/",
        f"/comparisons/{comparison.pk}/entities/host/{HOST}/?q=SECRETquery",
        f"/comparisons/{comparison.pk}/sections/SECRETsection/",
        "/SECRETpath: /SECRETpath/x y",
        "/?token=SECRETtoken",
    ):
        client.get(url)
        stranger.get(url, headers={"Authorization": f"Bearer awr_{token}", "Referer": f"http://h/s/{token}/"})
    stranger.post(f"/s/{token}/password/", {"password": "SECRET-mauve-otter-92"})
    stranger.post("/login/", {"login": "SECRETlogin", "password": "SECRET-mauve-otter-93"})
    stranger.post("/reports/", {"file": SimpleUploadedFile("SECRETFILE", b"x")})
    said = lines.getvalue()
    assert said.count("request_id") > 20
    assert said.count("none") >= 2, "what is at no route is told without its path"
    for secret in ("SECRET", HOST, token):
        assert secret.lower() not in said.lower(), [line for line in said.splitlines() if secret in line]


def test_a_copy_of_a_row_in_a_worker_is_of_the_same_request(lines, sign_in, owner, monkeypatch):
    """A file that holds several: each report in it was asked for by who uploaded the file."""
    report = upload(sign_in(owner), **{"X-Request-ID": "one"})
    monkeypatch.setattr(tasks, "_parsed", lambda *_: [b"<html>first", b"<html>second"])
    tasks.read_now(report.pk)
    assert set(Report.objects.filter(parent=report).values_list("request_id", "state")) == {("one", State.PENDING)}
