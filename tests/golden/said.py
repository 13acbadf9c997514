"""All that is said of the diagnosed cases, with what it rests on: `python -m tests.golden.said` writes `said/`.

A file for each case: verdict, what stands beside its headline, each finding, each reason why a rule says nothing, causes of
slow commits, ranked changes. Below them, what the file does not have yet of the case the other way round, of its second
report twice, or without a table that a finding rests on; and of each such table, which rules answer otherwise where one
report alone lacks it (each rule with each of its tables in one case). Cases of one report stand in `said/single/`,
demos in `said/demos/`, an hour against several in `said/baselines/`. What a
rule cannot tell for want of a table stands in one file for all cases, by the rule (`said/unknown.txt`): a new rule that most
cases do not print the tables of is no line in each of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain

from msgspec.structs import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.compare import compare_all, compare_reports
from awrdiff.analysis.export.ranked_changes import mover_line, sampled_in_brief
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.analysis.model.comparison import Comparison, Finding, RuleOutcome, Sessions
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.single_report import Assessment, SingleFinding
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess
from parsers.model import Report
from tests.golden import test_diagnosed_single as single
from tests.golden.baselines import BASELINES, against_median
from tests.golden.snapshots import ROOT, Snapshots, block
from tests.golden.test_commit_cases import DEMOS, pairs, read
from tests.golden.test_diagnosed import NAMES, both, compared

PLAIN = "the same work with slower reads"
FIGURES = re.compile(r"[-−+×]?\d[\d.,]*")


def lines(name: str) -> Iterator[str]:
    yield from _and_others(said(compared(name)), ((title, said(other)) for title, other in others(name)))
    yield from one_sided(name)


def lines_of_demo(slug: str) -> Iterator[str]:
    """Its first pair, the other ones, and each report by itself."""
    first, *more = pairs(slug)
    reports = [read(path) for path in DEMOS[slug]["reports"]]
    alone = ((f"{r.name} alone", _of_one(r, assess(r))) for r in reports if r.kind != "lgwr_trace")
    yield from _and_others(said(first), chain(((f"pair {n}", said(c)) for n, c in enumerate(more, 2)), alone))


def lines_of_baseline(name: str) -> Iterator[str]:
    computed, sentences = against_median(name)
    return chain(said(computed), sentences)


def _and_others(whole: list[str], others: Iterable[tuple[str, Iterable[str]]]) -> Iterator[str]:
    yield from whole
    written = {line for paragraph in whole for line in _by_rule(paragraph)}
    for title, paragraphs in others:
        yield from block(title, list(_fresh(paragraphs, written)))


def _fresh(paragraphs: Iterable[str], written: set[str]) -> Iterator[str]:
    """The lines that are not written yet, each paragraph's below its head."""
    for paragraph in paragraphs:
        head, *rest = _by_rule(paragraph)
        fresh = [line for line in rest if line not in written]
        if fresh or head not in written:
            yield "\n".join(line.partition("\0")[2] for line in (head, *fresh))
        written.update((head, *fresh))


def _by_rule(paragraph: str) -> Iterator[str]:
    """Lines with the name of what says them: the same of another is not the same."""
    rule = paragraph.partition(":")[0]
    return (f"{rule}\0{line}" for line in paragraph.split("\n"))


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
    """How a rule answers otherwise without a table that it rests on in one of the reports."""
    (first, second), whole = both(name), compared(name).rules
    rules: dict[str, set[str]] = defaultdict(set)
    for (rule, section), case in resting().items():
        if case == name:
            rules[section].add(rule)
    for section in sorted(rules):
        halves = (_without(first, section), second), (first, _without(second, section))
        for which, half in zip(("First", "Second"), halves, strict=True):
            now = [r for r in compare_reports(*half).rules if r.rule in rules[section] and r not in whole]
            text = [f"{r.rule}: {r.state}{', ' * bool(r.by)}{r.by}" for r in now]
            yield from block(f"without {section} in {which}", text)


def _without_startup(report: Report) -> Report:
    return replace(report, instances=tuple(replace(i, startup=None) for i in report.instances))


def _without_times(report: Report) -> Report:
    begin, end = (replace(s, time=None) for s in (report.period.begin, report.period.end))
    return replace(report, period=replace(report.period, begin=begin, end=end))


def _without(report: Report, section: str) -> Report:
    return replace(report, sections=tuple(s for s in report.sections if s.id != section))


def said(comparison: Comparison) -> list[str]:
    return [*_of_two(comparison), *_commits(comparison.commit_latency)]


