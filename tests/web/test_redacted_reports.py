"""A redacted link to a single report: of its copy, from beginning to end."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from msgspec.structs import replace

from awrdiff.accounts.access import NotFound
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import services as comparisons
from awrdiff.processing import row_locks
from awrdiff.processing.models import State
from awrdiff.redaction.link_options import Redaction
from awrdiff.reports import lgwr_traces, redacted_copies
from awrdiff.reports import services as report_services
from awrdiff.reports.models import Report, ReportSection
from awrdiff.reports.queries import report_for, reports_for
from awrdiff.reports.retention import remove_old_files
from awrdiff.reports.tasks import outdated_reports, read_now
from awrdiff.sharing import services
from awrdiff.sharing.access import shared
from awrdiff.sharing.models import ShareLink, Shows
from parsers import PARSER_VERSION, parse_report
from tests.unit.analysis.traces import Slow, trace_text
from tests.unit.redaction.planted import CORE, Plants, planted_report, told
from tests.web.cast import stored_trace
from tests.web.conftest import store_parsed, store_report
from tests.web.pages import check_markup
from tests.web.reach import answers
from tests.web.redacted import redacted_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON = {"Accept": "application/json"}
PAGE = {"Accept": "text/html"}
SIX = datetime(2024, 1, 1, 6)


@pytest.fixture
def report(owner) -> Report:
    return store_report(owner, "pay.html")


@pytest.fixture
def link(owner, report) -> ShareLink:
    return redacted_link(owner, report)[0]


def planted(owner, *, every: int) -> Report:
    """With a name planted in each text, in the file's name and in that of its trace."""
    report = planted_report(f"{CORE}.html", Plants(), figure=100.0, start=SIX, every=every)
    instance = replace(report.instances[0], name=f"{CORE}1")  # a trace's header prints it up to a blank
    database = replace(report.database, unique_name=f"{CORE}1")  # of the trace's folder
    found = store_parsed(owner, replace(report, instances=(instance,), database=database))
    header = {"instance": found.instance_name, "host": found.host_name, "unique": f"{CORE}1"}
    written = trace_text([Slow("2024-01-01 06:30:00", 1500)], **header)
    lgwr_traces.attach(owner, found, store_parsed(owner, parse_report(written.encode(), name=f"{CORE}.trc")))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("rule", [Redaction.new(), Redaction.new(sql="shape", undeclared=True)], ids=["least", "most"])
def test_no_byte_below_it_tells_a_name(owner, settings, rule):
    walk(owner, settings, rule, every=1, expected=350)


def test_nor_of_a_few_tables(owner, settings):
    walk(owner, settings, Redaction.new(sql="shape", undeclared=True), every=12, expected=80)


def walk(owner, settings, rule: Redaction, *, every: int, expected: int) -> None:
    settings.AWRDIFF_LINK_RATE = 100_000
    link, path = redacted_link(owner, planted(owner, every=every), rule)
    seen = list(answers(Client(), path, link.report_copy, most=25))
    assert [(url, found[:3]) for url, _, data in seen if (found := told(data) + told(url.encode()))] == []
    assert {status for _, status, _ in seen} <= {200, 404}
    assert sum(status == 200 for _, status, _ in seen) > expected
    kinds = {url.removeprefix(path).split("/")[0] for url, *_ in seen}
    assert kinds >= {"", "sections", "entities", "commit", "search"}


def test_the_search_would_find_them(owner, settings):
    """Or the tests above could not fail."""
    settings.AWRDIFF_LINK_RATE = 100_000
    about = planted(owner, every=12)
    _, token = services.create_link(owner, about, days=1, shows=Shows.REPORT)
    seen = list(answers(Client(), f"/s/{token}/", about, most=3))
    assert sum(bool(told(data)) for _, _, data in seen) > 40


