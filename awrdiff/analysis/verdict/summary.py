"""The verdict: one paragraph of plain text that reads well for any pair, and claims nothing that is not printed."""

from __future__ import annotations

from awrdiff.analysis.report.kinds import KINDS, weighable
from awrdiff.analysis.report.sampled import active_sessions
from awrdiff.analysis.verdict.commits import commits_said, same_work
from awrdiff.analysis.verdict.rules.facts import CPU_SUBJECT, MOVED, Consumer, Facts, Two
from awrdiff.analysis.verdict.rules.parsing import PARSE
from awrdiff.analysis.words import change, listing, number, percent

_STEADY = 0.10  # active sessions within this are "about the same"


def summarise(facts: Facts) -> str:
    if not weighable(facts.first, facts.second):
        return _not_weighable(facts)
    same = same_work(facts)
    commits = commits_said(facts)
    sentences = [same, _sessions(facts), _parsing(facts), _where(facts), _host(facts), commits]
    return " ".join(s for s in sentences if s)


def _not_weighable(facts: Facts) -> str:
    first, second = (KINDS.get(s.report.kind, s.report.kind) for s in (facts.first, facts.second))
    same = first == second
    about = f"Both reports are about {first}" if same else f"First is about {first}, Second about {second}"
    verdict = f"{about}: they do not print load and waits on both sides, so the two cannot be weighed as a whole."
    before, after = active_sessions(facts.first), active_sessions(facts.second)
    if before is None or after is None:
        return verdict
    return f"{verdict} Average active sessions, as printed: {number(before)} in First, {number(after)} in Second."


def _sessions(facts: Facts) -> str:
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
    said = f"Average active sessions {verb} from {before} to {after} ({_size(facts, sessions)})"
    return f"{said}, {_work_against(facts, factor)}." if facts.work() else f"{said}."


def _size(facts: Facts, sessions: Two) -> str:
    """By the DB time itself where the windows are about equally long; else by the sessions."""
    elapsed = facts.both(lambda s: s.elapsed.number if s.elapsed else None)
    time = facts.both(lambda s: s.db_time.number if s.db_time else None)
    if elapsed is None or time is None or not 0.9 <= (elapsed.factor or 0.0) <= 1.1:
        return change(sessions.first, sessions.second)
    return f"DB time {change(time.first, time.second)}"


def _work_against(facts: Facts, factor: float) -> str:
    work = facts.work_factor(factor) or 1.0
    measures = _measures(facts)
    if facts.other_work:
        return f"but the work is of another kind: {measures}"
    if abs(work - 1) < 0.10 or (factor > 1) != (work > 1):
        return f"{_flat(facts, rose=factor > 1)}: {measures}"
    if 0.87 <= factor / work <= 1.15:
        return f"in proportion to the work: {measures}"
    ratio = factor / work if factor > 1 else work / factor
    if ratio > 1:
        return f"{'far ' if factor > 1 and ratio >= 2 else ''}more than the work did: {measures}"
    return f"{'far ' if ratio <= 0.5 else ''}less than the work did: {measures}"


def _flat(facts: Facts, *, rose: bool) -> str:
    """The work as a whole held or went the other way; a measure of it may have gone along."""
    factors = [two.factor or 0.0 for two in facts.work().values()]
    if rose:
        return "while the work grew in part only" if max(factors) >= MOVED else "while the work did not grow"
    return "while the work shrank in part only" if min(factors) <= 1 / MOVED else "for no less work"


def _work_beside(facts: Facts) -> str:
    work = facts.work_factor(1.0) or 1.0
    if facts.other_work:
        return f"but the work is of another kind: {_measures(facts)}"
    if facts.same_work is not None:
        return f"while the work went {'faster' if work > 1 else 'slower'}: {_measures(facts)}"
    held = all(1 / MOVED < (two.factor or 1.0) < MOVED for two in facts.work().values())
    joint = "and so did the work" if abs(work - 1) < _STEADY and held else "though the work changed"
    return f"{joint}: {_measures(facts)}"


def _measures(facts: Facts) -> str:
    """Transactions and logical reads; the others where those are missing. Of another kind of work, both extremes."""
    work = facts.work()
    wanted = ["transactions", "logical reads"]
    if facts.other_work:
        wanted = [most(work, key=lambda n: work[n].factor or 0.0) for most in (max, min)]
    names = [n for n in wanted if n in work] or list(work)[:2]
    changes = [change(work[n].first, work[n].second) for n in names]
    if len(set(changes)) == 1:
        return f"{listing(names)} {changes[0]} per second"
    return listing([f"{n} {c}" for n, c in zip(names, changes, strict=True)]) + " per second"


