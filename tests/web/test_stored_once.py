"""What 1.0.0 stored of a pair the other way round is in the one comparison, and nothing of it is lost."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from awrdiff.comparisons.models import REVERSE
from awrdiff.comparisons.queries import by_pair
from parsers.storage.compressed_blocks import pack
from tests.web.test_migrations import migrate

THEN = [
    ("comparisons", "0015_queue"),
    ("incidents", "0015_times"),
    ("notices", "0005_change"),
    ("pins", "0002_pinned_against_a_baseline"),
    ("sharing", "0007_made_once"),
    ("threads", "0007_attachments"),
]
AT = datetime(2024, 1, 1, 10, tzinfo=UTC)


class Stored:
    """Two reports and three of them, each with its swap, as it was then: everything hangs on both ways round. Of three
    and four more the swap was deleted."""

    def __init__(self, objects: Any) -> None:
        self.objects = objects
        self.team = objects("accounts", "Team").create(name="Payments")
        self.outside = objects("accounts", "Team").create(name="Outside")
        self.user = objects("accounts", "User").create(username="olivia")
        self.reports = [self._report(n) for n in range(4)]
        member = objects("accounts", "Membership").create(team=self.team, user=self.user)
        self.two, self.three = self._comparison(2, "two"), self._comparison(3, "three")
        self.swap, self.swap_of_three = self._swap(self.two), self._swap(self.three)
        self.copy = self._comparison(2, "copy", copy_of=self.swap, team=self.outside, turned=True)
        self.view = self._comparison(2, "view", chosen_from=self.swap)
        self.aged = self._comparison(2, "aged", renewal_tried=9)
        self._swap(self.aged, engine_version=4)
        self.broken, self.bad_copy = self._comparison(2, "broken"), self._comparison(2, "bad copy", overview=b"x")
        broken = self._swap(self.broken, overview=b"x")
        objects("comparisons", "Comparison").filter(pk=self.bad_copy.pk).update(copy_of=broken)
        self.empty = self._comparison(2, "empty")
        self._swap(self.empty, overview=pack({}))
        self.alike = self._comparison(2, "alike")
        self.swap_alike = self._comparison(2, "alike swapped", mirror_of=self.alike)
        self.link_alike = self._link(comparison=self.swap_alike)
        self.local = objects("accounts", "Team").create(name="Local")
        self.unsigned = [self._comparison(3, "unsigned", team=team) for team in (self.local, self.team)]
        for one, pair in itertools.product(self.unsigned, (1, 2)):
            objects("incidents", "Verdict").create(
                team=one.team, comparison=one, pair=pair, swapped=pair == 2, state="confirmed", anchor="finding:redo"
            )
        self.incident = objects("incidents", "Incident").create(team=self.team, title="Slow", begins_at=AT)
        for one in (self.two, self.three):
            objects("incidents", "IncidentComparison").create(incident=self.incident, comparison=one, bad=0)
        self._hang(self.alike, 0, swapped=True)
        for swapped in (False, True):
            self._hang(self.two, 0, swapped)
            for pair in (0, 1):
                self._hang(self.three, pair, swapped)
        self.left, self.four = self._comparison(3, "left"), self._comparison(4, "four")
        for swapped, said in ((False, "straight"), (True, "swapped")):
            for pair in (0, 1, 2):
                self._hang(self.left, pair, swapped, note=f"{said} {pair}")
            self._pin(self.left, 2 if swapped else 1, swapped, "waits/3")
        for pair in (0, 1, 2, 3):
            self._hang(self.four, pair, True)
        objects("threads", "Thread").create(
            team=self.team, comparison=self.left, swapped=True, baseline="0,1/2", title="of a view", anchor="waits/1"
        )
        self.links = [
            self._link(comparison=one, **more)
            for one, more in ((self.two, {}), (self.swap, {}), (self.swap, {"copy": self.copy, "redacted": True}))
        ]
        objects("comparisons", "ShownComparison").create(comparison=self.swap, membership=member)
        objects("comparisons", "ShownComparison").create(comparison=self.swap_of_three, membership=member)
        judged = objects("incidents", "Incident").create(team=self.team, title="Nothing kept", begins_at=AT)
        objects("incidents", "IncidentComparison").create(incident=judged, comparison=self.three, bad=1)
        objects("threads", "Thread").create(
            team=self.team, comparison=self.three, swapped=True, baseline="0,2/1", title="a view", anchor="waits/1"
        )
        for thread in objects("threads", "Thread").filter(comparison=self.three):
            objects("notices", "Notice").create(
                team=self.team, user=self.user, what="answered", kind="comparison", thread=thread.pk,
                thing=self.three.pk if thread.swapped else self.swap_of_three.pk,
            )  # fmt: skip
        for place in ("", "#finding:redo", "?pair=0#thread=4"):
            objects("notices", "Notice").create(
                team=self.team, user=self.user, what="answered", kind="comparison", thing=self.swap.pk, place=place
            )

    def _report(self, n: int) -> Any:
        return self.objects("reports", "Report").create(
            team=self.team, name=f"{n}.html", size=1, sha256=str(n), file=f"reports/{n}", state="ready", kind="awr"
        )

    def _comparison(self, count: int, title: str, *, turned: bool = False, **more: Any) -> Any:
        said = pack([{"summary": f"{title} {n}"} for n in range(1 if count == 2 else count)])
        values = {"team": self.team, "title": title, "state": "ready", "engine_version": 5, "overview": said, **more}
        made = self.objects("comparisons", "Comparison").create(**values)
        order = [1, 0, 2][:count] if turned else range(count)
        for position, n in enumerate(order):
            self.objects("comparisons", "ComparisonReport").create(
                comparison=made, report=self.reports[n], position=position
            )
        self.objects("comparisons", "ComparisonSection").create(
            comparison=made, pair=0, position=0, section_id="waits", title=title, rows=1, changed=1, payload=b"x",
            first_present=True, second_present=True,
        )  # fmt: skip
        return made

    def _swap(self, original: Any, **more: Any) -> Any:
        count = original.places.count()
        return self._comparison(count, f"{original.title} swapped", turned=True, mirror_of=original, **more)

    def _hang(self, one: Any, pair: int, swapped: bool, note: str = "") -> None:
        place = {"comparison": one, "pair": pair, "swapped": swapped, "title": "log file sync", "anchor": "waits/1"}
        figures = {"figures": [["Waits", "250 → 100" if swapped else "100 → 250"]]}
        self.objects("incidents", "Evidence").create(incident=self.incident, note=note, **place, **figures)
        self.objects("threads", "Thread").create(team=self.team, **place, **figures)
        verdict = self.objects("incidents", "Verdict").create(
            team=self.team, user=self.user, state="confirmed", **place
        )
        self.objects("incidents", "SignOff").create(verdict=verdict, user=self.user, role="dba")
        self._pin(one, pair, swapped, "waits/2" if swapped else "waits/1")  # one of each anchor, whichever way round

    def _pin(self, one: Any, pair: int, swapped: bool, anchor: str) -> None:
        place = {"comparison": one, "pair": pair, "swapped": swapped, "title": "log file sync", "anchor": anchor}
        figures = [["Waits", "250 → 100" if swapped else "100 → 250"]]
        self.objects("pins", "Pin").create(team=self.team, user=self.user, figures=figures, **place)

    def _link(self, **more: Any) -> Any:
        return self.objects("sharing", "ShareLink").create(team=self.team, token_hash=uuid4().hex, **more)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_swap_becomes_a_pair_of_its_original(latest):
    try:
        then = Stored(migrate(THEN))
    finally:
        now = migrate(latest)
    _comparisons_are_one(now, then)
    _what_lacks_the_other_way_round_is_renewed(now, then)
    _what_hangs_on_them_has_its_pair(now, then)
    _what_is_left_of_a_deleted_swap_is_of_the_same_two_reports(now, then)
    _links_people_and_notices_lead_there(now, then)
    _what_is_damaged_is_computed_again(now, then)
    _a_swap_in_the_same_order_is_the_pair_itself(now, then)
    _of_judgements_without_an_author_one_holds_where_nobody_signs_in(now, then)


def _comparisons_are_one(now: Any, then: Stored) -> None:
    found = now("comparisons", "Comparison")
    assert not found.filter(pk=then.swap.pk).exists()
    assert now("comparisons", "FormerComparison").get(pk=then.swap.pk).comparison_id == then.two.pk
    said = {pair: one["summary"] for pair, one in by_pair(bytes(found.get(pk=then.two.pk).overview)).items()}
    assert said == {0: "two 0", REVERSE: "two swapped 0"}
    sections = now("comparisons", "ComparisonSection").order_by("comparison", "pair")
    assert set(sections.filter(comparison=then.two.pk).values_list("pair", "title")) == {
        (0, "two"),
        (REVERSE, "two swapped"),
    }
    assert found.get(pk=then.swap_of_three.pk).chosen_from_id == then.three.pk
    assert list(sections.filter(comparison=then.swap_of_three.pk).values_list("pair", flat=True)) == [0]
    assert found.get(pk=then.view.pk).chosen_from_id == then.two.pk
    copy = found.get(pk=then.copy.pk)
    assert (copy.copy_of_id, list(by_pair(bytes(copy.overview)))) == (then.two.pk, [REVERSE])
    assert list(sections.filter(comparison=copy).values_list("pair", flat=True)) == [REVERSE]
    placed = now("comparisons", "ComparisonReport").filter(comparison=copy).order_by("position")
    assert [one.report_id for one in placed] == [one.pk for one in then.reports[:2]]


def _what_lacks_the_other_way_round_is_renewed(now: Any, then: Stored) -> None:
    found = {one.pk: one for one in now("comparisons", "Comparison").all()}
    assert [(found[one.pk].both_ways, found[one.pk].engine_version) for one in (then.two, then.view)] == [
        (True, 5),
        (False, 5),
    ]
    for one in (then.three, then.left, then.aged, then.copy):
        assert (found[one.pk].both_ways, found[one.pk].engine_version, found[one.pk].renewal_tried) == (True, 4, 0)
    assert [list(by_pair(bytes(found[one.pk].overview))) for one in (then.aged, then.left)] == [[0], [0, 1, 2]]


def _what_hangs_on_them_has_its_pair(now: Any, then: Stored) -> None:
    two, three, apart = then.two.pk, then.three.pk, then.swap_of_three.pk
    everywhere = {(two, 0), (two, REVERSE), (three, 0), (three, 1), (apart, 0), (apart, 1)}
    for app, name in (("incidents", "Evidence"), ("incidents", "Verdict"), ("threads", "Thread"), ("pins", "Pin")):
        found = now(app, name).filter(comparison__in=[two, three, apart]).exclude(title="a view")
        rows = list(found.values_list("comparison", "pair"))
        assert (sorted(rows), len(rows)) == (sorted(everywhere), 6), name
    for app, name in (("incidents", "Evidence"), ("threads", "Thread"), ("pins", "Pin")):
        for one in now(app, name).filter(comparison__in=[two, three, apart], title="log file sync"):
            backwards = one.pair == REVERSE or one.comparison_id == apart
            assert one.figures == [["Waits", "250 → 100" if backwards else "100 → 250"]], (name, one.pair)
    assert now("incidents", "SignOff").count() == now("incidents", "Verdict").count() - 4 == 17
    attached = now("incidents", "IncidentComparison").values_list("comparison", "bad")
    assert sorted(attached) == sorted([(two, 0), (three, 0), (apart, 1), (three, 1), (apart, 0)])
    threads = now("threads", "Thread")
    view = threads.get(title="a view")
    assert (view.comparison_id, view.baseline, view.pair) == (apart, "1,2/0", 0)
    told = now("notices", "Notice").exclude(thread=None)
    assert {one.thread: one.thing for one in told} == {
        one.pk: str(one.comparison_id) for one in threads.filter(comparison__in=[three, apart])
    }
    shown = now("comparisons", "ShownComparison").values_list("comparison", flat=True)
    assert sorted(shown) == sorted([two, three, apart])


def _what_is_left_of_a_deleted_swap_is_of_the_same_two_reports(now: Any, then: Stored) -> None:
    def pairs(app: str, name: str, of: Any) -> list[int]:
        return sorted(now(app, name).filter(comparison=of.pk).values_list("pair", flat=True))

    every, once = [0, 1, 1, 2, 2, REVERSE], [0, 1, 2, REVERSE]
    assert pairs("incidents", "Verdict", then.left) == every
    assert pairs("threads", "Thread", then.left) == sorted([*every, 0])
    assert pairs("pins", "Pin", then.left) == sorted([*every, 1])
    assert pairs("incidents", "Evidence", then.left) == once
    noted = dict(now("incidents", "Evidence").filter(comparison=then.left.pk).values_list("pair", "note"))
    assert noted[1] == "straight 1\nswapped 2"
    holds = now("incidents", "Verdict").filter(comparison=then.left.pk, is_current=True).order_by("pk")
    assert sorted(holds.values_list("pair", flat=True)) == once
    assert min(holds.filter(pair__in=[1, 2]).values_list("pk", flat=True)) > holds.get(pair=0).pk + 2  # the later ones
    for app, name in (("incidents", "Evidence"), ("incidents", "Verdict"), ("threads", "Thread"), ("pins", "Pin")):
        assert pairs(app, name, then.four) == [3, REVERSE, REVERSE + 1, REVERSE + 2], name


def _links_people_and_notices_lead_there(now: Any, then: Stored) -> None:
    found = [now("sharing", "ShareLink").get(pk=one.pk) for one in then.links]
    assert [(one.comparison_id, one.pair) for one in found] == [
        (then.two.pk, 0),
        (then.two.pk, REVERSE),
        (then.two.pk, REVERSE),
    ]
    assert found[2].copy_id == then.copy.pk
    notices = now("notices", "Notice").filter(thread=None).order_by("pk").values_list("thing", "place")
    query = f"?pair={REVERSE}"
    assert list(notices) == [
        (str(then.two.pk), query),
        (str(then.two.pk), f"{query}#finding:redo"),
        (str(then.two.pk), f"{query}#thread=4"),
    ]


def _what_is_damaged_is_computed_again(now: Any, then: Stored) -> None:
    found = now("comparisons", "Comparison")
    for one in (then.broken, then.empty):
        row = found.get(pk=one.pk)
        assert (row.both_ways, row.engine_version, list(by_pair(bytes(row.overview)))) == (True, 4, [0])
    assert found.get(pk=then.bad_copy.pk).copy_of_id == then.broken.pk


def _a_swap_in_the_same_order_is_the_pair_itself(now: Any, then: Stored) -> None:
    row = now("comparisons", "Comparison").get(pk=then.alike.pk)
    assert (row.both_ways, row.engine_version, list(by_pair(bytes(row.overview)))) == (False, 5, [0])
    former = now("comparisons", "FormerComparison").get(pk=then.swap_alike.pk)
    assert (former.comparison_id, former.pair) == (then.alike.pk, 0)
    link = now("sharing", "ShareLink").get(pk=then.link_alike.pk)
    assert (link.comparison_id, link.pair) == (then.alike.pk, 0)
    for app, name in (("incidents", "Evidence"), ("incidents", "Verdict"), ("threads", "Thread"), ("pins", "Pin")):
        assert [one.pair for one in now(app, name).filter(comparison=then.alike.pk)] == [0], name


def _of_judgements_without_an_author_one_holds_where_nobody_signs_in(now: Any, then: Stored) -> None:
    for one, holds in zip(then.unsigned, ([False, True], [True, True]), strict=True):
        found = now("incidents", "Verdict").filter(comparison=one.pk).order_by("pk")
        assert [(v.pair, v.is_current) for v in found] == [(1, holds[0]), (1, holds[1])]
