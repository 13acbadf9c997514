"""All that is found in the diagnosed cases, with what it rests on: `python -m tests.golden.said > tests/golden/said.txt`.

Each finding, and each reason why a rule says nothing, stands once, under the first case that has it, so that a change of
a rule is read as a change of its lines. What is said in other words of a case the other way round, of its second report
twice, or without a table that a finding rests on, is added; and of each such table, which rules answer otherwise where
one report alone lacks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison, Finding, Sessions
from parsers.model import Report
from tests.golden.test_diagnosed import NAMES, both, compared

PLAIN = "the same work with slower reads"
FIGURES = re.compile(r"[-−+×]?\d[\d.,]*")


def written() -> str:
    return "".join(f"{line}\n" for line in lines())


def lines() -> Iterator[str]:
    seen = {""}
    for name in NAMES:
        yield from _block(name, [text for text in said(compared(name)) if text not in seen])
        seen.update(said(compared(name)))
    shapes = {FIGURES.sub("#", text) for text in seen}
    for title, other in others():
        found = {FIGURES.sub("#", text): text for text in said(other)}
        yield from _block(title, [text for shape, text in found.items() if shape not in shapes])
        shapes.update(found)
    yield from one_sided()


@cache
def others() -> tuple[tuple[str, Comparison], ...]:
    """Each case in other ways, without its rows."""
    made = chain(reversed_cases(), poorer_cases(), plain_cases(), constant_cases())
    return tuple((title, replace(found, sections=())) for title, found in made)


def reversed_cases() -> Iterator[tuple[str, Comparison]]:
    for name in NAMES:
        yield f"{name}, the other way round", compare_reports(*reversed(both(name)))


def poorer_cases() -> Iterator[tuple[str, Comparison]]:
    """Without a table that a finding rests on, in neither report."""
    for name in NAMES:
        for section in sorted({e.section for f in compared(name).findings for e in f.evidence}):
            yield f"{name}, without {section}", compare_reports(*(_without(r, section) for r in both(name)))


def plain_cases() -> Iterator[tuple[str, Comparison]]:
    """One case without each of its tables, and without what its header says."""
    first, second = both(PLAIN)
    for section in sorted(first.by_id):
        yield f"{PLAIN}, without {section}", compare_reports(_without(first, section), _without(second, section))
    for bare in (_without_startup, _without_times):
        yield f"{PLAIN}, {bare.__name__.strip('_').replace('_', ' ')}", compare_reports(bare(first), bare(second))


def constant_cases() -> Iterator[tuple[str, Comparison]]:
    """The second report on both sides: what it has, both have."""
    for name in NAMES:
        second = both(name)[1]
        yield f"{name}, the second twice", compare_reports(second, second)


def one_sided() -> Iterator[str]:
    """For each rule and table one case: how the rules answer otherwise; the same again is not told twice."""
    resting: dict[tuple[str, str], str] = {}
    seen = {""}
    for name in NAMES:
        for found in compared(name).findings:
            for section in {e.section for e in found.evidence}:
                resting.setdefault((found.rule, section), name)
    for name, section in sorted({(name, section) for (_, section), name in resting.items()}):
        (first, second), whole = both(name), compared(name).rules
        halves = (_without(first, section), second), (first, _without(second, section))
        for which, half in zip(("First", "Second"), halves, strict=True):
            now = [r for r in compare_reports(*half).rules if r not in whole]
            told = "\n".join(f"{r.rule}: {r.state}{', ' * bool(r.by)}{r.by}" for r in now)
            yield from _block(f"{name}, without {section} in {which}", [told] * (told not in seen))
            seen.add(told)


def _without_startup(report: Report) -> Report:
    return replace(report, instances=tuple(replace(i, startup=None) for i in report.instances))


def _without_times(report: Report) -> Report:
    begin, end = (replace(s, time=None) for s in (report.period.begin, report.period.end))
    return replace(report, period=replace(report.period, begin=begin, end=end))


def _without(report: Report, section: str) -> Report:
    return replace(report, sections=tuple(s for s in report.sections if s.id != section))


def _block(title: str, fresh: list[str]) -> list[str]:
    return [f"## {title}", *fresh, ""] if fresh else []


def said(comparison: Comparison) -> list[str]:
    silent = [f"{r.rule}: {r.state}, {r.by}" for r in comparison.rules if r.by]
    return [*map(_finding, comparison.findings), *silent]


def _finding(found: Finding) -> str:
    about = f"{found.subject.kind} {found.subject.key!r}" if found.subject else "nothing"
    explains = f", explains {' '.join(found.explains)}" if found.explains else ""
    rests = [f"    {e.section}: {e.key!r}.{e.column} {e.row_id}" for e in found.evidence]
    head = f"{found.rule}: {found.severity}, {found.tone}, about {about}, {_sessions(found.sessions)}{explains}"
    return "\n".join([head, f"  {found.title}", f"  {found.text}", *rests])


def _sessions(size: Sessions | None) -> str:
    if size is None:
        return "of no size"
    sides = [f"{s.low:.4g} … {s.high:.4g}" if s is not None else "unknown" for s in (size.first, size.second)]
    return f"sessions {' → '.join(sides)}"


if __name__ == "__main__":
    print(written(), end="")
