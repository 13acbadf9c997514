"""A redacted link tells no name: every byte that can be reached below it is searched for those that were planted."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from awrdiff.accounts.models import User
from awrdiff.accounts.services import join
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import redacted_copies
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import comparisons_for, load_section, overview
from awrdiff.comparisons.tasks import compute_now, outdated_comparisons
from awrdiff.processing import row_locks, work_kinds
from awrdiff.processing.fair_scheduling import team_limit
from awrdiff.processing.models import State
from awrdiff.redaction.link_options import Redaction
from awrdiff.reports import redacted_copies as report_copies
from awrdiff.reports.models import Report
from awrdiff.reports.queries import load_report, reports_for
from awrdiff.reports.tasks import outdated_reports, read_now
from awrdiff.sharing import names_to_redact as sharing_names
from awrdiff.sharing import services
from awrdiff.sharing.access import GONE, shared
from awrdiff.sharing.models import ShareLink
from awrdiff.threads import services as threads
from awrdiff.threads.models import Thread
from parsers import PARSER_VERSION
from tests.unit.redaction.planted import CORE, Plants, planted_report, told
from tests.web.cast import cast_of
from tests.web.conftest import context_of, store_parsed
from tests.web.pages import check_markup
from tests.web.reach import answers, asked
from tests.web.redacted import redacted_link
from tests.web.test_api_tokens import machine
from tests.web.test_api_tokens import own as own_token

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON = {"Accept": "application/json"}
SIX = datetime(2024, 1, 1, 6)


@pytest.fixture
def planted(owner) -> Comparison:
    """Of three reports of many sections, with a name planted in each text, in the title and in the files' names."""
    plants = Plants()
    reports = [
        store_parsed(
            owner,
            planted_report(f"{CORE}-{n}.html", plants, figure=100.0 * n, start=SIX + timedelta(hours=n), every=6),
        )
        for n in (1, 2, 3)
    ]
    made = comparisons.create_comparison(owner, reports, order_by_time=False, title=f"{CORE} was slow", note=CORE)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.is_ready, made.error
    return made


@pytest.mark.thorough
@pytest.mark.parametrize("rule", [Redaction.new(), Redaction.new(sql="shape", undeclared=True)], ids=["least", "most"])
def test_no_byte_below_it_tells_a_name(owner, planted, settings, rule):
    settings.AWRDIFF_LINK_RATE = 100_000
    link, path = redacted_link(owner, planted, rule)
    seen = list(answers(Client(), path, link.copy, most=30))
    assert len(seen) > 150
    assert [(url, status) for url, status, _ in seen if status >= 500] == []
    assert [(url, found[:3]) for url, _, data in seen if (found := told(data) + told(url.encode()))] == []
    assert {status for _, status, _ in seen} <= {200, 302, 400, 404}
    assert sum(status == 200 for _, status, _ in seen) > 120


@pytest.mark.thorough
def test_the_search_would_find_them(owner, planted, settings):
    """Or the test above could not fail."""
    settings.AWRDIFF_LINK_RATE = 100_000
    link, token = services.create_link(owner, planted, days=1)
    seen = list(answers(Client(), f"/s/{token}/", link.comparison, most=3))
    assert sum(bool(told(data)) for _, _, data in seen) > 60


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_nor_does_what_is_said_there(owner, planted, settings, monkeypatch, whole):
    """Threads below the link: planted are the names of the team, and what it says elsewhere, or has taken back."""
    settings.AWRDIFF_LINK_RATE = 100_000
    monkeypatch.setattr(threads, "MOST_A_MINUTE", 1_000)
    olga, ute = (context_of(f"{CORE}{name}", "Payments", "owner") for name in ("olga", "ute"))
    link, path = redacted_link(olga, planted, may_comment=True)
    inside = threads.start(olga, planted, "summary", f"Between us: {CORE}", uuid4()).thread
    client = Client()
    places = ["summary", "time", "init_parameters", "entity:event/log file sync"]
    places += [of_finding(found) for found in overview(link.copy).findings[:3]]
    for section in ("foreground_wait_events", "segments_by_logical_reads", "sql_by_elapsed_time"):
        places += [f"{section}/{row.row_id}" for row in load_section(link.copy, section).rows[:2]]
    for anchor in places if whole else places[-3::-3]:
        data = {"anchor": anchor, "body": "Is this normal?", "name": "Gerd"}
        client.post(f"{path}threads/", data, headers=JSON)
    below = list(Thread.objects.filter(link=link))
    assert len(below) > (8 if whole else 2)
    for thread in below:
        said = threads.reply(olga, thread, f"It is. @{CORE}ute? `@{CORE.upper()}UTE`", uuid4()).comment
        assert said.mentions == [f"{CORE}ute"]
        threads.agree(ute, said)
        threads.edit(ute, threads.reply(ute, thread, f"{CORE} has it", uuid4()).comment, "It has that.")
        threads.remove(ute, threads.reply(ute, thread, f"{CORE} again", uuid4()).comment)
        threads.assign(olga, thread, f"{CORE}ute")
    threads.resolve(ute, below[0])
    urls = [f"{path}{below}" for below in ("", "threads/", "threads/live/", "threads/?anchor=summary")]
    for thread in [*below, inside]:
        own = f"{path}threads/{thread.pk}/"
        urls += [own, *(f"{own}comments/{one.pk}/" for one in thread.comments.all())]
    seen = [(url, *asked(client, url, headers)) for url in urls for headers in ({}, JSON, {"HX-Request": "true"})]
    seen += answers(client, path, link.copy, most=20) if whole else []
    assert [(url, found[:3]) for url, _, data in seen if (found := told(data) + told(url.encode()))] == []
    assert sum(status == 200 for _, status, _ in seen) > (200 if whole else 50)
    page = f"/comparisons/{planted.pk}/threads/{below[0].pk}/"
    signed_in = Client()
    signed_in.force_login(olga.user)
    assert told(signed_in.get(page).content), "or it could not fail"


