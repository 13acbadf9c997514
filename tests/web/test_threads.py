"""Threads: anchored on rows and findings, whoever writes, whose turn it is, what is kept and what is not."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.access import HeldLink
from awrdiff.accounts.display_names import choose_shown_name
from awrdiff.accounts.models import Membership, User
from awrdiff.comparisons import guest_access
from awrdiff.comparisons.queries import load_section
from awrdiff.comparisons.report_places_and_titles import titles_of
from awrdiff.comparisons.services import create_comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.notices.models import Notice
from awrdiff.threads import queries, services
from awrdiff.threads.models import Agreement, Comment, EarlierText, Looking, Thread, Turn
from awrdiff.threads.services import ThreadRefused
from tests.web.conftest import store_report
from tests.web.pages import check_markup
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
PART = {"HX-Request": "true"}
WAITS = "foreground_wait_events"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def row(comparison) -> str:
    """The anchor of log file sync: 100 waits in First, 250 in Second."""
    rows = load_section(comparison, WAITS).rows
    return f"{WAITS}/{next(r.row_id for r in rows if r.key['event'] == 'log file sync')}"


@pytest.fixture
def thread(owner, comparison, row) -> Thread:
    return services.start(owner, comparison, row, "Why is this so slow?", uuid4(), for_guests=True).thread


@pytest.fixture
def shown_guest(owner, guest, comparison):
    guest_access.show(owner, comparison, guest.membership)
    return guest


def say(access, thread, body: str) -> services.Change:
    return services.reply(access, thread, body, uuid4())


def turns(thread: Thread) -> dict[str, str]:
    return {turn.user.username: turn.why for turn in Turn.objects.filter(thread=thread)}


def named(thread: Thread) -> list[str]:
    """Whose turn it is, as its page says."""
    return [turn.user.username for turn in queries.turns_of([thread.pk]).get(thread.pk, [])]


def read(client: Client, thread: Thread, comparison=None, **query) -> dict:
    pk = (comparison or thread.comparison).pk
    answer = client.get(f"/comparisons/{pk}/threads/{thread.pk}/", query, headers=JSON)
    assert answer.status_code == 200, answer.content
    return answer.json()


def _access_of(thread):
    from tests.web.conftest import context_of

    return context_of(thread.started_by.username, thread.team.name)


def say_over_http(client: Client, thread: Thread, body: str, **more):
    url = f"/comparisons/{thread.comparison_id}/threads/{thread.pk}/"
    return client.post(url, {"body": body, **more}, headers=JSON)


class TestWriting:
    def test_posted_twice_it_is_there_once(self, client, comparison, row):
        fields = {"anchor": row, "body": "Why?", "key": str(uuid4())}
        url = f"/comparisons/{comparison.pk}/threads/"
        first, second = (client.post(url, fields, headers=JSON) for _ in range(2))
        assert (first.status_code, second.status_code) == (201, 200)
        assert first.json()["id"] == second.json()["id"]
        key = str(uuid4())
        answers = [say_over_http(client, Thread.objects.get(), "So?", key=key) for _ in range(2)]
        assert [a.status_code for a in answers] == [201, 200]
        assert (Thread.objects.count(), Comment.objects.count()) == (1, 2)

    def test_nobody_elses_key_is_of_use(self, owner, colleague, thread):
        key = Comment.objects.get().client_key
        with pytest.raises(ThreadRefused, match="somebody else"):
            services.reply(colleague, thread, "Mine", key)

    @pytest.mark.parametrize(
        ("body", "status"), [("", 400), (" \n\t", 400), ("x" * 10_001, 400), ("x" * 10_000, 201), ("\x00\ud800a", 201)]
    )
    def test_what_may_be_written(self, client, thread, body, status):
        assert say_over_http(client, thread, body.encode("utf-8", "replace").decode()).status_code == status

    def test_a_key_is_a_uuid(self, client, thread):
        assert say_over_http(client, thread, "Why?", key="1").status_code == 400

    def test_a_thread_and_a_comparison_have_an_end(self, monkeypatch, owner, comparison, row, thread):
        monkeypatch.setattr(services, "MOST_COMMENTS", 2)
        monkeypatch.setattr(services, "MOST_THREADS", 2)
        say(owner, thread, "2")
        with pytest.raises(ThreadRefused, match="at most 2 comments"):
            say(owner, thread, "3")
        services.start(owner, comparison, row, "second", uuid4())
        with pytest.raises(ThreadRefused, match="at most 2 threads"):
            services.start(owner, comparison, row, "third", uuid4())

    def test_one_person_does_not_write_without_end(self, monkeypatch, client, colleague, thread):
        monkeypatch.setattr(services, "MOST_A_MINUTE", 3)
        assert [say_over_http(client, thread, str(n)).status_code for n in range(3)] == [201, 201, 429]
        refused = say_over_http(client, thread, "more")
        assert int(refused["Retry-After"]) > 0
        assert say(colleague, thread, "others may").is_new
        Comment.objects.update(created_at=timezone.now() - timezone.timedelta(seconds=61))
        assert say_over_http(client, thread, "later").status_code == 201

    def test_a_guest_from_whom_it_was_hidden_hears_no_more_of_it(self, owner, guest, comparison, row):
        guest_access.show(owner, comparison, guest.membership)
        begun = services.start(guest, comparison, row, "Why?", uuid4()).thread
        say(owner, begun, "Because")
        assert Notice.objects.filter(user=guest.user).count() == 1
        guest_access.hide(owner, comparison, guest.membership)
        assert not Notice.objects.exists()
        say(owner, begun, "Besides")
        assert not Notice.objects.exists()

    def test_one_key_about_two_comparisons_at_once_is_refused(self, monkeypatch, owner, comparison, row, thread):
        key = Comment.objects.get().client_key
        monkeypatch.setattr(services, "_comment_of_key", lambda *_: None)
        with pytest.raises(ThreadRefused, match="elsewhere"):
            services.start(owner, comparison, row, "Why?", key)

    def test_nothing_is_expected_of_who_has_left(self, client, owner, colleague, thread):
        services.assign(owner, thread, "carl")
        assert read(client, thread)["turn"] == ["carl"]
        members_and_invitations.remove(owner, Membership.objects.get(pk=colleague.membership))
        assert read(client, thread)["turn"] == []

    def test_an_edit_keeps_what_was_said(self, client, colleague, sign_in, thread):
        comment = Comment.objects.get()
        url = f"/comparisons/{thread.comparison_id}/threads/{thread.pk}/comments/{comment.pk}/"
        assert sign_in(colleague).post(url, {"body": "No"}, headers=JSON).status_code == 403
        client = sign_in(_access_of(thread))
        assert client.post(url, {"body": "Why is it slow?"}, headers=JSON).status_code == 200
        found = client.get(url, headers=JSON).json()
        assert [one["body"] for one in found["earlier"]] == ["Why is this so slow?"]
        assert found["edited"]
        (said,) = read(client, thread)["said"]
        assert said["body"] == "Why is it slow?"

    def test_what_is_deleted_is_gone_and_leaves_that_it_was_there(self, client, owner, colleague, thread):
        secret = say(colleague, thread, "the password is planted-secret").comment
        services.edit(colleague, secret, "planted-secret, was it?")
        services.agree(owner, secret)
        services.remove(colleague, secret)
        assert not services.remove(colleague, secret).is_new
        said = read(client, thread)["said"][1]
        assert said["deleted"].startswith("deleted by carl on ")
        kept = [*Comment.objects.values_list("body", flat=True), *EarlierText.objects.values_list("body", flat=True)]
        assert not any("planted" in text for text in kept)
        html = client.get(f"/comparisons/{thread.comparison_id}/threads/{thread.pk}/").content.decode()
        assert "planted" not in html
        with pytest.raises(ThreadRefused, match="deleted"):
            services.edit(colleague, Comment.objects.get(pk=secret.pk), "again")

    def test_an_owner_deletes_anybodys_and_a_member_does_not(self, owner, colleague, thread):
        said = say(colleague, thread, "x").comment
        with pytest.raises(PermissionDenied, match="Only who wrote"):
            services.remove(colleague, Comment.objects.exclude(pk=said.pk).get())
        assert services.remove(owner, said).is_new

    def test_a_thread_of_which_nothing_is_left_is_resolved(self, owner, thread):
        services.remove(owner, Comment.objects.get())
        thread.refresh_from_db()
        assert thread.is_resolved

    def test_to_agree_counts_once_and_not_for_oneself(self, owner, colleague, thread):
        comment = Comment.objects.get()
        assert [services.agree(colleague, comment).is_new for _ in range(2)] == [True, False]
        with pytest.raises(ThreadRefused):
            services.agree(owner, comment)
        assert services.agree(colleague, comment, agrees=False).is_new
        assert not Agreement.objects.exists()


class TestWhoseTurn:
    def test_who_is_mentioned_and_who_had_asked(self, owner, colleague, thread):
        change = say(owner, thread, "What do you say, @Carl?")
        assert [user.username for user in change.turn] == ["carl"]
        assert change.comment.mentions == ["carl"]
        assert turns(thread) == {"carl": "mentioned"}
        assert say(colleague, thread, "That it is the disk.").turn == (owner.user,)
        assert turns(thread) == {"olivia": "answered"}
        assert [queries.your_turn(one).count() for one in (owner, colleague)] == [1, 0]

    def test_it_is_over_when_the_thread_is_resolved_and_back_when_it_is_reopened(self, owner, colleague, thread):
        say(owner, thread, "@carl")
        services.resolve(colleague, thread)
        assert not services.resolve(colleague, thread).is_new
        assert turns(thread) == {}
        assert services.reopen(owner, thread).turn == (colleague.user,)
        assert turns(thread) == {"carl": "reopened"}
        assert Notice.objects.filter(user=colleague.user).latest("pk").what == "reopened"

    def test_assigned(self, owner, colleague, stranger, guest, thread):
        assert services.assign(owner, thread, "carl").turn == (colleague.user,)
        assert turns(thread) == {"carl": "assigned"}
        for name in ("sten", "gus", "nobody"):
            with pytest.raises(ThreadRefused, match="Nobody of this name"):
                services.assign(owner, thread, name)

    def test_an_edit_asks_whom_it_newly_mentions(self, owner, colleague, thread):
        comment = Comment.objects.get()
        assert services.edit(owner, comment, "Why, @carl?").turn == (colleague.user,)
        comment.refresh_from_db()
        assert services.edit(owner, comment, "Why on earth, @carl?").turn == ()

    def test_what_is_not_written_any_more_asks_nobody(self, owner, colleague, thread):
        first, second = say(owner, thread, "@carl, why?").comment, say(owner, thread, "You know, @carl.").comment
        services.remove(owner, first)
        assert turns(thread) == {"carl": "mentioned"}, "the other one stands"
        services.edit(owner, second, "Never mind.")
        assert turns(thread) == {}
        assert not Notice.objects.exists()
        services.assign(owner, thread, "carl")
        services.remove(owner, say(owner, thread, "@carl").comment)
        assert turns(thread) == {"carl": "assigned"}

    def test_only_who_may_see_it_is_mentioned(self, owner, colleague, guest, stranger, comparison, thread):
        assert say(owner, thread, "@gus @sten @carl").comment.mentions == ["carl"]
        guest_access.show(owner, comparison, guest.membership)
        assert say(owner, thread, "@gus").comment.mentions == ["gus"]
        assert queries.your_turn(guest).count() == 1
        guest_access.hide(owner, comparison, guest.membership)
        assert not queries.your_turn(guest).exists()
        assert named(thread) == ["carl"]
        guest_access.show(owner, comparison, guest.membership)
        assert named(thread) == ["carl", "gus"]
        Membership.objects.filter(user=colleague.user).delete()
        assert named(thread) == ["gus"]

    def test_the_first_page_counts_and_the_notices_list_it(self, sign_in, owner, colleague, thread):
        say(owner, thread, "@carl")
        client = sign_in(colleague)
        assert 'href="/notices/?turn=1">Your turn: 1<' in client.get("/").content.decode()
        html = client.get("/notices/?turn=1").content.decode()
        check_markup(html)
        assert f"/comparisons/{thread.comparison_id}/?pair=0#{thread.anchor}&amp;thread={thread.pk}" in html
        assert "mentioned by olivia" in html
        told = client.get("/notices/?turn=1", headers=JSON).json()
        assert (told["your_turn"], told["unread"], [turn["said"] for turn in told["turns"]]) == (
            1,
            1,
            ["mentioned by olivia"],
        )
        assert told["turns"][0]["of"] == titles_of([thread.comparison])[thread.comparison_id]
        assert "notices" not in told
        others = sign_in(owner)
        assert "Your turn" not in others.get("/").content.decode()
        assert "No thread waits for you." in others.get("/notices/?turn=1").content.decode()

    def test_turns_of_a_guest_name_the_writers_of_their_own_comparison_in_as_many_queries(
        self, sign_in, owner, colleague, shown_guest, thread
    ):
        say(owner, thread, "@gus")
        say(colleague, thread, "So was mine")
        client = sign_in(shown_guest)

        def listed() -> tuple[int, list[str]]:
            with CaptureQueriesContext(connection) as queries_sent:
                answer = client.get("/notices/?turn=1", headers=JSON)
            return len(queries_sent), [turn["said"] for turn in answer.json()["turns"]]

        choose_shown_name(colleague.user, "Carl Lee")
        listed()
        before, said = listed()
        assert said == ["mentioned by olivia"]
        for n in range(3):
            reports = [store_report(owner, f"{n}{m}.html", begin=f"2024-02-0{n + 1}T1{m}:00:00") for m in (0, 1)]
            other = create_comparison(owner, reports, order_by_time=False)
            compute_now(other.pk)
            other.refresh_from_db()
            guest_access.show(owner, other, shown_guest.membership)
            begun = services.start(owner, other, WAITS, "And here?", uuid4(), for_guests=True).thread
            services.assign(colleague, begun, "gus")  # who has written nothing in this comparison
        assert listed() == (before, ["assigned by somebody of the team"] * 3 + said)

    def test_a_guest_to_whom_it_is_hidden_has_no_turn(self, sign_in, owner, shown_guest, comparison, thread):
        say(owner, thread, "@gus")
        assert "Your turn: 1" in sign_in(shown_guest).get("/").content.decode()
        guest_access.hide(owner, comparison, shown_guest.membership)
        assert "Your turn" not in sign_in(shown_guest).get("/").content.decode()


def test_an_answer_to_a_resolved_thread_reopens_it(owner, colleague, thread):
    services.resolve(colleague, thread)
    say(owner, thread, "It happened again.")
    thread.refresh_from_db()
    assert not thread.is_resolved
    assert turns(thread) == {"carl": "reopened"}
    assert Notice.objects.filter(user=colleague.user, what="reopened").count() == 1


class TestGuests:
    def test_they_write_where_it_is_shown_to_them(self, sign_in, shown_guest, colleague, thread):
        client = sign_in(shown_guest)
        assert say_over_http(client, thread, "I was there. @carl").status_code == 201
        assert Comment.objects.last().mentions == []  # whom a guest does not see
        html = client.get(f"/comparisons/{thread.comparison_id}/threads/{thread.pk}/").content.decode()
        assert "carl" not in html.replace("@carl", "")
        services.reply(colleague, thread, "So was I", uuid4())
        assert say_over_http(client, thread, "Really, @carl?").status_code == 201
        assert Comment.objects.last().mentions == ["carl"]

    def test_who_has_written_nothing_is_somebody_of_the_team(self, sign_in, owner, colleague, shown_guest, thread):
        comment = Comment.objects.get()
        for somebody in (colleague, shown_guest):
            services.agree(somebody, comment)
        services.assign(colleague, thread, "carl")
        services.assign(colleague, thread, shown_guest.user.username)
        client, url = sign_in(shown_guest), f"/comparisons/{thread.comparison_id}/threads/"

        def everything() -> str:
            pages = [
                client.get(f"{url}{path}", headers=kind) for path in ("", f"{thread.pk}/") for kind in (JSON, PART)
            ]
            pages += [
                client.get(f"{url}{thread.pk}/comments/{comment.pk}/", headers=JSON),
                client.get("/notices/?turn=1"),
            ]
            pages.append(client.get(f"{url}live/", headers=JSON))
            return " ".join(page.content.decode() for page in pages)

        own = shown_guest.user.username
        assert read(client, thread)["said"][0]["agree"] == ["somebody of the team", own]
        assert read(client, thread)["turn"] == ["somebody of the team", own]
        assert "assigned by somebody of the team" in client.get("/notices/?turn=1").content.decode()
        assert "carl" not in everything()
        services.resolve(colleague, thread)
        assert read(client, thread)["resolved_by"] == "somebody of the team"
        services.remove(replace(colleague, role="owner"), comment)
        assert read(client, thread)["said"][0]["deleted"].startswith("deleted by somebody of the team")
        assert "carl" not in everything()
        say(colleague, thread, "It was the log")
        assert read(client, thread)["said"][0]["deleted"].startswith("deleted by carl")

    def test_a_member_reads_every_name(self, sign_in, owner, colleague, thread):
        services.agree(colleague, Comment.objects.get())
        services.assign(owner, thread, "carl")
        seen = read(sign_in(owner), thread)
        assert (seen["turn"], seen["said"][0]["agree"]) == (["carl"], ["carl"])

    def test_they_settle_their_own_only(self, sign_in, shown_guest, comparison, row, thread):
        client = sign_in(shown_guest)
        url = f"/comparisons/{comparison.pk}/threads/"
        assert client.post(f"{url}{thread.pk}/state/", {"state": "resolved"}, headers=JSON).status_code == 403
        own = services.start(shown_guest, comparison, row, "Mine", uuid4()).thread
        assert client.post(f"{url}{own.pk}/state/", {"state": "resolved"}, headers=JSON).status_code == 200

    def test_not_shown_it_is_not_there(self, sign_in, guest, comparison, thread):
        for path in ("", "live/", f"{thread.pk}/"):
            answer = sign_in(guest).get(f"/comparisons/{comparison.pk}/threads/{path}", headers=JSON)
            assert answer.status_code == 404

    def test_under_a_link_there_are_none(self, owner, comparison, thread):
        link, path = create_link(owner, comparison, days=1)
        html = Client().get(path).content.decode()
        assert "so slow" not in html
        for word in ("threads/", 'id="talk"', "threads.js", "data-talk"):
            assert word not in html
        held = replace(owner, user=None, link=HeldLink(link.pk, comparison.pk, None, ""))
        assert not held.can_comment
        with pytest.raises(PermissionDenied):
            services.reply(held, thread, "x", uuid4())


class TestLive:
    def test_nothing_new_is_304_and_something_is_not(self, client, colleague, thread):
        url = f"/comparisons/{thread.comparison_id}/threads/live/"
        first = client.get(url, headers=JSON)
        assert first.json()["threads"][0]["comments"] == 1
        again = {**JSON, "If-None-Match": first["ETag"]}
        assert client.get(url, headers=again).status_code == 304
        comment = Comment.objects.get()
        steps = [
            lambda: say(colleague, thread, "New"),
            lambda: services.agree(colleague, comment),
            lambda: services.resolve(colleague, thread),
            lambda: services.reopen(colleague, thread),
            lambda: services.remove(colleague, Comment.objects.last()),
            lambda: Looking.objects.create(
                comparison_id=thread.comparison_id, user=colleague.user, seen_at=timezone.now()
            ),
        ]
        for step in steps:
            again["If-None-Match"] = client.get(url, headers=JSON)["ETag"]
            step()
            assert client.get(url, headers=again).status_code == 200

    def test_a_guest_sees_of_who_is_looking_those_who_wrote(self, sign_in, owner, colleague, shown_guest, thread):
        url = f"/comparisons/{thread.comparison_id}/threads/live/"
        for somebody in (owner, colleague):
            sign_in(somebody).get(url, headers=JSON)
        assert sign_in(shown_guest).get(url, headers=JSON).json()["looking"] == ["olivia"]
        say(colleague, thread, "Me too")
        assert sign_in(shown_guest).get(url, headers=JSON).json()["looking"] == ["carl", "olivia"]

    def test_who_is_looking(self, sign_in, owner, colleague, comparison):
        url = f"/comparisons/{comparison.pk}/threads/live/"
        assert sign_in(owner).get(url, headers=JSON).json()["looking"] == []
        assert sign_in(colleague).get(url, headers=JSON).json()["looking"] == ["olivia"]
        assert sign_in(owner).get(url, headers=JSON).json()["looking"] == ["carl"]
        Looking.objects.update(seen_at=timezone.now() - queries.LOOKING_FOR)
        assert sign_in(owner).get(url, headers=JSON).json()["looking"] == []

    def test_asking_is_cheap_and_reads_no_comparison(self, client, thread):
        url = f"/comparisons/{thread.comparison_id}/threads/live/"
        tag = client.get(url, headers=JSON)["ETag"]
        with CaptureQueriesContext(connection) as asked:
            assert client.get(url, headers={**JSON, "If-None-Match": tag}).status_code == 304
        assert len(asked) <= 8
        assert not any("overview" in query["sql"] for query in asked)


def test_five_hundred_comments_open_in_few_queries(client, owner, colleague, thread):
    people = [owner.user, colleague.user]
    said = [
        Comment(
            team=owner.team,
            thread=thread,
            author=people[n % 2],
            author_name=people[n % 2].username,
            body=f"**{n}** @carl",
            mentions=["carl"],
            client_key=uuid4(),
        )
        for n in range(499)
    ]
    Comment.objects.bulk_create(said)
    Agreement.objects.bulk_create(
        Agreement(comment=c, user=u) for c in Comment.objects.all() for u in people if c.author_id != u.pk
    )
    for path in (f"{thread.pk}/", "", "live/"):
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(f"/comparisons/{thread.comparison_id}/threads/{path}", headers=PART)
        assert answer.status_code == 200
        assert len(asked) <= 16, path
    html = client.get(f"/comparisons/{thread.comparison_id}/threads/{thread.pk}/").content.decode()
    check_markup(html)
    assert html.count("data-comment=") == 500


def test_pages_and_parts_are_whole(client, comparison, thread, row):
    comment = Comment.objects.get()
    base = f"/comparisons/{comparison.pk}/threads/"
    for path in ("", f"?anchor={row}", f"{thread.pk}/", f"{thread.pk}/comments/{comment.pk}/"):
        html = client.get(base + path).content.decode()
        check_markup(html)
        assert client.get(base + path, headers=PART).status_code == 200
    assert client.get(f"{base}?anchor=nowhere", headers=PART).status_code == 404
    answer = client.post(f"{base}{thread.pk}/", {"body": "By form"})
    assert answer["Location"] == f"{base}{thread.pk}/"


def test_what_goes_with_a_comparison_is_named(client, comparison, thread):
    url = f"/comparisons/{comparison.pk}/delete/"
    assert "1 thread, with all that is said" in client.get(url).content.decode()
    client.post(url)
    assert not Thread.objects.exists()


def test_who_is_deleted_keeps_their_name_under_what_they_wrote(client, colleague, thread):
    say(colleague, thread, "So long.")
    User.objects.filter(pk=colleague.user.pk).delete()
    assert [one["author"] for one in read(client, thread)["said"]] == ["olivia", "carl"]
