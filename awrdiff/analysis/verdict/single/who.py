"""Which statement and which object the time of one report is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from awrdiff.analysis.model.comparison import Evidence, Sessions, Subject, Tone
from awrdiff.analysis.report.segments import Segments
from awrdiff.analysis.report.statements import ELAPSED, Statement
from awrdiff.analysis.verdict.answer import QUIET, Answer, Contradicted, Observation, Unknown
from awrdiff.analysis.verdict.moved import OF_CHANGE, Moved, active, without_wrappers
from awrdiff.analysis.verdict.rules import objects, objects_sampled, sampled
from awrdiff.analysis.verdict.rules.statements import inside, who
from awrdiff.analysis.verdict.single.facts import Alone
from awrdiff.analysis.words import listing, number, percent, seconds, sentence, several

_MOST = 3  # statements
_WEIGHED = 200  # each against each: more do not have 15 % of DB time in any database
_WORK = (("buffer_gets", "gets"), ("physical_reads", "reads"), ("rows_processed", "rows"))
_PARTS = (
    ("cpu_time_s", "on CPU"),
    ("user_io_wait_time_s", "in I/O"),
    ("cluster_wait_time_s", "in cluster waits"),
    ("application_wait_time_s", "in application waits (locks)"),
    ("concurrency_wait_time_s", "in concurrency waits"),
)
_WORTH = 0.10  # of a statement's time: smaller parts are left out


def top_statements(alone: Alone) -> Answer:
    """Statements of at least 15 % of DB time, joined over every SQL table, the three largest.

    Those of one text but for comments, literals and white space are one; a block is not told beside its SQL.

    Source: thresholds as of two reports, awrdiff/analysis/verdict/moved.py.
    """
    side = alone.side
    if not side.has(ELAPSED):
        return Unknown("SQL ordered by Elapsed Time")
    if alone.sessions is None:
        return Unknown("DB time")
    return tuple(statement_seen(alone, each) for each in statements_that_matter(alone)[:_MOST]) or QUIET


def statements_that_matter(alone: Alone) -> list[Moved]:
    """The largest first: held against a report in which nothing ran."""
    whole = alone.sessions or 0.0
    told = without_wrappers(statements_by_size(alone)[:_WEIGHED])
    return [m for m in told if m.sessions.level >= OF_CHANGE * whole > 0]


def statements_by_size(alone: Alone) -> list[Moved]:
    """All that print an elapsed time, the largest first."""
    whole = alone.sessions or 0.0
    found = []
    for pair in alone.statements:
        sessions = active(alone.side, pair.first)
        if pair.first is not None and pair.first.elapsed is not None and sessions is not None:
            found.append(Moved(pair, Sessions(sessions, None), whole, whole))
    found.sort(key=lambda m: -m.sessions.level)
    return found


def statement_seen(alone: Alone, each: Moved) -> Observation:
    statement, sessions = each.pair.shown, each.sessions.first
    share = each.sessions.level / (alone.sessions or 1.0)
    size = f"{number(each.sessions.level)} active sessions, {percent(share)} of DB time."
    around = inside({"first": alone.side}, alone.statements, each.pair)
    text = " ".join([f"{who(statement)}: {size}", _runs(statement), *around])
    much = "most of" if share >= 0.5 else "much of" if share >= OF_CHANGE else percent(share) + " of"
    title = f"A statement takes {much} DB time: {statement.key.sql_id}."
    return Observation(title, text, tuple(_rows(statement)), sessions, Subject("sql", statement.key.sql_id))


def _runs(statement: Statement) -> str:
    """How often it ran, what one execution took and did, and where its time went."""
    parts = []
    runs, each = statement.executions, statement.per_execution("elapsed_time_s")
    if runs is not None and runs.number > 0:
        parts.append(several(runs.number, "execution", "executions"))
        parts += [f"{seconds(each.number)} each"] if each is not None and runs.number > 1 else []
        work = [(statement.per_execution(f), name) for f, name in _WORK]
        said = [several(round(v.number, 1), name[:-1], name) for v, name in work if v is not None and v.number >= 1]
        parts += [f"{listing(said)} per execution"] if said else []
    elif runs is not None:
        parts.append("no execution is counted inside the window")
    parts += _where(statement)
    said_of_all = "; ".join(parts)
    return f"{said_of_all[:1].upper()}{said_of_all[1:]}." if parts else ""


def _where(statement: Statement) -> list[str]:
    """CPU and waits as shares of its own time; what ASH sampled, of DB time."""
    elapsed = statement.elapsed
    shares = [
        (v.number / elapsed.number, where)
        for f, where in _PARTS
        if elapsed is not None and elapsed.number > 0 and (v := statement.value(f)) is not None
    ]
    said = [f"{percent(min(share, 1.0))} {where}" for share, where in shares if share >= _WORTH]
    found = [f"{listing(said)}"] if said else []
    sampled = [f"{e} ({percent(p / 100)} of the samples)" for e, p in list(statement.waits.items())[:2] if p >= 1]
    return found + ([f"sampled in {listing(sampled)}"] if sampled else [])


def _rows(statement: Statement) -> Iterator[Evidence]:
    """Each table once, elapsed time first."""
    seen: set[tuple[str, str | None]] = set()
    for name in ("elapsed_time_s", "executions", "buffer_gets", "physical_reads"):
        figure = statement.figures.get(name)
        pointer = figure.evidence() if figure is not None else None
        if pointer is not None and (pointer.section, pointer.row_id) not in seen:
            seen.add((pointer.section, pointer.row_id))
            yield pointer


def sampled_statements(alone: Alone) -> Answer:
    """Statements that samples (ASH) or ADDM's advice give 15 % of DB time, and no SQL table an elapsed time.

    At least that much beyond twice the scatter of the samples. What one execution took is not known then.

    Source: Oracle Database Performance Tuning Guide, Active Session History: one sample each 10 s is kept.
    """
    found = [
        Observation(u.title, f"{u.who}: {u.said}. {u.text}", (u.evidence,), u.sessions, Subject("sql", u.sql_id))
        for u in sampled.untimed(alone.side)
    ]
    if found:
        return tuple(found)
    return QUIET if sampled.is_printed(alone.side) else sampled.NOT_PRINTED


def hot_object(alone: Alone) -> Answer:
    """Sessions wait for each other for 5 % of DB time, and one object has half of what was counted.

    Source: Oracle Database Reference, V$SEGMENT_STATISTICS.
    """
    return _first_of(alone, objects.CONTENTION, "worse")


def hot_object_io(alone: Alone) -> Answer:
    """The same of reads and writes.

    Forbidden where the list holds less than half of them all, and one object most of that little.

    Source: Oracle Database Reference, V$SEGMENT_STATISTICS.
    """
    return _first_of(alone, objects.reads_and_writes(alone.side), "neutral")


def sampled_objects(alone: Alone) -> Answer:
    """One object in at least 30 % of the samples, that no finding names by the lists of segments.

    As a statement that takes 30 % of DB time. The samples must give it so much beyond twice their scatter.

    Source: Oracle Database Performance Tuning Guide, Active Session History, top DB objects.
    """
    if not objects_sampled.is_printed(alone.side):
        return objects_sampled.NOT_PRINTED
    answers = (hot_object(alone), hot_object_io(alone))
    said = [s for a in answers for s in (a if isinstance(a, tuple) else (a,)) if isinstance(s, Observation)]
    named = {s.subject.key for s in said if s.subject is not None}
    found = objects_sampled.largest(alone.side, named)
    told = [(o, f"{sentence(o.said)}.", Subject("object", o.name)) for o in found]
    seen = [Observation(o.title(), text, (o.evidence,), o.sessions, subject) for o, text, subject in told]
    return tuple(seen) or QUIET


def _first_of(alone: Alone, contentions: Iterable[objects.Contention], tone: Tone) -> Answer:
    """All that is said; else why not."""
    if not alone.side.foreground:
        return Unknown("wait events")
    answers = [_object(alone, c, tone) for c in contentions if c.share(alone.side) >= objects.OF_DB_TIME]
    said = tuple(a for a in answers if isinstance(a, Observation))
    if said:
        return said
    return next((a for kind in (Contradicted, Unknown) for a in answers if isinstance(a, kind)), QUIET)


def _object(alone: Alone, contention: objects.Contention, tone: Tone) -> Answer:
    side = alone.side
    largest = objects.hottest(side, contention)
    if not isinstance(largest, Segments):
        return largest
    return Observation(
        objects.title_of(side, contention, largest),
        objects.told(side, contention, largest),
        (objects.segment_row(side, contention, largest), objects.longest(side, contention)[0].evidence()),
        objects.SegmentWaits(side, contention).sessions_on(largest.name),
        Subject("object", largest.name),
        tone=tone,
        explains=(contention.rule,) if contention.rule else (),
    )
