"""Which database a report is of, also where names are masked, copied or missing; taking over, merging and splitting."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import permutations
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext

from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import comparisons_by_database, databases_of_comparisons
from awrdiff.comparisons.models import ComparisonReport
from awrdiff.databases import report_assignment, services
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.databases.report_assignment import Identity
from awrdiff.processing.models import State
from awrdiff.reports.models import SEVERAL, Report
from tests.processes.files import two_reports
from tests.web.cast import stored_trace
from tests.web.conftest import store_report
from tests.web.pages import check_markup, store_comparison
from tests.web.uploaded import upload, uploading

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


def stored(access, name: str, dbid: str = "", db_name: str = "", host: str = "db01", **values) -> Report:
    made = store_report(access, name)
    values = {"dbid": dbid, "db_name": db_name, "host_name": host, **values}
    Report.objects.filter(pk=made.pk).update(**values)
    made.refresh_from_db()
    return made


def placed(*reports: Report) -> list[Database | None]:
    """One after the other, as they are read."""
    for one in reports:
        report_assignment.report_settled(one.pk)
    return databases_of(*reports)


def databases_of(*reports: Report) -> list[Database | None]:
    return [Report.objects.select_related("database").get(pk=one.pk).database for one in reports]


class TestPlacing:
    def test_two_of_one_name_with_different_ids_are_two(self, owner):
        a, b, c = placed(
            stored(owner, "a", "1", "ORCL"), stored(owner, "b", "2", "ORCL"), stored(owner, "c", "1", "orcl")
        )
        assert a == c != b
        assert (a.dbid, a.name, b.dbid, b.name) == ("1", "ORCL", "2", "ORCL")

    def test_one_id_under_two_names_is_two_and_under_a_masked_name_one(self, owner):
        pay, copy = placed(stored(owner, "a", "1", "PAY"), stored(owner, "b", "1", "PAYCOPY"))
        assert pay != copy
        masked, only = placed(stored(owner, "c", "2", "XXXX"), stored(owner, "d", "2", "CRM"))
        assert masked is not None
        assert databases_of(Report.objects.get(name="c")) == [only]
        assert only.name == "CRM"

    @pytest.mark.parametrize("order", [*permutations(range(4))])
    def test_what_prints_no_id_is_of_the_one_of_its_name_and_of_none_of_two(self, owner, order):
        """In whatever order they come."""
        known = [("1", "ORCL"), ("2", "ORCL"), ("", "ORCL"), ("3", "PAY")]
        reports = {n: stored(owner, str(n), *known[n]) for n in order}
        placed(*reports.values())
        first, second, without, pay = databases_of(*(reports[n] for n in range(4)))
        assert without is None
        assert len({first, second, pay}) == 3
        assert Database.objects.filter(merged_into=None, reports__isnull=False).distinct().count() == 3

    @pytest.mark.parametrize("order", [*permutations(range(3))])
    def test_halves_of_an_identity_come_together_with_the_whole(self, owner, order):
        known = [("1", ""), ("", "PAY"), ("1", "PAY")]
        reports = {n: stored(owner, str(n), *known[n]) for n in order}
        placed(*reports.values())
        assert len(set(databases_of(*reports.values())) - {None}) == 1
        assert None not in databases_of(*reports.values())

    def test_what_tells_nothing_or_is_no_report_of_the_teams_own_is_of_none(self, owner):
        reports = [
            stored(owner, "a", "", "****"),
            stored(owner, "b", "1", "PAY", is_demo=True),
            stored(owner, "c", "1", "PAY", kind=SEVERAL),
            stored_trace(owner, "t.trc", 5),
            stored(owner, "e", "1", "PAY", state=State.FAILED),
        ]
        assert placed(*reports) == [None] * 5
        assert not Database.objects.exists()

    def test_another_team_has_databases_of_its_own_and_the_name_the_same_id_for_scripts(self, owner, stranger):
        ours, theirs = placed(stored(owner, "a", "1", "PAY"), stored(stranger, "b", "1", "PAY"))
        assert ours != theirs
        assert ours.uid == theirs.uid == report_assignment.uid_of_name("PAY")
        (second,) = placed(stored(owner, "c", "2", "PAY"))
        assert second.uid != ours.uid

    def test_reading_a_file_places_it(self, tmp_path):
        with uploading(tmp_path, "olivia") as client:
            report = upload(client, "a.html", two_reports()[0])
        assert report.dbid
        assert report.database.dbid == report.dbid


class TestComparisons:
    def test_they_are_of_the_databases_that_their_reports_are_of(self, owner):
        a, b, c = (stored(owner, n, i, "PAY") for n, i in (("a", "1"), ("b", "2"), ("c", "1")))
        (first,) = placed(a)
        compared = store_comparison(owner, [a, b, c])
        assert databases_of_comparisons.databases_of(compared) == [first]
        _, second, _ = placed(a, b, c)
        assert databases_of_comparisons.databases_of(compared) == [first, second]
        services.merge(owner, first, second)
        assert databases_of_comparisons.databases_of(compared) == [second]
        services.unmerge(owner, first)
        assert databases_of_comparisons.databases_of(compared) == [first, second]

    def test_what_an_earlier_version_made_is_taken_over(self, owner, monkeypatch):
        migration = import_module("awrdiff.comparisons.migrations.0014_places_filled")
        for module in (migration, databases_of_comparisons):
            monkeypatch.setattr(module, "BATCH", 2)
        reports = [stored(owner, str(n), "1", "PAY") for n in range(5)]
        placed(*reports)
        other = stored(owner, "other")
        compared = store_comparison(owner, [*reports, other])
        ComparisonReport.objects.update(database=None)
        migration.fill(apps, SimpleNamespace(connection=connection))
        assert databases_of_comparisons.databases_of(compared) == databases_of(reports[0])
        ComparisonReport.objects.update(database=None)
        assert databases_of_comparisons.take_over() == 5
        assert databases_of_comparisons.take_over() == 0
        Report.objects.filter(pk=reports[0].pk).update(database=None)
        Report.objects.filter(pk=reports[1].pk).update(database=placed(stored(owner, "moved", "2", "OTHER"))[0])
        assert (databases_of_comparisons.take_over(), databases_of_comparisons.take_over()) == (2, 0)
        places = ComparisonReport.objects.filter(report__in=reports[:2]).order_by("position")
        assert [one.database for one in places] == [None, Report.objects.get(pk=reports[1].pk).database]
        Report.objects.filter(pk__in=[reports[0].pk, reports[1].pk]).update(database=databases_of(reports[2])[0])
        databases_of_comparisons.take_over()
        assert databases_of_comparisons.databases_of(compared) == databases_of(reports[0])


class TestForgetting:
    def test_what_may_have_been_of_two_is_of_the_one_that_is_left(self, owner):
        first, second, either = (
            stored(owner, "a", "1", "PAY"),
            stored(owner, "b", "2", "PAY"),
            stored(owner, "c", "", "PAY"),
        )
        assert placed(first, second, either)[2] is None
        second.delete()
        report_assignment.forget()
        report_assignment.take_over()
        assert databases_of(either) == databases_of(first)
        assert Database.objects.count() == 1


class TestTakingOver:
    def test_old_rows_are_taken_over_in_batches_and_a_second_time_changes_nothing(self, owner, monkeypatch):
        monkeypatch.setattr(report_assignment, "BATCH", 3)
        monkeypatch.setattr(report_assignment, "_AT_MOST_S", 60)
        reports = [stored(owner, str(n), str(n % 3), f"DB{n % 3}") for n in range(10)]
        traces = stored_trace(owner, "t.trc", 5)
        assert report_assignment.take_over() == 10
        found = databases_of(*reports)
        assert [one.name for one in found] == [f"DB{n % 3}" for n in range(10)]
        assert report_assignment.take_over() == 0
        assert databases_of(*reports) == found
        assert databases_of(traces) == [None]

    def test_it_goes_on_where_it_was_stopped(self, owner, monkeypatch):
        monkeypatch.setattr(report_assignment, "BATCH", 2)
        reports = [stored(owner, str(n), "1", "PAY") for n in range(5)]
        report_assignment.place(report_assignment.placeable(Report.objects.filter(placed_at=None))[:2])
        assert Report.objects.filter(placed_at=None).count() == 3
        assert report_assignment.take_over() == 3
        assert len(set(databases_of(*reports))) == 1

    def test_of_what_was_read_again_under_another_name_it_is_looked_for_anew(self, owner):
        (report,) = reports = [stored(owner, "a", "1", "PAY")]
        placed(*reports)
        Report.objects.filter(pk=report.pk).update(dbid="2", placed_at=None)
        report_assignment.take_over()
        assert databases_of(report)[0].dbid == "2"

    def test_what_fits_one_is_not_placed_while_another_is_made_that_it_fits_too(self, owner, monkeypatch):
        """Another process has the team's lock, and leaves a second database of the name."""
        reports = [stored(owner, "a", "1", "PAY"), stored(owner, "b", "", "PAY"), stored(owner, "c", "", "PAY")]
        placed(*reports[:2])
        other, lock = [stored(owner, "d", "2", "PAY")], report_assignment.lock

        def waited(team: int) -> None:
            while other:
                report_assignment.report_settled(other.pop().pk)
            lock(team)

        monkeypatch.setattr(report_assignment, "lock", waited)
        assert placed(reports[2]) == [None]
        assert databases_of(*reports[1:]) == [None, None]

    def test_halves_that_come_together_lead_on_what_was_merged_into_them(self, owner):
        (half,), (crm,) = placed(stored(owner, "a", "2", "")), placed(stored(owner, "b", "", "CRM"))
        (old,) = placed(stored(owner, "c", "", "OLD"))
        Database.objects.filter(pk=old.pk).update(merged_into=crm)
        (whole,) = placed(stored(owner, "d", "2", "CRM"))
        assert whole == half
        assert {one.merged_into for one in Database.objects.exclude(pk=whole.pk)} == {whole}


