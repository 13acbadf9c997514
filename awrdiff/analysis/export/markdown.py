"""A comparison as Markdown, for a ticket or a post-mortem: the verdict first, then what changed, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from awrdiff.analysis.commit_latency.causes.traced import PLACES
from awrdiff.analysis.export.inert import escape
from awrdiff.analysis.model.comparison import (
    Attribution,
    CommitFigures,
    CommitLatency,
    ComparedRow,
    ComparedSection,
    Comparison,
    Delta,
    Estimate,
    IdentityFacts,
    Stage,
)
from awrdiff.analysis.model.traces import CommitEvents
from awrdiff.analysis.rows.minor import LEAST_SESSIONS
from awrdiff.analysis.words import listing, number, percent, seconds, size, wait_said
from parsers.model import Column, Value

_LONGEST = 60
_MOST_EVENTS = 20
_NOTHING = Delta(None, None)
_STATUS = {"only_first": "not in Second", "only_second": "not in First"}


def _value(show: Callable[[float], str]) -> Callable[[Estimate], str]:
    return lambda estimate: show(estimate.value)


_number, _seconds, _percent = map(_value, (number, seconds, percent))
_COMMIT_LINES: tuple[tuple[str, str, Callable[[Estimate], str]], ...] = (
    ("commit waits", "lfs_waits", _number),
    ("log file sync per wait", "lfs_avg_s", wait_said),
    ("log file parallel write per write", "lfpw_avg_s", wait_said),
    ("LFS − LFPW per commit wait, naive", "naive_overhead_s", _seconds),
    ("as a share of the wait", "naive_share", _percent),
    ("in total", "naive_total_s", _seconds),
    ("as a share of DB time", "naive_db_time_share", _percent),
    ("commit waits per write", "group_commit", _number),
    ("user calls per commit", "calls_per_commit", _number),
    ("redo per write (bytes)", "redo_per_write_bytes", _number),
    ("redo wastage", "wastage_share", _percent),
    ("measured processing of the log writer", "measured_overhead_s", _seconds),
    ("may be slow writes many waited for, up to", "slow_writes_up_to_s", _seconds),
)
_IDENTITY: tuple[tuple[str, Callable[[IdentityFacts], str]], ...] = (
    ("Database", lambda f: f.db_name or "–"),
    ("Release", lambda f: f.release or "–"),
    ("Host", lambda f: " · ".join(p for p in (f.host, f.platform) if p) or "–"),
    ("Window", lambda f: f"{f.begin or '?'} – {f.end or '?'}"),
    ("Elapsed", lambda f: _known(f.elapsed_s, lambda v: f"{v / 60:,.2f} min")),
    ("Active sessions / CPUs", lambda f: f"{_known(f.active_sessions, number)} / {f.cpus or '?'}"),
    ("Host busy", lambda f: _known(f.host_busy_pct, _points)),
    ("DB CPU share", lambda f: _known(f.db_cpu_share_pct, _points)),
)


def markdown_pieces(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Line after line; sections are walked through once, the rows of each twice."""
    for comparison in comparisons:
        for line in _document(comparison):
            yield f"{line}\n"


def as_markdown(comparisons: Sequence[Comparison]) -> str:
    return "".join(markdown_pieces(comparisons))


def _document(comparison: Comparison) -> Iterator[str]:
    first, second = comparison.identity
    yield f"# {_title(first)} → {_title(second)}"
    yield ""
    yield escape(comparison.summary)
    yield ""
    yield from _identity(first, second)
    if comparison.warnings:
        yield "**Worth knowing**"
        yield ""
        yield from (f"- {escape(w.text)}" for w in comparison.warnings)
        yield ""
    yield from _disagreements(comparison)
    yield from _findings(comparison)
    yield from _attribution(comparison.attribution)
    yield from _commit(comparison.commit_latency)
    for section in comparison.sections:
        yield from _section(section)


def _title(facts: IdentityFacts) -> str:
    begin = (facts.begin or "").replace("T", " ")
    return escape(" ".join(p for p in (facts.instance or facts.db_name or "report", begin) if p))


def _identity(first: IdentityFacts, second: IdentityFacts) -> Iterator[str]:
    yield from _header("", "First", "Second")
    for label, show in _IDENTITY:
        yield _line(label, escape(show(first)), escape(show(second)))
    yield ""


def _disagreements(comparison: Comparison) -> Iterator[str]:
    listed = comparison.oracle_check.disagreements if comparison.oracle_check else ()
    if not listed:
        return
    yield from _header("Oracle's difference does not follow", "1st", "2nd", "Oracle", "here")
    for one in listed:
        unit = " %" if one.kind == "pct" else ""
        name = escape(f"{one.title}: {one.row}, {one.label}")
        oracle, ours = f"{one.oracle:,.6g}{unit}", _known(one.ours, lambda v: f"{v:,.4g}")
        yield _line(
            name, f"{one.first:,.10g}", f"{one.second:,.10g}", oracle, f"{ours}{unit if one.ours is not None else ''}"
        )
    yield ""


