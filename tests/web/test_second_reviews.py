"""A second reviewer of a post-mortem: asked, told, and an answer that is bound to what they read."""

from __future__ import annotations

import pytest
from django.test import Client

from awrdiff.accounts.access import NotFound
from awrdiff.incidents import services as incidents
from awrdiff.incidents import timeline
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.notices.models import Notice
from awrdiff.postmortems import queries, second_reviews, services
from awrdiff.postmortems.errors import Frozen, NotAsSeen, PostmortemRefused
from awrdiff.postmortems.live_tables import reading_of
from awrdiff.postmortems.models import Postmortem, SecondReview
from tests.web.conftest import context_of
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}


@pytest.fixture
def drafted(owner) -> Postmortem:
    typed = incidents.Typed("Slow", begins_at="2024-01-01T10:00", ends_at="2024-01-01T12:00")
    return services.draft(owner, incidents.make(owner, typed))


@pytest.fixture
def path(drafted) -> str:
    return f"/incidents/{drafted.incident_id}/postmortem/"


@pytest.fixture
def asked(owner, colleague, drafted) -> SecondReview:
    return second_reviews.ask(owner, drafted, str(colleague.user.pk))


def digest(found: Postmortem) -> str:
    return reading_of(queries.postmortem_of(found.incident)).digest


def answers(client: Client, path: str) -> tuple[str, list[tuple[str, bool | None]]]:
    document = client.get(path, headers=JSON).json()
    return document["publishing"], [(one["answer"], one["holds"]) for one in document["second_reviews"]]


def edit(access, found, said="Said otherwise."):
    services.save(access, found, "impact", said, base=queries.section_for(found, "impact").number)


def sign(access, found, **more):
    return second_reviews.answer(access, found, "signed", seen_digest=digest(found), **more)


class TestAsking:
    def test_who_is_asked_has_a_notice_that_leads_there(self, sign_in, owner, colleague, drafted, path, asked):
        notice = Notice.objects.get(user=colleague.user)
        assert (notice.what, f"/incidents/{notice.thing}/{notice.place}") == ("review", path)
        second_reviews.ask(owner, drafted, str(colleague.user.pk))  # twice is once
        assert (SecondReview.objects.count(), Notice.objects.count()) == (1, 1)
        assert answers(sign_in(owner), path) == ("in review", [("asked", None)])
        (line,) = sign_in(owner).get("/incidents/", headers=JSON).json()["incidents"]
        assert line["postmortem"] == "in review"
        assert "post-mortem in review" in sign_in(owner).get("/incidents/", headers=HTML).content.decode()

    def test_only_somebody_else_of_the_team_who_may_write(self, owner, stranger, guest, drafted):
        reader = context_of("rita", "Payments", "reader")
        with pytest.raises(PostmortemRefused, match="somebody else"):
            second_reviews.ask(owner, drafted, str(owner.user.pk))
        for who in (stranger, guest, reader):
            with pytest.raises(IncidentRefused):
                second_reviews.ask(owner, drafted, str(who.user.pk))
        assert not SecondReview.objects.exists()

    def test_who_is_not_asked_any_more_is_not_told(self, sign_in, owner, drafted, path, asked):
        client = sign_in(owner)
        assert client.post(f"{path}ask/{asked.pk}/withdraw/", headers=JSON).status_code == 204
        assert not Notice.objects.exists()
        assert answers(client, path) == ("draft", [])


