"""Candidate explanations of a change, each with its active sessions; the largest is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs_from_report import LFPW, LFS
from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds, several
from awrdiff.analysis.model.comparison import Consumer
from awrdiff.analysis.model.diagnosis import Trouble
from awrdiff.analysis.model.ranked_changes import Range, Subject
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.segments import Segments, objects_of
from awrdiff.analysis.report.sql_statements import Statement
from awrdiff.analysis.verdict import capacity_limits, trouble_detection
from awrdiff.analysis.verdict.active_sessions_attribution import main_way
from awrdiff.analysis.verdict.capacity_limits import is_host_full
from awrdiff.analysis.verdict.rule_inputs import FactsOfTwo, FirstSecond
from awrdiff.analysis.verdict.rules import hot_segments, memory
from awrdiff.analysis.verdict.rules.log_switches import megabytes, switches_of
from awrdiff.analysis.verdict.rules.new_gone_and_slower_statements import other_plans, statement_name
from awrdiff.analysis.verdict.rules.parsing import HARD
from awrdiff.analysis.verdict.rules.waits import chain_of
from awrdiff.analysis.verdict.statement_changes import SLOWER, StatementChange, uncaptured
from awrdiff.analysis.verdict.thresholds import OF_CHANGE, SLOW_S

_MOST_STATEMENTS = 20
_OFTENER = 1.5
_GROWTH = 1.25
_NEARLY_ALL = 0.97  # of it; below it the figures are said
_AS_BEFORE = 0.10
_OF_RISE = 0.25  # of it: a wait of less carries no change
_MOST_OBJECTS, _MOST_WAITS = 2, 0.9  # objects that are named where they hold so much of the row lock waits
_NEAR = 0.5  # of the largest claim: a deeper one that holds so much of it is its cause
# How far down the chain of causes a claim stands: a swapping host slows everything, a plan makes the reads.
_DEPTH = {
    trouble_detection.MEMORY: 8,
    trouble_detection.CAP: 7,
    trouble_detection.PARSING: 4,
    trouble_detection.COMMITS: 4,
    trouble_detection.SWITCHES: 4,
    trouble_detection.LOCKS: 4,
    trouble_detection.IO: 3,
    trouble_detection.CLUSTER: 2,
    trouble_detection.CONCURRENCY: 2,
    trouble_detection.OVERLOAD: 2,
    trouble_detection.CROWD: 0,
}
_OF_PLAN, _OF_GETS, _OF_STATEMENT, _OF_WAIT = 6, 5, 2, 1


class Claim(Struct, frozen=True):
    """`sessions`: the most it holds of the change. `depth`: place in the chain of causes."""

    rule: str
    subject: Subject | None
    sessions: float
    depth: int
    headline: str
    detail: str = ""


class View(Struct, frozen=True, dict=True):
    """Both sides as `bad`, the worse one, and `good`."""

    facts: FactsOfTwo
    is_second: bool

    @property
    def bad(self) -> Side:
        return self.facts.second if self.is_second else self.facts.first

    @property
    def good(self) -> Side:
        return self.facts.first if self.is_second else self.facts.second

    @property
    def bad_name(self) -> str:
        return "Second" if self.is_second else "First"

    @cached_property
    def rise(self) -> float:
        """Active sessions; negative where fewer."""
        return (self.bad.active_sessions or 0.0) - (self.good.active_sessions or 0.0)

    @property
    def is_rise(self) -> bool:
        return self.rise >= max(0.10 * (self.good.active_sessions or 0.0), self.facts.least_sessions)

    def pair(self, two: FirstSecond) -> tuple[float, float]:
        return (two.first, two.second) if self.is_second else (two.second, two.first)

    def statements(self, each: StatementChange) -> tuple[Statement | None, Statement | None]:
        """Good and bad hour's."""
        first, second = each.pair.first, each.pair.second
        return (first, second) if self.is_second else (second, first)

    def more(self, change: float) -> float:
        """`change` from First to Second, as the bad hour's more."""
        return change if self.is_second else -change

    @property
    def takes(self) -> str:
        return "takes" if self.is_second else "took"

    def from_to(self, good: str, bad: str) -> str:
        """`21.3 → 147 ms` or `147 ms, 21.3 ms in Second`."""
        unit = bad.rpartition(" ")[2]
        if self.is_second and unit == good.rpartition(" ")[2] != good:
            good = good.removesuffix(f" {unit}")
        return f"{good} → {bad}" if self.is_second else f"{bad}, {good} in Second"

    def of_rise(self, sessions: float) -> str:
        """`18.9 of 62.6 active sessions`"""
        whole, rise = self.bad.active_sessions or 0.0, self.rise
        there = "" if self.is_second else "First's "
        if not self.is_rise or self.facts.unrelated:
            return f"{number(min(sessions, whole))} of {there}{several(whole, 'active session', 'active sessions')}"
        if sessions >= _NEARLY_ALL * rise:
            if self.is_second:
                return f"all of the rise of {several(rise, 'active session', 'active sessions')}"
            return f"all of First's {several(rise, 'more active session', 'more active sessions')}"
        more = several(rise, "more active session", "more active sessions")
        return f"{number(sessions)} of {there or 'the '}{more}"

    def before(self, good_s: float | None, bad_s: float) -> str:
        """` (8.78 ms before)`; "" if not printed or no less."""
        if not good_s or 1 - _AS_BEFORE <= bad_s / good_s <= 1 + _AS_BEFORE:
            return ""
        return f" ({seconds(good_s)} {'before' if self.is_second else 'in Second'})"

    def more_work(self) -> str:
        """` with 1.4 × the transactions`; "" where none grew."""
        if self.facts.unrelated:
            return ""
        pairs = {name: self.pair(two) for name, two in self.facts.work().items()}
        grew = [f"{number_of_times(b / a)} the {name}" for name, (a, b) in pairs.items() if a > 0 and b >= _GROWTH * a]
        return f" with {listing([*grew[:1], *grew[1:][-1:]])}" if grew else ""


