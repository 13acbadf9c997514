"""Which hour is the incident's: suggested, asked, chosen; and all that is told from it, where the outage came first."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from django.apps import apps
from django.test import Client

from awrdiff.analysis.compare import compare_reports
from awrdiff.comparisons import anchors
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.queries import load_section
from awrdiff.comparisons.result_storage import pack_overviews
from awrdiff.comparisons.tasks import compute_now
from awrdiff.incidents import comparisons_and_reports, evidence, finding_verdicts, services
from awrdiff.incidents.models import Evidence, Incident, IncidentComparison, IncidentReport, TimelineEvent
from awrdiff.incidents.services import Typed
from awrdiff.postmortems.draft import OPEN_HOUR
from awrdiff.sharing.models import Shows
from tests.golden.test_diagnosed import both, compared
from tests.web.conftest import computed_both_ways, store_parsed, store_report
from tests.web.pages import check_markup, store_comparison
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}
OUTAGE = "the host recovers its memory"  # its First is out of memory, its Second no longer
TROUBLE, RELIEF = "The host is out of memory.", "The host is no longer out of memory."
SIDES = re.compile(r"\b(First|Second)\b")


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def outage(owner, reports) -> Comparison:
    return store_comparison(owner, reports, compared(OUTAGE))


def memory_anchor(computed) -> str:
    return next(anchors.of_finding(f) for f in computed.findings if f.rule == "memory-exhausted")


def confirm(owner, comparison: Comparison, pair: int = 0) -> None:
    typed = finding_verdicts.TypedVerdict(memory_anchor(compared(OUTAGE)), "confirmed", why="swap was full")
    comparison.refresh_from_db()
    finding_verdicts.give(owner, comparison, typed, pair=pair)


def compute_both_ways(original: Comparison) -> None:
    """As the worker leaves it; `store_comparison` has it one way, as an older version did."""
    turned = compare_reports(*reversed(both(OUTAGE)))
    Comparison.objects.filter(pk=original.pk).update(overview=pack_overviews([compared(OUTAGE)], turned))


def post(client: Client, path: str, expected: int = 204, /, **fields):
    answer = client.post(path, fields, headers=JSON)
    assert answer.status_code == expected, answer.content
    return answer.json() if answer.content else {}


def document(client: Client, incident: str) -> dict:
    return client.get(incident, headers=JSON).json()


def causes(client: Client, incident: str) -> str:
    assert client.post(f"{incident}postmortem/", headers=JSON).status_code in (200, 201)
    return section(client, incident, "causes")["text"]


def section(client: Client, incident: str, key: str) -> dict:
    found = client.get(f"{incident}postmortem/", headers=JSON).json()["sections"]
    return next(one for one in found if one["id"] == key)


class TestAnOutageBeforeTheRecovery:
    def test_it_has_the_other_way_round_computed(self, client, owner, outage):
        """Where First is the hour, whoever says so; and no other comparison."""
        url = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        assert Comparison.objects.get(pk=outage.pk).both_ways
        Comparison.objects.update(both_ways=False)
        post(client, f"{url}comparisons/{outage.pk}/hour/", place=1)
        assert not Comparison.objects.get(pk=outage.pk).both_ways
        assert document(client, url)["comparisons"][0]["url"] == f"/comparisons/{outage.pk}/"
        post(client, f"{url}comparisons/{outage.pk}/hour/", place=0)
        assert Comparison.objects.get(pk=outage.pk).both_ways

    def test_it_is_filed_under_the_outage(self, client, outage):
        found = document(client, post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"])
        assert found["title"] == "PAY · 1 Jan 2024 10:00 – 11:00"
        assert (found["begins_at"][11:16], found["ends_at"][11:16]) == ("10:00", "11:00")
        (one,) = found["comparisons"]
        assert [hour["is_incident"] for hour in one["hours"]] == [True, False]
        assert (one["suggested"], one["asked"]) == (True, False)

    def test_its_cause_is_the_trouble_and_not_its_end(self, client, owner, outage):
        incident = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        confirm(owner, outage)
        compute_both_ways(outage)
        text = causes(client, incident)
        assert text.startswith(f"- **{TROUBLE}**")
        assert RELIEF not in text
        (verdict,) = document(client, incident)["verdicts"]
        assert verdict["title"] == TROUBLE
        assert verdict["url"].startswith(f"/comparisons/{outage.pk}/?pair={REVERSE}#")

    def test_while_the_trouble_has_no_sentence_yet_its_end_is_no_cause(self, client, owner, outage):
        incident = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        confirm(owner, outage)
        text = causes(client, incident)
        assert text.startswith("No cause has been confirmed.")
        assert (
            f"**{RELIEF} \\(said of the hour for comparison\\)**" in text or "said of the hour for comparison" in text
        )
        compute_both_ways(outage)
        assert section(client, incident, "causes")["behind"]

    def test_told_on_its_own_page_it_is_told_as_it_is(self, client, owner, outage):
        """A verdict on the pair the other way round speaks of the incident's hour already."""
        incident = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        compute_both_ways(outage)
        assert document(client, incident)["comparisons"][0]["url"] == f"/comparisons/{outage.pk}/?pair={REVERSE}"
        confirm(owner, outage, REVERSE)
        assert causes(client, incident).startswith(f"- **{TROUBLE}**")

    def test_figures_are_of_the_incidents_hour_first(self, client, outage):
        incident = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        causes(client, incident)
        impact = section(client, incident, "impact")["text"]
        assert "average active sessions 3.3 in the incident's hour (1.2 for comparison)" in impact

    def test_evidence_is_the_trouble_too(self, client, owner, outage):
        incident = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        compute_both_ways(outage)
        evidence.keep(owner, Incident.objects.get(), outage, memory_anchor(compared(OUTAGE)))
        (kept,) = client.get(f"{incident}evidence/", headers=JSON).json()["evidence"]
        assert kept["title"] == TROUBLE
        assert kept["then"][0][1].startswith("In the incident's hour ")
        assert f"Kept as evidence: {TROUBLE}" in [line["text"] for line in document(client, incident)["timeline"]]

    @pytest.mark.parametrize("pair", [0, REVERSE])
    def test_figures_go_up_to_the_incidents_hour(self, client, owner, pair):
        """Of a row of the pair whose First is the outage: with an address."""
        places = [store_parsed(owner, one) for one in (reversed(both(OUTAGE)) if pair else both(OUTAGE))]
        made = comparisons.create_comparison(owner, places, order_by_time=False, title="", note="")
        compute_now(made.pk)
        computed_both_ways(made)
        incident = post(client, f"/comparisons/{made.pk}/incident/", 201)["url"]
        rows = load_section(made, "time_model", pair).rows
        row = next(one for one in rows if one.key.get("statistic") == "DB time")
        kept = evidence.keep(owner, Incident.objects.get(), made, f"time_model/{row.row_id}", pair=pair)
        (one,) = client.get(f"{incident}evidence/", headers=JSON).json()["evidence"]
        assert "→ 12,000 s (+" in " ".join(text for _, text in one["then"]), one["then"]
        assert one["url"].startswith(f"/comparisons/{made.pk}/?pair={pair}#")
        html = client.get(incident, headers=HTML).content.decode()
        assert "For comparison → the incident&#x27;s hour" in html
        causes(client, incident)
        assert "For comparison → the incident's hour" in client.get(f"{incident}postmortem.md").content.decode()
        Evidence.objects.filter(pk=kept.pk).update(figures=[["Time (s)", "9,000 s → 1,200 s (−86.7 %)"]])
        html = client.get(f"{incident}evidence/", headers=HTML).content.decode()
        assert "The incident&#x27;s hour → for comparison" in html, "what was kept is not what stands there now"

    def test_first_and_second_stand_nowhere(self, client, owner, outage):
        incident = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        for finding in compared(OUTAGE).findings:
            finding_verdicts.give(
                owner, outage, finding_verdicts.TypedVerdict(anchors.of_finding(finding), "confirmed")
            )
        for at in (memory_anchor(compared(OUTAGE)), "time"):
            evidence.keep(owner, Incident.objects.get(), outage, at)
        for _ in ("before it is compared the other way round", "after it"):
            causes(client, incident)
            shared = create_link(owner, Incident.objects.get(), days=7, shows=Shows.INCIDENT)[1]
            below = ("", "evidence/", "postmortem/", "postmortem.md", "postmortem.html", "attach/", "edit/")
            for path in (*(f"{incident}{one}" for one in below), shared):
                html = client.get(path, headers=HTML).content.decode()
                said = re.sub(r"<title>.*?</title>|<[^>]*>", " ", html)
                assert not SIDES.findall(said), (
                    path,
                    [said[m.start() - 60 : m.end() + 20] for m in SIDES.finditer(said)],
                )
            check_markup(client.get(incident, headers=HTML).content.decode())
            compute_both_ways(outage)


