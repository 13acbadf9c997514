"""Waits of one report: those that mean the same wherever they occur, and what else takes much of DB time."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.inputs import LFS
from awrdiff.analysis.model.comparison import Consumer, Evidence, Range, Subject, Tone
from awrdiff.analysis.names.events import subject_of
from awrdiff.analysis.verdict.answer import QUIET, WAITS, Answer, Observation
from awrdiff.analysis.verdict.attribution import CPU
from awrdiff.analysis.verdict.rules import headroom, sizes, waits
from awrdiff.analysis.verdict.single import commits, storage
from awrdiff.analysis.verdict.single.facts import Alone
from awrdiff.analysis.words import number, percent, seconds, sentence, several

_TOP = 0.10  # of DB time
_MOST = 3
# In these sessions wait for each other or for a limit that somebody set; in the others for work to be done.
_TROUBLE = ("Application", "Concurrency", "Configuration", "Scheduler", "Administrative")


def row_locks(alone: Alone) -> Answer:
    """Row locks of 5 % of DB time.

    Source: Oracle Database Reference, wait event enq: TX - row lock contention.
    """
    return _family(alone, waits.ROW_LOCKS)


def buffer_busy(alone: Alone) -> Answer:
    """Buffer busy waits of 5 % of DB time.

    Source: Oracle Database Reference, wait event buffer busy waits.
    """
    return _family(alone, waits.BUFFER_BUSY)


def interconnect(alone: Alone) -> Answer:
    """Global cache waits of 15 % of DB time.

    Source: Oracle Real Application Clusters Administration and Deployment Guide, gc wait events.
    """
    return _family(alone, waits.INTERCONNECT)


def log_file_switch(alone: Alone) -> Answer:
    """Waits of any kind for a log switch of 1 % of DB time, or of the time that commits waited.

    Source: Oracle Database Reference, wait events log file switch (…).
    """
    return _family(alone, waits.LOG_SWITCHES)


def _family(alone: Alone, family: waits.Family) -> Answer:
    side = alone.side
    if not side.foreground or side.db_time is None:
        return WAITS
    found = sizes.chosen(side, family.wanted)
    if not found or not _speaks(alone, family):
        return QUIET
    sessions = sizes.waits(side, family.wanted)
    named = [f"{e.name}{f' ({seconds(e.average.number)} per wait)' if e.average else ''}" for e in found]
    middle = sizes.middle(sessions) or 0.0
    text = (
        f"{waits.shown(named)}: {percent(alone.share(sessions) or 0.0)} of DB time, {number(middle)} active sessions."
    )
    evidence = sizes.rows_of(found[:3])
    return Observation(family.about(found), text, evidence, sessions, Subject("event", found[0].name), tone="worse")


def _speaks(alone: Alone, family: waits.Family) -> bool:
    share = alone.share(sizes.waits(alone.side, family.wanted)) or 0.0
    return max(share, family.share_beside(alone.side)) >= family.least


def top_wait(alone: Alone) -> Answer:
    """Events of at least a tenth of DB time that no other rule speaks of, the three largest.

    Sessions that wait in the classes Application, Concurrency, Configuration or Scheduler are kept from their work.

    Source: Oracle Database Reference, classes of wait events.
    """
    if not alone.side.foreground or alone.spread is None:
        return WAITS
    told = [
        f for f in (waits.ROW_LOCKS, waits.BUFFER_BUSY, waits.INTERCONNECT, waits.LOG_SWITCHES) if _speaks(alone, f)
    ]
    found = [p for p in alone.parts if _is_top(alone, p) and not any(f.wanted(p.key.lower()) for f in told)]
    return tuple(_said(alone, p) for p in found[:_MOST]) or QUIET


def _is_top(alone: Alone, part: Consumer) -> bool:
    name, whole = part.key.lower(), alone.sessions or 0.0
    if part.key == CPU or not whole or (part.first_per_s or 0.0) < _TOP * whole:
        return False
    if name == LFS:
        return not commits.speaks(alone)
    return name != headroom.QUANTUM and not storage.is_told(alone, name)


def _said(alone: Alone, part: Consumer) -> Observation:
    event = alone.side.foreground[part.key.lower()]
    sessions = alone.spent(event.total) or Range(0.0, 0.0)
    share = alone.share(sessions) or 0.0
    text = f"{percent(share)} of DB time, {number(sizes.middle(sessions) or 0.0)} active sessions"
    about = subject_of(part.key)
    text = f"{sentence(about)}: {text}" if about else text
    if event.waits is not None and event.waits.number > 0:
        rate = alone.side.per_second(event.waits) or 0.0
        text += f"; {several(event.waits.number, 'wait', 'waits')}"
        text += f" ({number(rate)} per second)" if rate >= 1 else ""
        text += f" of {seconds(event.average.number)} each" if event.average else ""
    evidence: Evidence = event.evidence()
    title = f"{'Most' if share >= 0.5 else 'Much'} of DB time is waiting for {part.key}."
    tone: Tone = "worse" if part.wait_class in _TROUBLE else "neutral"
    return Observation(title, f"{text}.", (evidence,), sessions, Subject("event", part.key), tone=tone)
