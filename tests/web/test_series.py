"""Many reports at once: one series per kind, database and instance, and nothing that is in none goes unsaid."""

from __future__ import annotations

import re

import pytest

from awrdiff.comparisons import report_series
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from tests.web.conftest import store_report
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db


def report(access, name: str, hour: int = 0, **values) -> Report:
    begin = f"2024-01-{1 + hour // 24:02}T{hour % 24:02}:00:00"
    made = store_report(access, name, begin=begin)
    own = {"db_name": "PAY", "dbid": "7", "instance_number": 1, "instance_name": "pay1", "begin_at": begin}
    Report.objects.filter(pk=made.pk).update(**{**own, **values})
    return Report.objects.get(pk=made.pk)


def names(found: report_series.Sorted) -> list[list[str]]:
    return [[r.name for r in one.reports] for one in found.series]


def test_each_database_and_instance_is_a_series_by_time(owner):
    mixed = [
        report(owner, "c", 3),
        report(owner, "x", 1, db_name="SHOP", dbid="8"),
        report(owner, "b", 2),
        report(owner, "i", 1, instance_number=2, instance_name="pay2"),
        report(owner, "a", 1),
        report(owner, "copy", 1, db_name="CLONE"),  # files copied: the id is PAY's still
        report(owner, "ash", 1, kind="ash"),
        report(owner, "y", 2, db_name="shop", dbid=""),
    ]
    assert sorted(names(report_series.sort_out(mixed)), key=len) == [
        ["i"],
        ["copy"],
        ["ash"],
        ["x", "y"],
        ["a", "b", "c"],
    ]


def test_what_names_no_database_or_a_name_that_two_have_is_in_no_series(owner):
    twice = [report(owner, str(n), n, dbid=str(n)) for n in (1, 2)]
    blank, alone = report(owner, "blank", db_name="", dbid=""), report(owner, "name", dbid="")
    found = report_series.sort_out([alone, blank, *twice])
    assert names(found) == [["1"], ["2"]]
    assert {r.name for r in found.unknown} == {"blank", "name"}


def test_a_masked_name_joins_the_one_name_of_its_id(owner):
    masked, own = report(owner, "masked", 1, db_name="XXXX"), report(owner, "a", 2)
    assert names(report_series.sort_out([masked, own])) == [["masked", "a"]]
    two = report_series.sort_out([masked, own, report(owner, "copy", 3, db_name="COPY")])
    assert (sorted(names(two)), [r.name for r in two.unknown]) == ([["a"], ["copy"]], ["masked"])


def test_the_same_bytes_count_once_and_are_named(owner):
    first, again = report(owner, "first", 1), report(owner, "again", 1)
    Report.objects.filter(pk=again.pk).update(sha256=first.sha256)
    found = report_series.sort_out([first, Report.objects.get(pk=again.pk), report(owner, "b", 2), first])
    assert names(found) == [["first", "b"]]
    assert [(one.name, other.name) for one, other in found.twice] == [("again", "first")]


def test_what_is_not_read_or_no_report_of_one_window_stands_beside(owner):
    failed = report(owner, "failed", state=State.FAILED)
    trace = report(owner, "t.trc", kind="lgwr_trace", db_name="", dbid="")
    both = report(owner, "both", kind="awr_compare")
    found = report_series.sort_out([failed, trace, both, report(owner, "a")])
    assert (names(found), found.unread, {r.name for r in found.beside}) == ([["a"]], 1, {"t.trc", "both"})


def test_of_a_long_series_the_latest_are_compared_and_what_has_no_time_is_never_the_latest(owner):
    many = [report(owner, str(n), n) for n in range(26)]
    [one] = report_series.sort_out([*many, report(owner, "undated", begin_at="")]).series
    assert one.older == 3
    assert [r.name for r in one.compared] == [str(n) for n in range(2, 26)]


@pytest.fixture
def of_two(owner):
    pay = [report(owner, f"pay{n}.html", n) for n in (2, 1, 3)]
    shop = [report(owner, f"shop{n}.html", n, db_name="SHOP", dbid="8") for n in (1, 2)]
    return [
        *pay,
        *shop,
        report(owner, "lone<b>.html", 1, db_name="LONE", dbid="9"),
        report(owner, "?", db_name="", dbid=""),
    ]


def sent(client, path: str, reports, **more):
    return client.post(path, {"report": [r.pk for r in reports], **more})


def test_they_are_offered_as_what_they_are_and_nothing_is_made(sign_in, owner, of_two):
    answer = sent(sign_in(owner), "/series/", of_two)
    html = answer.content.decode()
    check_markup(html)
    assert re.findall(r"<strong>(.*?)</strong>", html) == [
        "PAY · instance pay1 · AWR report",
        "SHOP · instance pay1 · AWR report",
    ]
    assert "Compare all 2" in html
    assert "LONE" in html
    assert "not told, so they are in no series" in html
    assert not Comparison.objects.exists()


def test_all_become_comparisons_with_one_click_and_one_opens_on_its_latest(sign_in, owner, of_two):
    client = sign_in(owner)
    one = sent(client, "/series/compare/", of_two[:3])
    [made] = Comparison.objects.all()
    assert one["Location"] == f"/comparisons/{made.pk}/?baseline=0,1&second=2"
    assert [p.report.name for p in made.places.order_by("position")] == ["pay1.html", "pay2.html", "pay3.html"]
    for _ in range(2):  # asked again it makes nothing
        assert sent(client, "/series/compare/", of_two)["Location"] == "/?view=recent"
    assert sorted(c.places.count() for c in Comparison.objects.all()) == [2, 3]


def test_only_ones_own_reports_are_taken_and_nothing_without_a_pair(sign_in, owner, guest, stranger, of_two):
    for path in ("/series/", "/series/compare/"):
        assert sent(sign_in(stranger), path, of_two).status_code == 400
        assert sent(sign_in(guest), path, of_two).status_code == 400
    assert sent(sign_in(owner), "/series/compare/", of_two[-2:]).status_code == 400
    assert sign_in(owner).post("/series/", {"report": ["x"]}).status_code == 400
    assert not Comparison.objects.exists()


def test_the_upload_form_of_the_first_page_alone_says_from_how_many_on(sign_in, owner, comparison):
    client = sign_in(owner)
    assert f'data-series-from="{report_series.FROM}"' in client.get("/").content.decode()
    assert "data-series-url" not in client.get(f"/comparisons/{comparison.pk}/").content.decode()
