"""Circumstances before any figure: a cold start, the window's length, parameters.

Source: Oracle Database Concepts, caches begin empty; Reference, initialization parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from awrdiff.analysis.figures_in_words import listing, sentence, several, stretch
from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.names.names_across_releases import canonical_name
from awrdiff.analysis.names.truncated_names import narrower
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.instance_startup import bounds
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.rows.text_differences import texts_differ
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfOne, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from parsers.model import Column, Instance

SECTION = "init_parameters"
_VALUE = Column("begin_value", "Begin value")
# Identify the database and its files rather than tune it.
_NAMES = frozenset(
    {
        "audit_file_dest",
        "background_dump_dest",
        "cluster_database_instances",
        "control_files",
        "core_dump_dest",
        "db_domain",
        "db_name",
        "db_unique_name",
        "diagnostic_dest",
        "dispatchers",
        "instance_name",
        "instance_number",
        "listener_networks",
        "local_listener",
        "log_archive_config",
        "log_archive_dest_1",
        "log_archive_dest_2",
        "remote_listener",
        "service_names",
        "spfile",
        "thread",
        "undo_tablespace",
        "user_dump_dest",
    }
)

# What a parameter may explain, by how its name begins: it then stands with that finding.
_EXPLAINS = (
    ("commit_", ("commit-latency",)),
    ("cpu_count", ("resource-manager", "cpu-time")),
    ("resource_manager_", ("resource-manager",)),
    ("cursor_sharing", ("parsing-dominates", "hard-parse-rate")),
    ("session_cached_cursors", ("parsing-dominates", "hard-parse-rate")),
    ("shared_pool_", ("parsing-dominates", "hard-parse-rate")),
    ("sga_", ("physical-reads", "parsing-dominates")),
    ("db_cache_size", ("physical-reads",)),
    ("db_file_multiblock_read_count", ("physical-reads",)),
    ("pga_", ("temp-io",)),
    ("workarea_", ("temp-io",)),
    ("sort_area_", ("temp-io",)),
    ("log_buffer", ("log-file-switch", "log-switch-rate")),
    ("archive_lag_target", ("log-switch-rate", "log-file-switch")),
    ("fast_start_mttr_target", ("log-file-switch",)),
    ("optimizer_", ("load-against-db-time",)),
    ("parallel_", ("load-against-db-time",)),
)


def parameters(facts: FactsOfTwo) -> RuleResult:
    """Parameters that differ between the reports, without those that only name the database and its files."""
    if not (facts.first.has(SECTION) and facts.second.has(SECTION)):
        return Unknown("Initialization Parameters")
    a, b = _values(facts.first), _values(facts.second)
    changed = _changed_names(facts, a, b)
    tuning = [n for n in changed if n not in _NAMES]
    if tuning:
        evidence = tuple(row(SECTION, n, "begin_value") for n in tuning[:8])
        changes = [f"{n}: {value_text(a.get(n))} → {value_text(b.get(n))}" for n in tuning[:4]]
        more = _more(tuning, 4)
        verb = "differs" if facts.unrelated else "changed"
        title = f"Parameters {verb.removesuffix('s')}." if len(tuning) > 1 else f"A parameter {verb}."
        text = "; ".join(changes) + more + "."
        by_parameter = [next((rules for prefix, rules in _EXPLAINS if n.startswith(prefix)), ()) for n in tuning]
        explains = tuple(dict.fromkeys(rule for rules in by_parameter for rule in rules))
        return Observation(title, text, evidence, subject=Subject("parameter", tuning[0]), explains=explains)
    whole = facts.first.lists_all(SECTION) and facts.second.lists_all(SECTION)
    none = "No parameter" if whole else "Of the parameters in both files none"
    if changed:
        names = [*changed[:6], f"{len(changed) - 6} more"] if len(changed) > 6 else changed
        return Observation(f"{none} that tunes changed.", f"Only names and paths differ: {listing(names)}.")
    return Observation(f"{none} changed.", f"None of the {len(_names(facts, a, b))} printed differs.")


def _more(changes: Sequence[object], printed: int) -> str:
    return f" and {len(changes) - printed} more" if len(changes) > printed else ""


def _changed_names(facts: FactsOfTwo, first: dict[str, str], second: dict[str, str]) -> list[str]:
    width = narrower(facts.first.report.section(SECTION), facts.second.report.section(SECTION), "begin_value")
    names = _names(facts, first, second)
    pairs = ((n, first.get(n), second.get(n)) for n in names)
    return [n for n, a, b in pairs if (a is not b if a is None or b is None else texts_differ(a, b, _VALUE, width))]


def _names(facts: FactsOfTwo, first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Only a complete list implies defaults."""
    names = first.keys() | second.keys()
    if not facts.first.lists_all(SECTION):
        names &= first.keys()
    if not facts.second.lists_all(SECTION):
        names &= second.keys()
    return sorted(names)


def changed_parameters(facts: FactsOfTwo) -> list[tuple[str, str | None, str | None]]:
    """(name, First's, Second's), None = not set; common first."""
    if not (facts.first.has(SECTION) and facts.second.has(SECTION)):
        return []
    a, b = _values(facts.first), _values(facts.second)
    changes = [(n, a.get(n), b.get(n)) for n in _changed_names(facts, a, b) if n not in _NAMES]
    return sorted(changes, key=lambda parameter: parameter[1] is None or parameter[2] is None)


