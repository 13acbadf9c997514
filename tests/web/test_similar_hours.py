"""Comparisons whose change is made of the same parts, of those that the reader may read."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from msgspec.structs import replace

from awrdiff.analysis.model.ranked_changes import Ranked
from awrdiff.comparisons import guest_access, search_index, services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.similar import similar_to
from awrdiff.incidents import comparisons_and_reports
from awrdiff.incidents import services as incidents
from awrdiff.incidents.models import IncidentComparison, Verdict
from awrdiff.reports.models import Report
from awrdiff.search.models import Indexed
from tests.web.compared import comparison as computed
from tests.web.conftest import store_report
from tests.web.pages import store_comparison
from tests.web.test_search import LOCKS, mover

pytestmark = pytest.mark.django_db


def hour(access, *parts: tuple[str, str, float], title: str = "") -> Comparison:
    movers = tuple(
        mover(kind, key, 0.0, change, view="part" if kind in ("event", "cpu") else "again")
        for kind, key, change in parts
    )
    month = 1 + sum(map(ord, title)) % 12  # each has hours of its own
    reports = [store_report(access, f"{title}_{n}.html", begin=f"2024-{month:02}-0{n}T10:00:00") for n in (1, 2)]
    made = store_comparison(access, reports, replace(computed(), ranked=Ranked(1.0, 9.0, 9.0, movers)))
    Comparison.objects.filter(pk=made.pk).update(title=title)
    made.refresh_from_db()
    return made


def locked(access, title: str, sessions: float = 5.0) -> Comparison:
    return hour(access, ("event", LOCKS, sessions), ("cpu", "DB CPU", 1.0), ("sql", "bsw76f0d1g2hk", 4.0), title=title)


def slow_commits(access, title: str) -> Comparison:
    return hour(access, ("event", "log file sync", 5.0), ("cpu", "DB CPU", 1.0), title=title)


def alike(access, comparison: Comparison) -> list[Comparison]:
    return [one.comparison for one in similar_to(access, comparison)]


def seen(client, comparison: Comparison) -> str:
    return client.get(f"/comparisons/{comparison.pk}/seen/").content.decode()


def test_it_shows_what_is_alike_and_what_is_not(sign_in, owner):
    first, _ = locked(owner, "Monday", 8.0), slow_commits(owner, "Commits")
    second = hour(
        owner, ("event", LOCKS, 5.0), ("event", "<b>odd</b>", 2.0), ("sql", "bsw76f0d1g2hk", 4.0), title="Tuesday"
    )
    assert alike(owner, second) == [first]
    html = seen(sign_in(owner), second)
    assert "Seen before: 1 similar hour" in html
    assert f'<a href="/comparisons/{first.pk}/">Monday</a>' in html
    assert f"{LOCKS} (+5 here, +8 there)" in html
    assert "only here: &lt;b&gt;odd&lt;/b&gt; (+2)" in html
    assert "only there: CPU (+1)" in html
    assert "Commits" not in html


def test_an_incident_shows_the_hours_like_its_own_whichever_side_that_is(sign_in, owner):
    first, outage, recovery = (
        locked(owner, "Monday", 8.0),
        locked(owner, "Outage"),
        hour(owner, ("event", LOCKS, -5.0), ("cpu", "DB CPU", -1.0), ("sql", "bsw76f0d1g2hk", -4.0), title="Recovery"),
    )
    found = incidents.make(owner, incidents.Typed("Slow", begins_at="2024-01-01T11:05"))
    client, path = sign_in(owner), f"/incidents/{found.pk}/seen/"
    assert client.get(path).content == b""
    for made in (outage, recovery):
        comparisons_and_reports.attach(owner, found, made, made.title)
    IncidentComparison.objects.filter(comparison=recovery).update(bad=0)
    html = client.get(path).content.decode()
    assert "1 similar hour" in html
    assert f'<a href="/comparisons/{first.pk}/">Monday</a>' in html
    IncidentComparison.objects.filter(comparison=outage).delete()
    html = client.get(path).content.decode()
    assert f"{LOCKS} (+5 here, +8 there)" in html
    assert "the other way round" not in html
    assert html.count("/comparisons/") == 2  # the outage is no part of it any more


def judged(access, comparison: Comparison, state: str, why: str) -> None:
    finding = Verdict(team=access.team, comparison=comparison, anchor="f/lock", title="Sessions wait for a lock.")
    finding.user, finding.state, finding.why = access.user, state, why
    finding.save()


def test_a_similar_hour_carries_its_incidents_and_judgements(sign_in, owner, guest):
    first, second = locked(owner, "Monday", 8.0), locked(owner, "Tuesday")
    names = ("Slow <Monday>", "Another")
    known = [incidents.make(owner, incidents.Typed(name, begins_at="2024-01-01T11:05")) for name in names]
    for incident in known:
        comparisons_and_reports.attach(owner, incident, first, "Monday")
    judged(owner, first, "confirmed", "a batch job held it")
    html = seen(sign_in(owner), second)
    for incident, title in zip(known, ("Slow &lt;Monday&gt;", "Another"), strict=True):
        assert f'<a href="/incidents/{incident.pk}/">{title}</a>' in html
    assert html.count("<b>Confirmed</b>") == 1
    assert "a batch job held it" in html
    for one in (first, second):
        guest_access.show(owner, one, guest.membership)
    html = seen(sign_in(guest), second)
    assert "Monday" in html
    for hidden in ("Slow", "Confirmed", "batch job"):
        assert hidden not in html


def test_a_similar_hour_is_read_up_to_the_hour_of_its_incident(sign_in, owner):
    """An outage that was compared with its recovery."""
    outage = locked(owner, "Tuesday")
    recovery = hour(
        owner, ("event", LOCKS, -8.0), ("cpu", "DB CPU", -1.0), ("sql", "bsw76f0d1g2hk", -4.0), title="Back"
    )
    client = sign_in(owner)
    turned = "the other way round"
    assert turned in seen(client, outage)
    comparisons_and_reports.attach(
        owner, incidents.make(owner, incidents.Typed("Slow", begins_at="2024-01-01T11:05")), recovery, "Back"
    )
    IncidentComparison.objects.filter(comparison=recovery).update(bad=0)
    html = seen(client, outage)
    assert f"{LOCKS} (+5 here, +8 there)" in html
    assert turned not in html


def test_the_same_files_once_more_are_no_other_hour(owner):
    made, again = locked(owner, "Monday"), locked(owner, "Monday", -5.0)
    assert (alike(owner, made), alike(owner, again)) == ([], [])
    assert alike(owner, locked(owner, "Tuesday")) != []


def test_the_same_hours_read_from_other_files_are_no_other_hour(owner):
    made, copies = locked(owner, "Monday"), locked(owner, "Tuesday")
    assert alike(owner, copies) == [made]
    windows = list(made.reports.order_by("begin_at").values_list("begin_at", "end_at"))
    own = list(copies.reports.order_by("begin_at"))
    for report, (begin, end) in zip(own, windows, strict=True):
        Report.objects.filter(pk=report.pk).update(begin_at=begin, end_at=end)
    assert (alike(owner, copies), alike(owner, made)) == ([], [])
    for other in ({"db_name": "OTHER"}, {"dbid": "77"}, {"instance_number": 2}, {"instance_number": None}):
        before = Report.objects.filter(pk=own[1].pk).values(*other).get()
        Report.objects.filter(pk=own[1].pk).update(**other)
        assert alike(owner, copies) == [made], other
        Report.objects.filter(pk=own[1].pk).update(**before)
    Report.objects.filter(pk__in=[r.pk for r in (*own, *made.reports.all())]).update(begin_at="", end_at="")
    assert alike(owner, copies) == [made]  # of hours that are not printed nobody knows that they are one


def test_nobody_is_shown_what_they_may_not_read(sign_in, owner, colleague, guest, stranger):
    first, second, theirs = locked(owner, "Monday"), locked(owner, "Tuesday"), locked(stranger, "Theirs")
    assert alike(colleague, second) == [first]
    assert alike(stranger, theirs) == []
    guest_access.show(owner, second, guest.membership)
    assert alike(guest, second) == []
    assert seen(sign_in(guest), second) == ""
    guest_access.show(owner, first, guest.membership)
    assert alike(guest, second) == [first]


def test_the_other_way_round_it_is_alike_the_other_way_round(owner):
    first, second = locked(owner, "Monday"), locked(owner, "Tuesday")
    found = similar_to(owner, second, is_turned=True)
    assert [(one.comparison, one.likeness.is_reversed) for one in found] == [(first, True)]


def test_it_follows_the_stored_result(owner):
    first, second = locked(owner, "Monday"), locked(owner, "Tuesday")
    search_index.write(first, search_index.Words("", "", [{"event log file sync": 5.0}, {}]))
    assert alike(owner, second) == []
    services.delete(owner, first)
    assert Indexed.objects.filter(comparison__isnull=False).count() == 1


def test_what_is_made_of_nothing_is_like_nothing(owner):
    for _ in range(2):
        made = hour(owner)
    assert Indexed.objects.get(comparison=made).parts is None
    assert alike(owner, made) == []


def test_older_results_get_their_parts(owner):
    first, second = locked(owner, "Monday"), locked(owner, "Tuesday")
    Indexed.objects.filter(comparison=first).update(parts=None, version=search_index.VERSION - 1)
    assert alike(owner, second) == []
    search_index.write_missing()
    assert alike(owner, second) == [first]


def test_the_likest_come_first_and_it_asks_as_often_however_many_there_are(owner):
    second = locked(owner, "Tuesday")

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            similar_to(owner, second)
        return len(queries)

    near = locked(owner, "near", 5.5)
    before = asked()
    far = [locked(owner, f"far {n}", 3.0) for n in range(6)]
    found = alike(owner, second)
    assert found[0] == near
    assert len(found) == 5
    assert set(found[1:]) < set(far)
    assert asked() == before <= 5