def _parsing(facts: Facts) -> str:
    share = facts.share(PARSE)
    if share is None or max(share.first, share.second) < 0.20:
        return ""
    if abs(share.diff) < 0.03:
        return f"Parsing takes {percent(share.second)} of DB time on both sides."
    moved = "up" if share.diff > 0 else "down"
    return f"Parsing took {percent(share.second)} of DB time, {moved} from {percent(share.first)}."


def _where(facts: Facts) -> str:
    """Which subject carries the change, or what the time is spent on where there is no change."""
    a = facts.attribution
    if a is None:
        return ""
    whole = a.second_per_s - a.first_per_s
    if abs(whole) < _STEADY * max(a.first_per_s, a.second_per_s):
        return _composition(facts)
    carriers = [s for s in facts.consumers() if s.diff_per_s * whole > 0 and abs(s.diff_per_s) >= 0.15 * abs(whole)]
    if not carriers:
        return _scattered(facts, whole)
    top = carriers[0]
    part, total = number(abs(top.diff_per_s)), number(abs(whole))
    if part != total and abs(top.diff_per_s) > abs(whole):
        return _opposed(facts, top, whole)
    kind = "extra" if whole > 0 else "fewer"
    opener = "CPU accounts for" if top.name == CPU_SUBJECT else f"Waits for {top.name} make up"
    size = f"nearly all of the {total}" if part == total else f"{part} of the {total}"
    sentence = f"{opener} {size} {kind} sessions{_how(top, grew=whole > 0)}"
    others = [f"{'CPU' if s.name == CPU_SUBJECT else s.name} {number(abs(s.diff_per_s))}" for s in carriers[1:3]]
    return f"{sentence}; {listing(others)} {'more' if whole > 0 else 'fewer'}." if others else f"{sentence}."


def _opposed(facts: Facts, top: Consumer, whole: float) -> str:
    """One subject moved by more than the sum of all: something else moved the other way."""
    against = next((s for s in facts.consumers() if s.diff_per_s * whole < 0), None)
    grew = whole > 0
    name = "CPU" if top.name == CPU_SUBJECT else f"Waits for {top.name}"
    sentence = f"{name} {'rose' if grew else 'fell'} by {number(abs(top.diff_per_s))} sessions{_how(top, grew=grew)}"
    if against is None:
        return f"{sentence}."
    other = "CPU" if against.name == CPU_SUBJECT else f"waits for {against.name}"
    return f"{sentence}, while {other} {'fell' if grew else 'rose'} by {number(abs(against.diff_per_s))}."


def _how(subject: Consumer, *, grew: bool) -> str:
    count, latency = abs(subject.by_count_per_s), abs(subject.by_latency_per_s)
    if subject.name == CPU_SUBJECT or count + latency == 0:
        return ""
    longer, often = ("longer", "more often") if grew else ("less long", "less often")
    if latency >= 1.15 * count:
        return f", mostly by waiting {longer} rather than {often}"
    if count >= 1.15 * latency:
        return f", mostly by waiting {often} rather than {longer}"
    return f", by waiting both {longer} and {often}"


def _scattered(facts: Facts, whole: float) -> str:
    a = facts.attribution
    if a is not None and a.residual_per_s * whole > 0 and abs(a.residual_per_s) >= 0.5 * abs(whole):
        return "Most of the change is in no wait and not on CPU, which often means that sessions queued for CPU."
    return "No single wait or CPU carries the change."


def _composition(facts: Facts) -> str:
    """Where Second spends its time: what takes at least a tenth of it."""
    a = facts.attribution
    if a is None or a.second_per_s <= 0:
        return ""
    parts = [(p.key, (p.second_per_s or 0.0) / a.second_per_s) for p in a.parts]
    top = sorted((p for p in parts if p[1] >= 0.10), key=lambda p: -p[1])[:3]
    if not top:
        return ""
    said = listing([f"{percent(share)} {'on CPU' if key == 'DB CPU' else f'in {key}'}" for key, share in top])
    return f"DB time goes {said}."


def _host(facts: Facts) -> str:
    busy = facts.both(lambda s: s.host_busy_pct)
    if busy is None or busy.second < 85:
        return ""
    since = f", up from {percent(busy.first / 100)}" if busy.diff >= 5 else ""
    return f"The host's CPUs are {percent(busy.second / 100)} busy{since}: part of every wait is waiting for CPU."
