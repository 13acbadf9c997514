"""Outline of a comparison in reading order: verdict, findings, then section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from awrdiff.analysis.commit_latency import figure_catalogue
from awrdiff.analysis.commit_latency.causes.lgwr_traces import PLACES
from awrdiff.analysis.commit_latency.sla import Sla
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.export.document_blocks import (
    Block,
    Changed,
    Chart,
    Heading,
    Item,
    Items,
    Line,
    Own,
    Paragraph,
    Section,
    Table,
)
from awrdiff.analysis.export.ranked_changes import ranked_blocks, sampled_blocks
from awrdiff.analysis.export.report_headers import ROWS, comparison_title, identities
from awrdiff.analysis.figures_in_words import between, listing, number, percent, report_named, seconds, size
from awrdiff.analysis.model.comparison import (
    Attribution,
    CommitFigures,
    CommitLatency,
    ComparedRow,
    ComparedSection,
    Comparison,
    Consumer,
    Delta,
    Disagreement,
    Finding,
    FindingVerdict,
    Stage,
)
from awrdiff.analysis.model.lgwr_traces import CommitEvents, SlowWrites
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.verdict.db_time_bars import bars_of
from awrdiff.analysis.verdict.findings import folded_words
from parsers.model import Column, Value

_LONGEST = 60
_ALL_DIGITS = 1000.0  # from here on no decimals: never an exponent
_MOST_EVENTS = 20
_NOTHING = Delta(None, None)
_STATUS = {"only_first": "not in Second", "only_second": "not in First"}
_ELSEWHERE = "'s list; figures of its other SQL lists"


# What it shows of the catalogue of commit figures, in its order.
_COMMIT_FIGURES = (
    "lfs_waits",
    "lfs_avg_s",
    "lfpw_avg_s",
    "naive_overhead_s",
    "naive_share",
    "naive_total_s",
    "naive_db_time_share",
    "group_commit",
    "calls_per_commit",
    "redo_per_write_bytes",
    "wastage_share",
    "measured_overhead_s",
    "typical_overhead_s",
    "slow_writes_up_to_s",
)


def outline(comparisons: Sequence[Comparison], slas: Sequence[Sla | None] = (), *, every_row: bool) -> Iterator[Block]:
    """Sections are iterated once, the rows of each twice.

    `every_row`: also unchanged rows, and long texts in full.
    """
    for comparison in comparisons:
        yield Heading(1, comparison_title(comparison))
        yield from _answer(comparison)
        if median := comparison.median:
            yield Paragraph(median.note)
            yield Items(tuple(map(Item, median.reports)))
        rows = ((label, [show(identity) for identity in identities(comparison)]) for label, show in ROWS)
        lines = (Line((label, *(text or Own("–") for text in texts))) for label, texts in rows if any(texts))
        yield Table(("", "First", "Second"), lines, texts=frozenset((1, 2)))
        is_of_intervals = all(header["kind"] in OF_AN_INTERVAL for header in comparison.headers)
        if is_of_intervals and comparison.commonality is not None and comparison.commonality.text:
            yield Paragraph(comparison.commonality.text)
        if comparison.warnings:
            yield Paragraph("Worth knowing", strong=True)
            yield Items(tuple(Item(w.text) for w in comparison.warnings))
        listed = comparison.oracle_check.disagreements if comparison.oracle_check else ()
        if listed:
            yield _table(
                ("Oracle's difference does not follow", "1st", "2nd", "Oracle", "here"), map(_disagreement, listed)
            )
        yield from ranked_blocks(comparison)
        yield from sampled_blocks(comparison.sampled)
        yield Heading(2, "What stands out")
        fired, quiet, forbidden, unknown = (
            len(comparison.rules_in(s)) for s in ("fired", "quiet", "forbidden", "unknown")
        )
        denied = f"{forbidden} denied by other figures, " if forbidden else ""
        yield Paragraph(f"{fired} rules fired, {quiet} were checked and quiet, {denied}{unknown} could not be checked.")
        main, folded = comparison.stands_out(), comparison.stands_out(folded=True)
        yield Items(tuple(_stands_out(comparison, *finding) for finding in main))
        if folded:
            yield Paragraph(f"Folded: {folded_words([finding for finding, _ in folded])}.", strong=True)
            yield Items(tuple(_stands_out(comparison, *finding) for finding in folded))
        yield from _attribution(comparison.attribution)
        yield from _commit(comparison.commit_latency)
        for section in comparison.sections:
            yield _section(section, comparison.step, every_row=every_row)
    if slas:
        yield Heading(2, "Commit-time SLA")
        yield Items(tuple(Item(f"{report_named(n, len(slas))}: {sla_text(sla)}") for n, sla in enumerate(slas)))


def sla_text(sla: Sla | None) -> str:
    return f"{sla.verdict} ({seconds(sla.sla_s)}). {sla.text}" if sla else "the report prints no commit waits."


def _answer(comparison: Comparison) -> Iterator[Block]:
    answer = comparison.answer
    if answer.headline:
        yield Paragraph(f"{answer.badge}: {answer.headline}", strong=True)
        yield from (Paragraph(text) for text in (answer.detail, answer.improvement) if text)
    if bars := bars_of(comparison):
        yield Chart(bars)
    if answer.not_the_cause:
        yield Paragraph(f"Not the cause: {' · '.join(answer.not_the_cause)}")
    if rest := comparison.summary.removeprefix(answer.headline).strip():
        yield Paragraph(rest)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Table:
    return Table(head, (Line(cells) for cells in rows))


def _disagreement(disagreement: Disagreement) -> tuple[str, ...]:
    unit = " %" if disagreement.kind == "pct" else ""
    ours = "–" if disagreement.ours is None else f"{disagreement.ours:,.4g}{unit}"
    printed = (f"{disagreement.first:,.10g}", f"{disagreement.second:,.10g}", f"{disagreement.oracle:,.6g}{unit}", ours)
    return f"{disagreement.title}: {disagreement.row}, {disagreement.label}", *map(Own, printed)


def _stands_out(comparison: Comparison, finding: Finding, judgement: FindingVerdict | None) -> Item:
    lies = comparison.median.position_text(finding.evidence) if comparison.median else ""
    under = tuple(text for text in (lies, judgement.text if judgement else "") if text)
    struck = judgement is not None and judgement.is_rejected
    return Item(finding.text, strong=finding.title, under=under, finding=finding, struck=struck)


def _attribution(attribution: Attribution | None) -> Iterator[Block]:
    if attribution is None:
        return
    a = attribution
    yield Heading(2, "Where the time went")
    yield Paragraph(
        f"Average active sessions {number(a.first_per_s)} → {number(a.second_per_s)}; "
        f"waits and CPU account for {percent(a.first_covered)} and {percent(a.second_covered)} of DB time."
    )
    head = ("Event", "First", "Second", "Change", "by count", "by latency", "avg First", "avg Second")
    largest = [p for p in a.parts if abs(p.diff_per_s) >= 0.005][:15]
    rest = ("unaccounted", "", "", Own(number(a.residual_per_s)), "", "", "", "")
    yield _table(head, (*map(_consumer, largest), rest))


def _consumer(part: Consumer) -> tuple[str, ...]:
    figures = (part.first_per_s, part.second_per_s, part.diff_per_s, part.by_count_per_s, part.by_latency_per_s)
    averages = (part.first_avg_s, part.second_avg_s)
    return (
        part.key,
        *(Own(_figure_or_dash(f, number)) for f in figures),
        *(Own(_figure_or_dash(f, seconds)) for f in averages),
    )


def _commit(latency: CommitLatency) -> Iterator[Block]:
    yield Heading(2, "Commit latency")
    first, second = latency.reports[0], latency.reports[-1]
    if first.lfs_waits is None and second.lfs_waits is None:
        yield Paragraph("Neither report prints commit waits: nothing is said about them here.")
    elif not latency.material:
        yield Paragraph("Not material in this comparison.")
    if first.lfs_waits is not None or second.lfs_waits is not None:
        yield Paragraph(lead(latency.reports))
    listed = figure_catalogue.figures(*_COMMIT_FIGURES)
    rows = [(f, [figure_catalogue.value_of(f.name, of) for of in (first, second)]) for f in listed]
    printed = [(figure, values) for figure, values in rows if any(values)]
    if printed:
        lines = (
            (
                figure_catalogue.label_of(figure, (first, second)),
                *("–" if e is None else Own(figure_catalogue.text_of(figure, e)) for e in values),
            )
            for figure, values in printed
        )
        yield _table(("", "First", "Second"), lines)
    yield from _stages(first, second)
    if latency.not_material:
        yield Paragraph(latency.not_material)
    count = len(latency.reports)
    causes = (
        Item(
            f"({c.confidence}{_where(c.reports, count, between=c.between)}) {c.text} {c.caveat}",
            strong=c.title,
            under=tuple(f"Next: {check}" for check in c.checks),
        )
        for c in latency.causes
    )
    unsettled = (
        Item(f"Not checked{_where(cause.reports, count, between=False)}: {cause.title} Not printed: {cause.lacks}.")
        for cause in latency.unsettled
    )
    if items := (*causes, *unsettled):
        yield Items(items)
    if (events := latency.events) is not None:
        yield Paragraph(f"LGWR trace: {', '.join(t.name for t in events.traces)}", strong=True)
        yield Items(tuple(map(Item, (*_switches(events), *map(_slow, events.slow_by_place), *events.notes))))
    for side, figures in (("First", first), ("Second", second)):
        yield from (Paragraph(f"{side}: {note}") for note in figures.notes)
        if figures.missing:
            yield Paragraph(f"Missing in {side}: {'; '.join(figures.missing)}.")


def _stages(first: CommitFigures, second: CommitFigures) -> Iterator[Block]:
    stages = {s.id: s for figures in (second, first) for s in figures.stages}
    if not stages:
        return
    order = [s.id for s in max((first, second), key=lambda f: len(f.stages)).stages]
    rows = (
        (
            f"{stages[stage_id].label} (per {stages[stage_id].per})",
            *(Own(_stage(figures.stage(stage_id))) for figures in (first, second)),
        )
        for stage_id in [*order, *(i for i in stages if i not in order)]
    )
    yield _table(("Measured by the log writer", "First", "Second"), rows)


def _stage(stage: Stage | None) -> str:
    if stage is None:
        return "–"
    if stage.bounds_only:
        return between(stage.seconds.low, stage.seconds.high, seconds)
    return seconds(stage.seconds.value)


def _where(reports: Sequence[int], count: int, *, between: bool) -> str:
    if count < 2:
        return ""
    names = [("First", "Second")[at] if count == 2 else f"report {at + 1}" for at in dict.fromkeys(reports)]
    return f", {'between' if between else 'in'} {listing(names)}"


def _switches(events: CommitEvents) -> Iterator[str]:
    for switch in events.switches[:_MOST_EVENTS]:
        rate = switch.redo_synch_writes_per_s
        at = f", {number(rate)} redo synch writes per second" if rate is not None else ""
        yield f"{_moment(switch.moment)}: switched to {switch.mode} ({PLACES[switch.place]}{at})"
    if events.switch_total > _MOST_EVENTS:
        yield f"{events.switch_total:,} switches in all"


def _slow(slow: SlowWrites) -> str:
    longest = f"longest {seconds(slow.longest.elapsed_s)} at {_moment(slow.longest.moment)}"
    return f"{slow.count:,} slow redo {'write' if slow.count == 1 else 'writes'} {PLACES[slow.place]}, {longest}"


def _moment(iso: str) -> str:
    return iso[:19].replace("T", " ") or "time not printed"


def _section(section: ComparedSection, step: float, *, every_row: bool) -> Section:
    count, printed = _looked_through(section, step)
    present = {(True, False): "Only in First. ", (False, True): "Only in Second. "}
    summary = present.get((section.first_present, section.second_present), "")
    summary += f"{count} of {len(section.rows)} rows {counting_text(step)}"
    summary += "." if every_row else f"; {len(section.rows) - count} are not shown."
    rows = (r for r in section.rows if every_row or r.counts(step))
    has_rows = section.rows if every_row else count
    return Section(
        section.title, summary, count, _rows(section, rows, printed, step, whole=every_row) if has_rows else None
    )


def counting_text(step: float) -> str:
    """Condition of a counted row, in words; see docs/materiality.md."""
    return f"changed by {step:g} % of DB time, or as much as that" if step else "changed"


def row_texts(section: ComparedSection, row: ComparedRow) -> tuple[str, list[tuple[str, str]]]:
    """Row's name and printed figures: label and both sides' text."""
    names = [c for c in section.columns if c.id in section.key]
    printed = {c for c, delta in row.values.items() if delta != _NOTHING} - set(section.key)
    figures = [c for c in section.columns if c.id in printed and c.holds != "sql_text"]
    cells = [(c.label or c.id, _figures(row, c, _cut)) for c in figures]
    texts = [(label, f"{cell.text} ({cell.change})" if isinstance(cell, Changed) else cell) for label, cell in cells]
    return " · ".join(filter(None, _names(row, names, _cut))), [(label, str(text)) for label, text in texts if text]


def _looked_through(section: ComparedSection, step: float) -> tuple[int, set[str]]:
    count = 0
    printed: set[str] = set()
    for row in section.rows:
        count += row.counts(step)
        if len(printed) < len(row.values):
            printed.update(c for c, delta in row.values.items() if delta != _NOTHING)
    return count, printed


def _rows(
    section: ComparedSection, rows: Iterable[ComparedRow], printed: set[str], step: float, *, whole: bool
) -> Table:
    names = [c for c in section.columns if c.id in section.key]
    figures = [c for c in section.columns if c.id in printed and c.id not in section.key]
    if not whole:
        figures = [c for c in figures if c.holds != "sql_text"]
    cut = str if whole else _cut
    lines = (
        Line(
            (
                *_names(row, names, cut),
                *(_figures(row, c, cut) for c in figures),
                *((section.lies.get(row.row_id, ""),) if section.lies is not None else ()),
            ),
            row_id=row.row_id,
            quiet=not row.counts(step),
        )
        for row in rows
    )
    columns = (*names, *figures)
    texts = {at for at, c in enumerate(columns) if c.unit is None}
    head = [c.label or c.id for c in columns]
    if section.lies is not None:
        texts.add(len(head))
        head.append("Second lies")
    return Table(tuple(head), lines, names=len(names), texts=frozenset(texts))


def _names(row: ComparedRow, columns: Sequence[Column], cut: Callable[[str], str]) -> Iterator[str]:
    mark = f" ({_STATUS[row.status]}{_ELSEWHERE if row.elsewhere else ''})" if row.status in _STATUS else ""
    for at, column in enumerate(columns):
        yield cut(row.key.get(column.id, "")) + ("" if at else mark)


def _figures(row: ComparedRow, column: Column, cut: Callable[[str], str]) -> str | Changed:
    delta = row.values[column.id]
    unit = row.unit if column.unit == "as_labelled" else column.unit
    first, second = _figure(delta.first, unit, cut), _figure(delta.second, unit, cut)
    if not delta.significant and (delta.second is None or first == second):
        return first
    if not delta.significant and delta.first is None:
        return second
    text = f"{first} → {second}"
    shared = Own(text) if isinstance(first, Own) and isinstance(second, Own) else text
    change, per_s = (delta.pct, "") if delta.pct_per_s is None else (delta.pct_per_s, " per s")
    if not delta.significant or change is None:
        return shared
    return Changed(shared, f"{change:+.1f} %{per_s}".replace("-", "−"), _tone(column, change))


def _tone(column: Column, change: float) -> Literal["better", "worse", ""]:
    if column.better == "neither" or not change:
        return ""
    return "better" if (change < 0) == (column.better == "lower") else "worse"


def _figure(cell: Value | str | None, unit: str | None, cut: Callable[[str], str]) -> str:
    if cell is None:
        return Own("–")
    if isinstance(cell, str):
        return cut(cell)
    if unit == "s":
        return Own(seconds(cell.number))
    if unit == "bytes":
        return Own(size(cell.number, 4))
    whole = cell.number == int(cell.number) or abs(cell.number) >= _ALL_DIGITS
    return Own(f"{cell.number:,.0f}" if whole else f"{cell.number:,.4g}")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _figure_or_dash(value: float | None, show: Callable[[float], str]) -> str:
    return "–" if value is None else show(value)
