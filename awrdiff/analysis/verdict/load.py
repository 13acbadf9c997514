"""How much more or less DB time there is, and against which work, in a sentence."""

from __future__ import annotations

from awrdiff.analysis.verdict.rules.facts import MOVED, Facts
from awrdiff.analysis.verdict.rules.load import collapsed
from awrdiff.analysis.words import change, listing, number

_STEADY = 0.10  # active sessions within this are "about the same"
_MORE, _LESS = 1.15, 0.87  # DB time per unit of work: within them it went along


def load_said(facts: Facts) -> str:
    sessions = facts.sessions()
    if sessions is None:
        return "A report lacks DB time or elapsed time, so the two cannot be weighed against each other as a whole."
    before, after = number(sessions.first), number(sessions.second)
    factor = sessions.factor
    if factor is None:
        return f"Average active sessions went from {before} to {after}."
    if abs(factor - 1) < _STEADY:
        held = f"Average active sessions stayed about the same ({before} and {after})"
        return f"{held}, {_work_beside(facts)}." if facts.work() else f"{held}."
    verb = "rose" if factor > 1 else "fell"
    said = f"Average active sessions {verb} from {before} to {after} ({change(sessions.first, sessions.second)})"
    return f"{said}{_work_against(facts, factor)}." if facts.work() else f"{said}."


def idle_said(facts: Facts) -> str:
    """Of two periods in which next to nothing happened."""
    sessions = facts.sessions()
    if sessions is None:
        return ""
    cpus = next((n for n in (facts.second.cpus, facts.first.cpus) if n), None)
    on = f" on {cpus} CPU{'' if cpus == 1 else 's'}" if cpus else ""
    both = f"{number(sessions.first)} and {number(sessions.second)} active sessions"
    return f"Both periods are nearly idle: {both}{on}."


def _work_against(facts: Facts, factor: float) -> str:
    fallen = [f"{name} fell to {_part(t.factor or 0.0)}" for name, t in collapsed(facts).items()]
    if fallen and not facts.other_work:
        return f", while {listing(fallen)}: {_measures(facts)}"
    if facts.other_work:
        return f", but the work is of another kind: {_measures(facts)}"
    units = facts.per_unit(factor)
    if units is None:
        return f"; {_measures(facts)}"
    if units.low >= _LESS and units.high <= _MORE:
        return f", in proportion to the work: {_measures(facts)}"
    if units.low <= _MORE and units.high >= _LESS:
        return _as_much(facts, units.low, units.high, grew=factor > 1)
    return f"{_against_range(facts, factor, units.low, units.high)}: {_measures(facts)}"


def _as_much(facts: Facts, low: float, high: float, *, grew: bool) -> str:
    """Of work of which some measures went along with DB time: the one that moved most, and the one that moved least."""
    verb, work = "grew" if grew else "fell", facts.work()
    if high <= _MORE if grew else low >= _LESS:
        return f"; the work {verb} as much or more: {_measures(facts, extremes=True)}"
    ends = (max, min) if grew else (min, max)
    names = (end(work, key=lambda n: round(work[n].factor or 0.0, 2)) for end in ends)
    most, least = (f"{n} {change(work[n].first, work[n].second)}" for n in names)
    return f"; some of the work {verb} as much ({most} per second), some less ({least})"


def _against_range(facts: Facts, factor: float, low: float, high: float) -> str:
    """`low` and `high`: how DB time per unit of work changed, by the unit where it did least and most."""
    grew = factor > 1
    if (grew and high < 1) or (not grew and low > 1):
        far = "far " if (high <= 0.5 if grew else low >= 2) else ""
        return f", {far}less than the work did"
    if facts.moved() is None:
        return f", while the work {'did not grow' if grew else 'held'}" if _flat(facts) else ", more than the work did"
    ratio = low if grew else 1 / high
    far = "far " if ratio >= 2 else ""
    held = all((t.factor or 0.0) <= MOVED if grew else (t.factor or 0.0) >= 1 / MOVED for t in facts.work().values())
    if held:
        return f", while the work {'did not grow' if grew else 'did not shrink'}"
    return f", {far}more than any measure of the work did"


def _flat(facts: Facts) -> bool:
    return all(abs((t.factor or 1.0) - 1) <= 0.15 for t in facts.work().values())


def _part(factor: float) -> str:
    """What is left of it."""
    return f"{factor * 100:.0f} %" if factor >= 0.01 else "next to nothing"


def _work_beside(facts: Facts) -> str:
    work = facts.work_factor(1.0) or 1.0
    if facts.other_work:
        return f"but the work is of another kind: {_measures(facts)}"
    if facts.same_work is not None:
        return f"while the work went {'faster' if work > 1 else 'slower'}: {_measures(facts)}"
    held = all(1 / MOVED < (two.factor or 1.0) < MOVED for two in facts.work().values())
    joint = "and so did the work" if abs(work - 1) < _STEADY and held else "though the work changed"
    return f"{joint}: {_measures(facts)}"


def _measures(facts: Facts, *, extremes: bool = False) -> str:
    """Transactions and logical reads; the others where those are missing. Of another kind of work, both extremes."""
    work = facts.work()
    wanted = ["transactions", "logical reads"]
    if facts.other_work or extremes:
        wanted = [most(work, key=lambda n: work[n].factor or 0.0) for most in (max, min)]
    names = [n for n in wanted if n in work] or list(work)[:2]
    changes = [change(work[n].first, work[n].second) for n in names]
    if len(set(changes)) == 1:
        return f"{listing(names)} {changes[0]} per second"
    return listing([f"{n} {c}" for n, c in zip(names, changes, strict=True)]) + " per second"
