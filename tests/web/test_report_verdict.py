"""The verdict on one report: on its page and in its JSON, stored with it or made when it is looked at."""

from __future__ import annotations

import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse

from awrdiff.analysis import ENGINE_VERSION
from awrdiff.processing.models import State
from awrdiff.reports import assessments
from awrdiff.reports.models import Report
from awrdiff.reports.tasks import read_now
from fixtures.diagnosed import SINGLE_CASES
from fixtures.stories.sampled import ash_pair
from fixtures.writer import write
from parsers import parse_report
from parsers.storage.compressed_blocks import pack, unpack
from tests.web.compared import HOSTILE
from tests.web.conftest import store_parsed, store_report
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
CASE = next(c for c in SINGLE_CASES if c.name == "row locks on one table, and the update that waits")
DATA = write(CASE.report, CASE.layout)


@pytest.fixture
def report(owner) -> Report:
    return store_parsed(owner, parse_report(DATA, name="locked.html"))


def page(client, report) -> str:
    html = client.get(reverse("report", args=[report.pk])).content.decode()
    check_markup(html)
    return html


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", "", re.sub(r"</t[hd]>", " ", html)).split())


def stored(report: Report) -> dict:
    return unpack(bytes(Report.objects.get(pk=report.pk).assessment))


def restore(report: Report, document: dict | None, *, size: int) -> None:
    Report.objects.filter(pk=report.pk).update(assessment=None if document is None else pack(document), size=size)


def test_the_page_says_what_stands_out_above_the_sections(sign_in, owner, report):
    html = page(sign_in(owner), report)
    said = plain(html)
    assert "On average 12.3 sessions were active over 60 min on 8 CPUs" in said
    assert said.count("The hour is sick:") == 1  # the headline; the paragraph below does not repeat it
    assert "Sessions wait for each other&#x27;s row locks." in said
    assert html.index('id="summary"') < html.index('id="findings"') < html.index('class="card sec')
    assert 'class="mark crit"' in html
    assert "Not printed, and so not checked" in said
    assert "Undo Segment Summary" in said
    assert 'href="#summary"' in html
    assert 'href="#findings"' in html


def test_every_link_of_a_finding_leads_to_a_row(sign_in, owner, report):
    client = sign_in(owner)
    html = page(client, report)
    links = {
        m for ev in re.findall(r'<div class="ev">(.*?)</div>', html, re.DOTALL) for m in re.findall('#([^"]+)', ev)
    }
    assert len(links) >= 6
    for link in links:
        section, _, row = link.partition("/")
        url = reverse("report-section", args=[report.pk, section])
        part = client.get(url, {"row": row}, headers={"HX-Request": "true"}).content.decode()
        assert f'id="r-{row}"' in part, link


def test_the_json_has_verdict_findings_and_what_was_not_checked(sign_in, owner, report):
    body = sign_in(owner).get(reverse("report", args=[report.pk]), headers=JSON).json()
    assert body["verdict"].startswith(
        "The hour is sick: enq: TX - row lock contention holds 11.1 of 12.3 active sessions."
    )
    assert [f["rule"] for f in body["findings"]][:2] == ["row-locks", "hot-object"]
    assert all(len(f["sessions"]) == 2 for f in body["findings"] if f["sessions"])
    assert {"rule": "undo-errors", "by": "Undo Segment Summary"} in body["unchecked"]


def test_before_it_is_read_there_is_none(sign_in, owner, report):
    Report.objects.filter(pk=report.pk).update(state=State.PENDING)
    body = sign_in(owner).get(reverse("report", args=[report.pk]), headers=JSON).json()
    assert (body["verdict"], body["findings"], body["unchecked"]) == (None, None, None)


def test_what_a_report_says_is_escaped(sign_in, owner):
    html = page(sign_in(owner), store_report(owner, "a.html", event=HOSTILE, waits=90_000.0))
    assert "&lt;script&gt;" in html
    assert "<script>alert" not in html


def test_a_report_of_another_kind_says_what_it_is_and_claims_nothing(sign_in, owner):
    trace = b"\n".join(
        [
            b"Trace file /u01/diag/orcl_lgwr_1234.trc",
            b"*** 2024-03-05 09:00:00.000",
            b"Warning: log write elapsed time 950ms, size 12KB",
        ]
    )
    html = page(sign_in(owner), store_parsed(owner, parse_report(trace, name="orcl_lgwr_1234.trc")))
    assert html.count("The trace tells of") == 1
    assert 'id="findings"' not in html


