"""Head of a single report: verdict, findings, time, its comparisons and other reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.entities.kinds import Ref
from awrdiff.analysis.export.single_report import rules_by_missing_table
from awrdiff.analysis.figures_in_words import number, seconds
from awrdiff.analysis.model.ash_activity import Activity, SampledKind
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.analysis.model.single_report import Assessment
from awrdiff.analysis.report.ash_and_addm_load import mean_sessions
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.sql_statements import ELAPSED, Statement
from awrdiff.analysis.verdict.ash_activity import stretches_of
from awrdiff.analysis.verdict.db_time_bars import ASH_LISTS, Bar, bars_of_report
from awrdiff.comparisons import comparisons_by_database
from awrdiff.comparisons.report_places_and_titles import placed_reports_in
from awrdiff.reports.models import Report
from awrdiff.web import links
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.page import db_time, titles
from awrdiff.web.presenters.page.db_time import LinkView, cut
from awrdiff.web.presenters.page.overview import finding_view, heading_of, rules_text
from awrdiff.web.presenters.page.sampled_activity import activity_chart, path_of
from awrdiff.web.query_options import Choice

MOST, LEAST_PCT = 6, 1.0  # rows; percent of DB time, or of what was sampled
# Kind, section, and the columns that name a row and split it further.
_SAMPLED: tuple[tuple[SampledKind, str, str, str], ...] = (
    ("sql", "top_sql_with_top_events", "sql_id", "plan_hash"),
    ("object", "top_db_objects", "object", ""),
    ("session", "top_sessions", "session", ""),
    ("blocker", "top_blocking_sessions", "blocking_session", ""),
)
_KINDS = {"sql": "SQL", "object": "object", "session": "session", "blocker": "blocker"}
WHO_OF = (ELAPSED, *(section for _, section, *_ in _SAMPLED))  # sections that the second list is made of


# Kind, link, sessions, share, how, beside the name.
WhoRow = tuple[str, LinkView, str, str, str, str]


def who_rows(side: Side) -> list[WhoRow]:
    """Statements by elapsed time; all that ASH samples name."""
    ranked = sorted(_sampled(side) if side.report.kind == "ash" else _statements(side), key=lambda entry: -entry[0])
    return [row for pct, row in ranked if pct >= LEAST_PCT][:MOST]


def _statements(side: Side) -> Iterator[tuple[float, WhoRow]]:
    for key, statement in side.statements.items():
        share, sessions = side.share_of_db_time(statement.elapsed), side.per_second(statement.elapsed)
        if share is None or sessions is None or statement.figures["elapsed_time_s"].section != ELAPSED:
            continue
        name = LinkView(key.sql_id, ELAPSED, Ref("sql", key.sql_id).path)
        figures = number(sessions), fmt.share(100 * share)
        yield 100 * share, ("SQL", name, *figures, _runs(side, statement), cut(statement.text))


def _runs(side: Side, statement: Statement) -> str:
    each, rate = statement.per_execution("elapsed_time_s"), side.per_second(statement.executions)
    if each is None or rate is None:
        return "no execution ended" if statement.executions is not None and not statement.executions.number else ""
    return f"{seconds(each.number)} each · {number(rate)}/s"


def _sampled(side: Side) -> Iterator[tuple[float, WhoRow]]:
    mean = mean_sessions(side)
    for kind, section_id, column, split in _SAMPLED:
        section = side.report.section(section_id)
        if section is None or mean is None:
            continue
        shares: dict[str, dict[str, float]] = {}
        events: dict[str, str] = {}
        for record in section.records:
            name, share = section.text(record, column), section.number(record, "pct_activity")
            if not name or share is None:
                continue
            shares.setdefault(name, {}).setdefault(section.text(record, split) if split else "", share.number)
            events.setdefault(name, section.text(record, "event"))
        for name, parts in shares.items():
            pct = sum(parts.values())
            link = LinkView(name, section_id, path_of(kind, name))
            sessions = number(pct / 100 * mean.number)
            yield pct, (_KINDS[kind], link, sessions, fmt.share(pct), events[name], "")


def present(assessment: Assessment, titles: Mapping[str, str], side: Side) -> dict[str, Any]:
    """`titles`: by section id; `side`: time and course."""
    findings = [finding_view(f, titles) for f in assessment.findings]
    notes = [f for f in findings if f["cls"] == "note"]
    stretches = stretches_of(side)
    events = _events(side, titles)
    stacked = bars_of_report(side)
    time = stacked.bars[0] if stacked is not None and stacked.scale else None
    return {
        "assessment": assessment,
        "names": events,
        "findings": sorted((f for f in findings if f["cls"] != "note"), key=lambda f: f["cls"] != "crit"),
        "more_findings": notes,
        "more_heading": heading_of(notes),
        "rules": rules_text(assessment.rules) if assessment.weighed else "",
        "weighed": assessment.weighed,
        "all_clear": assessment.state == "calm" and all(f.severity == "note" for f in assessment.findings),
        # By missing data, how many rules.
        "unchecked": list(rules_by_missing_table(assessment.unchecked)) if assessment.weighed else [],
        "bars": db_time.bars_view(stacked, [side.report.host.cpus], events, {}),
        "when": activity_chart(Activity(stretches, (), joined=False), in_brief=True) if stretches else None,
        "time": _time_rows(time, events) if time is not None else [],
        "has_averages": time is not None and any(part.avg_wait_s is not None for part in time.parts),
        "who": who_rows(side),
    }


def _time_rows(bar: Bar, events: Mapping[str, LinkView]) -> list[tuple[LinkView, str, str, str]]:
    """Event, sessions, share of DB time or of samples, average of one wait."""
    return [
        (
            events.get(part.name, LinkView(part.name, "")),
            number(part.sessions),
            fmt.share(100 * part.sessions / bar.sessions) if bar.sessions else fmt.NONE,
            seconds(part.avg_wait_s) if part.avg_wait_s is not None else fmt.NONE,
        )
        for part in bar.parts
    ]


def _events(side: Side, titles: Mapping[str, str]) -> dict[str, LinkView]:
    events = {event.name: event.section for event in side.foreground.values()}
    for section in filter(None, map(side.report.section, ASH_LISTS)) if side.report.kind == "ash" else ():
        events |= {section.text(record, "event"): section.id for record in section.records}
    return {
        name: LinkView(name, section, Ref("event", name).path) for name, section in events.items() if section in titles
    }


MOST_PARTNERS, MOST_STANDING = 40, 8


def partners_of(access: AccessContext, report: Report, came_from: str, pair: int) -> dict[str, Any]:
    """`came_from`, `pair`: comparison that linked here."""
    standing = list(comparisons_by_database.standing_on(access, report, came_from=came_from)[:MOST_STANDING])
    placed_reports = placed_reports_in(standing)
    lines = [
        (comparison, titles.comparison_title(comparison, placed_reports[comparison.pk]))
        for comparison in standing
        if comparison.pk in placed_reports
    ]
    back = [(comparison.pk, title) for comparison, title in lines if str(comparison.pk) == came_from]
    may_compare = report.kind != TRACE
    candidates = comparisons_by_database.partners(access, report, most=MOST_PARTNERS) if may_compare else []
    here = urlencode({"with": report.pk, "db": comparisons_by_database.group_of(report).address})
    return {
        "chosen": report,
        "standing": [(links.comparison(access, comparison), title) for comparison, title in lines],
        "came_from": next((Choice(links.place(pk, pair), title) for pk, title in back), None),
        "partners": [(report.pk, titles.title_with_file(report)) for report in candidates],
        "may_compare": may_compare,
        "choose_url": f"{reverse('home')}?{here}",
    }
