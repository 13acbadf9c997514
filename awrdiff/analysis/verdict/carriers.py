"""What carries the change of DB time, in a sentence; what DB time is spent on where there is no change."""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.model.comparison import Attribution, Finding
from awrdiff.analysis.verdict.rules.cpu import QUEUEING
from awrdiff.analysis.verdict.rules.facts import CPU_SUBJECT, Consumer, Facts
from awrdiff.analysis.verdict.rules.parsing import PARSE
from awrdiff.analysis.words import listing, number, percent, sentence

_STEADY = 0.10  # active sessions within this are "about the same"
UNEXPLAINED = "recorded as neither wait nor CPU"
_WHO = ("sql", "object")
_LEAST_PART = 0.15  # of the change


def carriers_said(facts: Facts, findings: Sequence[Finding]) -> str:
    """One sentence: the waits or the CPU that carry the change, parsing, and which statement or object."""
    said = _where(facts)
    for more in (_parsing(facts), _who(facts, findings)):
        if more:
            said = f"{said[:-1]}; {more}." if said else f"{sentence(more)}."
    return said


def _parsing(facts: Facts) -> str:
    share = facts.share(PARSE)
    if share is None or max(share.first, share.second) < 0.20:
        return ""
    if abs(share.diff) < 0.03:
        return f"parsing takes {percent(share.second)} of DB time on both sides"
    moved = "up" if share.diff > 0 else "down"
    return f"parsing took {percent(share.second)} of DB time, {moved} from {percent(share.first)}"


def _who(facts: Facts, findings: Sequence[Finding]) -> str:
    """The statement or object of the largest such finding, where it carries 15 % of the change."""
    a = facts.attribution
    whole = a.second_per_s - a.first_per_s if a is not None else 0.0
    for finding in findings:
        size, subject = finding.sessions, finding.subject
        if size is None or subject is None or subject.kind not in _WHO or size.change * whole <= 0:
            continue
        if abs(size.change) >= _LEAST_PART * abs(whole):
            kind = "statement" if subject.kind == "sql" else "object"
            return f"{kind} {subject.key} alone {number(abs(size.change))} {'more' if whole > 0 else 'fewer'}"
    return ""


def _where(facts: Facts) -> str:
    """Which subject carries the change, or what the time is spent on where there is no change."""
    a = facts.attribution
    if a is None:
        return ""
    whole = a.second_per_s - a.first_per_s
    if abs(whole) < _STEADY * max(a.first_per_s, a.second_per_s):
        return composition(a)
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
        return _unexplained(facts)
    return "No single wait or CPU carries the change."


def _unexplained(facts: Facts) -> str:
    busy = facts.both(lambda s: s.host_busy_pct)
    if busy is not None and max(busy.first, busy.second) >= QUEUEING:
        return "Most of the change is in no wait and not on CPU: sessions queued for CPU."
    return f"Most of the change is {UNEXPLAINED}."


def largest(a: Attribution | None) -> list[tuple[str, float]]:
    """What takes at least a tenth of Second's DB time, and its share of it (0..1), the three largest."""
    if a is None or a.second_per_s <= 0:
        return []
    parts = [(p.key, min((p.second_per_s or 0.0) / a.second_per_s, 1.0)) for p in a.parts]
    return sorted((p for p in parts if p[1] >= 0.10), key=lambda p: -p[1])[:3]


def composition(a: Attribution | None) -> str:
    """Where Second spends its time."""
    top = largest(a)
    if not top:
        return ""
    said = listing([f"{percent(share)} {'on CPU' if key == 'DB CPU' else f'in {key}'}" for key, share in top])
    return f"DB time goes {said}."