def test_the_first_look_stores_it_and_a_twin_gets_it_too(owner, report, settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path
    default_storage.save("reports/new.html", ContentFile(DATA))
    values = {"team": owner.team, "uploaded_by": owner.user, "size": len(DATA), "sha256": "a" * 64}
    for name in ("new.html", "twin.html"):
        made = Report.objects.create(name=name, file="reports/new.html", **values)
        read_now(made.pk)
        made.refresh_from_db()
        assert made.state == State.READY
        assert (made.assessment is None) == (name == "new.html"), "nobody has looked yet"
        assert assessments.assessment_of(made) == assessments.assessment_of(report)
        assert stored(made)["engine"] == ENGINE_VERSION
        with monkeypatch.context() as patched:
            patched.setattr(assessments, "assess", lambda *_: pytest.fail("it is stored"))
            assert assessments.assessment_of(made).findings


def test_of_a_large_report_reading_stores_it(owner, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    default_storage.save("reports/large.html", ContentFile(DATA + b" " * assessments.MOST_AT_ONCE))
    large = {"size": len(DATA) + assessments.MOST_AT_ONCE, "sha256": "b" * 64}
    made = Report.objects.create(name="a", file="reports/large.html", team=owner.team, uploaded_by=owner.user, **large)
    read_now(made.pk)
    assert stored(made)["engine"] == ENGINE_VERSION


def test_what_was_seen_of_an_earlier_reading_is_not_kept_for_a_later_one(report):
    restore(report, None, size=len(DATA))
    seen = report_again(report)
    Report.objects.filter(pk=report.pk).update(attempt=seen.attempt + 1)
    assert assessments.assessment_of(seen).findings
    assert report_again(report).assessment is None


def test_of_another_engine_it_is_made_anew(report, monkeypatch):
    """Of whatever engine it was: this one's sentences are shown, and nothing of another shape is read."""
    expected = assessments.assessment_of(report)
    for engine in (ENGINE_VERSION - 1, ENGINE_VERSION + 1):
        restore(report, {"engine": engine, "assessment": {"verdict": "Other words."}}, size=len(DATA))
        assert assessments.assessment_of(report_again(report)) == expected
    restore(report, None, size=len(DATA))
    assert assessments.assessment_of(report_again(report)) == expected


def report_again(report: Report) -> Report:
    return Report.objects.get(pk=report.pk)


def test_a_large_report_is_not_assessed_while_a_page_waits(sign_in, owner, report, monkeypatch):
    monkeypatch.setattr(assessments, "assess", lambda _: pytest.fail("a page waits"))
    large = assessments.MOST_AT_ONCE + 1
    restore(report, {"engine": ENGINE_VERSION - 1, "assessment": {"verdict": "Older words."}}, size=large)
    assert "Older words." in page(sign_in(owner), report)
    for document in (None, {"engine": ENGINE_VERSION + 1, "assessment": {"shape": "unknown"}}):
        restore(report, document, size=large)
        html = page(sign_in(owner), report)
        assert 'class="verdict"' not in html
        assert 'class="card sec' in html


def test_the_time_and_who_stand_as_on_the_page_of_two(sign_in, owner, report):
    html = page(sign_in(owner), report)
    time, who = (re.search(rf'id="{part}".*?</section>', html, re.S)[0] for part in ("time", "ranked"))
    lock = next(row for row in time.split("<tr>") if "row lock contention" in row)
    assert re.search(r'<a class="to" href="[^"]*/event/[^"]*">enq: TX - row lock contention</a>', lock)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", lock)
    assert cells[0].replace(".", "").isdigit()
    assert cells[1].endswith("%")
    assert cells[2].endswith("s")
    first = re.findall(r"<tr>.*?</tr>", who, re.S)[1]
    assert re.search(r'/sql/\w{13}/">', first)
    assert " each · " in first
    assert html.index('id="findings"') < html.index('id="time"') < html.index('id="ranked"')


def test_of_an_ash_report_they_are_what_was_sampled(sign_in, owner):
    report = store_parsed(owner, parse_report(ash_pair()[1], name="ash.html"))
    html = page(sign_in(owner), report)
    time, who = (plain(re.search(rf'id="{part}".*?</section>', html, re.S)[0]) for part in ("time", "ranked"))
    assert "enq: TX - row lock contention 3.4" in time
    assert "average wait" not in time
    assert "SQL 9brw5e2list3q 1.6 31 % CPU + Wait for CPU" in who
    sizes = [float(size) for size in re.findall(r"<td>([\d.]+)</td>\s*<td>[\d.]+ %", html.split('id="ranked"')[1])]
    assert sizes == sorted(sizes, reverse=True)
    assert 1 < len(sizes) <= 6


def test_a_current_one_is_read_and_not_made(sign_in, owner, report, monkeypatch, django_assert_max_num_queries):
    assessments.assessment_of(report)
    monkeypatch.setattr(assessments, "assess", lambda _: pytest.fail("it is stored"))
    client = sign_in(owner)
    with django_assert_max_num_queries(22):
        assert "row locks" in page(client, report)