def best_claim(view: View, sick: tuple[Trouble, ...]) -> Claim | None:
    """Deepest claim with half of the largest's sessions."""
    least = max(OF_CHANGE * max(view.rise, 0.0), view.facts.least_sessions)
    changes = () if view.facts.unrelated else view.facts.statement_changes[:_MOST_STATEMENTS]
    sized = ((each, view.more(each.sessions.change)) for each in changes)
    statements = (_of_statement(view, each, sessions) for each, sessions in sized if sessions >= least)
    claims = [c for c in (*statements, *_of_troubles(view, sick), *_of_waits(view)) if c is not None and c.sessions > 0]
    near = [c for c in claims if c.sessions >= _NEAR * max(c.sessions for c in claims)]
    return max(near, key=lambda c: (c.depth, c.sessions), default=None)


def _of_statement(view: View, each: StatementChange, sessions: float) -> Claim | None:
    pair, share_of_rise = each.pair, view.of_rise(sessions)
    good, bad = view.statements(each)
    subject = Subject("sql", pair.sql_id)
    detail = detail_of(view, each)
    if bad is None:
        return None
    if good is None:
        runs = bad.executions
        often = f" ({several(runs.number, 'execution', 'executions')})" if runs is not None and runs.number else ""
        rule = "sql-entering" if view.is_second else "sql-leaving"
        where, least = f"runs in {view.bad_name} only", ""
        if uncaptured(view.good):
            where, least = f"is in {view.bad_name}'s top SQL only", "at least " * share_of_rise[:1].isdigit()
        text = f"{pair.sql_id} {where}{often}: {least}{share_of_rise}"
        return Claim(rule, subject, sessions, _OF_STATEMENT, text, detail)
    time = each.each if view.is_second or each.each is None else (each.each[1], each.each[0])
    if time is not None and time[1].low >= SLOWER * time[0].high > 0 and not each.did_other_work:
        rule = "sql-slower" if view.is_second else "sql-faster"
        times = number_of_times(time[1].number / time[0].number)
        each_s = view.from_to(seconds(time[0].number), seconds(time[1].number))
        why, depth = _why(view, each)
        text = f"{pair.sql_id} {view.takes} {times} as long per execution ({each_s}){why}: {share_of_rise}"
        return Claim(rule, subject, sessions, depth, text, detail)
    runs_of = [side.per_second(s.executions) for side, s in ((view.good, good), (view.bad, bad))]
    if runs_of[0] and runs_of[1] and runs_of[1] >= _OFTENER * runs_of[0]:
        verb = "runs" if view.is_second else "ran"
        text = f"{pair.sql_id} {verb} {number_of_times(runs_of[1] / runs_of[0])} as often: {share_of_rise}"
        return Claim("sql-change", subject, sessions, _OF_STATEMENT, text, detail)
    return Claim("sql-change", subject, sessions, _OF_WAIT, f"{pair.sql_id} {view.takes} {share_of_rise}", detail)


