"""The window of one report and what happened in it: length, restarts, peaks, settings; memory and undo of its host."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Evidence, Range, Subject
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.answer import QUIET, Answer, Contradicted, Observation, Unknown
from awrdiff.analysis.verdict.rules import addm, circumstances, memory, peak, settings, undo
from awrdiff.analysis.verdict.rules.facts import row
from awrdiff.analysis.verdict.rules.sessions import sessions_at_begin, sessions_at_end
from awrdiff.analysis.verdict.single.facts import Alone
from awrdiff.analysis.words import number, percent, sentence, stretch

LONG_S, SHORT_S = 2 * 3600.0, 300.0
_MANY_MORE, _AT_LEAST = 1.5, 50  # sessions at the end against those at the beginning


def window_length(alone: Alone) -> Answer:
    """A window of more than two hours, whose means hide what lasted minutes; or of less than five minutes.

    Snapshots are taken each hour unless set otherwise; in five minutes the snapshots themselves, and what happened to
    run, are much of what is counted. Of a nearly idle database the length is no news.

    Source: Oracle Database Performance Tuning Guide, Automatic Workload Repository: snapshots.
    """
    elapsed = alone.side.elapsed
    if elapsed is None:
        return Unknown("elapsed time")
    if alone.idle or SHORT_S <= elapsed.number <= LONG_S:
        return QUIET
    printed = alone.side.has("snapshot_information")
    evidence = (row("snapshot_information", "Elapsed", "snap_time"),) if printed else ()
    subject = Subject("other", "window")
    if elapsed.number > LONG_S:
        text = (
            f"It covers {stretch(elapsed.number)}: averages over it describe none of its hours if the load was uneven."
        )
        return Observation("The window is long.", text, evidence, subject=subject)
    text = f"It covers {stretch(elapsed.number)}: what happened to run then need not be what usually runs."
    return Observation("The window is short.", text, evidence, subject=subject)


def cold_start(alone: Alone) -> Answer:
    """A window that began within 30 minutes of the startup of its instance, or in which it was started.

    Source: Oracle Database Concepts, memory architecture: caches begin empty.
    """
    if not any(i.startup for i in alone.side.report.instances):
        return Unknown("startup times")
    found = circumstances.cold_starts(alone.side, "the window")
    if not found:
        return QUIET
    text = sentence(circumstances.cold_said(found))
    evidence = tuple(row for each in found for row in each.evidence)
    inside = any(each.inside for each in found)
    title = "The instance was started inside the window." if inside else "The window began with cold caches."
    return Observation(title, text, evidence, subject=Subject("other", "startup"), explains=circumstances.WARM)


def session_storm(alone: Alone) -> Answer:
    """At the end of the window half as many sessions again, and 50 more, than at its beginning.

    Sessions that are logged on are not active ones: it has no size.

    Source: Oracle Database Reference, V$RESOURCE_LIMIT; the snapshots of a report print the sessions.
    """
    begin, end = sessions_at_begin(alone.side), sessions_at_end(alone.side)
    if begin is None or end is None:
        return Unknown("sessions at begin and end snapshot")
    if end - begin < _AT_LEAST or end < _MANY_MORE * max(begin, 1.0):
        return QUIET
    text = f"{number(begin)} were logged on when it began, {number(end)} when it ended."
    evidence = tuple(row("snapshot_information", f"{name} Snap", "sessions") for name in ("Begin", "End"))
    return Observation("Many sessions came inside the window.", text, evidence, subject=Subject("work", "sessions"))


def peak_inside(alone: Alone) -> Answer:
    """A slot of samples, or one of several ADDM analyses, with 1.5 times the active sessions of the whole window.

    Source: Oracle Database Performance Tuning Guide, Active Session History: one sample each 10 s is kept.
    """
    found = peak.peak_of(alone.side)
    if found is None:
        return QUIET if peak.is_printed(alone.side) else peak.NOT_PRINTED
    subject = Subject("work", "activity over time")
    return Observation("The mean hides a peak.", found.text, (found.evidence,), found.adds(alone.side), subject)


def addm_said(alone: Alone) -> Answer:
    """The largest findings of ADDM in active sessions, and which of them the report's figures do not bear out.

    Source: Oracle Database Performance Tuning Guide, Automatic Performance Diagnostics.
    """
    side = alone.side
    found = [f for f in addm.findings_of(side) if f.sessions >= alone.least_sessions]
    if not found:
        return QUIET if addm.is_printed(side) else Unknown("ADDM's findings")
    apart = [f.name for f in found[: addm.MOST] if f.apart]
    text = sentence(addm.listed(side, found))
    text += addm.differing(apart)
    rows = tuple(f.evidence for f in found[: addm.MOST])
    return Observation(addm.title_of(apart), text, rows, subject=Subject("other", "ADDM"))


def parameters_inside(alone: Alone) -> Answer:
    """A parameter set while the window ran: its end value is printed.

    Source: Oracle Database Reference, initialization parameters.
    """
    if not alone.side.has(settings.SECTION):
        return Unknown("Initialization Parameters")
    found = settings.changed_in(alone.side)
    if not found:
        return QUIET
    text = "; ".join(f"{name}: {settings.shown(begin)} → {settings.shown(end)}" for name, begin, end in found[:4])
    text += f" and {len(found) - 4} more." if len(found) > 4 else "."
    section = settings.SECTION
    evidence = tuple(Evidence(section, n, "end_value", anchor(section, n)) for n, _, _ in found[:8])
    subject = Subject("parameter", found[0][0])
    return Observation("Parameters were set inside the window.", text, evidence, subject=subject)


def memory_exhausted(alone: Alone) -> Answer:
    """Swap used up, or more SYS than USER time beside 15 % of DB time that is neither wait nor CPU.

    There is swap where one of its readings, at begin or end, is above 0; the rest as of two reports. Its size is the
    time that no row explains.

    Source: Oracle Database Reference, V$OSSTAT.
    """
    side, missing = alone.side, alone.unaccounted or 0.0
    if not memory.is_printed(side):
        return memory.NO_HOST
    found = memory.shortage(side)
    if not found.is_exhausted or found.ample:
        return Contradicted(found.ample) if found.is_exhausted else QUIET
    text = f"{sentence(found.text).removesuffix('.')}{memory.free_memory(side)}"
    sessions = None
    if missing >= memory.UNACCOUNTED and alone.sessions is not None:
        sessions = Range(missing * alone.sessions, missing * alone.sessions)
        text += f". {percent(missing)} of DB time is neither wait nor CPU"
    return Observation(
        memory.EXHAUSTED,
        f"{text}.",
        tuple(r.evidence for r in found.reasons),
        sessions,
        Subject("memory", "host"),
        tone="worse",
        severity="warning",
        explains=("unaccounted-time",),
    )


def undo_errors(alone: Alone) -> Answer:
    """Queries that found their undo overwritten (ORA-01555), or transactions that found no room for more.

    Source: Oracle Database Reference, V$UNDOSTAT: SSOLDERRCNT and NOSPACEERRCNT.
    """
    found = undo.errors_of(alone.side)
    if found is None:
        return undo.NOT_PRINTED
    if not found.too_old and not found.no_room:
        return QUIET
    return Observation(
        "Undo ran short.", f"{found.said()}.", (found.evidence,), subject=undo.SUBJECT, severity="warning"
    )