class TestAnswering:
    def test_signed_off_it_says_by_whom_until_something_changes(self, sign_in, owner, colleague, drafted, path, asked):
        client, reviewer = sign_in(owner), sign_in(colleague)
        html = reviewer.get(path, headers=HTML).content.decode()
        check_markup(html)
        assert "olivia asks you to review this." in html
        assert "asks you to review" not in client.get(path, headers=HTML).content.decode()
        fields = {"answer": "signed", "why": "", "seen": digest(drafted)}
        assert reviewer.post(f"{path}answer/", fields, headers=HTML).status_code == 302
        assert answers(client, path) == ("in review", [("signed", True)])
        assert Notice.objects.get(user=owner.user).what == "signed"
        was = queries.section_for(drafted, "impact").text
        edit(owner, drafted)
        assert answers(client, path) == ("in review", [("signed", False)])
        html = client.get(path, headers=HTML).content.decode()
        assert "Signed off by carl" in html
        assert "before the last change" in html
        edit(owner, drafted, was)  # it says again what was signed off
        assert answers(client, path) == ("in review", [("signed", True)])

    def test_an_event_on_the_timeline_is_a_change_too(self, sign_in, owner, colleague, drafted, path, asked):
        sign(colleague, drafted)
        timeline.add(owner, drafted.incident, timeline.TypedEvent("2024-01-01T11:00", "Failover"))
        assert answers(sign_in(owner), path)[1] == [("signed", False)]

    def test_what_was_not_read_is_not_signed_off(self, owner, colleague, drafted, asked):
        seen = digest(drafted)
        edit(owner, drafted)
        with pytest.raises(NotAsSeen):
            second_reviews.answer(colleague, drafted, "signed", seen_digest=seen)
        assert SecondReview.objects.get().answer == "asked"

    def test_only_who_was_asked_answers(self, owner, drafted, asked):
        with pytest.raises(NotFound, match="not asked"):
            sign(owner, drafted)

    def test_changes_are_asked_for_with_a_reason_and_the_first_answer_is_kept(self, owner, colleague, drafted, asked):
        with pytest.raises(PostmortemRefused, match="what is to be changed"):
            second_reviews.answer(colleague, drafted, "changes", seen_digest=digest(drafted))
        second_reviews.answer(colleague, drafted, "changes", "Whose fault?", seen_digest=digest(drafted))
        edit(owner, drafted)
        sign(colleague, drafted)
        sign(colleague, drafted)  # twice is once
        rows = SecondReview.objects.order_by("pk").values_list("answer", "why", "is_current")
        assert list(rows) == [("changes", "Whose fault?", False), ("signed", "", True)]


class TestPublishing:
    def test_reviewed_it_is_published_and_a_sign_off_holds(self, sign_in, owner, colleague, drafted, path, asked):
        sign(colleague, drafted, why="<b>Good</b>")
        services.review(owner, drafted, seen_version=drafted.version)
        client = sign_in(owner)
        assert answers(client, path) == ("published", [("signed", True)])
        for ending in ("md", "html"):
            text = client.get(f"{path[:-1]}.{ending}").content.decode()
            assert "Signed off by carl on" in text
            assert "before the last change" not in text
            assert "Good" not in text  # what a reviewer remarked is the team's
        assert "&lt;b&gt;Good" in client.get(path, headers=HTML).content.decode()
        with pytest.raises(Frozen):
            sign(colleague, drafted)

    def test_a_change_after_the_sign_off_stays_told_once_published(
        self, sign_in, owner, colleague, drafted, path, asked
    ):
        sign(colleague, drafted)
        edit(owner, drafted)
        services.review(owner, drafted, seen_version=queries.postmortem_of(drafted.incident).version)
        assert "before the last change" in sign_in(owner).get(f"{path[:-1]}.md").content.decode()

    def test_nobody_need_be_asked(self, sign_in, owner, drafted, path):
        services.review(owner, drafted, seen_version=drafted.version)
        assert answers(sign_in(owner), path) == ("published", [])

    def test_past_an_unanswered_review_it_asks_first(self, sign_in, owner, colleague, drafted, path, asked):
        client, fields = sign_in(owner), {"seen": drafted.version}
        html = client.get(path, headers=HTML).content.decode()
        assert 'name="anyway" value="1">Publish it without their answer' in html
        assert "It is reviewed" not in html
        answer = client.post(f"{path}review/", fields, headers=HTML)
        assert (answer.status_code, answers(client, path)[0]) == (400, "in review")
        assert "Not answered yet by carl, who should review it" in answer.content.decode()
        assert client.post(f"{path}review/", {**fields, "anyway": "1"}, headers=HTML).status_code < 400
        assert answers(client, path)[0] == "published"

    def test_a_script_that_publishes_past_it_means_it(self, sign_in, owner, colleague, drafted, path, asked):
        client, fields = sign_in(owner), {"seen": drafted.version}
        assert client.post(f"{path}review/", fields, headers=JSON).status_code == 200
        assert answers(client, path)[0] == "published"

    def test_once_answered_it_asks_no_more(self, sign_in, owner, colleague, drafted, path, asked):
        sign(colleague, drafted)
        assert "anyway" not in sign_in(owner).get(path, headers=HTML).content.decode()

    def test_opened_again_it_is_a_draft_that_nobody_has_signed(self, sign_in, owner, colleague, drafted, path, asked):
        sign(colleague, drafted)
        services.review(owner, drafted, seen_version=drafted.version)
        services.reopen(owner, drafted, "a slip")
        assert answers(sign_in(owner), path) == ("draft", [])
        assert SecondReview.objects.get().answer == "signed"