class TestOfACopy:
    def test_within_a_link_names_are_the_same_and_between_two_they_differ(self, owner, report):
        found = []
        for _ in range(2):
            link, path = redacted_link(owner, report)
            header = Client().get(path, headers=JSON).json()["header"]
            section = Client().get(f"{path}sections/init_parameters/", headers=JSON).json()
            page = Client().get(path).content.decode()
            names = header["database"]["name"], header["host"]["name"]
            assert (link.report_copy.db_name, link.report_copy.host_name) == names
            assert names[0] in page
            assert [row["parameter"] for row in section["rows"]][:1] == ["cpu_count"]  # Oracle's own stay
            found.append(names)
        assert not set(found[0]) & set(found[1])
        assert not {"PAY", "db01"} & {*found[0], *found[1]}

    def test_its_file_name_and_traces_say_nothing(self, owner, report):
        lgwr_traces.attach(owner, report, stored_trace(owner, "lgwr.trc", 1500))
        _, path = redacted_link(owner, report)
        document = Client().get(path, headers=JSON).json()
        assert (document["name"], document["size"], document["traces"]) == ("report-1.html", None, [])
        assert document["sha256"] != report.sha256
        page = Client().get(path).content.decode()
        check_markup(page)
        for words in ("pay.html", "PAY", "db01", "lgwr.trc", str(report.pk), str(report.dbid)):
            assert words not in page, words
        assert "Names are pseudonyms" in page
        assert "Shared read-only view" in page

    def test_a_trace_by_itself_tells_no_name_either(self, owner):
        found = stored_trace(owner, "lgwr.trc", 1500)
        _, path = redacted_link(owner, found)
        page = Client().get(path).content.decode() + Client().get(f"{path}sections/lgwr_trace_header/").content.decode()
        for words in ("lgwr.trc", "pay1", "db01"):
            assert words not in page, words

    def test_it_opens_its_copy_and_neither_what_it_is_of_nor_anything_else(self, owner, report):
        link, path = redacted_link(owner, report)
        access = shared(path.split("/")[2])
        assert report_for(access, link.report_copy_id) == link.report_copy
        for other in (report, redacted_link(owner, report)[0].report_copy):
            with pytest.raises(NotFound):
                report_for(access, other.pk)

    def test_no_list_of_a_member_has_it(self, sign_in, owner, report, link):
        assert [r.pk for r in reports_for(owner)] == [report.pk]
        client = sign_in(owner)
        assert client.get(f"/reports/{link.report_copy_id}/", headers=JSON).status_code == 404
        assert str(link.report_copy_id) not in client.get("/").content.decode()

    def test_while_it_is_made_the_link_says_so(self, owner, report):
        _, token = services.create_link(owner, report, days=1, shows=Shows.REPORT, redaction=Redaction.new())
        page = Client().get(f"/s/{token}/").content.decode()
        check_markup(page)
        assert "report-1.html" in page
        assert "pay.html" not in page
        assert "<form" not in page
        assert ShareLink.objects.get().uses == 0

    def test_of_one_that_is_not_read_there_is_none(self, sign_in, owner, report):
        Report.objects.update(state=State.PENDING)
        answer = sign_in(owner).post(f"/reports/{report.pk}/links/", {"redact": "yes"}, headers=JSON)
        assert (answer.status_code, ShareLink.objects.count(), Report.objects.count()) == (400, 0, 1)
        assert answer.json()["error"] == "The report is not read yet: a redacted link can be made once it is."

    def test_the_choices_are_kept_and_the_page_offers_them(self, sign_in, owner, report):
        client = sign_in(owner)
        page = client.get(f"/reports/{report.pk}/").content.decode()
        check_markup(page)
        assert 'name="redact"' in page
        assert 'name="comment"' not in page
        data = {"redact": "yes", "sql": "shape", "tables": "all", "password": "horse battery"}
        made = client.post(f"/reports/{report.pk}/links/", data, headers=JSON).json()
        assert made["redacted"]
        assert client.get(made["path"]).status_code == 200  # to be looked at before it is sent
        assert Client().get(made["path"]).status_code == 401
        kept = Report.objects.get(copy_of=report).redaction
        assert (kept["sql"], kept["undeclared"], len(kept["key"])) == ("shape", True, 64)
        assert "pseudonyms, password" in client.get(f"/reports/{report.pk}/links/", headers=PAGE).content.decode()

    def test_the_audit_log_of_the_team_names_the_report(self, owner, report):
        link, path = redacted_link(owner, report)
        Client().get(path)
        line = AuditLine.objects.get(who=f"link {link.pk}")
        assert (line.team_id, line.action, line.kind, line.thing) == (owner.team.pk, "saw", "report", str(report.pk))


