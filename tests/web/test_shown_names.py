"""What people are called: the name that they give themselves stands wherever they are named, and hides nobody."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from uuid import uuid4

import pytest
from django.urls import reverse

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.display_names import MOST_EARLIER, choose_shown_name, fill_shown_name, keep_apart
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Invitation, User
from awrdiff.incidents.models import Verdict
from awrdiff.notices.models import Delivery, Notice, TeamNotices, Way
from awrdiff.notices.notice_sentences import sentence
from awrdiff.notices.webhooks import message
from awrdiff.postmortems.live_tables import reading_of
from awrdiff.postmortems.queries import postmortem_of
from awrdiff.redaction.link_options import Redaction
from awrdiff.sharing.names_to_redact import names_of
from awrdiff.threads import services as threads
from tests.web.addresses import ROWS
from tests.web.cast import Cast, cast_of
from tests.web.conftest import context_of
from tests.web.pages import body, check_markup
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
SHOWN, WRITTEN = "Olivia <b>Berg</b>", "Olivia &lt;b&gt;Berg&lt;/b&gt;"


@pytest.fixture(scope="module")
def world(lasting) -> Cast:
    with lasting():
        access = context_of("olivia", "Payments")
        choose_shown_name(access.user, SHOWN)
        return cast_of(context_of("olivia", "Payments"))


@pytest.fixture
def called(db, world) -> Cast:
    return deepcopy(world)


def test_one_gives_oneself_a_name_and_takes_it_back(sign_in, owner, colleague):
    client, path = sign_in(owner), "/account/name/"
    assert client.post(path, {"name": "  Olivia   Berg "}).url == path
    page = client.get(path).content.decode()
    check_markup(page)
    assert 'value="Olivia Berg"' in page
    assert client.get(path, headers=JSON).json() == {"name": "olivia", "shown_name": "Olivia Berg"}
    listed = {one["name"]: one["shown_name"] for one in client.get("/people/", headers=JSON).json()["people"]}
    assert listed == {"olivia": "Olivia Berg", "carl": "carl"}
    assert client.post(path, {"name": ""}, headers=JSON).json() == {"name": "olivia", "shown_name": None}
    assert User.objects.get(username="olivia").earlier_names == ["Olivia Berg"]


@pytest.mark.parametrize(
    "name", ["CARL", "ｃａｒｌ", "carl berg", "a@b", "Ol\u202eivia", "O" * 61, "The team", "12", "local"]
)
def test_a_name_that_is_none_or_anothers_is_refused_and_stays_typed(sign_in, owner, colleague, name):
    choose_shown_name(colleague.user, "Carl Berg")
    answer = sign_in(owner).post("/account/name/", {"name": name})
    page = answer.content.decode()
    assert (answer.status_code, f'value="{name}"' in page, 'role="alert"' in page) == (400, True, True)
    assert User.objects.get(username="olivia").shown_name == ""


def test_somebody_of_another_team_may_be_called_the_same(owner, stranger):
    choose_shown_name(stranger.user, "Olivia Berg")
    assert choose_shown_name(owner.user, "Olivia Berg").shown_name == "Olivia Berg"


def test_whoever_joins_is_called_as_nobody_there_is(owner, colleague, stranger):
    choose_shown_name(owner.user, "Olivia Berg")
    choose_shown_name(colleague.user, "sten")  # by which somebody signs in who is not here yet
    choose_shown_name(stranger.user, "OLIVIA BERG")
    made, _ = members_and_invitations.invite(replace(owner, role="owner"), "sten@example.com", "member", by_mail=False)
    members_and_invitations.accept(stranger.user, Invitation.objects.get(pk=made.pk), signing_up=True)
    names = dict(User.objects.values_list("username", "shown_name"))
    assert names == {"olivia": "Olivia Berg", "carl": "", "sten": ""}


def test_who_has_had_names_enough_is_in_nobodys_way(owner, stranger):
    owner.user.earlier_names, owner.user.shown_name = [f"Name {n}." for n in range(MOST_EARLIER)], "sten"
    owner.user.save()
    with pytest.raises(PeopleRefused):
        choose_shown_name(owner.user, "Another")
    keep_apart(owner.team, stranger.user)
    user = User.objects.get(pk=owner.user.pk)
    assert (user.shown_name, user.earlier_names[-1]) == ("", "sten")


def test_what_a_sign_on_service_says_fills_what_is_empty(owner):
    user = User.objects.create(username="ob")
    fill_shown_name(user, "the team")
    assert user.shown_name == ""
    fill_shown_name(user, "Olivia Berg")
    fill_shown_name(user, "Another")
    keep_apart(owner.team, user)
    assert User.objects.get(username="ob").shown_name == "Olivia Berg"


def test_every_page_says_the_name_and_none_the_other_alone(sign_in, called):
    """Beside it the sign-in name stands in brackets where people are told apart, and on the page of who is there."""
    client, saying = sign_in(context_of("carl", "Payments", "owner")), set()
    for name, row in ROWS.items():
        if row.kind not in ("member", "object") or "GET" not in row.methods or name == "people":
            continue
        answer = client.get(reverse(name, kwargs=row.place(called)), headers=HTML)
        if answer.status_code != 200 or not answer["Content-Type"].startswith(("text/html", "text/markdown")):
            continue
        page = body(answer).decode()
        assert SHOWN not in page or name == "postmortem-export", name
        text = re.sub(r"<[^>]*>", " ", page).replace("(olivia)", "").replace("@olivia", "")
        assert not re.search(r"\bolivia\b", text), (name, text[text.index("olivia") - 80 :][:200])
        saying |= {name} if WRITTEN in page else set()
    wanted = {"incident", "incidents", "postmortem", "threads", "thread", "links", "audit", "team-tokens"}
    assert wanted <= saying


def test_scripts_are_told_what_they_were_told_and_the_name_besides(sign_in, called):
    client, c = sign_in(context_of("carl", "Payments", "owner")), called
    Verdict.objects.update(user=User.objects.get(username="olivia"), role="dba")
    incident = client.get(f"/incidents/{c.incident.incident.pk}/", headers=JSON).json()
    assert [(one["name"], one["name_shown"]) for one in incident["roles"]] == [("olivia", SHOWN)]
    assert ("olivia", SHOWN) in [(one["by"], one["by_shown"]) for one in incident["timeline"]]
    (judged,) = incident["verdicts"]
    assert (judged["by"], judged["by_shown"], judged["role"]) == ("olivia", SHOWN, "dba")
    (evidence,) = client.get(f"/incidents/{incident['id']}/evidence/", headers=JSON).json()["evidence"]
    assert (evidence["by"], evidence["by_shown"]) == ("olivia", SHOWN)
    thread = client.get(f"/comparisons/{c.comparison.pk}/threads/{c.comment.thread_id}/", headers=JSON).json()
    assert [(one["author"], one["author_shown"]) for one in thread["said"]] == [("olivia", SHOWN), ("percy", "percy")]
    assert (thread["turn"], thread["turn_shown"]) == (["olivia"], [SHOWN])


class TestThreads:
    def test_a_mention_is_drawn_with_the_name_and_found_by_both(self, sign_in, called):
        percy = context_of("percy", "Payments")
        at = f"/comparisons/{called.comparison.pk}/threads/"
        threads.reply(percy, called.comment.thread, "@olivia is right, `@olivia` too", uuid4())
        client = sign_in(context_of("carl", "Payments"))
        page = client.get(f"{at}{called.comment.thread_id}/").content.decode()
        assert f'<b class="at">@{WRITTEN}</b> is right, <code>@olivia</code>' in page
        assert f"olivia {WRITTEN}" in re.search(r'data-people="([^"]*)"', page)[1]
        for by in ("olivia", SHOWN):
            assert client.get(at, {"by": by}, headers=JSON).json()["threads"]

    def test_somebody_outside_is_not_taken_for_whoever_signs_in_by_the_name(self, sign_in, called):
        _, path = create_link(called.access, called.comparison, days=1, may_comment=True)
        data = {"anchor": "init_parameters", "body": "Hello", "name": "olivia"}
        outside = sign_in(context_of("carl", "Payments"))
        outside.logout()
        pk = outside.post(f"{path}threads/", data, headers=JSON).json()["id"]
        page = sign_in(context_of("carl", "Payments")).get(f"/comparisons/{called.comparison.pk}/threads/{pk}/")
        assert "<b>olivia</b>" in page.content.decode()

    def test_a_guest_of_the_team_reads_no_name_that_they_may_not(self, sign_in, called):
        choose_shown_name(called.person.user, "Percy Pine")
        threads.resolve(context_of("percy", "Payments"), called.comment.thread)
        rob = User.objects.get(username="rob")
        choose_shown_name(rob, "Rob Roe")
        client = sign_in(context_of("greta", "Payments", "guest"))
        at = f"/comparisons/{called.comparison.pk}/threads/{called.comment.thread_id}/"
        page = client.get(at).content.decode()
        assert WRITTEN in page
        assert "resolved by Percy Pine" in page
        assert "Rob Roe" not in page

    def test_who_holds_a_link_reads_the_name_too(self, called, client):
        talk = called.talk
        threads.reply(called.access, talk.comment.thread, "It is.", uuid4())
        page = client.get(f"/s/{talk.token}/threads/{talk.comment.thread_id}/").content.decode()
        assert f"<b>{WRITTEN}</b>" in page


def test_a_redacted_link_hides_the_name_those_before_it_and_their_words(called):
    choose_shown_name(called.access.user, "Olivia Kern")
    incident = called.incident.incident
    hide = names_of(incident, Redaction.new(), ()).names.hide
    text = hide("olivia kern restarted it, berg's idea; Olivia Kern agreed with olivia")
    assert not re.search("olivia|kern|berg", text, re.IGNORECASE), text


def test_who_is_called_otherwise_has_not_changed_what_was_signed(called):
    found = postmortem_of(called.postmortem.incident)
    before = reading_of(found)
    choose_shown_name(called.access.user, "Olivia Kern")
    after = reading_of(postmortem_of(called.postmortem.incident))
    assert (after.digest, "Olivia Kern" in repr(after.tables), SHOWN in repr(before.tables)) == (
        before.digest,
        True,
        True,
    )


def test_a_page_that_is_known_already_is_made_anew(sign_in, called):
    client, path = sign_in(called.access), f"/comparisons/{called.comparison.pk}/"
    client.get(path)  # the form's token comes with it
    etag = client.get(path)["ETag"]
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 304
    choose_shown_name(called.access.user, "Olivia Berg")
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 200


def test_notices_mails_and_webhooks_say_it(called):
    colleague = context_of("carl", "Payments")
    threads.reply(called.access, called.comment.thread, "@carl look", uuid4())
    notice = Notice.objects.filter(user=colleague.user, what="mentioned").get()
    assert sentence(notice).startswith(f"{SHOWN} mentioned you")
    to = TeamNotices(team=called.access.team, url="https://hooks.example.com/", shape="slack")
    event = {"what": "assigned", "kind": "incident", "thing": "1", "actor": SHOWN, "to": ["carl"]}
    said = message(Delivery(team=to.team, way=Way.WEBHOOK, event=event), to)["text"]
    assert said.startswith(WRITTEN)
