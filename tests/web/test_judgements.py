"""Judgements of several people stand side by side; the team's is what they agree on; whoever is contradicted is told."""

from __future__ import annotations

import importlib
import json
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import guest_access
from awrdiff.incidents import comparisons_and_reports, services
from awrdiff.incidents.finding_verdicts import agreed
from awrdiff.incidents.models import SignOff, Verdict
from awrdiff.incidents.services import Typed
from awrdiff.notices.models import Notice
from awrdiff.notices.notice_sentences import sentence, text_to_all
from tests.web.conftest import context_of
from tests.web.test_verdicts import HTML, JSON, exported, give, judged, page

pytestmark = pytest.mark.django_db
MIGRATION = importlib.import_module("awrdiff.incidents.migrations.0012_judgements_of_each_person")


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def third(owner) -> AccessContext:
    return context_of("thea", "Payments")


@pytest.fixture
def his(sign_in, colleague) -> Client:
    return sign_in(colleague)


def listed(client: Client, comparison) -> list[tuple[str, str, str]]:
    rows = client.get(f"/comparisons/{comparison.pk}/verdicts/", headers=JSON).json()["verdicts"]
    return [(one["by"], one["state"], one["team"]) for one in rows]


def sign(client: Client, comparison, pk: int, expected: int = 204) -> None:
    answer = client.post(f"/comparisons/{comparison.pk}/verdicts/{pk}/", {"role": "lead"}, headers=JSON)
    assert answer.status_code == expected, answer.content


def test_two_who_differ_stand_side_by_side_and_it_is_disputed(client, his, owner, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "confirmed", why="the plan changed")
    give(his, found, sql, "rejected", why="a batch job")
    assert listed(client, found) == [("olivia", "confirmed", "disputed"), ("carl", "rejected", "disputed")]
    html = page(client, found)
    assert "<b>Disputed</b>" in html
    assert "because the plan changed" in html
    assert "because a batch job" in html
    assert "<s><b>" not in html
    assert "Agree with carl" in html
    give(client, found, sql, "rejected", why="as carl says")
    assert {team for _, _, team in listed(client, found)} == {"rejected"}
    assert "<s><b>One statement.</b>" in page(client, found)
    assert "Disputed" not in page(client, found)


def test_two_explanations_are_a_dispute_and_the_same_one_is_none(client, his, owner, reports):
    found, (sql, redo) = judged(owner, reports)
    give(client, found, sql, "explained_by", explained_by=redo)
    give(his, found, sql, "explained_by", explained_by=redo, why="too")
    assert {team for _, _, team in listed(client, found)} == {"explained_by"}
    assert not Notice.objects.filter(what="contradicted").exists()


def test_what_somebody_withdraws_is_their_own(client, his, owner, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "confirmed")
    give(his, found, sql, "withdrawn", 400)
    give(his, found, sql, "rejected", why="a batch job")
    give(his, found, sql, "withdrawn")
    assert listed(client, found) == [("olivia", "confirmed", "confirmed")]


def test_whoever_is_contradicted_is_told_from_what_to_what(client, his, owner, reports):
    found, (sql, redo) = judged(owner, reports)
    give(client, found, sql, "confirmed")
    give(client, found, redo, "confirmed")
    give(his, found, redo, "confirmed")
    give(his, found, sql, "rejected", why="a batch job")
    (notice,) = Notice.objects.filter(what="contradicted")
    assert (notice.user.username, notice.thing, notice.about) == ("olivia", str(found.pk), "One statement.")
    assert sentence(notice) == "carl says otherwise of a finding that you judged: confirmed → rejected."
    assert notice.place.endswith(f"#{sql}")
    assert "olivia judged: confirmed → rejected." in text_to_all("contradicted", "carl", ["olivia"], notice.change)


def test_who_signed_off_is_told_too_and_goes_on_saying_it(client, his, owner, sign_in, third, reports):
    found, (sql, _) = judged(owner, reports)
    made = give(client, found, sql, "confirmed")
    sign(his, found, made["id"])
    give(sign_in(third), found, sql, "rejected", why="a batch job")
    assert set(Notice.objects.filter(what="contradicted").values_list("user__username", flat=True)) == {
        "olivia",
        "carl",
    }
    give(client, found, sql, "withdrawn")
    rows = listed(client, found)
    assert ("carl", "confirmed", "disputed") in rows, "what carl signed off is his own judgement now"
    assert Verdict.objects.get(user__username="carl").role == "lead"


def test_a_sign_off_replaces_what_one_said_before_and_is_replaced_by_what_one_says_next(client, his, owner, reports):
    found, (sql, _) = judged(owner, reports)
    made = give(client, found, sql, "confirmed")
    give(his, found, sql, "rejected", why="a batch job")
    sign(his, found, made["id"])
    assert listed(client, found) == [("olivia", "confirmed", "confirmed")]
    give(his, found, sql, "withdrawn")
    assert listed(client, found) == [("olivia", "confirmed", "confirmed")]
    assert not SignOff.objects.exists()
    states = Verdict.objects.filter(user__username="carl").order_by("pk").values_list("state", flat=True)
    assert list(states) == ["rejected", "confirmed", "withdrawn"], "each thing he said is kept"


def test_it_is_struck_elsewhere_and_a_cause_only_where_the_team_agrees(client, his, owner, reports):
    found, (sql, redo) = judged(owner, reports)
    give(client, found, sql, "rejected", why="a batch job")
    give(client, found, redo, "confirmed")
    following, _ = judged(owner, reports)
    assert "Rejected before" in page(client, following)
    give(his, found, sql, "confirmed")
    give(his, found, redo, "rejected", why="no")
    assert "Rejected before" not in page(client, following)
    assert not agreed(Verdict.objects.filter(is_current=True, state="confirmed")).exists()
    give(his, found, redo, "withdrawn")
    assert [one.anchor for one in agreed(Verdict.objects.filter(is_current=True, state="confirmed"))] == [redo]