class TestByHand:
    def test_merged_databases_are_one_and_what_is_read_later_is_of_it(self, owner):
        a, b = stored(owner, "a", "1", "PAY"), stored(owner, "b", "2", "PAY")
        pay, again = placed(a, b)
        services.merge(owner, again, pay)
        assert databases_of(a, b) == [pay, pay]
        assert placed(stored(owner, "c", "2", "PAY")) == [pay]
        (line,) = AuditLine.objects.filter(kind="database")
        assert (line.action, line.thing) == ("merged", str(again.uid))

    def test_a_merge_is_taken_back(self, owner):
        a, b = stored(owner, "a", "1", "PAY"), stored(owner, "b", "2", "PAY")
        pay, again = placed(a, b)
        services.describe(owner, again, tags="prod", zone="")
        services.merge(owner, again, pay)
        services.unmerge(owner, Database.objects.get(pk=again.pk))
        assert databases_of(a, b) == [pay, again]
        again.refresh_from_db()
        assert (again.merged_into, again.tags) == (None, ["prod"])

    def test_of_two_merges_at_once_the_second_sees_the_first(self, owner):
        """Each page was read before either was sent."""
        placed(*(stored(owner, name, dbid, name) for dbid, name in (("1", "PAY"), ("2", "CRM"), ("3", "SHOP"))))
        (crm, pay, _), (crm_then, pay_then, shop_then) = ([*Database.objects.order_by("name")] for _ in range(2))
        services.merge(owner, pay, crm)
        for source, into in ((crm_then, pay_then), (shop_then, pay_then), (pay_then, shop_then)):
            with pytest.raises(DatabaseRefused):
                services.merge(owner, source, into)
        services.unmerge(owner, pay_then)
        with pytest.raises(DatabaseRefused):
            services.unmerge(owner, pay)
        assert not Database.objects.exclude(merged_into=None).exists()

    def test_a_merge_is_taken_back_with_what_was_said_of_its_hosts_meanwhile(self, owner):
        reports = [
            stored(owner, "a", "1", "PAY"),
            stored(owner, "b", "2", "PAY"),
            stored(owner, "c", "2", "PAY", "db02"),
        ]
        pay, again, _ = placed(*reports)
        services.merge(owner, again, pay)
        for host in ("db01", "db02"):
            services.keep(owner, pay, Identity("2", "pay", host))
            services.keep(owner, pay, Identity("2", "pay", host))
        services.unmerge(owner, again)
        assert databases_of(*reports) == [pay, again, again]

    def test_reports_of_a_host_that_somebody_settled_stay_where_a_second_database_appears(self, owner):
        reports = [stored(owner, "a", "1", "PAY"), *(stored(owner, host, "", "PAY", host) for host in ("db01", "db02"))]
        pay, *_ = placed(*reports)
        services.keep(owner, pay, Identity("", "pay", "db02"))
        placed(stored(owner, "d", "2", "PAY"))
        assert databases_of(*reports) == [pay, None, pay]

    def test_once_two_are_one_what_prints_no_id_is_of_it(self, owner):
        a, b, c = stored(owner, "a", "1", "PAY"), stored(owner, "b", "2", "PAY"), stored(owner, "c", "", "PAY")
        pay, again, without = placed(a, b, c)
        assert without is None
        services.merge(owner, again, pay)
        report_assignment.take_over()
        assert databases_of(c) == [pay]
        services.unmerge(owner, Database.objects.get(pk=again.pk))
        report_assignment.take_over()
        assert databases_of(a, b, c) == [pay, again, None]

    def test_a_copy_on_another_host_is_split_and_its_later_reports_are_of_it(self, owner):
        a, b = stored(owner, "a", "1", "PAY", "db01"), stored(owner, "b", "1", "PAY", "TEST01")
        pay, same = placed(a, b)
        assert pay == same
        copy = services.split(owner, pay, Identity("1", "pay", "test01", "PAY"))
        assert databases_of(a, b) == [pay, copy]
        assert placed(stored(owner, "c", "1", "PAY", "test01"), stored(owner, "d", "1", "PAY", "db09")) == [copy, pay]
        services.merge(owner, copy, pay)
        assert databases_of(a, b) == [pay, pay]

    def test_what_cannot_be_taken_apart_or_together_is_said(self, owner):
        (pay,) = placed(stored(owner, "a", "1", "PAY"))
        for identity in (Identity("1", "pay"), Identity("7", "crm", "x")):
            with pytest.raises(DatabaseRefused):
                services.split(owner, pay, identity)
        with pytest.raises(DatabaseRefused):
            services.merge(owner, pay, pay)
        with pytest.raises(DatabaseRefused):
            services.unmerge(owner, pay)
        assert Database.objects.count() == 1

    def test_only_who_may_write_says_so_and_of_the_teams_own(self, owner, stranger, guest):
        pay, crm = placed(stored(owner, "a", "1", "PAY"), stored(owner, "b", "2", "CRM"))
        for access in (stranger, guest):
            with pytest.raises(PermissionDenied):
                services.merge(access, pay, crm)
            with pytest.raises(PermissionDenied):
                services.describe(access, pay, tags="x", zone="")

    def test_tags_and_zone_are_read_or_refused(self, owner):
        (pay,) = placed(stored(owner, "a", "1", "PAY"))
        services.describe(owner, pay, tags="Prod, gold  prod", zone="Europe/Vienna")
        pay.refresh_from_db()
        assert (pay.tags, pay.zone) == (["prod", "gold"], "Europe/Vienna")
        for tags, zone in (("x " * 5 + " ".join(map(str, range(13))), ""), ("y" * 41, ""), ("", "Vienna")):
            with pytest.raises(DatabaseRefused):
                services.describe(owner, pay, tags=tags, zone=zone)