def test_names_of_many_reports_are_looked_up_once_and_not_without_end(owner, comparison, monkeypatch):
    said, read = "Yes, db01 of PAY", []
    monkeypatch.setattr(sharing_names, "load_report", lambda one: read.append(one) or load_report(one))
    sharing_names._names_in.cache_clear()
    assert [sharing_names.names_hidden_in(said, comparison, owner.team) for _ in range(2)] == [["db01", "PAY"]] * 2
    assert sharing_names.names_hidden_in("Nothing of it", comparison, owner.team) == []
    assert len(read) == comparison.places.count() == 2
    monkeypatch.setattr(sharing_names, "MOST_REPORTS", 1)
    assert sharing_names.names_hidden_in(said, comparison, owner.team)
    assert len(read) == 3


def test_whoever_answers_with_a_name_is_warned_and_nobody_outside_is(owner, colleague, comparison, sign_in):
    """Who holds the link would learn by trying which names there are."""
    _, path = redacted_link(owner, comparison, may_comment=True)
    outside = Client()
    data = {"anchor": "summary", "body": "Is db01 your host?", "name": "Gerd"}
    begun = outside.post(f"{path}threads/", data, headers=JSON)
    assert begun.status_code == 201
    thread = Thread.objects.get()
    own = f"/comparisons/{comparison.pk}/threads/{thread.pk}/"
    client = sign_in(colleague)
    assert "Keep names that the link hides" in client.get(own, headers={"Accept": "text/html"}).content.decode()
    refused = client.post(own, {"body": "Yes, db01 of PAY"}, headers=JSON)
    assert refused.status_code == 400
    assert "hides db01, PAY" in refused.json()["error"]
    assert thread.comments.count() == 1
    for body in ({"body": "Yes, that host, @olivia"}, {"body": "Yes, db01", "names": "1"}):
        assert client.post(own, body, headers=JSON).status_code == 201
    token = machine(own_token(owner, "write"))
    for names, status in ((False, 400), (True, 201)):
        said = {"body": "It is db01", "names": names}
        assert token.post(f"/api/v1{own}".rstrip("/"), said, content_type="application/json").status_code == status
    last = thread.comments.last()
    assert client.post(f"{own}comments/{last.pk}/", {"body": "db01 it is"}, headers=JSON).status_code == 400
    assert outside.post(f"{path}threads/{thread.pk}/", {"body": "And PAY?"}, headers=JSON).status_code == 201
    services.revoke(owner, ShareLink.objects.get())
    assert client.post(own, {"body": "For us: db01"}, headers=JSON).status_code == 201
    assert "Keep names" not in client.get(own, headers={"Accept": "text/html"}).content.decode()