def test_log_and_post_mortem_tell_what_each_says(client, his, owner, reports):
    found, (sql, _) = judged(owner, reports)
    incident = services.make(owner, Typed("Slow", begins_at="2024-01-01T10:05", ends_at="2024-01-01T12:20"))
    comparisons_and_reports.attach(owner, incident, found, "PAY")
    give(client, found, sql, "confirmed", why="the plan changed")
    give(his, found, sql, "rejected", why="a batch job")
    path = f"/incidents/{incident.pk}/"
    told = client.get(path, headers=JSON).json()
    assert [(one["by"], one["state"], one["team"]) for one in told["verdicts"]] == [
        ("olivia", "confirmed", "disputed"),
        ("carl", "rejected", "disputed"),
    ]
    log = " ".join(one["text"] for one in told["timeline"] if one["log"])
    assert "Because: the plan changed" in log
    assert "Because: a batch job" in log
    assert "<b>Disputed.</b>" in client.get(path, headers=HTML).content.decode()
    assert client.post(f"{path}postmortem/", headers=JSON).status_code == 201
    sections = {one["id"]: one["text"] for one in client.get(f"{path}postmortem/", headers=JSON).json()["sections"]}
    assert "Disputed:" in sections["causes"]
    assert "Confirmed by olivia" in sections["causes"]
    assert "Rejected by carl" in sections["causes"]
    assert "Ruled out" not in sections["causes"]


def test_files_tell_what_each_says(client, his, owner, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "confirmed")
    give(his, found, sql, "rejected", why="a batch job")
    text = exported(client, f"/comparisons/{found.pk}/", "md")
    assert "Disputed. Confirmed by olivia" in text
    assert "Rejected by carl" in text
    assert "~~" not in text
    first = json.loads(exported(client, f"/comparisons/{found.pk}/", "json", "?part=summary"))["findings"][0]["verdict"]
    assert (first["team"], first["by"], [one["by"] for one in first["others"]]) == ("disputed", "carl", ["olivia"])


def test_an_open_comparison_learns_of_a_judgement_and_guests_do_not(client, his, owner, guest, sign_in, reports):
    found, (sql, _) = judged(owner, reports)
    guest_access.show(owner, found, guest.membership)
    path = f"/comparisons/{found.pk}/threads/live/"
    before = client.get(path, headers=JSON)
    tag = before["ETag"]
    made = give(his, found, sql, "confirmed")
    now = client.get(path, headers={**JSON, "If-None-Match": tag})
    assert now.status_code == 200
    assert now.json()["changes"] > before.json()["changes"]
    assert f'data-changes="{now.json()["changes"]}"' in page(client, found)
    sign(client, found, made["id"])
    assert client.get(path, headers=JSON).json()["changes"] > now.json()["changes"]
    assert "changes" not in sign_in(guest).get(path, headers=JSON).json()


def test_the_status_of_an_incident_is_told_from_what_to_what(client, his, owner, colleague):
    incident = services.make(owner, Typed("Slow", begins_at="2024-01-01T10:05"))
    services.set_status(colleague, incident, "mitigated")
    (notice,) = Notice.objects.filter(what="status")
    assert sentence(notice, contents=False).endswith("changed the status of an incident: open → mitigated.")


def test_judgements_that_a_later_one_hid_are_there_again(owner, colleague, third, reports, monkeypatch):
    """As 1.0.0 stored them: one row of a finding holds, whoever gave it."""
    found, (sql, redo) = judged(owner, reports)
    at = timezone.now() - timedelta(days=9)

    def row(person, state: str, *, day: int, anchor: str = sql, current: bool = False) -> Verdict:
        made = Verdict.objects.create(
            team=owner.team, comparison=found, anchor=anchor, title="One.", state=state, user=person, is_current=current
        )
        Verdict.objects.filter(pk=made.pk).update(at=at + timedelta(days=day))
        return made

    first = row(owner.user, "rejected", day=0)
    second = row(owner.user, "confirmed", day=1)
    hidden = row(colleague.user, "confirmed", day=2)
    SignOff.objects.create(verdict=first, user=third.user, role="lead")
    last = row(colleague.user, "withdrawn", day=3, current=True)
    other = row(owner.user, "confirmed", day=1, anchor=redo, current=True)
    SignOff.objects.create(verdict=other, user=third.user, role="dba")

    for name in ("_FINDING", "_COPIED"):  # which way round is part of the pair today
        monkeypatch.setattr(MIGRATION, name, tuple(c for c in getattr(MIGRATION, name) if c != "swapped"))
    MIGRATION.stand_side_by_side(apps, SimpleNamespace(connection=connection))
    holds = set(Verdict.objects.filter(is_current=True).values_list("pk", flat=True))
    made = Verdict.objects.exclude(pk__in=[first.pk, second.pk, hidden.pk, last.pk, other.pk]).get()
    assert holds == {second.pk, last.pk, other.pk, made.pk}
    assert (made.user, made.state, made.role) == (third.user, "rejected", "lead")
    assert made.at == SignOff.objects.get(verdict=first).at
    assert not Verdict.objects.get(pk=hidden.pk).is_current
    MIGRATION.stand_side_by_side(apps, SimpleNamespace(connection=connection))
    assert set(Verdict.objects.filter(is_current=True).values_list("pk", flat=True)) == holds, "twice is once"
    MIGRATION.last_alone(apps, SimpleNamespace(connection=connection))
    assert Verdict.objects.filter(is_current=True, anchor=redo).count() == 1