def _findings(comparison: Comparison) -> Iterator[str]:
    yield "## What stands out"
    yield ""
    fired, quiet, forbidden, unknown = (len(comparison.rules_in(s)) for s in ("fired", "quiet", "forbidden", "unknown"))
    denied = f"{forbidden} are denied by other figures, " if forbidden else ""
    yield f"{fired} rules fired, {quiet} were checked and quiet, {denied}{unknown} could not be checked."
    yield ""
    yield from (f"- **{escape(f.title)}** {escape(f.text)}" for f in comparison.findings)
    yield ""


def _attribution(attribution: Attribution | None) -> Iterator[str]:
    if attribution is None:
        return
    a = attribution
    yield "## Where the time went"
    yield ""
    yield (
        f"Average active sessions {number(a.first_per_s)} → {number(a.second_per_s)}; "
        f"waits and CPU account for {percent(a.first_covered)} and {percent(a.second_covered)} of DB time."
    )
    yield ""
    yield from _header("Event", "First", "Second", "Change", "by count", "by latency", "avg First", "avg Second")
    for part in [p for p in a.parts if abs(p.diff_per_s) >= 0.005][:15]:
        figures = (part.first_per_s, part.second_per_s, part.diff_per_s, part.by_count_per_s, part.by_latency_per_s)
        averages = (part.first_avg_s, part.second_avg_s)
        cells = [*(_known(f, number) for f in figures), *(_known(f, seconds) for f in averages)]
        yield _line(escape(part.key), *cells)
    yield _line("not in any wait or CPU", "", "", number(a.residual_per_s), "", "", "", "")
    yield ""


def _commit(latency: CommitLatency) -> Iterator[str]:
    yield "## Commit latency"
    yield ""
    first, second = latency.reports[0], latency.reports[-1]
    if first.lfs_waits is None and second.lfs_waits is None:
        yield "Neither report prints commit waits: nothing is said about them here."
        yield ""
    elif not latency.material:
        yield "Not material in this comparison."
        yield ""
    yield from _commit_figures(first, second)
    yield from _stages(first, second)
    yield from _causes(latency)
    if latency.events is not None:
        yield from _events(latency.events)
    for side, figures in (("First", first), ("Second", second)):
        yield from (f"{side}: {escape(n)}\n" for n in figures.notes)
        if figures.missing:
            yield f"Missing in {side}: {escape('; '.join(figures.missing))}."
            yield ""


def _commit_figures(first: CommitFigures, second: CommitFigures) -> Iterator[str]:
    pairs = [(label, show, _estimate(first, name), _estimate(second, name)) for label, name, show in _COMMIT_LINES]
    printed = [(label, show, a, b) for label, show, a, b in pairs if a is not None or b is not None]
    if not printed:
        return
    yield from _header("", "First", "Second")
    for label, show, a, b in printed:
        yield _line(label, *("–" if e is None else show(e) for e in (a, b)))
    yield ""


def _stages(first: CommitFigures, second: CommitFigures) -> Iterator[str]:
    """Where a commit goes, as far as either report measures it."""
    stages = {s.id: s for figures in (second, first) for s in figures.stages}
    if not stages:
        return
    yield from _header("Measured by the log writer", "First", "Second")
    order = [s.id for s in max((first, second), key=lambda f: len(f.stages)).stages]
    for stage_id in [*order, *(i for i in stages if i not in order)]:
        cells = [_stage(figures.stage(stage_id)) for figures in (first, second)]
        yield _line(f"{stages[stage_id].label} (per {stages[stage_id].per})", *cells)
    yield ""


def _stage(stage: Stage | None) -> str:
    if stage is None:
        return "–"
    if stage.bounds_only:
        return " … ".join(dict.fromkeys((seconds(stage.seconds.low), seconds(stage.seconds.high))))
    return seconds(stage.seconds.value)


def _causes(latency: CommitLatency) -> Iterator[str]:
    if latency.not_material:
        yield escape(latency.not_material)
        yield ""
    for cause in latency.causes:
        where = _where(cause.reports, len(latency.reports), between=cause.between)
        yield f"- **{escape(cause.title)}** ({cause.confidence}{where}) {escape(cause.text)} {escape(cause.caveat)}"
        yield from (f"  - Next: {escape(check)}" for check in cause.checks)
    for one in latency.unsettled:
        where = _where(one.reports, len(latency.reports), between=False)
        yield f"- Not checked{where}: {escape(one.title)} Not printed: {escape(one.lacks)}."
    if latency.causes or latency.unsettled:
        yield ""