class TestOfACopy:
    def test_within_a_link_names_are_the_same_and_between_two_they_differ(self, owner, comparison):
        found = []
        for _ in range(2):
            _, path = redacted_link(owner, comparison)
            document = Client().get(f"{path}export.json").json()
            first, second = document["reports"]
            assert first["database"]["name"] == second["database"]["name"]
            section = Client().get(f"{path}sections/init_parameters/", headers=JSON).json()
            found.append((first["database"]["name"], first["host"]["name"], section["rows"][0]["id"]))
        assert found[0][:2] != found[1][:2]
        assert not {"PAY", "db01"} & {*found[0], *found[1]}

    def test_its_title_and_files_say_nothing(self, owner, comparison):
        comparisons.rename(owner, comparison, "Black Friday")
        _, path = redacted_link(owner, comparison)
        document = Client().get(path, headers=JSON).json()
        assert (document["title"], [r["name"] for r in document["reports"]]) == ("", ["report-1.html", "report-2.html"])
        assert [r["size"] for r in document["reports"]] == [None, None]
        page = Client().get(path).content.decode()
        assert "Black Friday" not in page
        assert "first.html" not in page
        assert "Names are pseudonyms" in page
        assert "host-" in page

    def test_traces_do_not_go_along(self, accounts, owner):
        cast = cast_of(owner)
        link, _ = redacted_link(owner, cast.comparison)
        assert [p.report.kind for p in cast.comparison.places.order_by("position")][-1] == "lgwr_trace"
        assert [p.report.kind for p in link.copy.places.all()] == ["awr", "awr"]

    def test_what_was_chosen_of_a_report_is_what_its_copy_shows(self, owner, comparison):
        comparison.places.filter(position=1).update(aspect="first")
        link, _ = services.create_link(owner, comparison, days=1, redaction=Redaction.new())
        assert [p.aspect for p in link.copy.places.order_by("position")] == ["", "first"]

    @pytest.mark.parametrize("about", ["comparison", "report"])
    def test_it_costs_no_more_queries_than_any_other(self, owner, comparison, about, django_assert_num_queries):
        _, path = redacted_link(owner, comparison if about == "comparison" else comparison.reports.first())
        with django_assert_num_queries(4):  # two of them because the test is a transaction already
            assert shared(path.split("/")[2]).team != owner.team

    def test_no_list_of_a_member_has_it(self, owner, comparison):
        before = (comparisons_for(owner).count(), reports_for(owner).count())
        redacted_link(owner, comparison)
        assert (comparisons_for(owner).count(), reports_for(owner).count()) == before

    def test_while_it_is_made_the_link_says_so(self, owner, comparison):
        _, token = services.create_link(owner, comparison, days=1, redaction=Redaction.new())
        answer = Client().get(f"/s/{token}/")
        assert answer.status_code == 200
        assert "report-1.html" in answer.content.decode()
        assert Client().get(f"/s/{token}/export.json").status_code == 409
        assert ShareLink.objects.get().uses == 0

    def test_of_one_that_is_not_finished_there_is_none(self, sign_in, owner, comparison):
        Comparison.objects.update(state=State.PENDING)
        answer = sign_in(owner).post(f"/comparisons/{comparison.pk}/links/", {"redact": "yes"}, headers=JSON)
        assert (answer.status_code, ShareLink.objects.count(), Report.objects.count()) == (400, 0, 2)

    @pytest.mark.parametrize("field", ["redact", "sql", "tables"])
    def test_a_choice_that_is_none_is_refused(self, sign_in, owner, comparison, field):
        data = {"redact": "yes", field: "acme"}
        answer = sign_in(owner).post(f"/comparisons/{comparison.pk}/links/", data, headers=JSON)
        assert (answer.status_code, ShareLink.objects.count()) == (400, 0)
        assert field in answer.json()["error"]

    def test_the_choices_are_kept(self, sign_in, owner, comparison):
        data = {"redact": "yes", "sql": "shape", "tables": "all"}
        assert sign_in(owner).post(f"/comparisons/{comparison.pk}/links/", data, headers=JSON).json()["redacted"]
        kept = Report.objects.exclude(copy_of=None).first().redaction
        assert (kept["sql"], kept["undeclared"], len(kept["key"])) == ("shape", True, 64)


