"""A comparison in brief: at most sixty lines of Markdown, or twelve of plain text for a ticket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.analysis.commit_latency.sla import Sla
from awrdiff.analysis.export.markdown import escape
from awrdiff.analysis.export.outline import sla_text
from awrdiff.analysis.export.ranked_changes import brief_lines, lies_of, mover_line, sampled_in_brief
from awrdiff.analysis.export.report_headers import comparison_title, identities
from awrdiff.analysis.figures_in_words import several
from awrdiff.analysis.model.comparison import Comparison, Finding, FindingVerdict
from awrdiff.analysis.verdict.findings import folded_words

_MOST_ROWS = 5
_LONGEST = 400
_SQL = 40  # characters of a statement


def ticket_pieces(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Lines of the first pair, the page's."""
    yield ticket(comparisons[0])


def ticket(comparison: Comparison) -> str:
    """Names cannot reverse the text or start a new line."""
    return "".join(f"{_plain(line)}\n" for line in _lines(comparison))


def _lines(comparison: Comparison) -> Iterator[str]:
    median = comparison.median
    where = f"; active sessions {median.sessions}" if median is not None and median.sessions else ""
    first, second = identities(comparison)
    yield f"First: {first.in_a_line}"
    overlap = " ".join(w.text for w in comparison.warnings if w.code == "overlapping")
    yield f"Second: {second.in_a_line}{where}{f'. {overlap}' if overlap else ''}"
    lines = (("answer",), ("load", "time"), ("also",))
    sentences = [" ".join(s.text for s in comparison.verdict if s.about in about) for about in lines]
    yield from filter(None, sentences) if comparison.verdict else (comparison.summary,)
    rows = _rows(comparison)
    if rows:
        yield rows[0]
        yield from (f"- {row}" for row in rows[1 : _MOST_ROWS + 1])
    if comparison.address:
        yield comparison.address


def _rows(comparison: Comparison) -> list[str]:
    ranked = comparison.ranked
    movers = [m for m in ranked.movers if ranked.share(m) >= comparison.step] if ranked is not None else []
    for heading, view in (("Who and what, in active sessions:", "again"), ("The time, in active sessions:", "part")):
        lines = []
        for mover in (m for m in movers if m.view == view):
            text = mover.about if mover.subject.kind == "sql" else ""
            about = f": {text[:_SQL].rstrip()}{'…' * (len(text) > _SQL)}" if text else ""
            lines.append(f"{mover_line(mover, lies_of(comparison, mover))}{about}")
        if lines:
            return [heading, *lines]
    for heading, sampled in sampled_in_brief(comparison.sampled):
        return [f"{heading}:", *sampled]
    titles = [finding.title for finding, _ in comparison.stands_out()]
    return ["Findings:", *titles] if titles else []


def _plain(line: str) -> str:
    read = " ".join("".join(c if c.isprintable() or c.isspace() else "" for c in line).split())
    return read if len(read) <= _LONGEST else f"{read[: _LONGEST - 1]}…"


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
        yield nothing_found_text(quiet)
    yield ""


def nothing_found_text(quiet: int, *, is_whole: bool = True) -> str:
    """An all-clear only of whole reports. `quiet`: rules with nothing to say."""
    if not quiet:
        return "No rule could be checked: the figures that they need are not printed."
    if not is_whole:
        checked = several(quiet, "rule was", "rules were")
        return f"Too little to judge by: {checked} checked, and load, waits and DB time are not printed."
    return f"Nothing stands out: {several(quiet, 'rule was', 'rules were')} checked, none has anything to say."


def _stands_out(finding: Finding, judgement: FindingVerdict | None) -> str:
    title = f"**{escape(finding.title)}**"
    verdict = f" *{escape(judgement.text)}*" if judgement else ""
    return f"{f'~~{title}~~' if judgement and judgement.is_rejected else title} {escape(finding.text)}{verdict}"


def sla_lines(slas: Sequence[Sla | None]) -> Iterator[str]:
    for number_of, sla in enumerate(slas, start=1):
        yield f"- Commit-time SLA, report {number_of}: {sla_text(sla)}"


def _first_lines(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"… {len(lines) - most + 1} more lines: leave --summary out to see them."]