def of_reports(reports: Sequence[Report], traces: Sequence[Report]) -> Iterable[str]:
    """What is said of one report, or of two, beside the causes of slow commits."""
    return _of_two(compare_all(reports, traces)[-1]) if len(reports) > 1 else _of_one_alone(assess(reports[0], traces))


def _of_two(comparison: Comparison) -> list[str]:
    ranked, answer = comparison.ranked, comparison.answer
    beside = [f"{answer.state}:", *(f"  {text}" for text in answer.beside)]
    lists = sampled_in_brief(comparison.sampled)
    sampled = ["\n".join([f"{heading}:", *(f"  {line}" for line in rows)]) for heading, rows in lists]
    movers = [
        "\n".join([mover_line(mover), *(f"  {c.said}: {c.subject.key}" for c in mover.connected)])
        for mover in (ranked.movers if ranked is not None else ())
    ]
    return [
        *(f"{sentence.about}: {sentence.text}" for sentence in comparison.verdict),
        "\n".join(beside),
        *(f"warning: {w.text}" for w in comparison.warnings),
        *map(_finding, comparison.findings),
        *_contradicted(comparison.rules),
        *movers,
        *sampled,
    ]


def lines_of_single(name: str) -> Iterator[str]:
    return _of_one(single.report_of(name), single.assessed(name))


def _of_one(report: Report, assessment: Assessment) -> Iterator[str]:
    yield from _of_one_alone(assessment)
    yield from _commits(commit_latency((Side(report),)))


def _of_one_alone(assessment: Assessment) -> Iterator[str]:
    yield f"verdict: {assessment.verdict}"
    yield f"{assessment.state}: {' '.join(trouble.text for trouble in assessment.troubles)}"
    yield from map(_finding_alone, assessment.findings)
    yield from _contradicted(assessment.rules)


def _contradicted(rules: Iterable[RuleOutcome]) -> Iterator[str]:
    return (f"{r.rule}: {r.state}, {r.by}" for r in rules if r.by and r.state != "unknown")


def _commits(latency: CommitLatency) -> Iterator[str]:
    """Its words; figures of commits stand in `commits/`."""
    notes = [note for figures in latency.reports for note in (*figures.notes, *figures.material_by)]
    texts = [lead(latency.reports), *notes, latency.not_material, latency.what_if.why_not]
    yield from (f"commits: {text}" for text in texts if text)
    for cause in latency.causes:
        head = f"{cause.rule} of commits: {cause.confidence}, of {cause.reports}, {cause.size or cause.part_of}"
        criteria = (f"    {c.what}: {c.state}{f', {c.found}' if c.found else ''}" for c in cause.criteria)
        yield "\n".join([head, f"  {cause.title}", f"  {cause.text}", *criteria, *_rows(cause.evidence)])


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


def _finding(finding: Finding) -> str:
    head = f"{finding.rule}: {finding.severity}, {finding.tone}, about {_about(finding)}, {_sessions(finding.sessions)}"
    folded = f", folded: {finding.folded_into or finding.folded_because}" if finding.is_folded else ""
    return _paragraph(head + _explains(finding) + folded, finding)


def _finding_alone(finding: SingleFinding) -> str:
    size = f"sessions {finding.sessions.low:.4g} … {finding.sessions.high:.4g}" if finding.sessions else "of no size"
    head = f"{finding.rule}: {finding.severity}, about {_about(finding)}, {size}"
    return _paragraph(head + _explains(finding), finding)


def _paragraph(head: str, finding: Finding | SingleFinding) -> str:
    return "\n".join([head, f"  {finding.title}", f"  {finding.text}", *_rows(finding.evidence)])


def _about(found: Finding | SingleFinding) -> str:
    return f"{found.subject.kind} {found.subject.key!r}" if found.subject else "nothing"


def _explains(found: Finding | SingleFinding) -> str:
    return f", explains {' '.join(found.explains)}" if found.explains else ""


def _rows(evidence: Iterable[Evidence]) -> list[str]:
    keys: dict[str, list[str]] = defaultdict(list)
    for e in evidence:
        keys[f"{e.section}.{e.column}"].append(e.key)
    return [f"    {column}: {' | '.join(of_column)}" for column, of_column in keys.items()]


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
        **{f"baselines/{name}": partial(lines_of_baseline, name) for name in BASELINES},
        **{f"demos/{slug}": partial(lines_of_demo, slug) for slug in DEMOS},
        **{f"single/{name.replace('/', ' ')}": partial(lines_of_single, name) for name in single.NAMES},
    },
)

if __name__ == "__main__":
    SAID.write()