class TestChosen:
    def test_in_doubt_somebody_is_asked(self, client, comparison):
        """The comparison calls neither hour the worse one."""
        incident = post(client, f"/comparisons/{comparison.pk}/incident/", 201)["url"]
        html = client.get(incident, headers=HTML).content.decode()
        assert "Which hour is the incident&#x27;s?" in html or "Which hour is the incident's?" in html
        (one,) = document(client, incident)["comparisons"]
        assert (one["asked"], [hour["is_incident"] for hour in one["hours"]]) == (True, [False, False])
        post(client, f"{incident}comparisons/{comparison.pk}/hour/", place=1)
        (one,) = document(client, incident)["comparisons"]
        assert (one["asked"], one["suggested"], [h["is_incident"] for h in one["hours"]]) == (
            False,
            False,
            [False, True],
        )
        assert "Which hour is" not in client.get(incident, headers=HTML).content.decode()

    def test_window_and_title_follow_and_what_was_typed_stays(self, client, comparison):
        incident = post(client, f"/comparisons/{comparison.pk}/incident/", 201)["url"]
        before = document(client, incident)
        assert before["title"] == "PAY · 1 Jan 2024 11:00 – 12:00"
        post(client, f"{incident}comparisons/{comparison.pk}/hour/", place=0)
        after = document(client, incident)
        assert (after["title"], after["begins_at"][11:16]) == ("PAY · 1 Jan 2024 10:00 – 11:00", "10:00")
        assert "The incident's hour: PAY · 1 Jan 2024 10:00 – 11:00" in [line["text"] for line in after["timeline"]]
        post(client, f"{incident}edit/", title="Receipts", begins_at="2024-01-01T10:20", version=after["version"])
        post(client, f"{incident}comparisons/{comparison.pk}/hour/", place=1)
        typed = document(client, incident)
        assert (typed["title"], typed["begins_at"][11:16], typed["ends_at"][11:16]) == ("Receipts", "10:20", "11:00")

    def test_opening_it_makes_no_comparison(self, client, owner, outage):
        incident = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        assert client.get(incident, headers=HTML).status_code == 200
        assert Comparison.objects.count() == 1

    def test_what_a_person_chose_no_suggestion_changes(self, client, owner, outage):
        incident = post(client, f"/comparisons/{outage.pk}/incident/", 201)["url"]
        post(client, f"{incident}comparisons/{outage.pk}/hour/", place=1)
        IncidentComparison.objects.update(told_of="")
        (one,) = document(client, incident)["comparisons"]
        assert ([hour["is_incident"] for hour in one["hours"]], one["suggested"]) == ([False, True], False)
        confirm(owner, outage)
        assert causes(client, incident).startswith(f"- **In the hour for comparison: {TROUBLE}**")

    def test_twice_is_once_and_what_is_none_is_refused(self, client, comparison):
        incident = post(client, f"/comparisons/{comparison.pk}/incident/", 201)["url"]
        for _ in range(2):
            post(client, f"{incident}comparisons/{comparison.pk}/hour/", place=1)
        assert TimelineEvent.objects.filter(text__startswith="The incident's hour").count() == 1
        for place in ("2", "-1", "", "x", "9" * 30):
            post(client, f"{incident}comparisons/{comparison.pk}/hour/", 400, place=place)
        client.delete(f"{incident}comparisons/{comparison.pk}/")
        post(client, f"{incident}comparisons/{comparison.pk}/hour/", 404, place=1)

    def test_it_is_for_those_who_may_write(self, sign_in, guest, owner, stranger, comparison):
        incident = services.make(owner, Typed("Slow", begins_at="2024-01-01T10:00"))
        comparisons_and_reports.attach(owner, incident, comparison, "PAY")
        for who in (guest, stranger):
            post(sign_in(who), f"/incidents/{incident.pk}/comparisons/{comparison.pk}/hour/", 404, place=1)
        assert IncidentComparison.objects.get().bad is None

    def test_the_hour_of_a_report_is_as_its_window_says_or_as_chosen(self, client, owner):
        incident = services.make(owner, Typed("Slow", begins_at="2024-01-01T10:30", ends_at="2024-01-01T11:30"))
        within, after = (
            store_report(owner, "within.html"),
            store_report(owner, "after.html", begin="2024-01-01T12:00:00"),
        )
        for one in (within, after):
            comparisons_and_reports.attach_report(owner, incident, one)
        path = f"/incidents/{incident.pk}/"

        def own() -> list[bool]:
            return [one["hours"][0]["is_incident"] for one in document(client, path)["reports"]]

        assert own() == [True, False]
        post(client, f"{path}reports/{after.pk}/hour/", place=1)
        assert own() == [True, True]
        assert list(IncidentReport.objects.values_list("bad", flat=True)) == [None, True]
        post(client, f"{path}reports/{after.pk}/hour/", 400, place=2)