def _where(reports: Sequence[int], count: int, *, between: bool) -> str:
    """`, in First and Second`; nothing for one report alone."""
    if count < 2:
        return ""
    names = [("First", "Second")[at] if count == 2 else f"report {at + 1}" for at in dict.fromkeys(reports)]
    return f", {'between' if between else 'in'} {listing(names)}"


def _events(events: CommitEvents) -> Iterator[str]:
    """What the LGWR traces attached say: each switch, the slow writes summed up by window."""
    yield f"**LGWR trace: {escape(', '.join(t.name for t in events.traces))}**"
    yield ""
    for switch in events.switches[:_MOST_EVENTS]:
        rate = switch.redo_synch_writes_per_s
        at = f", {number(rate)} redo synch writes per s" if rate is not None else ""
        yield f"- {_moment(switch.moment)}: switched to {escape(switch.mode)} ({PLACES[switch.place]}{at})"
    if events.switch_total > _MOST_EVENTS:
        yield f"- {events.switch_total:,} switches in all"
    for slow in events.slow_by_place:
        longest = f"longest {seconds(slow.longest.elapsed_s)} at {_moment(slow.longest.moment)}"
        writes = "write" if slow.count == 1 else "writes"
        yield f"- {slow.count:,} slow redo {writes} {PLACES[slow.place]}, {longest}"
    yield from (f"- {escape(note)}" for note in events.notes)
    yield ""


def _moment(iso: str) -> str:
    return iso[:19].replace("T", " ") or "time not printed"


def _estimate(figures: CommitFigures, name: str) -> Estimate | None:
    found = getattr(figures, name)
    return found if isinstance(found, Estimate) else None


def _section(section: ComparedSection) -> Iterator[str]:
    changed, minor, printed = _looked_through(section)
    yield f"## {escape(section.title)}"
    yield ""
    present = {(True, False): "Only in First. ", (False, True): "Only in Second. "}
    said = present.get((section.first_present, section.second_present), "")
    unshown = f"rows unchanged or below {LEAST_SESSIONS} active sessions" if minor else "unchanged rows"
    hidden = len(section.rows) - changed
    yield f"{said}{changed} of {len(section.rows)} rows changed; {hidden} {unshown} are not shown."
    yield ""
    if not changed:
        return
    columns = [c for c in section.columns if c.id in section.key or (c.id in printed and c.holds != "sql_text")]
    yield from _header(*(escape(c.label) or c.id for c in columns))
    yield from (_row(section, columns, row) for row in section.rows if row.matters)
    yield ""


def _looked_through(section: ComparedSection) -> tuple[int, bool, set[str]]:
    """How many rows changed, whether any of them is minor, and the columns in which a row prints anything."""
    changed, minor = 0, False
    printed: set[str] = set()
    for row in section.rows:
        changed += row.matters
        minor = minor or row.minor
        if len(printed) < len(row.values):
            printed.update(c for c, delta in row.values.items() if delta != _NOTHING)
    return changed, minor, printed


def _row(section: ComparedSection, columns: Sequence[Column], row: ComparedRow) -> str:
    cells = []
    for column in columns:
        if column.id in section.key:
            mark = f" ({_STATUS[row.status]})" if row.status in _STATUS and column.id == section.key[0] else ""
            cells.append(escape(_cut(row.key.get(column.id, ""))) + mark)
        else:
            unit = row.unit if column.unit == "as_labelled" else column.unit
            cells.append(_delta(row.values[column.id], unit))
    return _line(*cells)


def _delta(delta: Delta, unit: str | None) -> str:
    first, second = _figure(delta.first, unit), _figure(delta.second, unit)
    if not delta.significant:
        return (
            first
            if delta.second is None or first == second
            else second
            if delta.first is None
            else f"{first} → {second}"
        )
    if delta.pct_per_s is not None:
        return f"{first} → {second} ({delta.pct_per_s:+.1f} %/s)"
    if delta.pct is not None:
        return f"{first} → {second} ({delta.pct:+.1f} %)"
    return f"{first} → {second}"


def _figure(cell: Value | str | None, unit: str | None) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return escape(_cut(cell))
    if unit == "s":
        return seconds(cell.number)
    if unit == "bytes":
        return size(cell.number)
    return f"{cell.number:,.0f}" if cell.number == int(cell.number) else f"{cell.number:,.6g}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _header(*cells: str) -> Iterator[str]:
    yield _line(*cells)
    yield _line("---", *("---:" for _ in cells[1:]))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _points(value: float) -> str:
    return percent(value / 100)


def _known(value: float | None, show: Callable[[float], str]) -> str:
    return "–" if value is None else show(value)