def parameters_inside(facts: Facts) -> RuleResult:
    """A parameter set while the report's own window ran: its end value is printed."""
    if not all(side.has(SECTION) for side in facts.sides):
        return Unknown("Initialization Parameters")
    names = (" in First", " in Second") if len(facts.sides) > 1 else ("",)
    settings = [
        (which, *s) for which, side in zip(names, facts.sides, strict=True) for s in parameters_set_inside(side)
    ]
    if not settings:
        return QUIET
    texts = [f"{name}{which}: {value_text(begin)} → {value_text(end)}" for which, name, begin, end in settings[:4]]
    text = f"{'; '.join(texts)}{_more(settings, 4)}."
    evidence = tuple(row(SECTION, n, "end_value") for _, n, _, _ in settings[:8])
    title = f"Parameters were set inside {'a' if len(names) > 1 else 'the'} window."
    return Observation(title, text, evidence, subject=Subject("parameter", settings[0][1]))


def _values(side: Side) -> dict[str, str]:
    values: dict[str, str] = {}
    for setting in printed_rows(side.report.section(SECTION)):
        name = canonical_name(SECTION, setting.text("parameter"))
        value = setting.text("end_value") or setting.text("begin_value")
        values[name] = f"{values[name]}, {value}" if name in values else value
    return values


def parameters_set_inside(side: Side) -> list[tuple[str, str, str]]:
    """(name, value at the beginning, at the end)"""
    rows = printed_rows(side.report.section(SECTION))
    settings = ((row.text("parameter"), row.text("begin_value"), row.text("end_value")) for row in rows)
    return [(name, begin, end) for name, begin, end in settings if end and end.lower() != begin.lower()]


def value_text(value: str | None) -> str:
    if value is None:
        return "default"
    if not value:
        return "empty"
    return value if len(value) <= 40 else f"{value[:39]}…"


_COLD = timedelta(minutes=30)  # after startup: buffer cache and library cache fill, by rule of thumb
WARM = ("physical-reads", "hard-parse-rate", "parsing-dominates", "read-latency")
_LONG_S, _SHORT_S = 2 * 3600.0, 300.0


def cold_start(facts: Facts) -> RuleResult:
    """A window that began within half an hour of its instance's startup, or in which it was started."""
    if not any(i.startup for side in facts.sides for i in side.report.instances):
        return Unknown("startup times")
    names = ("First", "Second") if len(facts.sides) > 1 else ("the window",)
    starts = [each for which, side in zip(names, facts.sides, strict=True) for each in cold_starts(side, which)]
    if not starts:
        return QUIET
    sides = " and ".join(dict.fromkeys(each.which for each in starts))
    title = sentence(f"{sides} began with cold caches.")
    if all(each.inside for each in starts):
        title = f"The instance was started inside {'the window of ' * (len(names) > 1)}{sides}."
    evidence = tuple(row for each in starts for row in each.evidence)
    return Observation(
        title, sentence(cold_start_text(starts)), evidence, subject=Subject("other", "startup"), explains=WARM
    )


class ColdStart(NamedTuple):
    """Instances started together. `inside`: after the window began."""

    which: str
    text: str
    evidence: tuple[Evidence, ...]
    inside: bool


def cold_start_text(starts: list[ColdStart]) -> str:
    return f"{'; '.join(each.text for each in starts)}: blocks are read and statements parsed that are cached later."


def cold_starts(side: Side, which: str) -> list[ColdStart]:
    """Earliest possible time where startup minutes are unknown."""
    begin, end = side.report.period.begin.time, side.report.period.end.time
    by_time: dict[str, list[Instance]] = {}
    for instance in side.report.instances if begin is not None and end is not None else ():
        if instance.startup is None or begin is None or end is None:
            continue
        earliest, latest = bounds(instance.startup)  # some releases print the month where the minutes belong
        if begin - earliest < _COLD and latest <= end:
            minutes = round((begin - earliest).total_seconds() / 60)
            after = f"{'at most ' * (earliest != latest)}{several(minutes, 'minute', 'minutes')} after"
            since = "" if minutes < 0 else after if minutes or earliest != latest else "with"
            by_time.setdefault(since, []).append(instance)
    starts = []
    for since, instances in by_time.items():
        names = [str(i.name or i.number or "") for i in instances]
        started = f"instance{'s' * (len(names) > 1)} {listing(names)}".strip()
        inside = f"{started} {'were' if len(names) > 1 else 'was'} started inside {which}"
        text = f"{which} began {since} the start of {started}" if since else inside
        starts.append(ColdStart(which, text, tuple(_startup_row(side, i) for i in instances), inside=not since))
    return starts


def _startup_row(side: Side, instance: Instance) -> Evidence:
    if side.has("instance_information"):
        return row("instance_information", instance.name or "", "startup_time")
    if side.has("instances_in_report"):
        return row("instances_in_report", str(instance.number or ""), "startup_time")
    return row("database_information", side.report.database.name or "", "startup_time")


def window_length(facts: FactsOfOne) -> RuleResult:
    """A window of over two hours, whose means hide what lasted minutes, or of under five minutes."""
    elapsed = facts.side.elapsed
    if elapsed is None:
        return Unknown("elapsed time")
    if facts.idle or _SHORT_S <= elapsed.number <= _LONG_S:
        return QUIET
    printed = facts.side.has("snapshot_information")
    evidence = (row("snapshot_information", "Elapsed", "snap_time"),) if printed else ()
    title, why = "The window is short.", "what happened to run then need not be what usually runs"
    if elapsed.number > _LONG_S:
        title, why = "The window is long.", "averages over it describe none of its hours if the load was uneven"
    text = f"It covers {stretch(elapsed.number)}: {why}."
    return Observation(title, text, evidence, subject=Subject("other", "window"))