def number_of_times(factor: float) -> str:
    """`6.9 ×`; whole numbers from 100 on."""
    return f"{number(float(f'{factor:.2g}') if factor < 100 else round(factor))} ×"


def _why(view: View, each: StatementChange) -> tuple[str, int]:
    if other_plans(*view.statements(each)) is not None:
        return (" since its plan changed" if view.is_second else " by another plan"), _OF_PLAN
    gets = _per_execution(view, each, "buffer_gets")
    time = _per_execution(view, each, "elapsed_time_s")
    if gets is not None and time is not None and gets[0] > 0 and gets[1] >= 1:
        factor = gets[1] / gets[0]
        if factor >= max(_GROWTH, time[1] / time[0] / 2):
            return f" with {number_of_times(factor)} the gets", _OF_GETS
    return "", _OF_STATEMENT


def _per_execution(view: View, each: StatementChange, figure: str) -> tuple[float, float] | None:
    two = [s.per_execution(figure) if s is not None else None for s in view.statements(each)]
    return (two[0].number, two[1].number) if two[0] is not None and two[1] is not None and two[0].number > 0 else None


def detail_of(view: View, each: StatementChange) -> str:
    parts = [statement_name(each.pair.statement)]
    for figure, unit in (("buffer_gets", "gets"), ("physical_reads", "reads"), ("rows_processed", "rows")):
        two = _per_execution(view, each, figure)
        if two is not None and max(two) >= 1 and not 1 / _GROWTH < two[1] / two[0] < _GROWTH:
            parts.append(f"{view.from_to(number(two[0]), number(two[1]))} {unit} per execution")
    plans = other_plans(*view.statements(each))
    if plans is not None:
        parts.append(f"plan {view.from_to(*plans)}")
    return " · ".join(parts)


def _of_troubles(view: View, sick: tuple[Trouble, ...]) -> Iterator[Claim]:
    for trouble in sick:
        before, now = trouble_detection.sessions_in(trouble.name, view.good), trouble.sessions
        depth = _DEPTH[trouble.name]
        if trouble.name == trouble_detection.COMMITS and _are_writes_the_cause(view):
            before += trouble_detection.sessions_in(trouble_detection.LOCKS, view.good)
            now += trouble_detection.sessions_in(trouble_detection.LOCKS, view.bad)
            depth += 1
        grew = now - before
        is_change = view.is_rise and grew >= OF_CHANGE * view.rise
        sessions = grew if is_change else now if not view.is_rise else max(grew, 0.0)
        headline, subject = _TEXTS[trouble.name](view, trouble, sessions)
        rule = (
            trouble_detection.rule_of_lock(trouble_detection.main_lock(view.bad, view.good, is_rise=view.is_rise)[0])
            if trouble.name == trouble_detection.LOCKS
            else trouble.rule
        )
        yield Claim(rule, subject, sessions, depth, headline, _who(view, trouble.sessions))


