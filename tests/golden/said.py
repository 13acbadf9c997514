"""All that is found in the diagnosed cases, with what it rests on: `python -m tests.golden.said` writes `said/`.

A file for each case: its summary, each finding, each reason why a rule says nothing. Below them, what is said in words
that the file does not have yet of the case the other way round, of its second report twice, or without a table that a
finding rests on; and of each such table, which rules answer otherwise where one report alone lacks it (each rule with
each of its tables in one case). Cases of one report stand in `said/single/`. What a rule cannot tell for want of a table
stands in one file for all cases, by the rule (`said/unknown.txt`): a new rule that most cases do not print the tables of
is no line in each of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, partial

from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison, Finding, RuleOutcome, Sessions
from awrdiff.analysis.model.single_report import Assessment, SingleFinding
from parsers.model import Report
from tests.golden import test_diagnosed_single as single
from tests.golden.snapshots import ROOT, Snapshots, block
from tests.golden.test_diagnosed import NAMES, both, compared

PLAIN = "the same work with slower reads"
FIGURES = re.compile(r"[-−+×]?\d[\d.,]*")


def lines(name: str) -> Iterator[str]:
    found = said(compared(name))
    yield f"summary: {compared(name).summary}"
    yield from found
    shapes = {shape(text) for text in found}
    for title, other in others(name):
        fresh = {shape(text): text for text in said(other)}
        yield from block(title, [text for key, text in fresh.items() if key not in shapes])
        shapes.update(fresh)
    yield from one_sided(name)


def shape(text: str) -> str:
    """Words alone, whatever the figures."""
    return FIGURES.sub("#", text)


@cache
def others(name: str) -> tuple[tuple[str, Comparison], ...]:
    """The case in other ways, without its rows."""
    made = [*turned_cases(name), *poorer_cases(name), *(plain_cases() if name == PLAIN else ())]
    return tuple((title, replace(found, sections=())) for title, found in made)


def turned_cases(name: str) -> Iterator[tuple[str, Comparison]]:
    first, second = both(name)
    yield "the other way round", compare_reports(second, first)
    yield "the second twice", compare_reports(second, second)


def poorer_cases(name: str) -> Iterator[tuple[str, Comparison]]:
    """Without a table that a finding rests on, in neither report."""
    for section in sorted({e.section for f in compared(name).findings for e in f.evidence}):
        yield f"without {section}", compare_reports(*(_without(r, section) for r in both(name)))


def plain_cases() -> Iterator[tuple[str, Comparison]]:
    """One case without each of its tables, and without what its header says."""
    first, second = both(PLAIN)
    for section in sorted(first.by_id):
        yield f"without {section}", compare_reports(_without(first, section), _without(second, section))
    for bare in (_without_startup, _without_times):
        yield bare.__name__.strip("_").replace("_", " "), compare_reports(bare(first), bare(second))


@cache
def resting() -> dict[tuple[str, str], str]:
    """The case in which a rule is tried without a table that it rests on in one report: the first that has both."""
    found: dict[tuple[str, str], str] = {}
    for name in NAMES:
        for finding in compared(name).findings:
            for section in {e.section for e in finding.evidence}:
                found.setdefault((finding.rule, section), name)
    return found


def one_sided(name: str) -> Iterator[str]:
    """How the rules answer otherwise without a table in one of the reports; the same again is not told twice."""
    (first, second), whole = both(name), compared(name).rules
    told = {""}
    for section in sorted({section for (_, section), case in resting().items() if case == name}):
        halves = (_without(first, section), second), (first, _without(second, section))
        for which, half in zip(("First", "Second"), halves, strict=True):
            now = [r for r in compare_reports(*half).rules if r not in whole]
            text = "\n".join(f"{r.rule}: {r.state}{', ' * bool(r.by)}{r.by}" for r in now)
            yield from block(f"without {section} in {which}", [text] * (text not in told))
            told.add(text)


def _without_startup(report: Report) -> Report:
    return replace(report, instances=tuple(replace(i, startup=None) for i in report.instances))


def _without_times(report: Report) -> Report:
    begin, end = (replace(s, time=None) for s in (report.period.begin, report.period.end))
    return replace(report, period=replace(report.period, begin=begin, end=end))


def _without(report: Report, section: str) -> Report:
    return replace(report, sections=tuple(s for s in report.sections if s.id != section))


def said(comparison: Comparison) -> list[str]:
    warnings = [f"warning: {w.text}" for w in comparison.warnings]
    return [*warnings, *map(_finding, comparison.findings), *_contradicted(comparison.rules)]


def lines_of_single(name: str) -> list[str]:
    found: Assessment = single.assessed(name)
    return [f"verdict: {found.verdict}", *map(_finding_alone, found.findings), *_contradicted(found.rules)]


def _contradicted(rules: Iterable[RuleOutcome]) -> list[str]:
    return [f"{r.rule}: {r.state}, {r.by}" for r in rules if r.by and r.state != "unknown"]


def unknown() -> Iterator[str]:
    """The cases of two reports and of one in which a rule lacks a table; then what it lacks without one of its own."""
    yield from _lacking({name: _lacks(compared(name).rules) for name in NAMES})
    yield from ("", "# one report", *_lacking({name: _lacks(single.assessed(name).rules) for name in single.NAMES}))
    without: dict[str, set[str]] = defaultdict(set)
    for name in NAMES:
        for title, other in others(name):
            without[title] |= _lacks(other.rules) - _lacks(compared(name).rules)
    for title, lacking in sorted(without.items()):
        yield from block(title, sorted(lacking))


def _lacks(rules: Iterable[RuleOutcome]) -> set[str]:
    return {f"{r.rule}: {r.by}" for r in rules if r.state == "unknown"}


def _lacking(by_case: dict[str, set[str]]) -> Iterator[str]:
    """What rules lack, over the cases in which they do; or over the others, where those are fewer."""
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for lack in sorted(set().union(*by_case.values())):
        here = [name for name, lacking in by_case.items() if lack in lacking]
        rest = [name for name, lacking in by_case.items() if lack not in lacking]
        few, where = (here, "in") if len(here) <= len(rest) else (rest, "in all but")
        alike[tuple(f"  {where}: {name}" for name in sorted(few))].append(lack)
    for cases, lacks in alike.items():
        yield from (*lacks, *cases)


def _finding(found: Finding) -> str:
    head = f"{found.rule}: {found.severity}, {found.tone}, about {_about(found)}, {_sessions(found.sessions)}"
    folded = f", folded: {found.folded_into or found.folded_because}" if found.is_folded else ""
    return "\n".join([head + _explains(found) + folded, f"  {found.title}", f"  {found.text}", *_rests(found)])


def _finding_alone(found: SingleFinding) -> str:
    size = f"sessions {found.sessions.low:.4g} … {found.sessions.high:.4g}" if found.sessions else "of no size"
    head = f"{found.rule}: {found.severity}, about {_about(found)}, {size}"
    return "\n".join([head + _explains(found), f"  {found.title}", f"  {found.text}", *_rests(found)])


def _about(found: Finding | SingleFinding) -> str:
    return f"{found.subject.kind} {found.subject.key!r}" if found.subject else "nothing"


def _explains(found: Finding | SingleFinding) -> str:
    return f", explains {' '.join(found.explains)}" if found.explains else ""


def _rests(found: Finding | SingleFinding) -> list[str]:
    return [f"    {e.section}: {e.key!r}.{e.column} {e.row_id}" for e in found.evidence]


def _sessions(size: Sessions | None) -> str:
    if size is None:
        return "of no size"
    sides = [f"{s.low:.4g} … {s.high:.4g}" if s is not None else "unknown" for s in (size.first, size.second)]
    return f"sessions {' → '.join(sides)}"


SAID = Snapshots(
    ROOT / "said",
    {
        **{name: partial(lines, name) for name in NAMES},
        "unknown": unknown,
        **{f"single/{name.replace('/', ' ')}": partial(lines_of_single, name) for name in single.NAMES},
    },
)

if __name__ == "__main__":
    SAID.write()
