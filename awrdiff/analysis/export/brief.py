"""A comparison in at most sixty lines of Markdown: verdict, sides, biggest changes, findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.analysis.commit_latency.sla import Sla
from awrdiff.analysis.export.identity import comparison_title, identities
from awrdiff.analysis.export.markdown import escape
from awrdiff.analysis.export.outline import sla_said
from awrdiff.analysis.export.ranked import brief_lines, sampled_in_brief
from awrdiff.analysis.model.comparison import Comparison, Finding, Judged
from awrdiff.analysis.verdict.folding import folded_words
from awrdiff.analysis.words import several

MOST_LINES = 60
MOST_MOVERS = 7


def as_brief(comparisons: Sequence[Comparison], slas: Sequence[Sla | None] = ()) -> str:
    """Every pair with its verdict; as many findings as fit."""
    room = MOST_LINES if len(comparisons) == 1 else max(8, MOST_LINES // len(comparisons))
    lines = [line for comparison in comparisons for line in _first_lines(list(_pair(comparison)), room)]
    lines += sla_lines(slas)
    return "\n".join(_first_lines(lines, MOST_LINES)) + "\n"


def _pair(comparison: Comparison) -> Iterator[str]:
    first, second = identities(comparison)
    yield f"# {escape(comparison_title(comparison))}"
    yield ""
    yield escape(comparison.summary)
    yield ""
    yield from (f"- {escape(line)}" for line in comparison.answer.beside)
    yield f"- First: {escape(first.in_a_line)}"
    yield f"- Second: {escape(second.in_a_line)}"
    yield from (f"- {escape(m.note)}" for m in (comparison.median,) if m)
    yield from (f"- Worth knowing: {escape(w.text)}" for w in comparison.warnings)
    if comparison.address:
        yield f"- This comparison: <{comparison.address}>"
    yield ""
    for heading, lines in (*brief_lines(comparison, MOST_MOVERS), *sampled_in_brief(comparison.sampled)):
        yield f"**{heading}**"
        yield ""
        yield from (f"- {escape(line)}" for line in lines)
        yield ""
    yield from (f"{n}. {_stands_out(*finding)}" for n, finding in enumerate(comparison.stands_out(), start=1))
    if folded := [finding for finding, _ in comparison.stands_out(folded=True)]:
        yield ""
        yield f"Folded ({folded_words(folded)}): {' '.join(escape(f.title) for f in folded)}"
    quiet = len(comparison.rules_in("quiet"))
    if not comparison.findings and comparison.sampled is None and (comparison.answer.is_all_clear or not quiet):
        yield nothing_said(quiet)
    yield ""


def nothing_said(quiet: int) -> str:
    if not quiet:
        return "No rule could be checked: the figures that they need are not printed."
    return f"Nothing stands out: {several(quiet, 'rule was', 'rules were')} checked, none has anything to say."


def _stands_out(finding: Finding, judgement: Judged | None) -> str:
    title = f"**{escape(finding.title)}**"
    verdict = f" *{escape(judgement.said)}*" if judgement else ""
    return f"{f'~~{title}~~' if judgement and judgement.is_rejected else title} {escape(finding.text)}{verdict}"


def sla_lines(slas: Sequence[Sla | None]) -> Iterator[str]:
    for number_of, sla in enumerate(slas, start=1):
        yield f"- Commit-time SLA, report {number_of}: {sla_said(sla)}"


def _first_lines(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"… {len(lines) - most + 1} more lines: leave --summary out to see them."]
