"""Statements that are the change: new, gone, grown, shrunk, slower, or under another id. Each is named once, by the
first rule that fits.

Source: Oracle Database Reference, DBA_HIST_SQLSTAT; thresholds of statement_changes.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds
from awrdiff.analysis.model.comparison import Evidence, Range, Subject, Tone
from awrdiff.analysis.names.sql_text_normalisation import without_comments
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.report.sql_statements import ELAPSED, Statement, StatementFigure
from awrdiff.analysis.rows.align import common_key, nothing_in_common
from awrdiff.analysis.rows.statement_matching import StatementPair
from awrdiff.analysis.verdict.rule_inputs import ALONG, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.rules.statement_time_causes import (
    LOCAL,
    OTHERS_DID,
    REMOTE,
    main_part,
    ran_elsewhere,
    share_of_work,
)
from awrdiff.analysis.verdict.rules.storage import READS
from awrdiff.analysis.verdict.same_workload_check import is_oracles_own
from awrdiff.analysis.verdict.statement_changes import (
    GROWTH,
    MoveKind,
    StatementChange,
    is_captured,
    may_run_in,
    per_execution,
    uncaptured_text,
)
from awrdiff.analysis.verdict.thresholds import OF_CHANGE
from parsers.model import Value

_MOST = 4  # statements per rule
_ALIKE, _ALIKE_IN = 0.05, 3  # a run like another: within so much, in so many figures
_ENOUGH = 100  # executions that make a rate per hour
_WHOLE = 1.05  # of the change: beyond, it is more than all of it
_HALF = 0.5  # of what one execution moved by: from there on it is the reason
_NOTHING = 0.001  # active sessions
_WORK = {"buffer_gets": "gets", "physical_reads": "reads", "rows_processed": "rows"}
_TEXT_LENGTH = 60  # characters of a text


def entered_statements(facts: FactsOfTwo) -> RuleResult:
    """Statements that First's tables do not list, {OF_CHANGE:%} of the change of DB time or {OF_SIDE:%} of Second's."""
    return _statements_of_one_side(facts, "entered", "First", "worse")


def left_statements(facts: FactsOfTwo) -> RuleResult:
    """Statements that Second's tables do not list, {OF_CHANGE:%} of the change of DB time or {OF_SIDE:%} of First's."""
    return _statements_of_one_side(facts, "left", "Second", "better")


def _statements_of_one_side(facts: FactsOfTwo, kind: MoveKind, lacking: str, tone: Tone) -> RuleResult:
    answer = statements_of_kind(facts, kind, partial(_one_sided, lacking=lacking, tone=tone))
    return _listed_elsewhere(facts, lacking) or answer if answer is QUIET else answer


def renamed_statements(facts: FactsOfTwo) -> RuleResult:
    """The same text but for comments, hints, literals, case and space under another id: profiles do not follow."""
    return statements_of_kind(facts, "renamed", _other_id)


def slower_statements(facts: FactsOfTwo) -> RuleResult:
    """One execution takes {SLOWER} times as long for as much work; from {OF_SIDE_SLOWER:%} of DB time on."""
    return statements_of_kind(facts, "slower", partial(_per_execution, how=("slower", "more"), tone="worse"))


def faster_statements(facts: FactsOfTwo) -> RuleResult:
    """One execution is {SLOWER} times as fast for as much work; from {OF_SIDE_SLOWER:%} of DB time on."""
    return statements_of_kind(facts, "faster", partial(_per_execution, how=("faster", "less"), tone="better"))


def changed_statements(facts: FactsOfTwo) -> RuleResult:
    """Statements that carry the change, named by no other rule: run more or less often, or each a little longer."""
    by_kind = [statements_of_kind(facts, kind, _changing) for kind in ("grew", "shrank")]
    if isinstance(by_kind[0], Unknown):
        return by_kind[0]
    return tuple(s for answer in by_kind if isinstance(answer, tuple) for s in answer) or QUIET


def statements_of_kind(
    facts: FactsOfTwo, kind: MoveKind, tell: Callable[[FactsOfTwo, StatementChange], Observation]
) -> RuleResult:
    for name, side in (("First", facts.first), ("Second", facts.second)):
        if not side.has(ELAPSED):
            return Unknown(f"SQL ordered by Elapsed Time of {name}")
        if side.active_sessions is None:
            return Unknown(f"DB time of {name}")
    first, second = (s.report.section(ELAPSED) for s in facts.sides)
    if kind in ("entered", "left") and first and second and nothing_in_common(first, second):
        return Unknown("ids of statements of one kind: Statspack prints old hash values, AWR SQL ids")
    changes = (m for m in facts.statement_changes if m.kind == kind and m.least_known_sessions >= facts.least_sessions)
    return tuple(tell(facts, m) for m in changes)[:_MOST] or QUIET


def _listed_elsewhere(facts: FactsOfTwo, name: str) -> Contradicted | None:
    for each in facts.statement_changes:
        pair = each.pair
        there, here = (pair.first, pair.second) if name == "First" else (pair.second, pair.first)
        if there is None or here is None or not each.matters:
            continue
        if ELAPSED in here.listed_in and ELAPSED not in there.listed_in and there.listed_in:
            return Contradicted(f"{there.listed_in[0]} of {name} lists {pair.sql_id}")
    return None


def _one_sided(facts: FactsOfTwo, each: StatementChange, *, lacking: str, tone: Tone) -> Observation:
    is_first, apart, who = lacking == "First", facts.unrelated, who_runs(each.pair)
    side, bound = (facts.first, each.sessions.first) if is_first else (facts.second, each.sessions.second)
    is_far_below = bound is None or bound.high <= abs(each.sessions.change)  # half of the other side at most
    title = f"{who} {'entered' if is_first else 'left'}: {each.pair.sql_id}."
    if not (is_captured(side) and is_far_below):
        title = f"{who} stands out: {each.pair.sql_id}."
    elif apart:
        title = f"{who} of {'Second' if is_first else 'First'} alone: {each.pair.sql_id}."
    missing = f"In none of {lacking}'s SQL tables."
    if bound is not None:
        most = f"{number(bound.high)} active sessions"
        at_most = f"under {most}" if bound.high >= _NOTHING else "next to nothing"
        rest = uncaptured_text(side)
        if rest and side.least_sampled_sql is not None:
            missing = f"{missing[:-1]}; {rest}, but its samples leave at most {most}."
        else:
            missing = f"{missing[:-1]}; {rest}: at most {most}." if rest else f"{missing[:-1]}, hence {at_most}."
    text = f"{_size(facts, each)} {missing} {_runs(facts, each)}"
    return _finding(facts, each, title, text, "neutral" if apart else finding_sizes.tone_of(each.sessions, tone))


def who_runs(pair: StatementPair) -> str:
    return "Oracle's own work" if is_oracles_own(pair.statement) else "A statement"


def _other_id(facts: FactsOfTwo, each: StatementChange) -> Observation:
    pair, title, how = each.pair, "A statement changed its id.", "comments, hints, literals or writing only"
    texts = [s.text for s in (pair.first, pair.second) if s is not None and s.text and not s.text_is_cut]
    if len(texts) == 2 and without_comments(texts[0]) == without_comments(texts[1]):
        how = "comments, hints or writing only"
    elif len(texts) == 2:
        title, how = "A statement ran with other literals.", "literals or binds, which may select other rows"
    first = pair.first.key.sql_id if pair.first else ""
    text = f"{first} in First is {pair.sql_id} in Second: the texts differ in {how}."
    tones: dict[MoveKind, Tone] = {} if facts.other_work else {"grew": "worse", "shrank": "better"}
    tone = tones.get(each.by_size(), "neutral")
    return _finding(facts, each, title, f"{text} {_size(facts, each)} {_runs(facts, each)}", tone)


def _per_execution(facts: FactsOfTwo, each: StatementChange, *, how: tuple[str, str], tone: Tone) -> Observation:
    plans = ", with another plan" if other_plans(each.pair.first, each.pair.second) else ""
    title = f"{who_runs(each.pair)} is {how[0]} per execution{plans}: {each.pair.sql_id}."
    tone = finding_sizes.tone_of(each.sessions, tone)
    if each.did_other_work:
        title, tone = f"A statement does {how[1]} per execution: {each.pair.sql_id}.", "neutral"
    why = ""
    elsewhere = ran_elsewhere(facts, each)
    if elsewhere:
        title = f"Another part of a statement ran on other instances: {each.pair.sql_id}."
        finding = _finding(facts, each, title, f"{_runs(facts, each)} {_size(facts, each)} {elsewhere}", "neutral")
        messages = (row("instance_activity", name, "total") for name in (REMOTE, LOCAL))
        return replace(finding, evidence=(*finding.evidence, *messages))
    if share := share_of_work(facts, each):
        text = f"{_runs(facts, each)} {_size(facts, each)} {OTHERS_DID}"
        return _finding(facts, each, f"{share}: {each.pair.sql_id}.", text, "neutral")
    reason = main_part(facts, each)
    if reason is not None and each.each is not None and not each.did_other_work:
        why = f" {reason.text(each.each[1].number - each.each[0].number)}"
        if not plans and each.more_gets is None:
            title = f"A statement {reason.title()} per execution: {each.pair.sql_id}."
    if each.more_gets is not None:
        rows = per_execution(each.pair, "rows_processed")
        for_rows = " for as many rows" if rows is not None else ""
        why += f" With {number(each.more_gets)} × the gets{for_rows}: the plan, the data or reads of undo."
    finding = _finding(facts, each, title, f"{_runs(facts, each)} {_size(facts, each)}{why}", tone)
    reads = _reads_that_moved(facts, each)
    if reads is None:
        return finding
    took, longer = " → ".join(seconds(e.average_s or 0.0) for e in reads), "longer" if how[0] == "slower" else "less"
    text = f"{finding.text} Its reads take {longer}, as those of all do: {took} each."
    beside = () if each.matters else (reads[1].evidence(),)
    return replace(finding, text=text, evidence=(*finding.evidence, *beside))


def _reads_that_moved(facts: FactsOfTwo, each: StatementChange) -> tuple[Event, Event] | None:
    time, reads = each.each, per_execution(each.pair, "physical_reads")
    requests = per_execution(each.pair, "physical_read_requests") or reads
    if time is None or requests is None:
        return None
    change_s = time[1].number - time[0].number
    waits = per_execution(each.pair, "user_io_wait_time_s")
    if waits is not None and (waits[1].number - waits[0].number) / change_s < _HALF:
        return None
    for name in READS:
        a, b = (side.foreground.get(name) for side in facts.sides)
        if a is None or b is None or a.average_s is None or b.average_s is None:
            continue
        if min(v.number for v in requests) * (b.average_s - a.average_s) / change_s >= _HALF:
            return a, b
    return None


def _changing(facts: FactsOfTwo, each: StatementChange) -> Observation:
    grew = each.kind == "grew"
    once_more = _did_the_same(facts, each.pair)
    if once_more:
        title = f"A statement took as long in windows of other lengths: {each.pair.sql_id}."
        return _finding(facts, each, title, f"{_size(facts, each)} {once_more} {_runs(facts, each)}", "neutral")
    more, pair = "more" if grew else "less", each.pair
    title = f"{who_runs(pair)} takes {more} DB time: {pair.sql_id}."
    text = f"{_size(facts, each)} {_runs(facts, each)}"
    if each.each is not None and pair.first is not None and pair.second is not None:
        runs = [side.per_second(s.executions) for side, s in ((facts.first, pair.first), (facts.second, pair.second))]
        cost = each.each[1].number / each.each[0].number if each.each[0].number > 0 else 0.0
        if runs[0] and runs[1] and 1 / ALONG < cost < ALONG and facts.goes_along(runs[1] / runs[0]):
            return _finding(facts, each, title, f"{text} It ran {more} often, as the work did.", "neutral")
    return _finding(facts, each, title, text, "worse" if grew else "better")


def _did_the_same(facts: FactsOfTwo, pair: StatementPair) -> str:
    first, second = pair.first, pair.second
    if facts.as_long or first is None or second is None or first.elapsed is None or second.elapsed is None:
        return ""
    totals = [(first.value(f), second.value(f)) for f in ("elapsed_time_s", "cpu_time_s", *_WORK)]
    values = [(a.number, b.number) for a, b in totals if a is not None and b is not None]
    if len(values) < _ALIKE_IN or any(abs(a - b) > _ALIKE * b for a, b in values):
        return ""
    took = f"{seconds(first.elapsed.number)} in First and {seconds(second.elapsed.number)} in Second"
    return f"In all it took {took} and did as much."


def observation_of(facts: FactsOfTwo, each: StatementChange, title: str, tone: Tone) -> Observation:
    return _finding(facts, each, title, f"{_size(facts, each)} {_runs(facts, each)}", tone)


def _finding(facts: FactsOfTwo, each: StatementChange, title: str, text: str, tone: Tone) -> Observation:
    statement = each.pair.statement
    sides = {"first": facts.first, "second": facts.second}
    around = block_and_its_sql(sides, facts.statements, each.pair)
    keys = [s.key for s in (each.pair.first, each.pair.second) if s is not None]
    hash_values = [key.sql_id for key in keys if key.is_hash_value]
    other_name = [f"Statspack names it {hash_values[0]}."] if len(keys) == 2 and len(hash_values) == 1 else []
    parts = [f"{statement_name(statement)}: {text.strip()}", *other_name, *around]
    return Observation(
        title,
        " ".join(parts),
        evidence(facts, each.pair),
        sessions=each.sessions,
        subject=Subject("sql", statement.key.sql_id),
        tone=tone,
    )


def statement_name(statement: Statement) -> str:
    text = " ".join(statement.text.split())
    cut = len(text) > _TEXT_LENGTH or statement.text_is_cut
    short = f"{text[:_TEXT_LENGTH].rstrip()} …" if cut else text
    where = [p for p in (statement.module, f"PDB {statement.key.pdb}" if statement.key.pdb else "") if p]
    beginning = short or statement.key.sql_id
    if len(statement.ids) > 1:
        where.insert(0, f"{len(statement.ids)} ids that differ in literals or comments")
    return f"{beginning} ({', '.join(where)})" if where else beginning


def _size(facts: FactsOfTwo, each: StatementChange) -> str:
    a, b = each.sessions.first, each.sessions.second
    what = "difference" if facts.unrelated else "change"
    shares = [f"{percent(each.of_change)} of the {what}"] if OF_CHANGE <= each.of_change <= _WHOLE else []
    for name, statement, side, whole in (
        ("First", each.pair.first, a, each.first_whole),
        ("Second", each.pair.second, b, each.second_whole),
    ):
        if statement is not None and statement.elapsed is not None and side is not None and whole > 0:
            shares.append(f"{percent(_listed_sessions(side) / whole)} of {name}'s DB time")
    more = f"; more than the whole {what}, as others moved the other way" if each.of_change > _WHOLE else ""
    return f"{_from_to(each)}, {listing(shares)}{more}." if shares else f"{_from_to(each)}{more}."


def _from_to(each: StatementChange) -> str:
    pair, a, b = each.pair, each.sessions.first, each.sessions.second
    texts = [
        f"{'at least ' * side.is_open}{number(_listed_sessions(side))}"
        if statement.elapsed is not None
        else f"under {number(side.high)}"
        for statement, side in ((pair.first, a), (pair.second, b))
        if statement is not None and side is not None
    ]
    return f"{' → '.join(texts)} active sessions"


def _listed_sessions(side: Range) -> float:
    return side.low if side.is_open else side.middle


def _runs(facts: FactsOfTwo, each: StatementChange) -> str:
    pair, parts = each.pair, []
    statements = [(side, s) for side, s in ((facts.first, pair.first), (facts.second, pair.second)) if s is not None]
    times = [seconds(v.number) for _, s in statements if (v := s.per_execution("elapsed_time_s")) is not None]
    parts += _how_often([(side, s.executions) for side, s in statements], alike=facts.as_long)
    if times and len(times) == len(statements):
        factor = f" ({change(each.each[0].number, each.each[1].number)})" if each.each else ""
        parts.append(f"{' → '.join(times)} each{factor}")
    for figure in _dearer(pair):
        if (two := per_execution(pair, figure)) is not None:
            parts.append(f"{number(two[0].number)} → {number(two[1].number)} {_WORK[figure]} per execution")
    if plans := other_plans(pair.first, pair.second):
        parts.append(f"plan {plans[0]} → {plans[1]}")
    waits = list(pair.statement.waits.items())[:2]
    parts += [f"sampled in {listing([f'{e} ({percent(p / 100)} of the samples)' for e, p in waits])}"] if waits else []
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if parts else ""


def _how_often(executions: list[tuple[Side, Value | None]], *, alike: bool) -> list[str]:
    counts = [v.number for _, v in executions if v is not None]
    if not counts or len(counts) < len(executions):
        return []
    if not alike and len(counts) == 2 and min(counts) >= _ENOUGH:
        counts = [(side.per_second(v) or 0.0) * 3600 for side, v in executions]
        return [f"{' → '.join(number(round(c)) for c in counts)} executions per hour"]
    if counts == [0]:
        return ["no execution is counted inside the window"]
    is_single = counts[-1] == 1
    across = " (0: none is counted inside the window)" if 0 in counts else ""
    return [f"{' → '.join(number(c) for c in counts)} execution{'' if is_single else 's'}{across}"]


def other_plans(first: Statement | None, second: Statement | None) -> tuple[str, str] | None:
    """Main plan of each; None where one ran in both, or a side prints none."""
    plans = [s.plan_hashes for s in (first, second) if s is not None and s.plan_hashes]
    if len(plans) < 2 or set(plans[0]) & set(plans[1]):
        return None
    return plans[0][0], plans[1][0]


def block_and_its_sql(sides: Mapping[str, Side], pairs: Iterable[StatementPair], pair: StatementPair) -> Iterator[str]:
    """A block and its SQL are one time."""
    if pair.is_plsql:
        yield "A PL/SQL block: its time includes that of the SQL it runs."
        return
    listed = list(pairs)
    names = dict.fromkeys(n for name, side in sides.items() for n in _blocks_around(side, listed, pair, name))
    if names:
        yield (
            f"It may run inside {listing(list(names)[:2])}, whose time includes that of its SQL: "
            "the statements that are listed take more than all of DB time."
        )


def _blocks_around(side: Side, pairs: Iterable[StatementPair], pair: StatementPair, name: str) -> Iterator[str]:
    captured, inner = side.captured_sql, getattr(pair, name)
    if (captured.sql or 0.0) + (captured.plsql or 0.0) <= 1.0 or inner is None or inner.elapsed is None:
        return
    for other in pairs:
        block: Statement | None = getattr(other, name)
        if block is None or not block.is_plsql or block.elapsed is None or not may_run_in(pair, other):
            continue
        if block.elapsed.high >= 0.5 * inner.elapsed.low:
            yield block.key.sql_id


def _dearer(pair: StatementPair) -> list[str]:
    clauses = []
    for figure in _WORK:
        two = per_execution(pair, figure)
        if two is None or two[0].number <= 0 or max(v.number for v in two) < 1:
            continue
        if not 1 / GROWTH < two[1].number / two[0].number < GROWTH:
            clauses.append(figure)
    return clauses


def evidence(facts: FactsOfTwo, pair: StatementPair) -> tuple[Evidence, ...]:
    rows: dict[str, Evidence] = {}
    for statement in (pair.second, pair.first):
        for name in ("elapsed_time_s", "executions", *_dearer(pair)):
            figure = statement.figures.get(name) if statement is not None else None
            if figure is not None:
                pointer = row_of(facts, figure)
                rows.setdefault(f"{pointer.section} {pointer.row_id}", pointer)
    return tuple(rows.values())


def row_of(facts: FactsOfTwo, figure: StatementFigure) -> Evidence:
    first, second = (s.report.section(figure.section) for s in facts.sides)
    if first is None or second is None or not nothing_in_common(first, second):
        return figure.evidence(common_key(first, second))
    own = first.key if first.key[0] in figure.row else second.key
    return figure.evidence(own, apart=own[0])
