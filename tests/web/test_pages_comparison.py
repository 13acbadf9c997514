"""The comparison page: what it says, what it weighs, what it costs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.template import Template, engines
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Evidence, Finding
from awrdiff.analysis.model.diagnosis import Answer
from awrdiff.analysis.model.ranked_changes import Mover, Range, Ranked, Sessions, Subject
from awrdiff.comparisons import queries
from awrdiff.processing.models import State
from awrdiff.serving import forks
from awrdiff.web.presenters.page import overview
from awrdiff.web.presenters.section import compared_section
from awrdiff.web.templatetags.awr import strong_figures
from tests.harness.cost import is_linear
from tests.web.compared import HOSTILE, activity_section, comparison, row_id, waits_section
from tests.web.conftest import store_report
from tests.web.pages import check_markup, store_comparison

pytestmark = pytest.mark.django_db
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def stored(owner, reports):
    return store_comparison(owner, reports)


def page(client, stored, **query) -> str:
    answer = client.get(reverse("comparison", args=[stored.pk]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def part(client, stored, section: str, **query) -> str:
    url = reverse("comparison-section", args=[stored.pk, section])
    answer = client.get(url, query, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_says_what_changed(client, stored):
    html = page(client, stored)
    check_markup(html)
    assert "Average active sessions rose from <b>3.8</b> to <b>81.4</b>" in html
    assert "7 of 34 rules fired · 22 quiet · 2 denied by other figures · 3 could not be checked" in html
    assert "11 Jan 2018 09:30 – 10:30" in html
    assert "The windows differ by 2.1 % in length" in html
    assert ">unaccounted<" in html.replace("\n", "").replace("  ", "")
    mutex = row_id("foreground_wait_events", "library cache: mutex X")
    assert f'href="#foreground_wait_events/{mutex}"' in html


def test_the_commit_card_says_not_material_and_names_what_is_missing(client, stored):
    html = page(client, stored)
    assert "not material here: 2.1 % → 0.1 % of DB time" in html
    assert '<li class="lead">Second: missing</li><li>log file parallel write</li>' in html
    assert "120 µs … 140 µs" in html


def test_reports_that_cannot_be_weighed_are_not_said_to_be_quiet(client, owner, reports):
    """Of findings or samples there is nothing that the rules or the commit figures could look at."""
    header = {"schema": "awrdiff.report/1", "file": "a.txt", "kind": "addm"}
    sampled = replace(comparison(), headers=(header, header), findings=(), attribution=None)
    html = page(client, store_comparison(owner, reports, sampled))
    assert "Little could be checked" in html
    assert "No rule fired" not in html
    weighed = page(client, store_comparison(owner, reports, comparison()))
    for words in ("CPU or event", "Second: missing"):
        assert words in weighed
        assert words not in html


def test_rates_are_the_default_where_the_windows_differ(client, stored):
    assert 'data-basis="s" data-default-basis="s"' in page(client, stored)
    assert 'data-basis="txn" data-default-basis="s"' in page(client, stored, basis="txn")
    assert 'data-basis="s" data-default-basis="s"' in page(client, stored, basis="nonsense")


def test_report_text_is_escaped(client, stored):
    for html in (
        page(client, stored),
        part(client, stored, "foreground_wait_events"),
        part(client, stored, "sql_by_elapsed_time"),
        part(client, stored, "foreground_wait_events", q=HOSTILE),
    ):
        assert "<script>alert" not in html
        assert ESCAPED in html


def test_first_view_weight(client, owner, reports):
    """200 sections, as two releases together can have: still under 150 kB, and no more queries than for a few."""
    sections = tuple(
        _renamed(activity_section(4), f"invented_table_{i}", f"An invented table with a long printed heading {i}")
        for i in range(200)
    )
    many = store_comparison(owner, reports, comparison((*comparison().sections, *sections)))
    html = page(client, many)
    assert html.count('class="card sec') == 205
    assert len(html.encode()) <= 150_000


def _renamed(section, section_id, title):
    from msgspec.structs import replace

    return replace(section, id=section_id, title=title, family="other")


def test_queries_do_not_grow_with_rows(client, owner, reports, django_assert_max_num_queries):
    small = store_comparison(owner, reports)
    large = store_comparison(owner, reports, comparison((waits_section(900), activity_section(900))))
    for stored in (small, large):
        with django_assert_max_num_queries(16):  # three of them the audit log's, once an hour
            page(client, stored)
        with django_assert_max_num_queries(9):
            part(client, stored, "foreground_wait_events")


def test_a_section_shows_changed_rows_and_says_how_many_are_hidden(client, stored):
    html = part(client, stored, "foreground_wait_events")
    check_markup(html)
    assert "1 row hidden: unchanged, or below 1 %" in html
    assert "Disk file operations I/O" not in html
    assert "Disk file operations I/O" in part(client, stored, "foreground_wait_events", all="1")


def test_missing_is_not_zero(client, stored):
    assert "not listed" in part(client, stored, "foreground_wait_events")
    assert "not in the part of the list that stands there" in part(client, stored, "sql_by_elapsed_time")
    assert "default there" in part(client, stored, "init_parameters")


def test_idle_events_stand_last(client, stored):
    html = part(client, stored, "foreground_wait_events")
    assert html.rindex("<tr ") == html.index(
        '<tr id="r-' + row_id("foreground_wait_events", "SQL*Net message from client")
    )


def test_waits_are_shown_as_count_average_and_sessions(client, stored):
    html = part(client, stored, "foreground_wait_events", basis="s")
    for words in ("waits per second", "average wait", "active sessions", "▲ +27.2", "3.31 ms", "5.65 s"):
        assert words in html
    assert "waits per transaction" in part(client, stored, "foreground_wait_events", basis="txn")
    assert "total time" in part(client, stored, "foreground_wait_events", basis="total")


def test_sql_says_what_the_captured_statements_cover(client, stored):
    html = part(client, stored, "sql_by_elapsed_time")
    assert "22.2 % of Total DB Time" in html
    assert "41.0 % of Total DB Time" in html
    assert "Elapsed per Exec" in html
    assert "SELECT CARD_ID" in html


def test_a_long_section_comes_in_windows_that_follow_each_other(client, owner, reports):
    stored = store_comparison(owner, reports, comparison((waits_section(330),)))
    seen = []
    for start in (0, 100, 200, 300):
        html = part(client, stored, "foreground_wait_events", **{"from": start})
        seen += [piece[:12] for piece in html.split('<tr id="r-')[1:]]
    assert len(seen) == len(set(seen)) == 329  # one of the 330 did not change


def test_a_link_to_a_row_finds_it_beyond_the_window_and_though_unchanged(client, owner, reports):
    stored = store_comparison(owner, reports, comparison((waits_section(330),)))
    far = row_id("foreground_wait_events", "invented event 300")
    hidden = row_id("foreground_wait_events", "Disk file operations I/O")
    assert f'id="r-{far}"' in part(client, stored, "foreground_wait_events", row=far)
    assert f'id="r-{hidden}"' in part(client, stored, "foreground_wait_events", row=hidden)


def test_a_column_orders_the_rows_and_idle_events_stay_last(client, stored):
    html = part(client, stored, "foreground_wait_events", sort="0s")
    names = [
        re.split('<th scope="row"><a class="to"[^>]*>', piece)[1].split("<")[0]
        for piece in html.split('<tr id="r-')[1:]
    ]
    assert names[:2] == ["db file sequential read", "direct path read"]
    assert names[-1] == "SQL*Net message from client"
    assert 'aria-sort="descending"' in html
    assert part(client, stored, "foreground_wait_events", sort="99f") == part(client, stored, "foreground_wait_events")


def test_the_filter_keeps_matching_rows(client, stored):
    html = part(client, stored, "foreground_wait_events", q="MUTEX")
    assert html.count("<tr id=") == 1
    assert "1 row matching “MUTEX”" in html
    assert "No row here matches “nothing such”" in part(client, stored, "foreground_wait_events", q="nothing such")


def test_the_histogram_has_a_table_and_the_figures_of_its_chart(client, stored):
    html = part(client, stored, "wait_event_histogram")
    check_markup(html)
    assert "data-chart-row=" in html
    assert "&lt;2 ms" in html
    assert html.count('class="two ') == 2


def test_percentiles_stand_under_the_chart(client, stored):
    html = part(client, stored, "wait_event_histogram", row=row_id("wait_event_histogram", "log file sync"))
    table = html[html.index('class="mini percentiles"') :].split("</table>")[0]
    text = " ".join(re.sub(r"<[^>]+>", " ", table).split())
    assert text.endswith(
        "p50 p90 p95 p99 First 1 – 2 ms 4 – 8 ms 8 – 16 ms ≥16 ms Second 2 – 4 ms 8 – 16 ms 16 – 32 ms ≥32 ms"
    )


def test_the_chart_of_another_event_comes_alone(client, stored):
    other = row_id("wait_event_histogram", "log file parallel write")
    html = part(client, stored, "wait_event_histogram", row=other, only="chart")
    assert html.count("<table") == 1
    assert html.count('<path class="halo"') == html.count('<path class="edge') == 2
    assert "&lt;32 ms" in html
    assert "≥32 ms" not in html  # neither waited so long: an empty bucket says nothing


def test_a_section_is_a_page_of_its_own_without_scripts(client, stored):
    answer = client.get(reverse("comparison-section", args=[stored.pk, "foreground_wait_events"]))
    html = answer.content.decode()
    check_markup(html)
    assert html.startswith("<!DOCTYPE html>")
    assert "library cache: mutex X" in html


@pytest.mark.hostile
def test_rows_cost_what_their_number_does():
    def rendered(computed):
        view = compared_section.present(computed, compared_section.Options())
        return render_to_string(
            "sections/_table.html", {"v": view, "section_url": "/", "entities_url": "/", "chosen": ""}
        )

    assert is_linear(waits_section, rendered, 8000)


def test_a_pending_comparison_shows_its_stage_and_files(client, owner, reports):
    stored = store_comparison(owner, reports)
    type(stored).objects.filter(pk=stored.pk).update(state=State.RUNNING, stage="comparing")
    html = page(client, stored)
    check_markup(html)
    assert "comparing row by row" in html
    assert "first.html" in html


def test_a_failed_comparison_shows_the_error_beside_its_file_and_can_be_retried(client, owner):
    files = [store_report(owner, "good.html"), store_report(owner, "bad.html")]
    type(files[1]).objects.filter(pk=files[1].pk).update(state=State.FAILED, error="It is a picture, not a report.")
    stored = store_comparison(owner, files)
    type(stored).objects.filter(pk=stored.pk).update(state=State.FAILED, error="“bad.html” could not be read.")
    html = page(client, stored)
    check_markup(html)
    assert "It is a picture, not a report." in html
    assert reverse("comparison-retry", args=[stored.pk]) in html


def test_unknown_sections_and_pairs_are_not_there(client, stored):
    url = reverse("comparison", args=[stored.pk])
    assert client.get(reverse("comparison-section", args=[stored.pk, "no_such"])).status_code == 404
    assert client.get(url, {"pair": "7"}).status_code == 404


def test_a_stranger_sees_nothing(sign_in, stranger, stored):
    outside = sign_in(stranger)
    assert outside.get(reverse("comparison", args=[stored.pk])).status_code == 404
    assert outside.get(reverse("comparison-section", args=[stored.pk, "init_parameters"])).status_code == 404


def test_what_one_execution_costs_is_finer_than_printed(client, owner, reports):
    """0.36 s over 1,200 executions is 0.00 in print, and 300 µs here."""
    from msgspec.structs import replace

    from tests.web.compared import delta, sql_section

    section = sql_section()
    quick = replace(
        section.rows[0],
        values=section.rows[0].values
        | {"elapsed_time_s": delta(0.36, 0.48, 0.005), "elapsed_per_exec_s": delta(0.0, 0.0, 0.005, total=False)},
    )
    stored = store_comparison(owner, reports, comparison((replace(section, rows=(quick,)),)))
    html = part(client, stored, "sql_by_elapsed_time")
    assert ">300</td>" in html
    assert ">356</td>" in html
    assert "Elapsed per Exec,\u00a0µs" in html


def with_minor_rows(rows: int):
    """The waits, of which the invented ones changed by next to nothing."""
    from msgspec.structs import replace

    section = waits_section(rows)
    small = tuple(replace(r, minor=r.key["event"].startswith("invented")) for r in section.rows)
    return replace(section, rows=small)


def test_small_changes_are_hidden_and_counted_everywhere_alike(client, owner, reports):
    stored = store_comparison(owner, reports, comparison((with_minor_rows(12),)))
    html = part(client, stored, "foreground_wait_events")
    assert "5 rows hidden: unchanged, or below 1 %" in html
    assert "show all 12" in html
    assert "invented event" not in html
    assert "invented event" in part(client, stored, "foreground_wait_events", all="1")
    whole = page(client, stored)
    assert "7 of 12 rows changed" in whole
    assert "(5 hidden)" in whole


def test_hidden_small_changes_are_never_called_no_change(client, owner, reports):
    from msgspec.structs import replace

    section = waits_section(12)
    small = replace(section, rows=tuple(replace(r, minor=r.status != "same") for r in section.rows))
    stored = store_comparison(owner, reports, comparison((small,)))
    whole = page(client, stored)
    assert "12 rows unchanged" in whole
    assert "no change in 12 rows" not in whole
    html = part(client, stored, "foreground_wait_events")
    assert "No row changed by 1 % of DB time, or as much as that." in html
    assert "12 rows hidden: unchanged, or below 1 %" in html
    hidden = row_id("foreground_wait_events", "log file sync")
    assert f'id="r-{hidden}"' in part(client, stored, "foreground_wait_events", row=hidden)


def test_every_number_of_a_section_has_its_unit(client, stored):
    html = part(client, stored, "sql_by_elapsed_time", basis="total")
    assert "Elapsed Time,\u00a0s" in html
    assert "Elapsed per Exec" in html
    assert "2.2 %</td>" in html
    assert "in %" in part(client, stored, "wait_event_histogram")


def test_words_for_a_missing_side_are_short_and_explained(client, stored):
    html = part(client, stored, "sql_by_elapsed_time")
    assert 'title="not in the part of the list that stands there: unknown, not zero">not listed</td>' in html
    assert "only Second</td>" in html
    assert "so unknown, not zero" in html
    assert 'title="not among the parameters printed there, so it has its default value">default there' in part(
        client, stored, "init_parameters"
    )


def test_the_filter_counts_in_the_pair_that_is_shown(client, owner, reports, stored):
    from awrdiff.comparisons.result_storage import pack_overviews, section_rows

    other = comparison((activity_section(9),))
    type(stored).objects.filter(pk=stored.pk).update(overview=pack_overviews([comparison(), other]))
    for line in section_rows(stored, 1, other):
        line.save()
    url = reverse("comparison-search", args=[stored.pk])
    assert client.get(url, {"q": "invented statistic", "pair": "1"}).json() == {"sections": {"instance_activity": 8}}
    assert client.get(url, {"q": "mutex", "pair": "1"}).json() == {"sections": {}}


def test_a_swap_is_offered_for_the_pair_it_swaps(client, owner, reports, stored):
    from awrdiff.comparisons.models import ComparisonReport
    from awrdiff.comparisons.result_storage import pack_overviews, section_rows

    ComparisonReport.objects.create(comparison=stored, report=reports[1], position=2)
    type(stored).objects.filter(pk=stored.pk).update(overview=pack_overviews([comparison(), comparison()]))
    for line in section_rows(stored, 1, comparison()):
        line.save()
    assert 'id="swap"' in page(client, stored, pair="0")
    assert 'id="swap"' not in page(client, stored, pair="1")


def test_what_a_statement_rests_on_is_linked_only_where_the_page_has_it():
    found = comparison()
    titles = {s.id: s.title for s in found.sections}
    seen = overview.present(found, titles)
    assert [e.target.partition("/")[0] for e in seen["findings"][0]["evidence"]] == ["foreground_wait_events"]
    assert any("/" in row["name"].target for row in seen["time"]["rows"])
    without = overview.present(found, {})
    assert without["findings"][0]["evidence"] == []
    assert {row["name"].target for row in without["time"]["rows"]} == {""}


def test_the_verdicts_figures_stand_out_and_names_with_digits_do_not():
    markup = strong_figures("rose from 2.8 to 9.3 (×3.35) by 1,386 s; <statement> bsw76ah8zct21 alone 25 %.")
    assert re.findall("<b>(.*?)</b>", markup) == ["2.8", "9.3", "×3.35", "1,386 s", "25 %"]
    assert "&lt;statement&gt; bsw76ah8zct21" in markup


@pytest.mark.parametrize(
    "text", ["1 → 9 waits per second; each took 2 ms. Nobody else waits.", "1 → 9 waits.", "x" * 300]
)
def test_a_finding_is_told_whole_beside_the_rows_it_rests_on(stored, text):
    finding = next(f for f in queries.overview(stored).findings if f.evidence)
    titles = {e.section: "Foreground events" for e in finding.evidence}
    view = overview.finding_view(replace(finding, text=text), titles)
    assert text.startswith(view["lead"])
    assert text.removesuffix(".").endswith(view["text"].removesuffix("."))
    assert len(view["lead"]) + len(view["text"]) >= len(text) - len("; .")
    assert all(e.text.startswith("Foreground events") for e in view["evidence"])


STATEMENT = "5ty1pj8ra3gk7"


def answered(**texts: Any) -> Computed:
    """A comparison with an answer, which names a statement that has a panel."""
    mover = Mover(
        Subject("sql", STATEMENT), "again", Sessions(Range(2, 2), Range(9, 9)), 7.0, "worse", evidence=SQL_ROW
    )
    return replace(comparison(), ranked=Ranked(10.0, 20.0, 20.0, (mover,)), answer=Answer(**texts))


SQL_ROW = Evidence("sql_by_elapsed_time", STATEMENT, "elapsed_time_s", row_id("sql_by_elapsed_time", STATEMENT))


def test_the_answer_stands_first_and_what_it_names_leads_on(client, owner, reports):
    texts = {
        "state": "second_worse",
        "headline": f"{STATEMENT} takes 6.9 × as long {HOSTILE}",
        "detail": f"{STATEMENT}x is another; since its plan changed",
        "not_the_cause": ("CPU is not the limit (host 43 % busy)", f"as before {HOSTILE}"),
        "improvement": "a backup ran in First only",
    }
    stored = store_comparison(owner, reports, answered(**texts))
    html = page(client, stored)
    check_markup(html)
    card = re.search(r'<section class="card" id="summary".*?</section>', html, re.S)[0]
    address = reverse("comparison-entity", args=[stored.pk, "sql", STATEMENT])
    assert card.count(f'<a class="to" href="{address}">{STATEMENT}</a>') == 1  # of a longer word it is no name
    assert card.index("Second got worse") < card.index(address) < card.index('class="stack"') < card.index("Not the")
    assert card.count(ESCAPED) == 2
    assert "CPU is not the limit (host 43 % busy) · as before" in " ".join(card.split())
    assert "a backup ran in First only" in card
    assert html.index('id="summary"') < html.index('id="findings"') < html.index('id="time"') < html.index("All tables")


def stub(rule: str, severity: Any, into: str = "") -> Finding:
    return Finding(rule, severity, f"{rule}.", "", folded_into=into)


def test_no_fold_holds_a_warning_and_no_critical_stands_below_one():
    small = replace(stub("small", "warning"), folded_because="small")
    findings = (stub("n", "note"), stub("w", "warning"), small, stub("twin", "critical", "c"), stub("c", "critical"))
    orphan = stub("orphan", "warning", "n")  # of a note: nothing that is shown says it
    made = overview.present(replace(comparison(), findings=(*findings, orphan)), {})
    assert [f["title"] for f in made["findings"]] == ["c.", "w.", "small.", "orphan."]
    assert [(f["title"], f["is_twin"]) for f in made["more_findings"]] == [("n.", False), ("twin.", True)][::-1]
    assert made["more_heading"] == "1 finding says the same in other words · 1 note"
    assert [f["number"] for f in made["findings"]] == [5, 2, 3, 6]  # their places, by which others lead to them


def test_the_first_screen_has_both_sides_as_bars_on_one_scale(client, stored):
    html = page(client, stored)
    figure = re.search(r'<figure class="bars".*?</figure>', html, re.S)
    assert figure
    widths = [sum(map(float, re.findall(r"width:([\d.]+)%", bar))) for bar in figure[0].split('class="stack"')[1:]]
    assert len(widths) == 2
    assert max(widths) == pytest.approx(100, abs=0.1)
    assert "a second ×" in figure[0]


def test_a_process_that_was_forked_compiles_no_template_of_a_page(client, stored, settings, monkeypatch):
    """As bin/serve leaves them to its forks."""
    engines["django"].engine.template_loaders[0].reset()
    forks._compile_pages(settings.BASE_DIR / "templates")
    compiled: list[str] = []
    compile_nodelist = Template.compile_nodelist

    def noted(self: Template):
        compiled.append(self.name)
        return compile_nodelist(self)

    monkeypatch.setattr(Template, "compile_nodelist", noted)
    page(client, stored)
    assert compiled == []
    engines["django"].engine.template_loaders[0].reset()
    page(client, stored)
    assert "base.html" in compiled
