"""Comments by whoever holds a link: what they see of the team, what the team sees of them, and where it ends."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.accounts.models import Membership
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.queries import load_section
from awrdiff.notices.models import Notice
from awrdiff.sharing import services as sharing
from awrdiff.sharing.models import ShareLink
from awrdiff.threads import services
from awrdiff.threads.models import Comment, EarlierText, Thread, Turn
from tests.web.conftest import computed_both_ways
from tests.web.pages import check_markup
from tests.web.share import create_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON, PART = {"Accept": "application/json"}, {"HX-Request": "true"}
WAITS = "foreground_wait_events"


@pytest.fixture
def made(owner, comparison) -> tuple[ShareLink, str]:
    return create_link(owner, comparison, days=1, may_comment=True)


@pytest.fixture
def path(made) -> str:
    return made[1]


def row_of(comparison: Comparison) -> str:
    rows = load_section(comparison, WAITS).rows
    return f"{WAITS}/{next(r.row_id for r in rows if r.key['event'] == 'log file sync')}"


def begin(client: Client, path: str, anchor: str = "summary", body: str = "Is this normal?", **more):
    return client.post(f"{path}threads/", {"anchor": anchor, "body": body, "name": "Gerd", **more}, headers=JSON)


def begun(client: Client, path: str, anchor: str = "summary") -> Thread:
    answer = begin(client, path, anchor)
    assert answer.status_code == 201, answer.content
    return Thread.objects.get(pk=answer.json()["id"])


def say(client: Client, path: str, thread: Thread, body: str = "Hello?", **more):
    return client.post(f"{path}threads/{thread.pk}/", {"body": body, **more}, headers=JSON)


def read(client: Client, path: str, thread: Thread) -> dict:
    answer = client.get(f"{path}threads/{thread.pk}/", headers=JSON)
    assert answer.status_code == 200, answer.content
    return answer.json()


def listed(client: Client, path: str) -> list[int]:
    return [one["id"] for one in client.get(f"{path}threads/", headers=JSON).json()["threads"]]


def members(comparison: Comparison) -> str:
    return f"/comparisons/{comparison.pk}/"


class TestTheLink:
    def test_is_made_to_read_unless_it_is_said(self, sign_in, owner, comparison):
        client, url = sign_in(owner), f"{members(comparison)}links/"
        assert client.post(url, headers=JSON).json()["may_comment"] is False
        assert client.post(url, {"comment": "yes"}, headers=JSON).json()["may_comment"] is True
        assert client.post(url, {"comment": "acme"}, headers=JSON).status_code == 400
        assert [one["may_comment"] for one in client.get("/links/", headers=JSON).json()["links"]] == [True, False]
        assert "names · read, comment ·" in " ".join(client.get("/links/").content.decode().split())
        assert "<td>read, comment</td>" in client.get(members(comparison)).content.decode()

    def test_to_read_shows_nothing_of_threads(self, owner, comparison):
        _, path = create_link(owner, comparison, days=1)
        html = Client().get(path).content.decode()
        for word in ("threads/", 'id="talk"', "threads.js", "data-talk", "Comments"):
            assert word not in html
        assert begin(Client(), path).status_code == 404
        assert not Thread.objects.exists()

    def test_to_comment_has_the_panel_and_its_keys(self, path):
        html = Client().get(path).content.decode()
        check_markup(html)
        for word in (f'data-threads="{path}threads/"', "threads.js", "live.js", "<kbd>m</kbd>"):
            assert word in html
        for word in ("data-looking", "data-your-turn", "/comparisons/"):
            assert word not in html

    @pytest.mark.parametrize("end", ["expired", "revoked"])
    def test_that_has_ended_leaves_the_threads_with_the_team(self, sign_in, owner, comparison, made, end):
        link, path = made
        client = Client()
        thread = begun(client, path)
        if end == "revoked":
            sharing.revoke(owner, link)
        else:
            ShareLink.objects.update(expires_at=timezone.now() - timezone.timedelta(seconds=1))
        for url in ("threads/", "threads/live/", f"threads/{thread.pk}/"):
            assert client.get(path + url, headers=JSON).status_code == 404
        assert (say(client, path, thread).status_code, begin(client, path).status_code) == (404, 404)
        assert listed(sign_in(owner), members(comparison)) == [thread.pk]
        html = sign_in(owner).get(f"{members(comparison)}threads/{thread.pk}/", headers=PART).content.decode()
        assert "only the team reads this" in html
        ShareLink.objects.all().delete()
        assert "from outside" in sign_in(owner).get(f"{members(comparison)}threads/").content.decode()

    def test_revoked_while_something_is_sent_takes_nothing_more(self, owner, made, monkeypatch):
        link, path = made
        client = Client()
        thread, real = begun(client, path), services.writing

        def revoked_first(original):
            sharing.revoke(owner, link)
            return real(original)

        monkeypatch.setattr(services, "writing", revoked_first)
        assert say(client, path, thread).status_code == 404
        assert Comment.objects.count() == 1


class TestWriting:
    def test_posted_twice_it_is_there_once_even_where_the_cookie_was_lost_with_the_answer(self, path):
        key = str(uuid4())
        first = begin(Client(), path, key=key)
        client = Client()
        again = begin(client, path, key=key)
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json()["id"] == again.json()["id"]
        assert (Thread.objects.count(), Comment.objects.count()) == (1, 1)
        assert read(client, path, Thread.objects.get())["said"][0]["id"] == Comment.objects.get().pk
        url = f"{path}threads/{first.json()['id']}/comments/{first.json()['comment']}/"
        assert client.post(url, {"body": "Mine"}, headers=JSON).status_code == 200
        key = str(uuid4())
        assert [say(client, path, Thread.objects.get(), "So?", key=key).status_code for _ in range(2)] == [201, 200]

    def test_nobody_elses_key_is_of_use(self, owner, path):
        client = Client()
        thread, key = begun(client, path), uuid4()
        services.reply(owner, thread, "I am the team", key)
        assert say(client, path, thread, key=str(key)).status_code == 400

    def test_a_name_is_asked_for_once_and_can_be_changed(self, path):
        client = Client()
        nameless = client.post(f"{path}threads/", {"anchor": "summary", "body": "x"}, headers=JSON)
        assert (nameless.status_code, "give a name" in nameless.json()["error"]) == (400, True)
        thread = begun(client, path)
        assert say(client, path, thread).status_code == 201
        assert say(client, path, thread, name=" Gerda\n of\u202e  support ").status_code == 201
        assert say(client, path, thread).status_code == 201
        said = [one["author"] for one in read(client, path, thread)["said"]]
        assert said == ["Gerd", "Gerd", "Gerda of support", "Gerda of support"]
        assert 'value="Gerda of support"' in client.get(f"{path}threads/{thread.pk}/").content.decode()
        assert 'value=""' in Client().get(f"{path}threads/{thread.pk}/").content.decode()

    @pytest.mark.parametrize("name", ["<script>alert(1)</script>", "x" * 500, "\x00\ud800", "  "])
    def test_hostile_names(self, sign_in, owner, comparison, path, name):
        answer = begin(Client(), path, name=name.encode("utf-8", "replace").decode())
        if answer.status_code == 201:
            html = sign_in(owner).get(f"{members(comparison)}threads/{Thread.objects.get().pk}/").content.decode()
            check_markup(html)
            assert "<script>alert" not in html
            assert len(Comment.objects.get().author_name) <= services.LONGEST_GUEST_NAME
        else:
            assert answer.status_code == 400

    def test_the_cookie_is_of_one_link_and_signed(self, owner, comparison, made):
        client, (_, path) = Client(), made
        thread = begun(client, path)
        (name,) = (n for n in client.cookies if n.startswith("guest-"))
        cookie = client.cookies[name]
        assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (path, True, "Lax")
        _, other = create_link(owner, comparison, days=1, may_comment=True)
        begun(other_client := Client(), other)
        (elsewhere,) = (n for n in other_client.cookies if n.startswith("guest-"))
        other_client.cookies[elsewhere] = cookie.value
        answer = other_client.post(f"{other}threads/", {"anchor": "summary", "body": "x"}, headers=JSON)
        assert answer.status_code == 400, "it says nothing of who one is below another link"
        client.cookies[name] = f"x{cookie.value}"
        comment = Comment.objects.get(thread=thread)
        assert client.delete(f"{path}threads/{thread.pk}/comments/{comment.pk}/").status_code == 403

    def test_they_change_and_delete_their_own_and_nobody_elses(self, owner, path):
        client = Client()
        thread = begun(client, path)
        answered = services.reply(owner, thread, "It is.", uuid4()).comment
        own, url = Comment.objects.first(), f"{path}threads/{thread.pk}/comments/"
        other = Client()
        assert say(other, path, thread, name="Gerd").status_code == 201, "of the same name, in another browser"
        assert other.post(f"{url}{own.pk}/", {"body": "No"}, headers=JSON).status_code == 403
        assert other.delete(f"{url}{own.pk}/").status_code == 403
        for who in (Client(), client):
            assert who.post(f"{url}{answered.pk}/", {"body": "No"}, headers=JSON).status_code == 403
            assert who.delete(f"{url}{answered.pk}/").status_code == 403
        assert Client().delete(f"{url}{own.pk}/").status_code == 403
        assert client.post(f"{url}{own.pk}/", {"body": "Is this usual?"}, headers=JSON).status_code == 200
        assert 'name="body"' in client.get(f"{url}{own.pk}/", headers=PART).content.decode()
        assert client.delete(f"{url}{own.pk}/", headers=JSON).status_code == 200
        assert "usual" not in Client().get(f"{path}threads/{thread.pk}/").content.decode()
        assert not EarlierText.objects.exists()

    def test_a_thread_whose_only_comment_they_delete_is_resolved(self, path):
        client = Client()
        thread = begun(client, path)
        assert client.delete(f"{path}threads/{thread.pk}/comments/{Comment.objects.get().pk}/").status_code == 302
        thread.refresh_from_db()
        assert (thread.is_resolved, thread.resolved_name) == (True, "Gerd")

    def test_what_a_link_takes_in_a_minute(self, monkeypatch, owner, comparison, path):
        monkeypatch.setattr(services, "MOST_A_MINUTE", 3)
        thread = begun(Client(), path)
        assert [say(Client(), path, thread, name=str(n)).status_code for n in range(3)] == [201, 201, 429]
        assert services.reply(owner, thread, "The team may.", uuid4()).is_new
        begun(Client(), create_link(owner, comparison, days=1, may_comment=True)[1])
        Comment.objects.update(created_at=timezone.now() - timezone.timedelta(seconds=61))
        assert say(Client(), path, thread, name="later").status_code == 201

    def test_how_many_threads_a_link_begins(self, monkeypatch, owner, comparison, path):
        monkeypatch.setattr(services, "MOST_THREADS_OF_A_LINK", 1)
        client = Client()
        begun(client, path)
        assert begin(client, path).status_code == 400
        assert services.start(owner, comparison, "summary", "The team may.", uuid4()).is_new

    @pytest.mark.usefixtures("one_minute")
    def test_every_request_counts(self, settings, path):
        settings.AWRDIFF_LINK_RATE = 2
        client = Client()
        assert [client.get(f"{path}threads/", headers=JSON).status_code for _ in range(3)] == [200, 200, 429]
        assert begin(client, path).status_code == 429
        assert client.get(f"{path}threads/live/", headers=JSON).status_code == 429

    @pytest.mark.usefixtures("one_minute")
    def test_pages_that_ask_what_is_new_leave_readers_theirs(self, settings, path):
        settings.AWRDIFF_LINK_RATE = 2
        client = Client()
        asked = [client.get(f"{path}threads/live/", headers=JSON).status_code for _ in range(17)]
        assert asked == [200] * 16 + [429]
        assert client.get(path).status_code == 200

    def test_a_form_without_script_works(self, path):
        client = Client(enforce_csrf_checks=True)
        page = client.get(f"{path}threads/?anchor=summary")
        assert page["Referrer-Policy"] == "same-origin"
        token = client.cookies["csrftoken"].value
        fields = {"anchor": "summary", "body": "x", "name": "Gerd"}
        assert client.post(f"{path}threads/", fields).status_code == 403
        answer = client.post(f"{path}threads/", {**fields, "csrfmiddlewaretoken": token})
        assert answer["Location"] == f"{path}threads/{Thread.objects.get().pk}/"
        check_markup(client.get(answer["Location"]).content.decode())


class TestWhatTheySee:
    def test_of_all_threads_those_that_began_there(self, sign_in, owner, comparison, path):
        inside = services.start(owner, comparison, "summary", "Between us: the bonus is gone", uuid4()).thread
        _, other = create_link(owner, comparison, days=1, may_comment=True)
        client = Client()
        own, elsewhere = begun(client, path), begun(Client(), other)
        assert listed(client, path) == [own.pk]
        assert listed(Client(), other) == [elsewhere.pk]
        assert [one["id"] for one in client.get(f"{path}threads/live/", headers=JSON).json()["threads"]] == [own.pk]
        assert sorted(listed(sign_in(owner), members(comparison))) == sorted([inside.pk, own.pk, elsewhere.pk])
        for thread in (inside, elsewhere):
            assert client.get(f"{path}threads/{thread.pk}/").status_code == 404
            assert say(client, path, thread).status_code == 404
        assert "bonus" not in client.get(f"{path}threads/").content.decode()

    def test_of_the_team_the_names_of_those_who_answer_and_not_whose_turn_it_is(
        self, sign_in, owner, colleague, path, comparison
    ):
        thread = begun(Client(), path)
        services.reply(owner, thread, "What do you say, @carl?", uuid4())
        services.agree(colleague, Comment.objects.first())
        for client in (sign_in(owner), sign_in(colleague)):
            client.get(f"{members(comparison)}threads/live/", headers=JSON)  # who is looking
        found = read(Client(), path, thread)
        assert ([one["author"] for one in found["said"]], found["turn"]) == (["Gerd", "olivia"], [])
        assert found["said"][0]["agree"] == ["carl"]
        live = Client().get(f"{path}threads/live/", headers=JSON).json()
        assert (live["looking"], live["your_turn"], live["threads"][0]["turn"]) == ([], 0, [])
        html = Client().get(f"{path}threads/{thread.pk}/").content.decode()
        for word in ("Waiting for", "Resolve", "Agree<", "turn/", "state/"):
            assert word not in html
        assert "not proven" not in html

    def test_who_they_mention_hears_nothing_and_is_not_told(self, owner, colleague, path):
        thread = begun(Client(), path)
        assert say(Client(), path, thread, "@carl @olivia", name="Gerd").status_code == 201
        assert Comment.objects.last().mentions == []
        assert 'class="at"' not in Client().get(f"{path}threads/{thread.pk}/").content.decode()
        assert not Turn.objects.filter(user=colleague.user).exists()
        assert 'data-people=""' in Client().get(f"{path}threads/{thread.pk}/").content.decode()

    def test_nothing_new_is_304_and_what_the_team_says_elsewhere_is_nothing_new(self, owner, comparison, path):
        client, url = Client(), f"{path}threads/live/"
        empty = client.get(url, headers=JSON)["ETag"]
        thread = begun(client, path)
        tag = client.get(url, headers=JSON)["ETag"]
        assert tag != empty
        services.start(owner, comparison, "summary", "Between us", uuid4())
        with CaptureQueriesContext(connection) as asked:
            assert client.get(url, headers={**JSON, "If-None-Match": tag}).status_code == 304
        assert len(asked) <= 4
        services.reply(owner, thread, "It is.", uuid4())
        assert client.get(url, headers={**JSON, "If-None-Match": tag}).status_code == 200

    def test_what_a_comment_said_before_is_for_the_team(self, sign_in, owner, comparison, path):
        client = Client()
        thread = begun(client, path)
        said = services.reply(owner, thread, "It is because of planted-secret", uuid4()).comment
        services.edit(owner, said, "It is.")
        url = f"threads/{thread.pk}/comments/{said.pk}/"
        for headers in ({}, PART, JSON):
            assert "planted-secret" not in client.get(path + url, headers=headers).content.decode()
        assert "planted-secret" in sign_in(owner).get(members(comparison) + url).content.decode()

    def test_where_it_was_seen_the_other_way_round(self, sign_in, owner, comparison):
        computed_both_ways(comparison)
        _, path = create_link(owner, comparison, days=1, may_comment=True, pair=REVERSE)
        client = Client()
        assert (
            "# pay1 2024-01-01 11:00:00 → pay1 2024-01-01 10:00:00" in client.get(f"{path}export.md").content.decode()
        )
        thread = begun(client, path, row_of(comparison))
        assert (thread.comparison_id, thread.pair) == (comparison.pk, REVERSE)
        assert read(client, path, thread)["quote"]["note"] == ""
        assert "other way round" in read(sign_in(owner), members(comparison), thread)["quote"]["note"]

    def test_pages_and_parts_are_whole_and_cost_few_queries(self, owner, comparison, path):
        client, row = Client(), row_of(comparison)
        thread = begun(client, path, row)
        services.reply(owner, thread, "**It** is.", uuid4())
        comment = Comment.objects.first()
        for url in ("", f"?anchor={row}", f"{thread.pk}/", f"{thread.pk}/comments/{comment.pk}/"):
            check_markup(client.get(f"{path}threads/{url}").content.decode())
            with CaptureQueriesContext(connection) as asked:
                assert client.get(f"{path}threads/{url}", headers=PART).status_code == 200
            assert len(asked) <= 12, url
        found = client.get(f"{path}threads/", headers=JSON).json()["threads"][0]
        assert (found["url"], found["own_url"]) == (f"{path}#{row}&thread={thread.pk}", f"{path}threads/{thread.pk}/")


class TestWhatTheTeamSees:
    def test_who_wrote_by_which_link_and_that_no_name_is_proven(self, sign_in, owner, comparison, path):
        thread = begun(Client(), path)
        html = sign_in(owner).get(f"{members(comparison)}threads/{thread.pk}/", headers=PART).content.decode()
        for words in (
            "name not proven",
            "From outside: link of ",
            "made by olivia",
            "Whoever holds the link reads this.",
        ):
            assert words in html
        inside = services.start(owner, comparison, "summary", "Between us", uuid4()).thread
        html = sign_in(owner).get(f"{members(comparison)}threads/{inside.pk}/", headers=PART).content.decode()
        assert "utside" not in html
        found = {
            one["id"]: one
            for one in sign_in(owner).get(f"{members(comparison)}threads/", headers=JSON).json()["threads"]
        }
        assert (found[thread.pk]["outside"], found[inside.pk]["outside"]) == (True, False)

    def test_it_is_the_turn_of_who_made_the_link(self, sign_in, owner, colleague, comparison):
        _, path = create_link(colleague, comparison, days=1, may_comment=True)
        client = Client()
        thread = begun(client, path)
        turns = Turn.objects.values_list("user__username", "why", "by_name")
        assert list(turns.all()) == [("carl", "outside", "Gerd")]
        assert "Gerd has written from outside" in sign_in(colleague).get("/notices/?turn=1").content.decode()
        assert [(n.user.username, n.what) for n in Notice.objects.all()] == [("carl", "outside")]
        assert "by a link of yours" in sign_in(colleague).get("/notices/").content.decode()
        say(client, path, thread, "Anybody?")
        assert Notice.objects.count() == 1, "it is their turn already"
        services.reply(colleague, thread, "It is.", uuid4())
        assert not turns.all().exists()
        say(client, path, thread, "Thanks.")
        assert (list(turns.all()), Notice.objects.count()) == ([("carl", "outside", "Gerd")], 2)

    def test_what_they_take_back_asks_nobody(self, path):
        client = Client()
        thread = begun(client, path)
        url = f"{path}threads/{thread.pk}/comments/"
        more = say(client, path, thread).json()["comment"]
        client.delete(f"{url}{more}/")
        assert Turn.objects.count() == 1
        client.delete(f"{url}{Comment.objects.first().pk}/")
        assert not Turn.objects.exists()

    def test_of_who_has_left_nothing_is_expected(self, colleague, comparison):
        _, path = create_link(colleague, comparison, days=1, may_comment=True)
        Membership.objects.filter(user=colleague.user).delete()
        begun(Client(), path)
        assert (Turn.objects.count(), Notice.objects.count()) == (0, 0)

    def test_it_is_in_the_audit_log_by_the_link(self, owner, made):
        link, path = made
        client = Client()
        thread = begun(client, path)
        client.delete(f"{path}threads/{thread.pk}/comments/{Comment.objects.get().pk}/")
        lines = AuditLine.objects.filter(who=f"link {link.pk}", team_id=owner.team.pk).exclude(action="saw")
        assert {(one.action, one.kind) for one in lines} == {("wrote", "thread"), ("deleted", "comment")}

    def test_an_owner_deletes_what_a_stranger_wrote(self, sign_in, owner, comparison, path):
        thread = begun(Client(), path)
        url = f"{members(comparison)}threads/{thread.pk}/comments/{Comment.objects.get().pk}/"
        assert sign_in(owner).delete(url, headers=JSON).status_code == 200
        assert "deleted by olivia" in Client().get(f"{path}threads/{thread.pk}/").content.decode()
