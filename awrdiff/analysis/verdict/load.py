"""Sentence on DB time against the work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from awrdiff.analysis.report.instances import numbers_of
from awrdiff.analysis.verdict.commonality import commonality_said
from awrdiff.analysis.verdict.facts import SAME_UP_TO, FactsOfTwo, FirstSecond, Units
from awrdiff.analysis.verdict.rules.load import collapsed_measures
from awrdiff.analysis.words import change, listing, number

_STEADY = 0.10  # active sessions within this are "about the same"
_MORE, _LESS = 1.15, 0.87  # DB time per unit of work: within them it went along
_ALONG = 0.5  # of the change of DB time: work that moved by less did not move with it


def load_text(facts: FactsOfTwo) -> str:
    """Load sentence, after whatever forbids to call the difference a change."""
    sentence_text, lead = _load_said(facts), _lead(facts)
    return f"{lead}: {sentence_text[0].lower()}{sentence_text[1:]}" if lead else sentence_text


def load_in_brief(facts: FactsOfTwo, symptoms: Collection[str]) -> str:
    """Change of the load, and the work without what the cause itself makes of it."""
    sessions = facts.sessions()
    work = _measures(facts, but=symptoms)
    if sessions is None or sessions.factor is None or abs(sessions.factor - 1) < _STEADY or not work:
        return load_text(facts)
    verb = "rose" if sessions.factor > 1 else "fell"
    return f"Average active sessions {verb} from {_from_to(sessions)}; {work}."


def _from_to(two: FirstSecond) -> str:
    return f"{number(two.first)} to {number(two.second)} ({change(two.first, two.second)})"


def _lead(facts: FactsOfTwo) -> str:
    if facts.cluster_side:
        return cluster_text(facts)
    if facts.is_other_sql and not facts.different_databases:
        return commonality_said(facts.commonality).rstrip(".")
    return ""


def cluster_text(facts: FactsOfTwo) -> str:
    """One instance beside the whole cluster: which view compares like with like."""
    instance, all_ = facts.first.report, facts.second.report
    if facts.cluster_side == "First":
        instance, all_ = all_, instance
    number_ = next((i.number for i in instance.instances), None)
    which = f"instance {number_}" if number_ in numbers_of(all_) else "one instance"
    return f"One instance against its cluster (like with like is {which} of {facts.cluster_side} alone)"


def _load_said(facts: FactsOfTwo) -> str:
    sessions = facts.sessions()
    if sessions is None:
        return "A report lacks DB time or elapsed time, so the two cannot be weighed against each other as a whole."
    before, after = number(sessions.first), number(sessions.second)
    factor = sessions.factor
    if factor is None:
        return f"Average active sessions went from {before} to {after}."
    if facts.unrelated:
        return _of_two_databases(facts, before, after, factor)
    if abs(factor - 1) < _STEADY:
        steady_text = f"Average active sessions stayed about the same ({before} and {after})"
        return f"{steady_text}, {_work_beside(facts)}." if facts.work() else f"{steady_text}."
    verb = "rose" if factor > 1 else "fell"
    text = f"Average active sessions {verb} from {before} to {after} ({change(sessions.first, sessions.second)})"
    if facts.nearly_idle:
        beside = f" ({_measures(facts)})" if facts.work() else ""
        return f"{text}: {facts.nearly_idle} is nearly idle{beside}."
    return f"{text}{_work_against(facts, factor)}." if facts.work() else f"{text}."


def _of_two_databases(facts: FactsOfTwo, before: str, after: str, factor: float) -> str:
    how = f" ({change(1.0, factor)})" if facts.is_comparable(factor) else ""
    text = f"Two different databases: {before} active sessions in First, {after} in Second{how}"
    if not all(facts.is_comparable(two.factor) for two in facts.work().values()):
        return f"{text}; another workload."
    kind = "; the work is of another kind: " if facts.other_work or facts.is_other_sql else "; "
    return f"{text}{kind}{_measures(facts)}." if facts.work() else f"{text}."


def idle_text(facts: FactsOfTwo) -> str:
    """Sentence on two periods in which next to nothing happened."""
    sessions = facts.sessions()
    if sessions is None:
        return ""
    cpus = list(dict.fromkeys(n for n in (facts.first.cpus, facts.second.cpus) if n))
    on = f" on {listing([str(n) for n in cpus])} CPU{'' if cpus == [1] else 's'}" if cpus else ""
    levels = f"{number(sessions.first)} and {number(sessions.second)} active sessions"
    return f"Both periods are nearly idle: {levels}{on}."


def _work_against(facts: FactsOfTwo, factor: float) -> str:
    fallen = collapsed_measures(facts)
    if fallen and not facts.other_work:
        rest = _measures(facts, but=fallen)
        return f", while {_fall_text(fallen)}{f': {rest}' if rest else ''}"
    if facts.other_work:
        return f", but the work is of another kind: {_measures(facts)}"
    units = facts.per_unit(factor)
    if units is None:
        return f"; {_measures(facts)}"
    if units.low >= _LESS and units.high <= _MORE:
        along = all(((t.factor or 0.0) - 1) / (factor - 1) >= _ALONG for t in facts.work().values())
        return f", {'in proportion to the' if along else 'with about as much'} work: {_measures(facts)}"
    if units.low <= _MORE and units.high >= _LESS:
        return _in_part(facts, units, grew=factor > 1)
    return f"{_against_range(facts, factor, units.low, units.high)}: {_measures(facts)}"


def _in_part(facts: FactsOfTwo, units: Units, *, grew: bool) -> str:
    most = (min, max) if grew else (max, min)
    names = [pick(units.ratios, key=lambda n: units.ratios[n]) for pick in most]  # what moved furthest, and least
    work = facts.work()
    first, last = ((n, change(work[n].first, work[n].second)) for n in names)
    if _LESS <= units.ratios[names[1]] <= _MORE:
        return f", as much as the work did, or less: {first[0]} {first[1]} and {last[0]} {last[1]} per second"
    as_much = f"some of the work {'grew' if grew else 'fell'} as much or more ({first[0]} {first[1]} per second)"
    return f"; {as_much}, some did not ({last[0]} {last[1]})"


def _fall_text(measures: Mapping[str, FirstSecond]) -> str:
    """`executions fell to 26 %`; equal falls are named together."""
    by_part: dict[str, list[str]] = defaultdict(list)
    for name, two in measures.items():
        by_part[_part(two.factor or 0.0)].append(name)
    (first, names), *more_parts = by_part.items()
    return listing([f"{listing(names)} fell to {first}", *(f"{listing(n)} to {part}" for part, n in more_parts)])


def _against_range(facts: FactsOfTwo, factor: float, low: float, high: float) -> str:
    """`low`, `high`: change of DB time per unit of work, least and most."""
    grew = factor > 1
    if (grew and high < 1) or (not grew and low > 1):
        far = "far " if (high <= 0.5 if grew else low >= 2) else ""
        return f", {far}less than the work did"
    if facts.work_that_changed() is None:
        return f", while the work {'did not grow' if grew else 'held'}" if _flat(facts) else ", more than the work did"
    ratio = low if grew else 1 / high
    far = "far " if ratio >= 2 else ""
    is_steady = all(
        (t.factor or 0.0) <= SAME_UP_TO if grew else (t.factor or 0.0) >= 1 / SAME_UP_TO for t in facts.work().values()
    )
    if is_steady:
        return f", while the work {'did not grow' if grew else 'did not shrink'}"
    return f", {far}more than the workload"


def _flat(facts: FactsOfTwo) -> bool:
    return all(abs((t.factor or 1.0) - 1) <= 0.15 for t in facts.work().values())


def _part(factor: float) -> str:
    return f"{factor * 100:.0f} %" if factor >= 0.01 else "next to nothing"


def _work_beside(facts: FactsOfTwo) -> str:
    work = facts.work_factor(1.0) or 1.0
    if facts.other_work:
        return f"but the work is of another kind: {_measures(facts)}"
    if facts.same_work is not None:
        return f"while the work went {'faster' if work > 1 else 'slower'}: {_measures(facts)}"
    is_steady = all(1 / SAME_UP_TO < (two.factor or 1.0) < SAME_UP_TO for two in facts.work().values())
    joint = "and so did the work" if abs(work - 1) < _STEADY and is_steady else "though the work changed"
    return f"{joint}: {_measures(facts)}"


def _measures(facts: FactsOfTwo, but: Collection[str] = ()) -> str:
    work = {n: two for n, two in facts.work().items() if n not in but}
    if not work:
        return ""
    wanted = ["transactions", "logical reads"]
    if facts.measures_part:
        wanted = [most(work, key=lambda n: work[n].factor or 0.0) for most in (max, min)]
    elif (most_moved := facts.work_that_changed()) is not None and most_moved not in wanted:
        wanted.insert(1, most_moved)
    names = [n for n in wanted if n in work] or list(work)[:2]
    changes = [change(work[n].first, work[n].second) for n in names]
    if len(set(changes)) == 1:
        return f"{listing(names)} {changes[0]} per second"
    return listing([f"{n} {c}" for n, c in zip(names, changes, strict=True)]) + " per second"
