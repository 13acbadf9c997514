"""Statement of an AWR SQL report: cost of one execution, and plan. Executions count at their beginning, parallel time
adds up.

Source: Oracle Database Performance Tuning Guide, "Generating an AWR Report for a SQL Statement".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import change, listing, number, seconds, several, stretch
from awrdiff.analysis.model.comparison import Evidence, Subject, Tone
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.report.sql_statements import PLAN_STATISTICS, Plan, Statement
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.rows.statement_matching import StatementPair
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules.dominant_statements import observation_of_one, statements_by_size
from awrdiff.analysis.verdict.rules.new_gone_and_slower_statements import observation_of
from awrdiff.analysis.verdict.rules.statement_time_causes import OTHERS_DID, main_part, share_of_work
from awrdiff.analysis.verdict.statement_changes import GROWTH, SLOWER, StatementChange, per_execution

KIND = "awr_sql"
PARTS = (
    ("cpu_time_s", "CPU"),
    ("user_io_wait_time_s", "user I/O"),
    ("cluster_wait_time_s", "cluster waits"),
    ("application_wait_time_s", "application waits (locks)"),
    ("concurrency_wait_time_s", "concurrency waits"),
)
_WORTH = 0.10  # of an execution's time: smaller parts are left out
_STEPS = "sql_execution_plan"
_MOST_STEPS = 3
_NO_FIGURES = Unknown("Plan Statistics (AWR SQL report)")
_NO_PLANS = Unknown("plans of the statement on both sides")


def moved_statement(facts: FactsOfTwo) -> StatementChange | None:
    """None where one side does not print it."""
    ids = {s.key.sql_id for side in facts.sides for s in of_sql_report(side)}
    for each in facts.statement_changes:
        pair = each.pair
        is_on_both = pair.first is not None and pair.second is not None
        if is_on_both and pair.first and pair.second and ids & {pair.first.key.sql_id, pair.second.key.sql_id}:
            return each
    return None


def of_sql_report(side: Side) -> tuple[Statement, ...]:
    return tuple(side.statements.values()) if side.report.kind == KIND else ()


def cost_of_two(facts: FactsOfTwo) -> RuleResult:
    """One execution of an AWR SQL report's statement; slower or faster from {SLOWER} times on, for as many rows."""
    each = moved_statement(facts)
    if each is None:
        pairs = ((side, other) for side, other in zip(facts.sides, ("Second", "First"), strict=True))
        side, other = next((pair for pair in pairs if pair[0].report.kind == KIND), (None, ""))
        statement = next(iter(side.statements), None) if side is not None else None
        return Unknown(f"statement {statement.sql_id} in {other}") if statement is not None else _NO_FIGURES
    title, tone = headline(facts, each)
    observation = observation_of(facts, each, f"{title}: {each.pair.sql_id}.", tone)
    return replace(
        observation,
        text=" ".join([observation.text, *_more(facts, each)]),
        evidence=(*observation.evidence, *_rows_of_parts(each.pair)),
    )


def _more(facts: FactsOfTwo, each: StatementChange) -> Iterator[str]:
    if share_of_work(facts, each):
        yield OTHERS_DID
    elif each.more_gets is not None:
        yield "More gets for no more rows: the plan, the data, or reads of undo."
    sides = [s for s in (each.pair.first, each.pair.second) if s is not None]
    ids = [s.key.sql_id for s in sides]
    if len(set(ids)) > 1:
        yield f"{ids[0]} in First is {ids[1]} in Second: the texts differ in comments, literals or writing only."
    took = [s.elapsed for s in sides if s.elapsed is not None]
    if each.each is None and len(took) == 2:
        yield f"In all {seconds(took[0].number)} → {seconds(took[1].number)}."
    sized = ((name, per_execution(each.pair, figure)) for figure, name in PARTS)
    parts = [
        f"{name} {seconds(two[0].number)} → {seconds(two[1].number)}"
        for name, two in sized
        if each.each and two and any(v.number >= _WORTH * w.number for v, w in zip(two, each.each, strict=True))
    ]
    if parts:
        yield f"Of each execution: {'; '.join(parts)}."
    plans = [s.plan_hashes for s in sides]
    if len(plans) == 2 and plans[0] and set(plans[0]) == set(plans[1]):
        yield f"By the same plan{'s' if len(plans[0]) > 1 else ''}: {listing(list(plans[0]))}."


def headline(facts: FactsOfTwo, each: StatementChange) -> tuple[str, Tone]:
    if each.each is None:
        sides = zip(("First", "Second"), (each.pair.first, each.pair.second), strict=True)
        running = [name for name, s in sides if s is None or s.executions is None or not s.executions.number]
        return f"No execution of the statement ended in {listing(running) or 'one of the windows'}", "neutral"
    a, b = each.each
    longer, shorter = b.low >= SLOWER * a.high > 0, a.low >= SLOWER * b.high > 0
    if not longer and not shorter:
        how = f"One execution takes {'longer' if b.number > a.number else 'less long'} ({change(a.number, b.number)})"
        is_alike = a.number > 0 and 1 / GROWTH < b.number / a.number < GROWTH
        return "The statement takes about as long per execution" if is_alike else how, "neutral"
    if each.did_other_work:
        return f"The statement does {'more' if longer else 'less'} per execution", "neutral"
    if share := share_of_work(facts, each):
        return share, "neutral"
    reason, how = main_part(facts, each), f"is {'slower' if longer else 'faster'}"
    plans = [s.plan_hashes[:1] for s in (each.pair.first, each.pair.second) if s is not None]
    by_another_plan = len(plans) == 2 and all(plans) and plans[0] != plans[1]
    if reason is not None and each.more_gets is None and not by_another_plan:
        how = reason.title()
    return f"The statement {how} per execution", "worse" if longer else "better"


