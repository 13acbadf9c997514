"""Time of one report by event and consumer: a pair's lists for one side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from awrdiff.analysis.entities.kinds import Ref
from awrdiff.analysis.model.sampled import SampledKind
from awrdiff.analysis.report.sampled import mean_sessions
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.statements import ELAPSED, Statement
from awrdiff.analysis.verdict.bars import Bars
from awrdiff.analysis.words import number, seconds
from awrdiff.web import format as fmt
from awrdiff.web.presenters.page.movers import LinkView
from awrdiff.web.presenters.page.ranked import cut
from awrdiff.web.presenters.page.sampled import path_of

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


class TimeRow(Struct, frozen=True):
    """`share`: of DB time or of samples. `average`: of one wait."""

    name: LinkView
    sessions: str
    share: str
    average: str


class WhoRow(Struct, frozen=True):
    kind: str
    name: LinkView
    sessions: str
    share: str
    how: str
    about: str


def time_rows(bars: Bars | None, events: Mapping[str, LinkView]) -> tuple[TimeRow, ...]:
    """Parts of the single bar, with their events' links."""
    if bars is None or not bars.scale:
        return ()
    (bar,) = bars.bars
    return tuple(
        TimeRow(
            events.get(part.name, LinkView(part.name, "")),
            number(part.sessions),
            fmt.share(100 * part.sessions / bar.sessions) if bar.sessions else fmt.NONE,
            seconds(part.avg_wait_s) if part.avg_wait_s is not None else fmt.NONE,
        )
        for part in bar.parts
    )


def who_rows(side: Side, titles: Mapping[str, str]) -> tuple[WhoRow, ...]:
    """Statements by elapsed time; for ASH everything its samples name. `titles`: of its sections."""
    ranked = sorted(_sampled(side) if side.report.kind == "ash" else _statements(side), key=lambda entry: -entry[0])
    return tuple(row for pct, row in ranked if pct >= LEAST_PCT)[:MOST]


def _statements(side: Side) -> Iterator[tuple[float, WhoRow]]:
    for key, statement in side.statements.items():
        share, sessions = side.share_of_db_time(statement.elapsed), side.per_second(statement.elapsed)
        if share is None or sessions is None or statement.figures["elapsed_time_s"].section != ELAPSED:
            continue
        name = LinkView(key.sql_id, ELAPSED, Ref("sql", key.sql_id).path)
        yield (
            100 * share,
            WhoRow("SQL", name, number(sessions), fmt.share(100 * share), _runs(side, statement), cut(statement.text)),
        )


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
            yield pct, WhoRow(_KINDS[kind], link, sessions, fmt.share(pct), events[name], "")