def _memory(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    swap = memory.shortage(view.bad, view.good).swap
    is_, pages = ("is", "pages") if view.is_second else ("was", "paged")
    pressed = f"{pages}, and its kernel {view.takes} more CPU than programs"
    how = f"{is_} out of swap and paging" if swap is not None else pressed
    text = f"{view.bad_name}'s host {how}: {percent(trouble.share)} of DB time is unaccounted for"
    return text, Subject("memory", "host")


def _cap(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    a, b = capacity_limits.cpus_left(view.good), capacity_limits.cpus_left(view.bad)
    busy = view.bad.host_busy_pct
    idle = f" while the host is {percent(busy / 100)} busy" if busy is not None and busy < 70 else ""
    subject = Subject("cpu", "resource manager")
    limit = ""
    if a is not None and b is not None and a > b:
        limit = f"The instance may use {number(b)} CPUs instead of {number(a)}"
        if not view.is_second:
            limit = f"The instance could use {number(b)} CPUs, in Second {number(a)}"
    elif b is not None and view.bad.cpus is not None and b < view.bad.cpus:
        limit = f"The instance {'may' if view.is_second else 'could'} use {number(b)} of {view.bad.cpus} CPUs"
    clause = f"sessions wait for the resource manager{idle}: {view.of_rise(sessions)}"
    return (f"{limit}: {clause}" if limit else f"S{clause[1:]}"), subject


def _overload(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    busy = view.bad.host_busy_pct or 0.0
    cpu = view.bad.per_second(view.bad.db_cpu) or 0.0
    whose = f" ({number(cpu)} of them for this database)" if cpu and view.bad.cpus else ""
    cpus = f"{view.bad.cpus} CPUs" if view.bad.cpus else "CPUs"
    used = f"The host's {cpus}{whose} are {percent(busy / 100)} busy"
    if not is_host_full(view.bad):
        cap = min(capacity_limits.caps(view.bad), key=lambda cap: cap.cpus, default=None)
        of = f"{number(cap.cpus)} CPUs it may use ({cap.text})" if cap is not None else f"{cpus}"
        used = f"The database {'uses' if view.is_second else 'used'} {number(cpu)} of the {of}"
    return f"{used}: sessions queue for {percent(trouble.share)} of DB time", Subject("cpu", "host")


def _locks(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    event, name, sessions = trouble_detection.main_lock(view.bad, view.good, is_rise=view.is_rise)
    is_of_rows = name == trouble_detection.ROW_LOCK_WAITS
    where, segment = _locked_objects(view.bad) if is_of_rows else ("", None)
    switching = trouble_detection.sessions_in(trouble_detection.SWITCHES, view.bad) - trouble_detection.sessions_in(
        trouble_detection.SWITCHES, view.good
    )
    beside = ""
    if switching >= OF_CHANGE * max(view.rise, trouble.sessions):
        now = switches_of(view.bad)
        often = f"a log switch every {seconds(3600 / now.per_hour)}" if now and now.per_hour else "log switches"
        beside, sessions = f" and {often}", sessions + switching
    share, sql_id = max(
        ((s.waits.get(event, 0.0), s.key.sql_id) for s in view.bad.statements.values()), default=(0.0, "")
    )
    wait = view.bad.foreground.get(event.lower())
    whole = view.bad.share_of_db_time(wait.total) if wait is not None else None
    who = f", most of them in {sql_id}" if whole and share / 100 >= 0.5 * whole else ""
    text = f"{name}{where}{beside} hold {view.of_rise(sessions)}{who}"
    return text, Subject("object", segment.name) if segment is not None else Subject("event", event)


def _locked_objects(side: Side) -> tuple[str, Segments | None]:
    """` on A`, ` on A and B`, ` (60 % of the waits on A)`, whichever names nearly all row lock waits; the first."""
    of_rows = hot_segments.CONTENTION[0]
    segment = hot_segments.hottest(side, of_rows)
    if not isinstance(segment, Segments):
        return "", None
    largest = sorted(objects_of(side, of_rows.counter).values(), key=lambda o: -o.share)[:_MOST_OBJECTS]
    names = [o.name for o in largest]
    for n in range(1, len(names) + 1):
        if sum(o.share for o in largest[:n]) >= _MOST_WAITS:
            return f" on {listing(names[:n])}", segment
    return f" ({percent(segment.share)} of the waits on {segment.name})", segment


def _switches(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    before, now = switches_of(view.good), switches_of(view.bad)
    subject = Subject("event", trouble_detection.events_in(trouble.name, view.bad)[0].name)
    if now is None or not now.per_hour:
        return f"Sessions wait for room in the redo logs: {view.of_rise(sessions)}", subject
    size = f" of {megabytes(now)}" if now.each else ""
    often = ""
    if before and now.per_hour >= _GROWTH * before.per_hour:
        often = f" ({view.from_to(number(before.per_hour), number(now.per_hour))} per hour)"
    every = f"A log switch{size} every {seconds(3600 / now.per_hour)}{often}"
    return f"{every} stops the sessions: {view.of_rise(sessions)}", subject


def _redo_writes(view: View) -> tuple[float | None, float | None]:
    good, bad = (side.background.get(LFPW) for side in (view.good, view.bad))
    return good.average_s if good is not None else None, bad.average_s if bad is not None else None


def _are_writes_the_cause(view: View) -> bool:
    chain = chain_of(view.bad, None if view.facts.unrelated else view.good)
    return chain is not None and chain.holds_all


def _commits(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    good_s, bad_s = _redo_writes(view)
    subject = Subject("commit", "log file sync")
    if bad_s is not None and bad_s >= SLOW_S:
        locks = ""
        if _are_writes_the_cause(view):
            locks = f" and the row locks{_locked_objects(view.bad)[0]} behind them"
        write = f"A redo write {view.takes} {seconds(bad_s)}{view.before(good_s, bad_s)}"
        return f"{write}: commits{locks} hold {view.of_rise(sessions)}", subject
    before, now = (side.foreground.get(LFS) for side in (view.good, view.bad))
    each = now.average_s or 0.0 if now is not None else 0.0
    since = view.before(before.average_s if before is not None else None, each)
    return f"A commit waits {seconds(each)}{since}: {view.of_rise(sessions)}", subject


def _io(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    event = trouble_detection.events_in(trouble.name, view.bad)[0]
    other = view.good.foreground.get(event.name.lower())
    now = event.average_s or 0.0
    took = f"{view.takes} {seconds(now)}{view.before(other.average_s if other is not None else None, now)}"
    return f"One {event.name} {took}: slow I/O holds {view.of_rise(sessions)}", Subject("event", event.name)


def _parsing(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    each = []
    for side in (view.good, view.bad):
        spent, count = side.time_model(HARD), side.statistic("parse count (hard)")
        is_enough = spent is not None and count is not None and count.number >= 100
        each.append(spent.number / count.number if is_enough and spent and count else None)
    share = trouble_detection.part_of_db_time(trouble.share).replace("DB time", f"{view.bad_name}'s DB time")
    subject = Subject("work", "parsing")
    hard = view.bad.per_second(view.bad.time_model(HARD)) or 0.0
    if each[1] is not None and hard >= 0.5 * trouble.sessions:
        than = ""
        if each[0] is not None and not 0.8 < each[1] / each[0] < _GROWTH:
            than = f" instead of {seconds(each[0])}" if view.is_second else f" ({seconds(each[0])} in Second)"
        text = f"One hard parse {view.takes} {seconds(each[1])}{than}: parsing holds {share}"
    else:
        text = f"Parsing holds {share}"
    work = {n: view.pair(two) for n, two in view.facts.work().items()}
    name, two = min(work.items(), key=lambda i: i[1][1] / i[1][0] if i[1][0] else 1.0, default=("", (1.0, 1.0)))
    if two[0] > 0 and two[1] <= 0.75 * two[0] and view.is_second:
        text += f", {name} {change(*two)}"
    return f"{text}; {view.of_rise(sessions)}", subject


def _class(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    events = trouble_detection.events_in(trouble.name, view.bad)[:2]
    names = listing([e.name for e in events])
    what = "Global cache contention" if trouble.name == trouble_detection.CLUSTER else "Contention in memory"
    return f"{what} ({names}) holds {view.of_rise(sessions)}", Subject("event", events[0].name)


def _crowd(view: View, trouble: Trouble, sessions: float) -> tuple[str, Subject | None]:
    whole, cpus = number(view.bad.active_sessions or 0.0), number(capacity_limits.cpus_of(view.bad) or 0.0)
    return f"{whole} sessions are active on {cpus} CPUs in {view.bad_name}", None


_TEXTS = {
    trouble_detection.MEMORY: _memory,
    trouble_detection.CAP: _cap,
    trouble_detection.OVERLOAD: _overload,
    trouble_detection.LOCKS: _locks,
    trouble_detection.SWITCHES: _switches,
    trouble_detection.COMMITS: _commits,
    trouble_detection.IO: _io,
    trouble_detection.PARSING: _parsing,
    trouble_detection.CLUSTER: _class,
    trouble_detection.CONCURRENCY: _class,
    trouble_detection.CROWD: _crowd,
}


def _who(view: View, sessions: float) -> str:
    least = OF_CHANGE * max(view.rise, sessions)
    for each in () if view.facts.unrelated else view.facts.statement_changes[:_MOST_STATEMENTS]:
        of_bad = each.sessions.second if view.is_second else each.sessions.first
        fills_it = not view.is_rise and isinstance(of_bad, Range) and of_bad.low >= least
        if view.more(each.sessions.change) >= least or fills_it:
            return f"{each.pair.sql_id}: {detail_of(view, each)}"
    return ""


def _of_waits(view: View) -> Iterator[Claim]:
    a = view.facts.attribution
    if a is None or not view.is_rise:
        return
    for part in a.parts:
        change_per_s = view.more(part.diff_per_s)
        if change_per_s >= _OF_RISE * view.rise:
            if part.key == "DB CPU":
                a_s, b_s = map(number, view.pair(FirstSecond(part.first_per_s or 0.0, part.second_per_s or 0.0)))
                figures = f"{a_s} → {b_s} sessions" if view.is_second else f"{b_s} sessions, {a_s} in Second"
                rule, subject, text = "cpu-time", Subject("cpu", "DB CPU"), f"More CPU ({figures})"
            else:
                rule, subject, text = _of_wait(view, part)
            text = f"{text}{view.more_work()}: {view.of_rise(change_per_s)}"
            yield Claim(rule, subject, change_per_s, _OF_WAIT, text, _who(view, change_per_s))
    if view.facts.unaccounted is not None:
        good, bad = view.pair(view.facts.unaccounted)
        change_per_s = bad * (view.bad.active_sessions or 0.0) - good * (view.good.active_sessions or 0.0)
        if change_per_s >= _OF_RISE * view.rise:
            text = f"Unaccounted-for time, neither CPU nor a wait, holds {view.of_rise(change_per_s)}"
            yield Claim("unaccounted-time", Subject("other", "unaccounted"), change_per_s, _OF_WAIT, text)


def _of_wait(view: View, part: Consumer) -> tuple[str, Subject, str]:
    way: Literal["count", "latency", "both"] = main_way(part.by_count_per_s or 0.0, part.by_latency_per_s or 0.0)
    averages = (part.first_avg_s, part.second_avg_s) if view.is_second else (part.second_avg_s, part.first_avg_s)
    text = f"More waits for {part.key}"
    if way != "count" and averages[0] and averages[1] and averages[1] > averages[0]:
        each, more = view.from_to(seconds(averages[0]), seconds(averages[1])), "more often and " * (way == "both")
        text = f"Sessions {'wait' if view.is_second else 'waited'} {more}longer for {part.key} ({each})"
    return "event-latency" if way == "latency" else "event-count", Subject("event", part.key), text
