"""Log switches in figures: how often, and how full the logs were."""

from __future__ import annotations

from typing import NamedTuple

from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.facts import QUIET, Answer, Facts, Said, Unknown, row
from awrdiff.analysis.words import number, seconds, size

_ROW = "log switches (derived)"
OFTEN = 12.0  # per hour: Oracle advises one in 20 minutes at most, so this is four times as often
NOT_PRINTED = Unknown("Instance Activity Stats - Thread Activity: log switches (derived)")
_EARLY = 0.5  # of what the smallest log surely holds
_FEWEST = 4  # switches: the redo of fewer says little about how full a log was
_BLOCK = 512  # bytes of redo


class Switches(NamedTuple):
    """Of one side. `each`: bytes of redo per switch; `log`: bytes that the smallest log surely holds."""

    per_hour: float
    each: float | None
    log: float | None

    @property
    def early(self) -> bool:
        return self.each is not None and self.log is not None and self.each < _EARLY * self.log


def log_switch_rate(facts: Facts) -> Answer:
    """More than 12 switches per hour on a side, half as many again as on the other, or long before the log is full.

    The size of the logs is not printed; Instance Recovery Stats prints how many redo blocks the smallest one takes
    before it must be switched. What switches a log early: archive_lag_target, a forced switch, many strands.

    Source: Oracle Database Performance Tuning Guide, sizing redo logs: at most one switch in 20 minutes.
    """
    pair = (switches_of(facts.first), switches_of(facts.second))
    a, b = pair
    if a is None or b is None:
        return NOT_PRINTED
    moved = b.per_hour >= 1.5 * a.per_hour or a.per_hour >= 1.5 * b.per_hour
    if max(a.per_hour, b.per_hour) < OFTEN or not (moved or a.early or b.early):
        return QUIET
    shown = b if b.per_hour >= a.per_hour else a
    sessions = sizes.waited(facts, lambda name: name.startswith("log file switch"))
    text = f"{number(a.per_hour)} → {number(b.per_hour)} switches per hour"
    text += f"; {megabytes(a)} → {megabytes(b)} of redo each" if a.each and b.each else ""
    text += f", in logs that hold at least {size(shown.log)}" if shown.log else ""
    text += f": switched long before they are full{lag(facts.second)}" if shown.early else ""
    fewer = b.per_hour < a.per_hour
    every = seconds(3600 / shown.per_hour)
    title = "Fewer log switches" if fewer else f"A log switch every {every}{', long before it is full' * shown.early}"
    subject = Subject("other", "log switches")
    waits = f"Sessions wait for them: {sizes.said(sessions)}."
    return Said(f"{title}.", f"{text}. {waits}", rows_of(facts.second), sessions, subject, sizes.tone(sessions))


def switches_of(side: Side) -> Switches | None:
    per_hour = side.value("instance_activity_thread", "per_hour", _ROW)
    count = side.value("instance_activity_thread", "total", _ROW)
    if per_hour is None or count is None:
        return None
    redo = side.statistic("redo size")
    each = redo.number / count.number if redo is not None and count.number >= _FEWEST else None
    blocks = side.value("instance_recovery", "log_size_redo_blocks", "E", "B")
    return Switches(per_hour.number, each, blocks.number * _BLOCK if blocks is not None else None)


def megabytes(switches: Switches) -> str:
    return f"{number((switches.each or 0.0) / (1 << 20))} MB"


def lag(side: Side) -> str:
    """What switches a log by the clock, where it is set."""
    value = side.text("init_parameters", "begin_value", "archive_lag_target")
    return f" (archive_lag_target is {value})" if value and value != "0" else ""


def rows_of(side: Side) -> tuple[Evidence, ...]:
    """The rows behind the figures: switches, redo, and the size of a log where it is printed."""
    redo = (row("instance_activity_thread", _ROW, "per_hour"), row("instance_activity", "redo size", "total"))
    point = next((p for p in ("E", "B") if side.value("instance_recovery", "log_size_redo_blocks", p)), None)
    return (*redo, row("instance_recovery", point, "log_size_redo_blocks")) if point else redo
