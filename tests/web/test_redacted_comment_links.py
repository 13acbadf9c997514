"""Comments by whoever holds a redacted link: neither side is told a name that it hides."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.test import Client

from awrdiff.accounts.display_names import choose_shown_name
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.sharing import services as sharing
from awrdiff.sharing.models import ShareLink
from awrdiff.threads import services
from awrdiff.threads.models import Comment, Thread
from tests.web.conftest import computed_both_ways
from tests.web.redacted import redacted_link
from tests.web.test_comment_links import begin, begun, listed, members, read, row_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON, PART = {"Accept": "application/json"}, {"HX-Request": "true"}
WAITS = "foreground_wait_events"


def _urls(thread: Thread) -> list[str]:
    own = f"threads/{thread.pk}/"
    comments = [f"{own}comments/{one.pk}/" for one in thread.comments.all()]
    return ["threads/", "threads/?anchor=summary", "threads/live/", own, *comments]


class TestUnderPseudonyms:
    @pytest.fixture
    def path(self, owner, comparison) -> str:
        return redacted_link(owner, comparison, may_comment=True)[1]

    @pytest.fixture
    def copy(self, path) -> Comparison:
        return ShareLink.objects.get().copy

    def test_it_stays_with_the_original_and_is_placed_at_its_section(self, sign_in, owner, comparison, path, copy):
        row = row_of(copy)
        client = Client()
        thread = begun(client, path, row)
        assert (thread.comparison_id, thread.team_id, thread.pseudonyms) == (comparison.pk, owner.team.pk, True)
        quote = read(client, path, thread)["quote"]
        assert ["Waits", "100 → 250 (+150.0 % per s)", "100 → 250 (+150.0 % per s)"] in quote["rows"]
        assert (quote["gone"], quote["note"]) == (False, "")
        found = read(sign_in(owner), members(comparison), thread)
        assert (found["anchor"], found["quote"]["gone"], found["pseudonyms"]) == (WAITS, True, True)
        assert "under the pseudonyms of this link" in found["quote"]["note"]
        assert ["Waits", "100 → 250 (+150.0 % per s)", "–"] in found["quote"]["rows"]
        at = sign_in(owner).get(f"{members(comparison)}threads/?anchor={WAITS}", headers=JSON).json()["threads"]
        assert [one["id"] for one in at] == [thread.pk]

    @pytest.mark.parametrize("anchor", ["summary", "time", WAITS, "entity:event/log file sync"])
    def test_other_places(self, sign_in, owner, comparison, path, anchor):
        thread = begun(Client(), path, anchor)
        found = read(sign_in(owner), members(comparison), thread)
        assert found["anchor"] == (anchor if anchor in ("time", WAITS) else "summary")

    def test_members_are_the_team(self, sign_in, owner, colleague, comparison, path):
        client = Client()
        thread = begun(client, path)
        services.reply(owner, thread, "What do you say, @carl? `@CARL`", uuid4())
        services.agree(colleague, Comment.objects.first())
        services.resolve(colleague, thread)
        services.remove(colleague, services.reply(colleague, thread, "x", uuid4()).comment)
        found = read(client, path, thread)
        assert [one["author"] for one in found["said"]] == ["Gerd", "the team", "the team"]
        assert found["said"][2]["deleted"].startswith("deleted by the team on ")
        assert found["said"][0]["agree"] == ["the team"]
        seen = [
            client.get(f"{path}{url}", headers=h).content.decode().lower()
            for url in _urls(thread)
            for h in ({}, PART, JSON)
        ]
        assert [name for name in ("carl", "olivia") for text in seen if name in text] == []
        assert (
            "What do you say, @carl?"
            in sign_in(owner).get(f"{members(comparison)}threads/{thread.pk}/", headers=JSON).json()["said"][1]["body"]
        )

    def test_a_mention_hides_what_somebody_was_called_before(self, sign_in, owner, colleague, comparison, path):
        for name in ("Carla Zell", "Carl Berg"):
            choose_shown_name(colleague.user, name)
        thread = begun(Client(), path)
        asked = "@carl, as zell said, and Carla, and Carl Berg"
        services.reply(owner, thread, asked, uuid4())
        seen = [Client().get(f"{path}{url}", headers=h).content.decode() for url in _urls(thread) for h in ({}, JSON)]
        assert [text for text in seen if re.search("carl|zell|berg", text, re.IGNORECASE)] == []
        assert any("the team, as the team said, and the team, and the team" in text for text in seen)
        assert asked in [one["body"] for one in read(sign_in(owner), members(comparison), thread)["said"]]

    def test_nobody_is_found_by_a_name_that_is_hidden(self, sign_in, owner, comparison, path):
        thread = begun(Client(), path)
        services.reply(owner, thread, "It is.", uuid4())
        for by in ("olivia", "nobody"):
            found = Client().get(f"{path}threads/", {"by": by}, headers=JSON).json()["threads"]
            assert [one["id"] for one in found] == [thread.pk], by
        team = sign_in(owner).get(f"{members(comparison)}threads/", {"by": "nobody"}, headers=JSON)
        assert team.json()["threads"] == []

    def test_of_the_other_way_round(self, sign_in, owner, comparison):
        computed_both_ways(comparison)
        _, path = redacted_link(owner, comparison, may_comment=True, pair=REVERSE)
        thread = begun(Client(), path, WAITS)
        assert (thread.comparison_id, thread.pair) == (comparison.pk, REVERSE)
        assert listed(sign_in(owner), members(comparison)) == listed(Client(), path) == [thread.pk]

    def test_when_its_copy_is_gone_the_team_has_it_still(self, sign_in, owner, comparison, path, copy):
        thread = begun(Client(), path, row_of(copy))
        sharing.revoke(owner, ShareLink.objects.get())
        assert not Comparison.objects.filter(pk=copy.pk).exists()
        assert read(sign_in(owner), members(comparison), thread)["title"] == "log file sync"

    def test_while_the_copy_is_made_there_is_nothing_to_write_about(self, owner, comparison):
        from awrdiff.redaction.link_options import Redaction

        _, token = sharing.create_link(owner, comparison, days=1, redaction=Redaction.new(), may_comment=True)
        assert begin(Client(), f"/s/{token}/").status_code == 400