def _rows_of_parts(pair: StatementPair) -> Iterator[Evidence]:
    statement = next((s for s in (pair.second, pair.first) if s is not None and s.plans), None)
    if statement is None or statement.elapsed is None:
        return
    least = _WORTH * statement.elapsed.number
    for figure in (statement.figures.get(name) for name, _ in PARTS):
        if figure is not None and figure.value.number >= least > 0:
            yield figure.evidence()


def plan_of_two(facts: FactsOfTwo) -> RuleResult:
    """The plan that took most of the statement's time is another one, with other steps or objects."""
    each = moved_statement(facts)
    first, second = (each.pair.first, each.pair.second) if each is not None else (None, None)
    if each is None or first is None or second is None or not first.plan_hashes or not second.plan_hashes:
        return _NO_PLANS
    a, b = first.plan_hashes[0], second.plan_hashes[0]
    if a == b:
        return QUIET
    steps = _steps(facts.first, a), _steps(facts.second, b)
    if steps[0] and steps[0] == steps[1]:
        return Contradicted(f"Execution Plan prints the same steps for {a} and {b}")
    other = [*_only("First", steps[0] - steps[1]), *_only("Second", steps[1] - steps[0])] if all(steps) else []
    shared = f"{a} ran in Second too. " * (a in second.plan_hashes)
    shared += f"{b} ran in First too. " * (b in first.plan_hashes)
    text = f"First: {_plans(first)}. Second: {_plans(second)}. {shared}{' '.join(other)}".rstrip()
    of_plan = Evidence(PLAN_STATISTICS, "Elapsed Time (ms)", "total", anchor(PLAN_STATISTICS, "Elapsed Time (ms)", b))
    rows = (of_plan,) if second.plans else ()
    return Observation(
        f"The statement runs by another plan: {each.pair.sql_id}.",
        text,
        rows,
        subject=Subject("sql", each.pair.sql_id),
        explains=("sql-cost",),
    )


def _steps(side: Side, plan_hash: str) -> Counter[str]:
    """Without parallel queue and temporary object names, which change each time."""
    steps: Counter[str] = Counter()
    for row in printed_rows(side.report.section(_STEPS)):
        if row.text("plan_hash") == plan_hash:
            name = row.text("object_name")
            made_up = name.startswith((":", "SYS_TEMP", "VW_"))
            steps[" ".join([row.text("operation"), *([name] if name and not made_up else [])])] += 1
    return steps


def _only(name: str, steps: Counter[str]) -> Iterator[str]:
    names = list(steps)[:_MOST_STEPS]
    if names:
        more = f" and {len(steps) - len(names)} more" if len(steps) > len(names) else ""
        yield f"Steps of {name} alone: {', '.join(names)}{more}."


def _plans(statement: Statement) -> str:
    if not statement.plans:
        return f"plan {statement.plan_hashes[0]}, as sampled"
    return "; ".join(_plan(p) for p in statement.plans)


def _plan(plan: Plan) -> str:
    each, runs = plan.per_execution("elapsed_time_s"), plan.figures.get("executions")
    if each is None or runs is None:
        return f"plan {plan.plan_hash}, {seconds(plan.figures['elapsed_time_s'].value.number)} in all"
    return f"plan {plan.plan_hash}, {several(runs.value.number, 'execution', 'executions')} of {seconds(each.number)}"


def cost_of_one(facts: FactsOfOne) -> RuleResult:
    """The statement of an AWR SQL report: its part of DB time, and what one execution took and did."""
    statements = statements_by_size(facts)
    if not statements or facts.sessions is None:
        return _NO_FIGURES
    observation, elapsed = observation_of_one(facts, statements[0]), facts.side.elapsed
    each = statements[0].pair.statement.per_execution("elapsed_time_s")
    if each is None or elapsed is None or each.low <= elapsed.high:
        return observation
    window = f"the window is {stretch(elapsed.number)} long"
    text = f"{observation.text} Its {seconds(each.number)} are those of several processes at once: {window}."
    return replace(observation, text=text)


def plans_of_one(facts: FactsOfOne) -> RuleResult:
    """The statement ran by several plans, one taking {SLOWER} times as long per execution for as many rows."""
    statement = next(iter(of_sql_report(facts.side)), None)
    if statement is None:
        return _NO_FIGURES
    timed = [(v.number, p) for p in statement.plans if (v := p.per_execution("elapsed_time_s")) is not None]
    if len(timed) < 2:
        return QUIET
    (least, fast), (most, slow) = min(timed, key=lambda t: t[0]), max(timed, key=lambda t: t[0])
    if most < SLOWER * least or least <= 0:
        return QUIET
    rows = fast.per_execution("rows_processed"), slow.per_execution("rows_processed")
    if rows[0] and rows[1] and rows[0].number > 0 and rows[1].number / rows[0].number >= max(GROWTH, most / least / 2):
        of = f"{number(rows[0].number)} and {number(rows[1].number)} rows per execution"
        return Contradicted(f"Plan Statistics: {of} by plans {fast.plan_hash} and {slow.plan_hash}")
    text = f"By {slow.plan_hash} one execution takes {number(most / least)} times as long as by {fast.plan_hash}:"
    rows_of = tuple(p.figures["elapsed_time_s"].evidence() for p in (slow, fast))
    title = f"The statement ran by {number(len(statement.plans))} plans: {statement.key.sql_id}."
    subject = Subject("sql", statement.key.sql_id)
    return Observation(title, f"{text} {_plans(statement)}.", rows_of, subject=subject, explains=("sql-cost",))