class TestItsEnd:
    def left(self) -> int:
        return Report.objects.exclude(copy_of=None).count()

    def test_revoking_deletes_it_and_nothing_else(self, owner, report, link):
        other = redacted_link(owner, report)[0]
        services.revoke(owner, link)
        assert set(Report.objects.all()) == {report, other.report_copy}
        services.revoke(owner, ShareLink.objects.get(pk=link.pk))
        assert ReportSection.objects.filter(report=report).exists()

    def test_an_expired_one_is_swept(self, link):
        assert services.remove_ended() == 0
        ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert services.remove_ended() == 1
        assert (self.left(), services.remove_ended()) == (0, 0)

    def test_with_the_report_it_goes(self, owner, report, link):
        report_services.delete_report(owner, report)
        assert (Report.objects.count(), ReportSection.objects.count(), ShareLink.objects.count()) == (0, 0, 0)
        assert set(AuditLine.objects.filter(action="deleted").values_list("thing", flat=True)) == {str(report.pk)}

    def test_with_the_comparison_that_its_report_stands_in_it_goes(self, owner, comparison):
        redacted_link(owner, comparison.places.get(position=0).report)
        comparisons.delete(owner, comparison)
        assert (Report.objects.count(), ReportSection.objects.count(), ShareLink.objects.count()) == (0, 0, 0)

    def test_what_it_is_of_is_locked_first(self, owner, report, link, monkeypatch):
        """And it is, before its sections go: as by a worker that makes it again."""
        locked: list[bool] = []

        def noted(model, pks):
            found = row_locks.lock(model, pks)
            locked.extend(row.copy_of_id is not None for row in found)
            return found

        for module in (report_services, redacted_copies):
            monkeypatch.setattr(module, "lock", noted)
        report_services.delete_report(owner, report)
        assert locked == sorted(locked)
        assert set(locked) == {True, False}

    def test_without_its_copy_it_shows_nothing(self, owner, report):
        link, path = redacted_link(owner, report)
        Report.objects.filter(pk=link.report_copy_id).delete()
        assert {Client().get(path + below).status_code for below in ("", "commit/", "search/?q=PAY")} == {404}

    def test_that_files_are_removed_does_not_touch_it(self, owner, report, link, settings):
        settings.AWRDIFF_KEEP_UPLOADS_DAYS = 1
        Report.objects.update(created_at=timezone.now() - timedelta(days=2))
        remove_old_files()
        assert Report.objects.get(copy_of=report).is_ready

    def test_one_that_failed_is_said_and_made_again(self, sign_in, stranger, owner, report, link):
        copy = Report.objects.filter(pk=link.report_copy_id)
        copy.update(state=State.FAILED, error="The disk was full.")
        path = f"/links/{link.pk}/copy/"
        assert sign_in(stranger).post(path, headers=JSON).status_code == 404
        client = sign_in(owner)
        page = client.get("/links/", headers=PAGE).content.decode()
        check_markup(page)
        assert "The disk was full." in page
        (line,) = client.get("/links/", headers=JSON).json()["links"]
        assert line["copy"] == {"state": "failed", "error": "The disk was full."}
        assert f'action="{path}"' in page
        said = "Shows nothing: its copy could not be made."
        assert said in client.get(f"/reports/{report.pk}/", headers=PAGE).content.decode()
        assert client.post(path, headers=JSON).status_code == 204
        assert copy.get().state == State.PENDING
        read_now(link.report_copy_id)
        assert copy.get().is_ready
        (line,) = client.get("/links/", headers=JSON).json()["links"]
        assert line["copy"] == {"state": "ready", "error": ""}
        assert client.post(path, headers=JSON).status_code == 204
        assert copy.get().is_ready
        audited = AuditLine.objects.get(action="changed")
        assert (audited.kind, audited.thing) == ("link", str(link.pk))

    def test_of_a_link_that_ended_none_is_made_again(self, owner, link):
        Report.objects.filter(pk=link.report_copy_id).update(state=State.FAILED)
        ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        services.make_copy_again(owner, ShareLink.objects.get())
        assert Report.objects.get(pk=link.report_copy_id).is_failed

    def test_when_its_report_is_read_again_it_is_made_again(self, owner, report, monkeypatch):
        link, path = redacted_link(owner, report)
        monkeypatch.setattr("awrdiff.reports.tasks._bytes_of", lambda _: b"x")
        parsed = planted_report("a.html", Plants(), figure=1.0, start=SIX, every=50)
        monkeypatch.setattr("awrdiff.reports.tasks.parse_report", lambda *_, **__: parsed)
        monkeypatch.setattr("awrdiff.reports.tasks.split_reports", lambda data: [data])
        before = Client().get(path, headers=JSON).json()
        Report.objects.filter(pk=report.pk).update(parser_version=PARSER_VERSION - 1, sha256="f" * 64)
        read_now(report.pk)
        assert list(outdated_reports()) == [link.report_copy]
        read_now(link.report_copy_id)
        assert not outdated_reports().exists()
        after = Client().get(path, headers=JSON).json()
        assert after["header"]["database"] != before["header"]["database"]
        assert told(Client().get(path).content) == []

    def test_one_that_an_older_version_made_is_made_again(self, link):
        Report.objects.filter(pk=link.report_copy_id).update(parser_version=PARSER_VERSION - 1)
        assert list(outdated_reports()) == [link.report_copy]
        read_now(link.report_copy_id)
        assert not outdated_reports().exists()
