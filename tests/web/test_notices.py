"""Who is told what, how, and that nothing of it is lost or doubled."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Membership, Team
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import search_index, tasks
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import action_items
from awrdiff.incidents import services as incidents
from awrdiff.notices import chores, notice_sentences, outbox, services
from awrdiff.notices.models import Delivery, Notice, NoticeChoice, TeamNotices
from awrdiff.processing import work_kinds
from awrdiff.processing.models import State
from awrdiff.threads import services as threads
from tests.web.conftest import context_of, store_report

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}


@pytest.fixture
def mails(settings):
    settings.AWRDIFF_MAILS = True
    settings.AWRDIFF_NOTICES_ADDRESS = "https://awr.example.com"


@pytest.fixture
def comparison(owner) -> Comparison:
    made = comparisons.create_comparison(
        owner, [store_report(owner, f"{n}.html") for n in (1, 2)], order_by_time=False, title="Zebra"
    )
    made.refresh_from_db()
    return made


def confirmed(access: AccessContext, *, verified: bool = True) -> AccessContext:
    email = f"{access.user.username}@example.com"
    EmailAddress.objects.create(user=access.user, email=email, verified=verified, primary=True)
    return access


def tell(comparison: Comparison, *who: AccessContext, what: str = "answered", **more) -> list[Notice]:
    users = [access.user for access in who]
    return services.notify(comparison.team, what, users, kind="comparison", thing=comparison.pk, **more)


def send_all() -> None:
    for pk in Delivery.objects.values_list("pk", flat=True):
        outbox.deliver(pk)


class TestTelling:
    def test_whoever_is_on_the_team_and_did_not_do_it(self, owner, colleague, stranger, comparison):
        tell(comparison, owner, colleague, stranger, actor=owner.user)
        assert list(Notice.objects.values_list("user__username", flat=True)) == ["carl"]

    def test_with_a_key_once(self, colleague, comparison):
        for _ in range(2):
            tell(comparison, colleague, key="thread 5 comment 7")
        tell(comparison, colleague, key="thread 5 comment 8")
        assert Notice.objects.count() == 2

    def test_what_is_taken_back_was_never_told(self, mails, colleague, comparison):
        confirmed(colleague)
        with transaction.atomic():
            tell(comparison, colleague)
            transaction.set_rollback(True)
        assert not Notice.objects.exists()
        assert not Delivery.objects.exists()

    def test_whoever_invited_is_told_that_it_was_accepted(self, owner, stranger):
        invitation, _ = members_and_invitations.invite(owner, "sten@example.com", "member", by_mail=False)
        members_and_invitations.accept(stranger.user, invitation, signing_up=True)
        found = Notice.objects.get()
        assert (found.user, notice_sentences.sentence(found)) == (owner.user, "sten has joined the team.")

    @pytest.mark.parametrize(("waited_s", "told"), [(30, 0), (90, 1)])
    def test_whoever_waited_long_for_a_comparison_is_told_that_it_is_ready(self, owner, comparison, waited_s, told):
        Comparison.objects.update(queued_at=timezone.now() - timedelta(seconds=waited_s))
        tasks.compute_now(comparison.pk)
        comparison.refresh_from_db()
        assert comparison.is_ready, comparison.error
        found = Notice.objects.filter(user=owner.user, what="ready")
        assert [one.about.partition(": ")[0] for one in found] == ["Zebra"] * told

    def test_what_is_ready_is_named_as_in_the_library_with_what_it_says(self, owner, comparison):
        long_ago = timezone.now() - timedelta(minutes=5)
        Comparison.objects.update(title="", queued_at=long_ago, state=State.PENDING)
        tasks.compute_now(comparison.pk)
        line = search_index.lines_of([comparison.pk])[comparison.pk]
        assert line
        about = Notice.objects.get(user=owner.user, what="ready").about
        assert about.startswith("PAY · 1 Jan 2024 10:00")
        assert about.endswith(f": {line}")

    def test_of_a_deleted_comparison_nobody_hears_any_more(self, mails, owner, colleague, comparison):
        confirmed(colleague)
        services.set_team(owner, url="https://hooks.example.com/x", shape="generic", contents=True)
        tell(comparison, colleague)
        comparisons.delete(owner, comparison)
        assert not Notice.objects.exists()
        assert not Delivery.objects.filter(way="webhook").exists()
        send_all()
        assert not mail.outbox
        assert not Delivery.objects.exists()


class TestTheList:
    def test_one_reads_ones_own(self, sign_in, owner, colleague, comparison):
        (notice,) = tell(comparison, colleague, about="Zebra & <b>")
        answer = sign_in(colleague).get("/notices/", headers=JSON).json()
        assert answer["unread"] == 1
        (row,) = answer["notices"]
        assert (row["said"], row["about"], row["read"]) == (
            "Somebody answered in a thread of yours.",
            "Zebra & <b>",
            False,
        )
        assert row["url"] == f"/comparisons/{comparison.pk}/"
        assert sign_in(owner).get("/notices/", headers=JSON).json()["notices"] == []
        assert sign_in(owner).post(f"/notices/{notice.pk}/", headers=JSON).status_code == 404

    def test_opening_one_reads_it_and_leads_on(self, sign_in, colleague, comparison):
        (notice,) = tell(comparison, colleague, place="#thread=5")
        client = sign_in(colleague)
        page = client.get("/notices/", headers=HTML).content.decode()
        assert '<b class="count">1</b>' in page
        answer = client.post(f"/notices/{notice.pk}/", headers=HTML)
        assert (answer.status_code, answer["Location"]) == (302, f"/comparisons/{comparison.pk}/#thread=5")
        assert 'class="count"' not in client.get("/notices/", headers=HTML).content.decode()
        assert client.post(f"/notices/{10**30}/", headers=JSON).status_code == 404

    def test_all_at_once(self, sign_in, colleague, comparison):
        for n in range(60):
            tell(comparison, colleague, key=str(n))
        client = sign_in(colleague)
        first = client.get("/notices/", headers=JSON).json()
        second = client.get(f"/notices/?before={first['before']}", headers=JSON).json()
        assert (len(first["notices"]), len(second["notices"]), second["before"]) == (50, 10, None)
        assert client.post("/notices/read/", headers=JSON).status_code == 204
        assert client.get("/notices/", headers=JSON).json()["unread"] == 0

    def test_a_remembered_page_knows_the_count(self, sign_in, owner, comparison):
        tasks.compute_now(comparison.pk)
        client, path = sign_in(owner), f"/comparisons/{comparison.pk}/"
        client.get(path, headers=HTML)  # which sets the cookie of the forms
        tag = client.get(path, headers=HTML)["ETag"]
        assert client.get(path, headers={**HTML, "If-None-Match": tag}).status_code == 304
        tell(comparison, owner)
        answer = client.get(path, headers={**HTML, "If-None-Match": tag})
        assert answer.status_code == 200
        assert '<b class="count">1</b>' in answer.content.decode()

    def test_its_queries_do_not_grow(self, sign_in, owner, colleague, comparison, django_assert_max_num_queries):
        for n in range(40):
            tell(comparison, colleague, key=str(n), actor=owner.user)
        client = sign_in(colleague)
        with django_assert_max_num_queries(10):
            client.get("/notices/", headers=HTML)

    def test_every_sort_leads_to_a_page_that_there_is(self):
        assert notice_sentences.PATHS["comparison"].format("x" * 8) == "/comparisons/xxxxxxxx/"
        assert reverse("comparison", args=["00000000-0000-4000-8000-000000000000"]) == notice_sentences.path_of(
            "comparison", "00000000-0000-4000-8000-000000000000"
        )
        assert reverse("incident", args=["00000000-0000-4000-8000-000000000000"]) == notice_sentences.path_of(
            "incident", "00000000-0000-4000-8000-000000000000"
        )
        assert reverse("people") == notice_sentences.path_of("invitation", "1") == notice_sentences.path_of("team", "1")
        assert reverse("join-link", args=["token"]) == notice_sentences.path_of("join", "token")
        assert reverse("notices") == notice_sentences.path_of("notices")
        assert reverse("account_change_password") == notice_sentences.path_of("account")

    def test_below_a_path_it_leads_there(self, settings):
        settings.AWRDIFF_PATH = "/awr"
        assert notice_sentences.address_of(notice_sentences.path_of("notices")).endswith("/awr/notices/")


class TestByMail:
    def test_at_once_with_its_address_and_no_contents(self, mails, owner, colleague, comparison):
        confirmed(colleague)
        tell(comparison, colleague, actor=owner.user, about="Zebra", place="#thread=5")
        send_all()
        (sent,) = mail.outbox
        assert (sent.to, sent.subject) == (["carl@example.com"], "[awrdiff] olivia answered in a thread of yours.")
        assert f"https://awr.example.com/comparisons/{comparison.pk}/#thread=5" in sent.body
        assert "Zebra" not in sent.body
        assert not Delivery.objects.exists()

    def test_with_contents_where_the_team_has_it_so(self, mails, owner, colleague, comparison):
        confirmed(colleague)
        services.set_team(owner, url="", shape="generic", contents=True)
        tell(comparison, colleague, about="Zebra")
        send_all()
        assert "Zebra" in mail.outbox[0].body

    @pytest.mark.parametrize(
        ("strict", "kind", "withheld"),
        [(True, "", True), (True, "recovery_codes", True), (True, "totp", False), (False, "", False)],
    )
    def test_without_contents_for_whoever_lacks_the_second_factor_that_the_team_requires(
        self, mails, owner, colleague, comparison, strict, kind, withheld
    ):
        confirmed(colleague)
        services.set_team(owner, url="", shape="generic", contents=True)
        Team.objects.filter(pk=owner.team.pk).update(second_factor_required=strict)
        if kind:
            Authenticator.objects.create(user=colleague.user, type=kind, data={})
        tell(comparison, colleague, about="Zebra", place="#thread=5")
        send_all()
        assert ("Zebra" not in mail.outbox[0].body) is withheld
        assert f"/comparisons/{comparison.pk}/#thread=5" in mail.outbox[0].body

    def test_nothing_to_an_address_that_nobody_confirmed(self, mails, colleague, comparison):
        confirmed(colleague, verified=False)
        tell(comparison, colleague)
        send_all()
        assert not mail.outbox
        assert not Delivery.objects.exists()

    def test_who_becomes_a_guest_has_no_notice_of_what_they_saw(self, owner, colleague, comparison):
        tell(comparison, colleague, about="Zebra")
        members_and_invitations.change_role(owner, Membership.objects.get(pk=colleague.membership), "guest")
        assert not Notice.objects.exists()

    def test_nothing_to_who_was_removed_meanwhile(self, mails, owner, colleague, comparison):
        confirmed(colleague)
        tell(comparison, colleague)
        members_and_invitations.remove(owner, Membership.objects.get(pk=colleague.membership))
        send_all()
        assert not mail.outbox
        assert not Delivery.objects.exists()

    def test_a_digest_has_none_of_a_team_that_was_left(self, mails, owner, colleague, comparison):
        other = context_of("carl", "Elsewhere")
        confirmed(colleague)
        NoticeChoice.objects.create(user=colleague.user, mail="digest")
        tell(comparison, colleague)
        services.notify(other.team, "ready", [other.user], kind="comparison", thing=comparison.pk)
        assert chores.gather() == 1
        members_and_invitations.remove(owner, Membership.objects.get(pk=colleague.membership))
        send_all()
        (sent,) = mail.outbox
        assert "Elsewhere: " in sent.body
        assert "Payments: " not in sent.body

    def test_without_a_mail_server_nothing_waits(self, colleague, comparison):
        tell(confirmed_of(comparison, colleague), colleague)
        assert not Delivery.objects.exists()

    def test_not_at_all(self, mails, sign_in, colleague, comparison):
        confirmed(colleague)
        assert sign_in(colleague).post("/notices/mail/", {"mail": "never"}, headers=JSON).status_code == 400
        assert sign_in(colleague).post("/notices/mail/", {"mail": "none"}, headers=JSON).status_code == 204
        tell(comparison, colleague)
        assert Notice.objects.count() == 1
        assert not Delivery.objects.exists()

    def test_what_waits_for_the_mail_server_is_not_sent_any_more_either(self, mails, colleague, comparison):
        confirmed(colleague)
        tell(comparison, colleague)
        services.choose(colleague, "none")
        assert not Delivery.objects.exists()
        assert Notice.objects.count() == 1

    def test_the_page_offers_what_there_is(self, mails, settings, sign_in, colleague):
        client = sign_in(colleague)
        html = client.get("/notices/", headers=HTML).content.decode()
        assert "you have confirmed no" in html
        confirmed(colleague)
        html = client.get("/notices/", headers=HTML).content.decode()
        assert "To carl@example.com, of all your teams" in html
        assert 'name="mail"' in html
        settings.AWRDIFF_MAILS = False
        html = client.get("/notices/", headers=HTML).content.decode()
        assert "This server sends no mail" in html
        assert 'name="mail"' not in html

    def test_once_a_day(self, mails, colleague, comparison):
        confirmed(colleague)
        services.choose(colleague, "digest")
        for n in range(3):
            tell(comparison, colleague, key=str(n))
        services.read(colleague, Notice.objects.first().pk)
        assert not Delivery.objects.exists()
        assert (chores.gather(), chores.gather()) == (1, 0)
        send_all()
        (sent,) = mail.outbox
        assert sent.subject == "[awrdiff] 2 notices"
        tell(comparison, colleague, key="later")
        assert chores.gather() == 0
        NoticeChoice.objects.update(last_digest_at=timezone.now() - timedelta(hours=25))
        assert chores.gather() == 1

    def test_two_sweepers_make_one(self, mails, colleague, comparison, monkeypatch):
        """Both have found whose digest is due before either makes it."""
        confirmed(colleague)
        services.choose(colleague, "digest")
        tell(comparison, colleague, key="before")
        inner = chores._digest

        def after_the_other(pk: int) -> bool:
            assert inner(pk)
            tell(comparison, colleague, key="since")
            return inner(pk)

        monkeypatch.setattr(chores, "_digest", after_the_other)
        assert chores.gather() == 0
        assert Delivery.objects.count() == 1
        assert Notice.objects.filter(for_digest=True).count() == 1  # goes with tomorrow's

    @pytest.mark.parametrize("name", ["Pay\r\nBcc: eve@evil.example", "a\nb", "x" * 150])
    def test_a_hostile_name_is_one_line(self, mails, owner, colleague, comparison, name):
        confirmed(colleague)
        owner.user.username = name
        owner.user.save()
        tell(comparison, colleague, actor=owner.user)
        send_all()
        message = mail.outbox[0].message()
        assert (message.get_all("To"), message["Bcc"]) == (["carl@example.com"], None)
        assert mail.outbox[0].recipients() == ["carl@example.com"]


def confirmed_of(comparison: Comparison, access: AccessContext) -> Comparison:
    confirmed(access)
    return comparison


class TestTheOutbox:
    @pytest.fixture
    def waiting(self, mails, colleague, comparison) -> Delivery:
        confirmed(colleague)
        tell(comparison, colleague)
        return Delivery.objects.get()

    def test_two_workers_send_it_once(self, waiting, monkeypatch):
        inner = outbox._send

        def meanwhile(held):
            outbox.deliver(waiting.pk)
            inner(held)

        monkeypatch.setattr(outbox, "_send", meanwhile)
        outbox.deliver(waiting.pk)
        assert len(mail.outbox) == 1

    def test_a_worker_that_was_killed_loses_nothing(self, waiting, monkeypatch):
        class Killed(BaseException):
            pass

        def die(_held):
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(outbox, "_send", die)
            with pytest.raises(Killed):
                outbox.deliver(waiting.pk)
        outbox.deliver(waiting.pk)
        assert not mail.outbox  # it may be at work still
        Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        sent = []
        monkeypatch.setattr(chores, "send", lambda _task, pk: sent.append(pk) or True)
        assert chores.sweep() == 1
        outbox.deliver(sent[0])
        assert len(mail.outbox) == 1
        assert str(waiting.pk) in mail.outbox[0].extra_headers["Message-ID"]

    def test_what_the_broker_lost_is_sent_again(self, waiting, monkeypatch, settings):
        monkeypatch.setattr(chores, "send", lambda *_: True)
        assert chores.sweep() == 0
        Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=settings.TASK_DUE_AFTER_S + 1))
        assert chores.sweep() == 1
        assert chores.sweep in [chore.run for chore in work_kinds.CHORES]

    def test_a_mail_server_that_is_away_is_tried_more_and_more_seldom_and_then_given_up(self, waiting, settings):
        settings.EMAIL_BACKEND = "awrdiff.web.mail.SmtpBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
        pauses = []
        for _ in range(8):
            outbox.deliver(waiting.pk)
            waiting.refresh_from_db()
            pauses.append(round((waiting.due_at - timezone.now()).total_seconds()) if waiting.due_at else None)
            Delivery.objects.exclude(due_at=None).update(due_at=timezone.now())
        assert pauses == [30, 120, 480, 1800, 7200, 21600, 21600, None]
        assert "mail server" in waiting.error
        chores.tidy()
        assert Delivery.objects.exists()
        Delivery.objects.update(created_at=timezone.now() - timedelta(days=31))
        chores.tidy()
        assert not Delivery.objects.exists()

    def test_old_notices_go(self, waiting, settings):
        Notice.objects.update(created_at=timezone.now() - timedelta(days=89))
        chores.tidy()
        assert Notice.objects.exists()
        Notice.objects.update(created_at=timezone.now() - timedelta(days=91))
        chores.tidy()
        assert not Notice.objects.exists()


class TestOfThreadsAndIncidents:
    def test_a_mention_and_an_answer(self, owner, colleague, comparison):
        tasks.compute_now(comparison.pk)
        comparison.refresh_from_db()
        begun = threads.start(owner, comparison, "foreground_wait_events", "@carl why?", uuid4())
        told = Notice.objects.get()
        assert (told.user, notice_sentences.sentence(told)) == (
            colleague.user,
            "olivia mentioned you in “Foreground Wait Events”.",
        )
        assert told.place == f"?pair=0#thread={begun.thread.pk}"
        key = uuid4()
        for _ in range(2):
            threads.reply(colleague, begun.thread, "the array", key)
        answered = Notice.objects.get(user=owner.user)
        assert notice_sentences.sentence(answered) == "carl answered in a thread of yours."
        assert "array" not in answered.about
        threads.edit(owner, begun.comment, "@carl why now?")
        assert Notice.objects.count() == 2
        threads.assign(owner, begun.thread, "carl")
        assert Notice.objects.filter(user=colleague.user, what="asked").count() == 1
        threads.remove(owner, begun.comment)
        threads.resolve(owner, begun.thread)
        lines = AuditLine.objects.filter(kind__in=["thread", "comment"]).order_by("id")
        assert list(lines.values_list("action", flat=True)) == ["wrote", "wrote", "wrote", "deleted", "resolved"]

    def test_an_action_item_and_a_status(self, owner, colleague):
        typed = incidents.Typed(title="Slow", begins_at="2024-01-01T11:05")
        made = incidents.make(owner, typed)
        incidents.give_role(owner, made, str(colleague.user.pk), "dba")
        item = action_items.add(owner, made, action_items.TypedAction(text="ask", owner=str(colleague.user.pk)))
        assert notice_sentences.sentence(Notice.objects.get()) == "olivia gave you an action item."
        action_items.set_state(owner, item, "done")
        assert Notice.objects.count() == 1
        incidents.set_status(owner, made, "mitigated")
        incidents.set_status(owner, made, "mitigated")
        status = Notice.objects.get(what="status")
        assert (status.user, status.about) == (colleague.user, "Slow")
        incidents.delete(owner, made)
        assert not Notice.objects.exists()
        told = AuditLine.objects.filter(kind="incident").order_by("id").values_list("action", flat=True)
        assert list(told) == ["made", *["changed"] * 4, "deleted"]  # a role, an action item, its state, the status


def test_of_two_teams_one_sees_the_notices_of_the_one_looked_at(owner, comparison):
    other = context_of("olivia", "Ledger")
    tell(comparison, owner)
    assert TeamNotices.objects.count() == 0
    assert (list(services.queries.notices_of(other)), services.queries.unread(owner)) == ([], 1)


def test_who_is_not_signed_in_has_none(accounts):
    assert Client().get("/notices/", headers=JSON).status_code == 401
