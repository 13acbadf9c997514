"""Comparisons through HTTP and services: order, swap, waiting, failing, status, search, versions, growth."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from awrdiff.comparisons import guest_access, models, queries, redacted_copies, services, tasks
from awrdiff.comparisons.models import REVERSE, Comparison, ComparisonSection, FormerComparison, ShownComparison
from awrdiff.comparisons.report_places_and_titles import places_of
from awrdiff.processing.models import State
from awrdiff.processing.work_claims import Refused
from awrdiff.redaction.link_options import Redaction
from awrdiff.reports.models import Report
from awrdiff.threads.models import Thread
from parsers.storage.compressed_blocks import pack, unpack
from tests.web.conftest import computed_both_ways, store_report
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def make(client: Client, *reports: Report, **fields) -> Comparison:
    answer = client.post("/comparisons/", {"report": [str(r.pk) for r in reports], **fields}, headers=JSON)
    assert answer.status_code == 201, answer.content
    return Comparison.objects.get(pk=answer.json()["id"])


def compute(comparison: Comparison) -> Comparison:
    tasks.compute_now(comparison.pk)
    comparison.refresh_from_db()
    return comparison


def order_of(comparison: Comparison) -> list[str]:
    return [place.report.name for place in places_of(comparison)]


def test_scripts_keep_their_order(client, reports):
    first, second = reports
    made = compute(make(client, second, first))
    assert made.state == State.READY
    assert order_of(made) == ["second.html", "first.html"]


def test_the_upload_page_orders_by_begin_time(client, reports):
    first, second = reports
    made = compute(make(client, second, first, order="time"))
    assert order_of(made) == ["first.html", "second.html"]


def test_without_times_the_given_order_stays(client, reports):
    first, second = reports
    Report.objects.filter(pk=first.pk).update(begin_at="")
    assert order_of(compute(make(client, second, first, order="time"))) == ["second.html", "first.html"]


def test_the_result_is_stored_section_by_section(client, owner, comparison):
    rail = queries.rail(comparison)
    assert [s.section_id for s in rail][:1] == ["foreground_wait_events"]
    assert rail[0].rows == 2
    section = queries.load_section(comparison, "foreground_wait_events")
    row = next(r for r in section.rows if r.key["event"] == "log file sync")
    assert (row.values["waits"].first.number, row.values["waits"].second.number) == (100.0, 250.0)
    assert row.values["waits"].diff == 150.0
    assert queries.overview(comparison).sections == ()


def test_fewer_than_two_reports_are_refused(client, reports):
    answer = client.post("/comparisons/", {"report": [str(reports[0].pk)]}, headers=JSON)
    assert answer.status_code == 400
    assert "at least two" in answer.json()["error"]


@pytest.mark.parametrize("pk", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_unknown_reports_are_refused(client, reports, pk):
    answer = client.post("/comparisons/", {"report": [str(reports[0].pk), pk]}, headers=JSON)
    assert answer.status_code == 400
    assert not Comparison.objects.exists()


def test_too_many_reports_are_refused(client, reports):
    answer = client.post("/comparisons/", {"report": [str(reports[0].pk)] * 25}, headers=JSON)
    assert answer.status_code == 400
    assert "at most 24" in answer.json()["error"]


def test_the_same_report_twice_is_allowed_with_a_warning(client, reports):
    made = compute(make(client, reports[0], reports[0]))
    assert made.state == State.READY
    assert [w.code for w in queries.overview(made).warnings] == ["same-report"]
    assert all(s.changed == 0 for s in queries.rail(made))


def test_three_reports_make_two_pairs_of_first_and_one_of_the_latest(client, owner, reports):
    third = store_report(owner, "third.html", begin="2024-01-01T12:00:00", waits=900.0)
    made = compute(make(client, *reports, third))
    assert set(ComparisonSection.objects.filter(comparison=made).values_list("pair", flat=True)) == {0, 1, 2}
    computed_both_ways(made)
    assert set(ComparisonSection.objects.filter(comparison=made).values_list("pair", flat=True)) == {0, 1, 2, REVERSE}
    section = queries.load_section(made, "foreground_wait_events", pair=1)
    row = next(r for r in section.rows if r.key["event"] == "log file sync")
    assert row.values["waits"].second.number == 900.0
    assert queries.overview(made, pair=1).headers[1]["file"] == "third.html"


def test_swap_has_an_address_of_its_own_and_goes_back(client, comparison):
    address = f"/comparisons/{comparison.pk}/"
    assert client.get(f"{address}?pair={REVERSE}").status_code == 404  # nobody asked for it
    answer = client.post(f"{address}swap/", headers=JSON)
    assert (answer.status_code, answer.json()["url"]) == (201, f"{address}?pair={REVERSE}")
    comparison = compute(comparison)
    assert [one["file"] for one in queries.overview(comparison, REVERSE).headers] == ["second.html", "first.html"]
    assert client.post(f"{address}swap/?pair={REVERSE}", headers=JSON).json()["url"] == address
    assert client.post(f"{address}swap/?pair=7", headers=JSON).status_code == 400
    assert Comparison.objects.count() == 1
    told = client.get(f"{address}?pair={REVERSE}", headers=JSON).json()
    assert [one["name"] for one in told["reports"]] == ["second.html", "first.html"]
    assert client.get(told["sections"][0]["url"], headers=JSON).status_code == 200
    html = client.get(f"{address}?pair={REVERSE}").content.decode()
    assert f'action="{address}swap/?pair={REVERSE}"' in html
    row = next(r for r in queries.load_section(comparison, "foreground_wait_events", REVERSE).rows)
    assert (row.values["waits"].first.number, row.values["waits"].second.number) == (250.0, 100.0)


def test_the_other_way_round_is_computed_once_somebody_swaps_and_the_result_stays_meanwhile(client, comparison):
    address, turned = f"/comparisons/{comparison.pk}/", f"/comparisons/{comparison.pk}/?pair={REVERSE}"
    assert not ComparisonSection.objects.filter(pair=REVERSE).exists()
    assert client.post(f"{address}swap/", headers=JSON).json()["state"] == "pending"
    assert client.get(address, headers=JSON).json()["state"] == "ready"
    told = client.get(turned, headers=JSON).json()
    assert (told["state"], "sections" in told) == ("pending", False)
    assert client.get(f"{address}status/?pair={REVERSE}", headers=JSON).json()["state"] == "pending"
    assert client.get(address, headers=JSON).json()["renewal"] is None  # what there is, is of today
    html = client.get(turned).content.decode()
    assert f"{address}status/?pair={REVERSE}" in html
    assert "Swap" not in html
    assert client.get(f"/api/v1{address[:-1]}?pair={REVERSE}", headers=JSON).json()["state"] == "pending"
    section = f"/api/v1{address}sections/foreground_wait_events?pair={REVERSE}"
    assert client.get(section, headers=JSON).status_code == 409
    assert client.get(f"{address}export.md?pair={REVERSE}").status_code == 409
    compute(comparison)
    assert client.get(turned, headers=JSON).json()["state"] == "ready"
    assert client.get(section, headers=JSON).status_code == 200
    attempt = comparison.attempt
    assert client.post(f"{address}swap/", headers=JSON).json()["state"] == "ready"
    assert compute(comparison).attempt == attempt


@pytest.mark.parametrize("pair", [0, REVERSE])
def test_a_link_to_the_other_way_round_has_it_computed(owner, comparison, pair):
    create_link(owner, comparison, days=1, pair=pair)
    comparison.refresh_from_db()
    assert comparison.both_ways == (pair == REVERSE)
    Comparison.objects.update(both_ways=False)
    copy = redacted_copies.make(computed_both_ways(comparison) if pair else comparison, Redaction.new())
    assert copy.both_ways == (pair == REVERSE)


@pytest.mark.parametrize("again", ["swap", "retry"])
def test_where_the_other_way_round_fails_the_result_is_there_and_it_can_be_tried_again(
    client, comparison, reports, monkeypatch, again
):
    client.post(f"/comparisons/{comparison.pk}/swap/")
    Report.objects.filter(pk=reports[0].pk).update(state=State.FAILED, error="Its file is gone.")
    made = compute(comparison)
    assert (made.state, made.is_ready) == (State.READY, True)
    address = f"/comparisons/{comparison.pk}/"
    assert client.get(address).status_code == 200
    told = client.get(f"{address}?pair={REVERSE}").content.decode()
    assert "Its file is gone." in told
    assert f"{address}retry/" in told
    Report.objects.filter(pk=reports[0].pk).update(state=State.READY, error="")
    sent = []
    monkeypatch.setattr(services, "wake_on_commit", lambda _task, pks: sent.extend(pks))
    client.post(f"{address}{again}/")
    assert sent == [comparison.pk]
    assert compute(comparison).is_ready
    assert queries.is_stored(comparison, REVERSE)


@pytest.mark.parametrize("lost", [Refused("It took too much memory.", "memory-limit"), ValueError("a bug")])
@pytest.mark.parametrize("stored_before", [False, True])
def test_a_failing_reversed_pair_takes_nothing_else_down(client, reports, monkeypatch, lost, stored_before):
    made = make(client, *reports)
    if stored_before:
        made = compute(made)

    def fail(*_args, **_more):
        raise lost

    monkeypatch.setattr(tasks, "compare_reports", fail)  # of two reports only the reversed pair asks it
    services.compute_both_ways([made.pk])
    made = compute(made)
    assert (made.state, made.engine_version, made.error) == (State.READY, models.current_version(), "")
    assert queries.is_stored(made, 0)
    assert queries.shown_state(made, 0) == "ready"
    assert queries.shown_state(made, REVERSE) == "failed"
    assert made.renewal_error == (lost.sentence if isinstance(lost, Refused) else "Processing ended without a result.")
    monkeypatch.undo()
    services.compute_both_ways([made.pk], again=True)
    assert queries.is_stored(compute(made), REVERSE)


def test_what_is_asked_for_while_it_is_computed_is_computed_after_it(client, reports, monkeypatch):
    made = make(client, *reports)
    split = tasks.split_left_out

    def swapped_meanwhile(places):
        services.compute_both_ways([made.pk])
        return split(places)

    with monkeypatch.context() as patch:
        patch.setattr(tasks, "split_left_out", swapped_meanwhile)
        assert not queries.is_stored(compute(made), REVERSE)
    assert queries.is_stored(compute(made), REVERSE)


def test_addresses_of_a_former_swap_lead_to_the_pair(client, sign_in, stranger, both_ways):
    comparison = both_ways
    former = FormerComparison.objects.create(pk=uuid4(), comparison=comparison)
    here, there = f"/comparisons/{former.pk}/", f"/comparisons/{comparison.pk}/"
    asked = {"": "", "?pair=0": "", "sections/foreground_wait_events/": "", "export.json?all=1": "all=1&"}
    for path, kept in asked.items():
        answer = client.get(here + path)
        assert (answer.status_code, answer["Location"]) == (
            308,
            f"{there}{path.partition('?')[0]}?{kept}pair={REVERSE}",
        )
        assert client.get(answer["Location"]).status_code == 200
    assert client.get(f"{here}?pair={REVERSE}")["Location"] == f"{there}?pair=0"
    for view, pair in (("baseline=0&second=1", REVERSE), ("baseline=1&second=0", 0)):  # places as they were there
        assert client.get(f"{here}?{view}&all=1")["Location"] == f"{there}?all=1&pair={pair}"
    assert client.get(f"/api/v1{here[:-1]}", headers=JSON)["Location"] == f"/api/v1{there[:-1]}?pair={REVERSE}"
    FormerComparison.objects.update(pair=0)
    assert client.get(here)["Location"] == f"{there}?pair=0"
    assert client.get(f"{here}?pair={REVERSE}")["Location"] == f"{there}?pair={REVERSE}"
    assert client.get(f"/comparisons/{uuid4()}/").status_code == 404


def test_a_former_swap_is_there_for_whoever_sees_what_it_became_alone(sign_in, owner, stranger, guest, comparison):
    former = FormerComparison.objects.create(pk=uuid4(), comparison=comparison)
    paths = [f"/comparisons/{former.pk}/", f"/api/v1/comparisons/{former.pk}", f"/comparisons/{former.pk}/seen/"]
    for path in paths:
        codes = [sign_in(one).get(path).status_code for one in (owner, stranger, guest)]
        assert codes == [308, 404, 404], path
        assert Client().get(path).status_code != 308
    guest_access.show(owner, comparison, guest.membership)
    assert sign_in(guest).get(paths[0]).status_code == 308


def test_a_thread_is_found_from_the_comparison_and_from_its_former_swap(sign_in, owner, stranger, reports, guest):
    three = computed_both_ways(services.create_comparison(owner, [*reports, store_report(owner)], order_by_time=False))
    swapped = services.create_comparison(
        owner, [*three.reports.order_by("-name")], order_by_time=False, chosen_from=three.pk
    )
    other = services.create_comparison(owner, reports, order_by_time=False)
    thread = Thread.objects.create(team=owner.team, comparison=swapped, anchor="time", title="Time")
    for root, end in (("", "/"), ("/api/v1", "")):
        here, there = (f"{root}/comparisons/{one.pk}/threads/{thread.pk}{end}" for one in (three, swapped))
        assert sign_in(owner).get(here, headers=JSON)["Location"] == there
        elsewhere = here.replace(str(three.pk), str(other.pk))
        assert sign_in(owner).get(elsewhere, headers=JSON).status_code == 404
        assert sign_in(stranger).get(here, headers=JSON).status_code == 404
        assert sign_in(guest).get(here, headers=JSON).status_code == 404
        for one in (three, swapped):
            guest_access.show(owner, one, guest.membership)
        assert sign_in(guest).get(here, headers=JSON).status_code == 404  # of the team alone
        ShownComparison.objects.all().delete()


def test_scripts_follow_an_address_of_a_former_swap_to_every_answer(client, both_ways):
    former = FormerComparison.objects.create(pk=uuid4(), comparison=both_ways)
    waits = "foreground_wait_events"
    paths = ("", "/export.json", "/threads", "/verdicts", "/pins", "/links", "/commit", f"/sections/{waits}")
    for path in (*paths, f"/trend?section={waits}", "/threads?anchor=time"):
        led = client.get(f"/api/v1/comparisons/{former.pk}{path}", headers=JSON)["Location"]
        answer = client.get(led, headers=JSON)
        assert (f"pair={REVERSE}" in led, answer.status_code) == (True, 200), (led, answer.content)
        if path == "/export.json":
            whole = json.loads(b"".join(answer.streaming_content) if answer.streaming else answer.content)
    assert [one["file"] for one in whole["reports"]] == ["second.html", "first.html"]


def test_what_was_copied_from_a_swap_is_read_until_it_is_computed_both_ways(client, both_ways):
    turned = unpack(bytes(both_ways.overview))[1:]
    Comparison.objects.update(overview=pack(turned))
    ComparisonSection.objects.filter(pair=0).delete()
    here = f"/comparisons/{both_ways.pk}/"
    for path in ("", "commit/", "sections/foreground_wait_events/", "export.md", "search/", "status/"):
        answer = client.get(f"{here}{path}?pair={REVERSE}&q=log")
        assert answer.status_code == 200, path


def test_whoever_deletes_a_former_swap_deletes_nothing_else(client, comparison):
    former = FormerComparison.objects.create(pk=uuid4(), comparison=comparison)
    here = f"/comparisons/{former.pk}"
    assert client.post(f"{here}/delete/", follow=True).status_code == 404
    assert client.delete(f"/api/v1{here}", headers=JSON, follow=True).status_code == 404
    for path in ("without/", "aspect/"):  # their places are of other reports here
        assert client.post(f"{here}/{path}", {"place": "0", "aspect": ""}, follow=True).status_code == 404
    assert Comparison.objects.get().pk == comparison.pk
    assert client.post(f"{here}/title/", {"title": "Slow"})["Location"].startswith(
        f"/comparisons/{comparison.pk}/title/"
    )


def test_it_waits_for_its_reports_and_starts_with_the_last_one(client, reports, monkeypatch):
    sent = []
    monkeypatch.setattr(tasks, "wake", lambda task, pk: sent.append(pk))
    Report.objects.update(state=State.PENDING)
    made = compute(make(client, *reports))
    assert made.state == State.PENDING
    assert client.get(f"/comparisons/{made.pk}/", headers=JSON).json()["stage"] == "reading"
    Report.objects.filter(pk=reports[0].pk).update(state=State.READY)
    assert "reading the reports: 1 of 2 read" in client.get(f"/comparisons/{made.pk}/").content.decode()
    tasks.report_settled(reports[0].pk)
    assert sent == []
    Report.objects.filter(pk=reports[1].pk).update(state=State.READY)
    tasks.report_settled(reports[1].pk)
    assert sent == [made.pk]


def test_a_report_restarted_under_its_hands_gives_the_comparison_back(client, reports, monkeypatch):
    made = make(client, *reports)
    answers = iter([True, False])  # settled when the task looked, not any more when it began
    monkeypatch.setattr(tasks, "_all_settled", lambda found: next(answers))
    assert (compute(made).state, made.attempt, made.failures) == (State.PENDING, 1, 0)


def test_a_report_that_failed_is_named_and_told_beside_its_file(client, reports):
    Report.objects.filter(pk=reports[1].pk).update(state=State.FAILED, error="It is no AWR report.", error_code="x")
    made = compute(make(client, *reports))
    assert (made.state, made.error_code) == (State.FAILED, "report-failed")
    body = client.get(f"/comparisons/{made.pk}/status/", headers=JSON).json()
    assert "second.html" in body["error"]
    assert [r["error"] for r in body["reports"]] == [None, "It is no AWR report."]


def test_a_report_that_recovers_brings_its_comparison_back(client, reports):
    Report.objects.filter(pk=reports[1].pk).update(state=State.FAILED, error="x")
    made = compute(make(client, *reports))
    assert services.restart_stale(10) == 0
    Report.objects.filter(pk=reports[1].pk).update(state=State.READY)
    assert services.restart_stale(10) == 1
    assert compute(made).state == State.READY


def test_a_fault_in_the_engine_is_tried_again_and_then_said(client, reports, monkeypatch):
    def fall_over(held):
        raise ZeroDivisionError

    monkeypatch.setattr(tasks, "_compute", fall_over)
    made = make(client, *reports)
    for attempt in (1, 2):
        assert (compute(made).state, made.attempt) == (State.PENDING, attempt)
    assert (compute(made).state, made.error_code) == (State.FAILED, "gave-up")


def test_a_repeat_of_the_task_does_nothing(comparison, monkeypatch):
    monkeypatch.setattr(tasks, "_compute", lambda held: pytest.fail("computed twice"))
    assert compute(comparison).state == State.READY


def test_status_answers_304_while_nothing_changed(client, comparison):
    path = f"/comparisons/{comparison.pk}/status/"
    first = client.get(path, headers=JSON)
    again = client.get(path, headers={**JSON, "If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    Comparison.objects.update(state=State.RUNNING, stage="comparing")
    changed = client.get(path, headers={**JSON, "If-None-Match": first["ETag"]})
    assert (changed.status_code, changed.json()["stage"]) == (200, "comparing")


def test_search_covers_sections_not_opened(client, comparison):
    found = client.get(f"/comparisons/{comparison.pk}/search/?q=LOG%20file", headers=JSON).json()["sections"]
    assert found["foreground_wait_events"] == 1
    assert client.get(f"/comparisons/{comparison.pk}/search/?q=", headers=JSON).json()["sections"] == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [("%", {}), ("_", {"init_parameters": 1}), ("\\", {}), ("'", {}), ('"; DROP TABLE x; --', {})],
)
def test_search_takes_its_text_as_it_is(comparison, text, found):
    assert queries.matching_rows(comparison, text) == found


def test_delete_takes_reports_only_it_stands_on(client, owner, reports, comparison):
    third = store_report(owner, "third.html")
    services.create_comparison(owner, [reports[0], third], order_by_time=False)
    client.post(f"/comparisons/{comparison.pk}/delete/")
    assert set(Report.objects.values_list("name", flat=True)) == {"first.html", "third.html"}


def queries_of(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        answer = client.get(path)
    assert answer.status_code == 200
    once_an_hour = ("SAVEPOINT", "audit_auditline")
    return sum(not any(name in query["sql"] for name in once_an_hour) for query in seen)


def test_queries_do_not_grow_with_rows_sections_or_reports(client, owner, comparison):
    """What the strip of three reports and more reads of them is kept in memory."""
    pair = queries_of(client, f"/comparisons/{comparison.pk}/")
    big = [store_report(owner, f"big{i}.html", waits=50.0 * i, extra_rows=400) for i in range(4)]
    three, many = (compute(make(client, *big[:n])) for n in (3, 4))
    assert (
        queries_of(client, f"/comparisons/{many.pk}/?pair=1")
        == queries_of(client, f"/comparisons/{three.pk}/?pair=1")
        <= 13
    )
    assert pair <= 13  # one of them: when its findings were judged last
    section = "sections/foreground_wait_events/"
    assert queries_of(client, f"/comparisons/{many.pk}/{section}") == queries_of(
        client, f"/comparisons/{comparison.pk}/{section}"
    )


def test_queries_of_the_first_page_do_not_grow_with_comparisons(client, owner, reports, comparison):
    few = queries_of(client, "/")
    for n in range(10):
        services.create_comparison(owner, [*reports, store_report(owner, f"{n}.html")], order_by_time=False)
    assert queries_of(client, "/") == few