class TestTakenOver:
    """Incidents of before: filed under Second, whatever that was."""

    @pytest.fixture
    def before(self, owner, outage) -> str:
        typed = Typed("PAY · 1 Jan 2024 11:00 – 12:00", begins_at="2024-01-01T11:00", ends_at="2024-01-01T12:00")
        incident = services.make(owner, typed)
        IncidentComparison.objects.create(incident=incident, comparison=outage, attached_by=owner.user, told_of="old")
        import_module("awrdiff.incidents.migrations.0005_the_incidents_hour").read_again(apps, None)
        return f"/incidents/{incident.pk}/"

    def test_the_suggestion_is_marked_and_asked_for(self, client, before, outage):
        (one,) = document(client, before)["comparisons"]
        assert ([hour["is_incident"] for hour in one["hours"]], one["suggested"], one["asked"]) == (
            [True, False],
            True,
            True,
        )
        html = client.get(before, headers=HTML).content.decode()
        assert "the comparison calls the other the worse one" in html
        post(client, f"{before}comparisons/{outage.pk}/hour/", place=0)
        found = document(client, before)
        assert (found["title"], found["begins_at"][11:16]) == ("PAY · 1 Jan 2024 10:00 – 11:00", "10:00")
        assert not found["comparisons"][0]["asked"]

    @pytest.mark.parametrize("broken", [b"no zlib", b"x\x9c\x03\x00\x00\x00\x00\x01", pack_overviews([])])
    def test_what_cannot_be_read_is_no_obstacle(self, client, before, broken):
        Comparison.objects.update(overview=broken)
        assert client.get(before, headers=HTML).status_code == 200
        assert IncidentComparison.objects.get().bad is None


def test_which_hour_it_is_comes_along_to_another_place(owner):
    from awrdiff.transfer.kinds.incidents import COMPARISONS, REPORTS

    for kind, given in ((COMPARISONS, {"bad": 0, "bad_chosen": True}), (REPORTS, {"bad": False})):
        for name, value in given.items():
            assert kind.values[name].read(kind.values[name].dump(value), name) == value
            assert kind.values[name].read(None, name) in (None, False)  # of an older file


def test_while_the_hour_is_open_the_causes_say_so(client, owner, outage):
    Comparison.objects.update(both_ways=True)
    outage.refresh_from_db()
    incident = services.make(owner, Typed("Slow", begins_at="2024-01-01T10:00", ends_at="2024-01-01T12:00"))
    comparisons_and_reports.attach(owner, incident, outage, "PAY")
    confirm(owner, outage)
    IncidentComparison.objects.update(bad=None, story={})
    text = causes(client, f"/incidents/{incident.pk}/")
    assert text.startswith(OPEN_HOUR)
    assert RELIEF in text
    assert not Evidence.objects.exists()