class TestPages:
    @pytest.fixture
    def two(self, owner) -> tuple[Database, Database]:
        reports = [stored(owner, f"{dbid}{n}", dbid, "ORCL") for dbid in "12" for n in range(2)]
        first, _, second, _ = placed(*reports)
        store_comparison(owner, reports[:2])
        return first, second

    def test_two_of_one_name_stand_apart_and_the_address_of_a_name_leads_to_both(self, owner, sign_in, two):
        client = sign_in(owner)
        html = client.get("/").content.decode()
        assert re.findall(r'<h2 id="db-\d+">\s*(.*?) <small>(.*?)</small>', html)[0][0] == "ORCL"
        assert html.count('<section class="card db"') == 2
        of = {one: client.get("/", {"db": str(one.uid)}).content.decode() for one in two}
        assert ["1 comparison, 2 reports" in of[one] for one in two] == [True, False]
        both = client.get("/", {"db": "ORCL"}).content.decode()
        assert "1 comparison, 4 reports" in both

    def test_the_address_of_a_name_and_of_a_merged_one_leads_to_the_one_there_is(self, owner, sign_in, two):
        client = sign_in(owner)
        services.merge(owner, two[1], two[0])
        for address in ("ORCL", str(two[1].uid)):
            assert "1 comparison, 4 reports" in client.get("/", {"db": address}).content.decode()
        assert client.get("/", {"db": str(uuid4())}).status_code == 404

    def test_rows_that_are_not_taken_over_yet_are_listed_by_their_name(self, owner, sign_in, two):
        stored(owner, "old", "9", "ORCL")
        stored(owner, "older", "8", "CRM")
        html = sign_in(owner).get("/").content.decode()
        assert html.count('<section class="card db"') == 4
        assert "1 comparison, 5 reports" in sign_in(owner).get("/", {"db": "ORCL"}).content.decode()

    def test_a_guest_learns_of_no_database_that_is_not_shown_to_them(self, guest, sign_in, two):
        client = sign_in(guest)
        assert client.get("/", {"db": str(two[0].uid)}).status_code == 404
        assert "ORCL" not in client.get("/").content.decode()

    def test_scripts_find_a_name_by_the_id_it_always_had(self, owner, sign_in, two):
        client = sign_in(owner)
        items = client.get("/api/v1/databases").json()["items"]
        assert {(one["id"], one["name"], one["reports"]) for one in items} == {
            (str(report_assignment.uid_of_name("ORCL")), "ORCL", 2),
            (str(two[1].uid), "ORCL", 2),
        }
        for one, named in ((two[0], {"10", "11"}), (two[1], {"20", "21"})):
            found = client.get("/api/v1/reports", {"database": str(one.uid)}).json()["items"]
            assert {report["name"] for report in found} == named

    def test_scripts_find_no_second_of_a_name_while_a_report_of_it_waits_for_its_place(self, owner, sign_in, two):
        stored(owner, "read just now", "1", "orcl")
        stored(owner, "of an unknown one", "9", "ORCL")
        items = sign_in(owner).get("/api/v1/databases").json()["items"]
        assert sorted((one["name"], one["reports"]) for one in items) == [("ORCL", 1), ("ORCL", 2), ("ORCL", 2)]
        report_assignment.take_over()
        items = sign_in(owner).get("/api/v1/databases").json()["items"]
        assert sorted((one["name"], one["reports"]) for one in items) == [("ORCL", 1), ("ORCL", 2), ("ORCL", 3)]

    def test_a_name_leads_where_it_led(self, owner, sign_in):
        """Merged into one of another name, in another case, masked, the instance's, and one that came later."""
        printed = [("1", "NEWNAME"), ("2", "OLDNAME"), ("1", "newname"), ("1", "XXXX"), ("1", "")]
        reports = [stored(owner, str(n), *one, instance_name="inst1") for n, one in enumerate(printed)]
        new, old, *_ = placed(*reports)
        stored(owner, "bare", "", "****", instance_name="inst2")
        (late,) = placed(stored(owner, "5", "3", "", instance_name=""))
        placed(stored(owner, "6", "3", "LATE"))
        services.merge(owner, old, new)
        client = sign_in(owner)
        for name, count in (("OLDNAME", 5), ("newname", 5), ("XXXX", 5), ("inst1", 5), ("LATE", 2), ("****", 1)):
            assert (
                comparisons_by_database.reports_of(owner, comparisons_by_database.group_named(owner, name)).count()
                == count
            ), name
            found = client.get("/api/v1/reports", {"database": str(report_assignment.uid_of_name(name))})
            assert len(found.json()["items"]) == count, name
        assert late.uid != report_assignment.uid_of_name("LATE")
        assert client.get("/api/v1/reports", {"database": str(uuid4())}).status_code == 404

    def test_a_name_alone_has_an_id_beside_the_databases_of_that_name(self, owner, sign_in, two):
        placed(stored(owner, "bare", "", "ORCL"))
        client = sign_in(owner)
        items = client.get("/api/v1/databases").json()["items"]
        assert [(one["name"], one["reports"]) for one in items if one["id"] == str(two[0].uid)] == [("ORCL", 2)]
        (bare,) = (one for one in items if one["reports"] == 1)
        found = client.get("/api/v1/reports", {"database": bare["id"]}).json()["items"]
        assert [one["name"] for one in found] == ["bare"]

    def test_what_it_is_compared_with_is_of_its_own_database_first(self, owner, two):
        report = Report.objects.filter(database=two[0]).first()
        found = comparisons_by_database.partners(owner, report, most=2)
        assert [one.database_id for one in found] == [two[0].pk, two[1].pk]

    def test_the_list_has_each_with_its_reports_and_by_tag(self, owner, sign_in, two):
        services.describe(owner, two[0], tags="prod gold", zone="")
        client = sign_in(owner)
        html = client.get("/databases/").content.decode()
        check_markup(html)
        assert re.findall(r"(\d+) reports", html) == ["2", "2"]
        tagged = client.get("/databases/", {"tag": "prod"}, headers=JSON).json()["databases"]
        assert [(one["dbid"], one["tags"]) for one in tagged] == [("1", ["prod", "gold"])]

    def test_a_page_asks_about_another_host_and_about_the_same_id_until_somebody_says(self, owner, sign_in):
        reports = [
            stored(owner, "a", "1", "PAY", "db01", begin_at="2024-01-01T10:00:00", release="19.3"),
            stored(owner, "b", "1", "PAY", "<b>db02", begin_at="2024-02-01T10:00:00", release="19.24"),
            stored(owner, "c", "1", "PAYCOPY", "db03"),
        ]
        pay, _, copy = placed(*reports)
        client, address = sign_in(owner), f"/databases/{pay.uid}/"
        html = client.get(address).content.decode()
        check_markup(html)
        assert "&lt;b&gt;db02" in html
        found = client.get(address, headers=JSON).json()
        assert found["asked"] == [{"host": "<b>db02", "before": "db01", "since": "2024-02-01T10:00:00"}]
        assert found["same_dbid"] == [str(copy.uid)]
        assert [one["release"] for one in found["releases"]] == ["19.3", "19.24"]
        said = {"dbid": "1", "name": "PAY", "host": "<b>db02"}
        assert client.post(f"{address}hosts/", {**said, "is": "same"}, headers=JSON).status_code == 204
        assert client.get(address, headers=JSON).json()["asked"] == []
        assert client.post(f"{address}hosts/", {**said, "is": "copy"}, headers=JSON).status_code == 204
        assert databases_of(*reports)[0] != databases_of(*reports)[1]
        assert client.post(f"{address}hosts/", {**said, "is": "x"}, headers=JSON).status_code == 400
        assert client.get(address, headers=JSON).json()["same_dbid"] == [str(copy.uid)], (
            "of the other somebody has said"
        )
        Report.objects.filter(database=copy).delete()
        assert client.get(address, headers=JSON).json()["same_dbid"] == []

    def test_what_no_database_stores_is_not_asked_of_one(self, owner, sign_in):
        (pay,) = placed(stored(owner, "a", "1", "PAY"))
        said = {"dbid": "1", "name": "PAY", "host": "db\x00", "is": "same"}
        assert sign_in(owner).post(f"/databases/{pay.uid}/hosts/", said, headers=JSON).status_code == 204
        assert DatabaseIdentity.objects.exclude(host="").get().host == "db "

    def test_merging_leads_there_and_is_taken_back_from_there(self, owner, sign_in, two):
        client = sign_in(owner)
        first, second = (f"/databases/{one.uid}/" for one in two)
        assert client.post(f"{second}merge/", {"into": "x"}, headers=JSON).status_code == 400
        answer = client.post(f"{second}merge/", {"into": str(two[0].uid)})
        assert answer["Location"] == first == client.get(second)["Location"]
        assert f'action="{second}unmerge/"' in client.get(first).content.decode()
        client.post(f"{second}unmerge/")
        assert client.get(second).status_code == 200
        assert len(client.get("/databases/", headers=JSON).json()["databases"]) == 2

    def test_pages_ask_as_much_of_many_as_of_one(self, owner, sign_in, two):
        client = sign_in(owner)
        addresses = ("/databases/", f"/databases/{two[0].uid}/", "/")
        before = [len(asked(client, one)) for one in addresses]
        placed(*(stored(owner, f"x{n}", str(10 + n), f"X{n}") for n in range(4)))
        assert [len(asked(client, one)) for one in addresses] == before


def asked(client, address: str) -> list:
    client.get(address)
    with CaptureQueriesContext(connection) as seen:
        client.get(address)
    return list(seen)