class TestItsEnd:
    @pytest.fixture
    def link(self, owner, comparison) -> ShareLink:
        return redacted_link(owner, comparison)[0]

    def left(self) -> tuple[int, int]:
        return Comparison.objects.exclude(copy_of=None).count(), Report.objects.exclude(copy_of=None).count()

    def test_revoking_deletes_it_and_nothing_else(self, owner, comparison, link):
        services.revoke(owner, link)
        assert self.left() == (0, 0)
        assert (Comparison.objects.get(), Report.objects.count()) == (comparison, 2)
        services.revoke(owner, ShareLink.objects.get())

    def test_an_expired_one_is_swept(self, link, monkeypatch):
        monkeypatch.setattr(work_kinds, "CHORES", [])
        apps.get_app_config("sharing").ready()
        (chore,) = work_kinds.CHORES
        assert (chore.name, chore.every_s) == ("removing copies of links that ended", 60)
        assert chore.run() == 0
        ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert chore.run() == 1
        assert self.left() == (0, 0)

    def test_one_that_failed_is_said_and_made_again(self, sign_in, colleague, stranger, owner, comparison, link):
        copy = Comparison.objects.filter(pk=link.copy_id)
        report = Report.objects.filter(copy_of__isnull=False)
        copy.update(state=State.FAILED, error="The disk was full.")
        report.update(state=State.FAILED)
        path = f"/links/{link.pk}/copy/"
        assert sign_in(stranger).post(path, headers=JSON).status_code == 404
        client = sign_in(colleague)
        html = client.get("/links/", headers={"Accept": "text/html"}).content.decode()
        assert "The disk was full." in html
        assert f'action="{path}"' in html
        check_markup(html)
        assert client.post(path, headers=JSON).status_code == 204
        assert (copy.get().state, set(report.values_list("state", flat=True))) == (State.PENDING, {State.PENDING})
        copy.update(state=State.READY)
        assert client.post(path, headers=JSON).status_code == 204
        assert copy.get().state == State.READY
        assert "Links that show nothing" not in client.get("/links/", headers={"Accept": "text/html"}).content.decode()

    def test_one_that_failed_is_said_in_the_dialog_of_its_comparison(self, sign_in, owner, comparison, link):
        client, said = sign_in(owner), "Shows nothing: its copy could not be made."
        seen = {"Accept": "text/html"}
        before = client.get(f"/comparisons/{comparison.pk}/", headers=seen)
        assert said not in before.content.decode()
        Comparison.objects.filter(pk=link.copy_id).update(state=State.FAILED, error="The disk was full.")
        again = {**seen, "If-None-Match": before["ETag"]}
        page = client.get(f"/comparisons/{comparison.pk}/", headers=again)
        assert page.content.decode().count(said) == 1
        check_markup(page.content.decode())
        assert said in client.get(f"/comparisons/{comparison.pk}/links/", headers=seen).content.decode()

    def test_with_the_comparison_it_goes(self, owner, comparison, link):
        comparisons.delete(owner, comparison)
        assert (self.left(), Report.objects.count(), ShareLink.objects.count()) == ((0, 0), 0, 0)

    def test_reports_are_locked_before_their_copies(self, owner, comparison, link, monkeypatch):
        """As a worker does it that reads one of them again: else they would wait for each other."""
        locked: list[Report] = []

        def noted(model, pks):
            found = row_locks.lock(model, pks)
            locked.extend(row for row in found if isinstance(row, Report))
            return found

        for module in (comparisons, redacted_copies, report_copies):
            monkeypatch.setattr(module, "lock", noted)
        comparisons.delete(owner, comparison)
        of_copies = [report.copy_of_id is not None for report in locked]
        assert of_copies == sorted(of_copies)
        assert set(of_copies) == {True, False}

    def test_without_its_copy_it_shows_nothing(self, owner, comparison):
        link, path = redacted_link(owner, comparison)
        Comparison.objects.filter(pk=link.copy.pk).delete()
        gone = Client().get(path, headers=JSON)
        assert (gone.status_code, gone.json()) == (404, {"error": GONE})
        assert Client().get(f"{path}export.json").status_code == 404

    def test_when_its_report_is_read_again_it_is_made_again(self, owner, comparison, link, monkeypatch):
        monkeypatch.setattr("awrdiff.reports.tasks._bytes_of", lambda _: b"x")
        parsed = planted_report("a.html", Plants(), figure=1.0, start=SIX, every=50)
        monkeypatch.setattr("awrdiff.reports.tasks.parse_report", lambda *_, **__: parsed)
        monkeypatch.setattr("awrdiff.reports.tasks.split_reports", lambda data: [data])
        source = comparison.places.get(position=0).report
        Report.objects.filter(pk=source.pk).update(parser_version=PARSER_VERSION - 1, sha256="f" * 64)
        assert source.pk in outdated_reports().values_list("pk", flat=True)
        read_now(source.pk)
        copy = Report.objects.get(copy_of=source)
        assert list(outdated_reports()) == [copy]
        read_now(copy.pk)
        assert not outdated_reports().exists()
        assert list(outdated_comparisons()) == [link.copy]
        compute_now(link.copy.pk)
        assert not outdated_comparisons().filter(pk=link.copy.pk).exists()
        assert link.copy.sections.filter(section_id="lgwr_switches").exists() or link.copy.sections.count() > 3


def test_a_team_of_copies_is_no_second_team(owner, comparison, settings):
    settings.WORKERS = 4
    redacted_link(owner, comparison)
    assert team_limit() is None
    join(User.objects.create(username="new"), "Another")
    assert team_limit() == 2


def test_the_audit_log_of_the_team_says_who_saw_it_and_took_it_away(owner, comparison):
    link, path = redacted_link(owner, comparison)
    for below in ("", "export.md"):
        Client().get(path + below)
    lines = AuditLine.objects.filter(who=f"link {link.pk}").values_list("team", "action", "thing")
    found = {(action, thing) for _, action, thing in lines}
    assert {team for team, _, _ in lines} == {owner.team.pk}
    assert found == {("saw", str(comparison.pk)), ("exported", str(comparison.pk))}
