"""Oracle's compare period report: each table has both periods side by side.

Column ids join figure and side (`pct_of_db_time_first`); `%Diff` is as Oracle rounds it: 0 to x is 100.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from parsers.model import Cell, Column, Holds, Measure, Section
from parsers.sections.report_summary import activity_unit, load_unit, os_unit
from parsers.tables.column_inference import slug
from parsers.tables.issues import Notebook
from parsers.tables.number_parsing import label_scale, number_reader
from parsers.tables.rawtable import RawTable, normal_label
from parsers.tables.section_builder import convert_columns, finish, read_tables
from parsers.tables.section_declarations import (
    ColumnSpec,
    Declaration,
    Family,
    Reader,
    RowUnit,
    bytes_,
    count,
    number,
    percent,
    seconds,
    text,
    unit_in_label,
)

COMPARE = Family("compare")
_PERIODS = {"1st": "first", "2nd": "second"}
_DIFFERENCES = {"%Diff": "pct_diff", "% Diff": "pct_diff", "Diff": "diff"}
_TIMES = {"ms": 1e-3, "s": 1.0, "sec": 1.0, "seconds": 1.0, "cs": 1e-2, "centi-seconds": 1e-2, "min": 60.0}
_TIME = re.compile(r"\((" + "|".join(_TIMES) + r")\)")
_BYTES = re.compile(r"\b(?:bytes|[kmg]b)\b|\((?:kb|mb|m)\)|\bsharable memory\b", re.IGNORECASE)
_PRINTED_UNIT = re.compile(r"\s*(?:" + _TIME.pattern + r"|\((?:KB|MB|M|Mb)\)|\b[KMG]B\b|\bBytes\b)")
_RATE = re.compile(r"(/|per )sec", re.IGNORECASE)
_AVERAGE = re.compile(r"\b(avg|average|per (exec|trans|read))\b", re.IGNORECASE)
_SUFFIXES = {"s": "s", "bytes": "bytes", "bytes_per_s": "bytes_per_s"}
_HOLDS: dict[str, Holds] = {
    "sql_id": "sql_id", "sql_text": "sql_text", "owner": "user", "tablespace": "object", "object_name": "object",
    "subobject_name": "object", "filename": "path",
}  # fmt: skip


@lru_cache(maxsize=4096)
def sided_column(label: str, group: str, default: str, default_scale: float | None = None) -> ColumnSpec:
    """`default`: unit of figures whose name has none."""
    name = label if not group or group in label else f"{group} {label}"
    stem, difference = _split_word(name, _DIFFERENCES)
    stem, period = _split_word(stem, _PERIODS)
    plans = group.startswith("#Plan") or label.startswith("1st/2nd/")  # a line may end within the name over them
    if plans or (not difference and not period and not group):
        column_id = "plans" if plans else slug(label) or "metric"
        return ColumnSpec(Column(column_id, label, holds=_HOLDS.get(column_id)), (label,))
    unit, scale = ("percent", None) if difference == "pct_diff" else _unit(stem, default, default_scale)
    figure = slug(
        _PRINTED_UNIT.sub("", stem).replace("#", "").replace("I/O", "IO").replace("W/A", "Workarea")
    ).removeprefix("of_")
    suffix = _SUFFIXES.get(unit, "")
    parts = (figure, period, difference, "bytes" if suffix == "bytes_per_s" and "per_s" in figure else suffix)
    column = Column("_".join(filter(None, parts)), label, unit, "neither", _measure(stem, unit))
    return ColumnSpec(column, (label,), scale, per_row=unit == "as_labelled")


def _split_word(name: str, words: Mapping[str, str]) -> tuple[str, str]:
    for printed, meaning in words.items():
        match = re.search(rf"(?<![\w%]){printed}(?!\w)", name)
        if match:
            return f"{name[: match.start()].rstrip()} {name[match.end() :].lstrip()}".strip(), meaning
    return name, ""


def _unit(stem: str, default: str, scale: float | None) -> tuple[str, float | None]:
    low = stem.lower()
    if "%" in low or low.startswith("pct"):
        return "percent", None
    if default == "as_labelled":
        return default, None
    timed = _TIME.search(low)
    if timed:
        return "s", _TIMES[timed[1]]
    if low.endswith("time"):  # of enqueues in seconds; from 12.1 on with the unit beside the figure
        return "s", None
    rate = bool(_RATE.search(low))
    if _BYTES.search(low):
        unit = "bytes_per_s" if rate else "bytes"
        return unit, label_scale(stem, unit)
    return ("per_s" if rate else default), scale


def _measure(stem: str, unit: str) -> Measure:
    """Never a total: two intervals' figures have no rate."""
    if unit == "percent":
        return "share"
    if unit in ("per_s", "bytes_per_s"):
        return "rate"
    return "average" if _AVERAGE.search(stem) else "level"


def side_reader(unit: str = "count", scale: float | None = None) -> Reader:

    def read(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
        specs: dict[str, ColumnSpec] = {}
        parts: list[tuple[list[str], list[tuple[Cell, ...]]]] = []
        for table in tables:
            groups = table.groups or ("",) * len(table.labels)
            sided = [sided_column(n, g, unit, scale) for n, g in zip(table.labels, groups, strict=True)]
            sided = _distinct(sided)
            specs.update({s.id: s for s in sided if s.id not in specs})
            columns = convert_columns(declaration, table, sided, notebook)
            parts.append(([s.id for s in sided], list(zip(*columns, strict=True))))
        rows = [row for ids, part in parts for row in _in_order(list(specs), ids, part)]
        return finish(declaration, tables, list(specs.values()), rows)

    return read


def _in_order(wanted: list[str], ids: list[str], rows: list[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    if ids == wanted:
        return rows
    return [tuple(map(dict(zip(ids, row, strict=True)).get, wanted)) for row in rows]


def _distinct(specs: Sequence[ColumnSpec]) -> list[ColumnSpec]:
    counts: dict[str, int] = {}
    out: list[ColumnSpec] = []
    for spec in specs:
        n = counts[spec.id] = counts.get(spec.id, 0) + 1
        out.append(spec if n == 1 else replace(spec, column=replace(spec.column, id=f"{spec.id}_{n}")))
    return out


def _section(
    section_id: str,
    title: str,
    key: str,
    *titles: str,
    unit: str = "count",
    scale: float | None = None,
    row_unit: RowUnit | None = None,
    summaries: Sequence[str] = (),
    top: bool = False,
) -> None:
    COMPARE.section(
        f"compare_{section_id}",
        title,
        None,
        key=key,
        titles=titles,
        summaries=summaries,
        coverage="top" if top else "all",
        reader=side_reader("as_labelled" if row_unit else unit, scale),
        row_unit=row_unit,
        shape="sides",
    )


def read_top_events(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """One row per event of both lists; a dash: unlisted."""
    columns = declaration.columns or ()
    rows: dict[str, dict[str, Cell]] = {}
    for table in tables:
        specs = [declaration.by_label.get(n) for n in (label.replace(" ", "").lower() for label in table.labels)]
        columns_of_labels = [s or columns[0] for s in specs]
        cells = convert_columns(declaration, table, columns_of_labels, notebook)
        for record in zip(*cells, strict=True):
            for side in ("first", "second"):
                part = {s.id: c for s, c in zip(specs, record, strict=True) if s and f"_{side}" in s.id}
                printed = part.get(f"event_{side}")
                event = printed.lstrip("- ") if isinstance(printed, str) else ""
                if event:
                    row = rows.setdefault(event, {"event": event})
                    row.setdefault("wait_class", part.get(f"wait_class_{side}"))
                    row.update({i: c for i, c in part.items() if "event" not in i and "class" not in i})
    specs_out = [
        text("event", "Event"),
        text("wait_class", "Wait Class"),
        *(s for s in columns if "event" not in s.id and "class" not in s.id),
    ]
    section = finish(declaration, tables, specs_out, [tuple(r.get(s.id) for s in specs_out) for r in rows.values()])
    return _names_cut(section, tables)


def _names_cut(section: Section, tables: Sequence[RawTable]) -> Section:
    """A dash takes one place."""
    widths = {label: width for t in tables for label, width in zip(t.labels, t.widths, strict=False)}
    cut = {"event": widths.get("1st Event", 1) - 1, "wait_class": widths.get("1st Wait Class", 0)}
    columns = [replace(c, cut_at=cut[c.id]) if cut.get(c.id) else c for c in section.columns]
    return replace(section, columns=tuple(columns))


def _load_unit(metric: str) -> str:
    return "s" if metric.lower().endswith(" time") else load_unit(metric)


COMPARE.section(
    "compare_databases",
    "Databases of both periods",
    [
        text("snapshot_set", "Snapshot Set"),
        text("db_name", "DB Name", holds="database"),
        text("dbid", "DB Id"),
        text("unique_name", "Unique Name", holds="database"),
        text("instance", "Instance", holds="host"),
        text("instance_number", "Inst num"),
        text("role", "DB Role", "Role"),
        text("edition", "Edition"),
        text("release", "Release"),
        text("rac", "Cluster", "RAC"),
        text("cdb", "CDB"),
        text("host", "Host", holds="host"),
        bytes_("block_size_bytes", "Std Block Size", measure="level", scale=1.0),
    ],
    titles=[""],
    requires=["Snapshot Set"],
    forbids=["Begin Snap Id"],
)


def read_snapshots(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """The %Diff below both periods gets columns of its own."""
    return read_tables(declaration, [_differences_apart(declaration, table) for table in tables], notebook)


def _differences_apart(declaration: Declaration, table: RawTable) -> RawTable:
    added = [f"{label} %Diff" for label in table.labels]
    at = [i for i, label in enumerate(added) if normal_label(label) in declaration.by_label]
    rows: list[list[str]] = []
    for row in table.rows:
        differs = "%" in row[0]
        cells = ["" if differs and i in at else cell for i, cell in enumerate(row)]
        rows.append([*cells, *(row[i] if differs else "" for i in at)])
    groups = (*table.groups, *("" for _ in at)) if table.groups else ()
    return replace(table, labels=(*table.labels, *(added[i] for i in at)), groups=groups, rows=rows)


COMPARE.section(
    "compare_snapshots",
    "Snapshots of both periods",
    [
        text("snapshot_set", "Snapshot Set"),
        count("begin_snap_id", "Begin Snap Id", measure="level"),
        text("begin_snap_time", "Begin Snap Time"),
        count("end_snap_id", "End Snap Id", measure="level"),
        text("end_snap_time", "End Snap Time"),
        number("avg_active_users", "sessions", "Avg Active Users", measure="average"),
        seconds("elapsed_s", "Elapsed Time (min)", better="neither"),
        seconds("db_time_s", "DB time (min)"),
        percent("avg_active_users_pct_diff", "Avg Active Users %Diff"),
        percent("elapsed_pct_diff", "Elapsed Time (min) %Diff"),
        percent("db_time_pct_diff", "DB time (min) %Diff"),
    ],
    titles=[""],
    requires=["Snapshot Set", "Begin Snap Id"],
    reader=read_snapshots,
)


def host_unit(metric: str) -> str:
    if "memory" in metric.lower():
        return "bytes"
    return "load" if metric.lower().startswith("load ") else unit_in_label(metric)


def read_host(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Memory's M is binary, unlike a count's."""
    section = side_reader("as_labelled")(declaration, tables, notebook)
    printed = [row for table in tables for row in table.rows]
    sizes = number_reader("bytes", 1.0, exact=False)
    units = [c.unit for c in section.columns]
    records = tuple(
        record
        if record.unit != "bytes" or len(row) != len(units)
        else record._replace(
            cells=tuple(sizes[p] if u == "as_labelled" else c for u, p, c in zip(units, row, record.cells, strict=True))
        )
        for record, row in zip(section.records, printed, strict=True)
    )
    return replace(section, records=records)


COMPARE.section(
    "compare_host",
    "Host Configuration Comparison",
    None,
    key="metric",
    reader=read_host,
    row_unit=host_unit,
    shape="sides",
)
_section("cache_sizes", "Cache Sizes", "metric", unit="bytes", scale=2.0**20)
COMPARE.section(
    "compare_load_profile",
    "Load Profile",
    [
        text("metric", ""),
        *(
            spec
            for side, printed in (("first", "1st"), ("second", "2nd"))
            for spec in (
                number(f"per_second_{side}", "per_s", f"{printed} per sec", measure="rate", per_row=True),
                number(f"per_transaction_{side}", "per_txn", f"{printed} per txn", measure="average", per_row=True),
            )
        ),
        percent("per_second_pct_diff", "%Diff"),
        percent("per_transaction_pct_diff", "%Diff (2)"),
    ],
    titles=["Workload Comparison", ""],  # as text; of a pluggable database (19c) without its heading
    requires=["1st per sec"],
    summaries=["comparisons of load profile", "load profile comparisons"],
    row_unit=_load_unit,
)
_section(
    "instance_percentages",
    "Instance percentages",
    "metric",
    unit="percent",
    summaries=["comparisons in different categories for the intervals"],
)
COMPARE.section(
    "compare_top_timed_events",
    "Top Timed Events",
    [
        spec
        for side, printed in (("first", "1st"), ("second", "2nd"))
        for spec in (
            text(f"event_{side}", f"{printed} Event"),
            text(f"wait_class_{side}", f"{printed} Wait Class"),
            count(f"waits_{side}", f"{printed} Waits", measure="level"),
            seconds(f"total_wait_time_{side}_s", f"{printed} Time(s)", measure="level"),
            seconds(
                f"avg_wait_{side}_s", f"{printed} Avg Time(ms)", f"{printed} Avg Time", measure="average", scale=1e-3
            ),
            percent(f"pct_db_time_{side}", f"{printed} %DB time"),
        )
    ],
    key="event",
    titles=["Top 5 Timed Events"],
    coverage="top",
    reader=read_top_events,
)
for _id, _title, _key in (
    ("time_model", "Time Model Statistics", "statistic_name"),
    ("wait_classes", "Wait Classes", "wait_class"),
    ("wait_events", "Wait Events", "event"),
    ("service_statistics", "Service Statistics", "service_name"),
    ("service_statistics_rac", "Service Statistics (RAC)", "service_name"),
    ("tablespace_io", "Tablespace IO Stats", "tablespace"),
    ("pga_aggregate_summary", "PGA Aggregate Summary", "-"),
    ("buffer_waits", "Buffer Wait Statistics", "class"),
    ("enqueue_activity", "Enqueue Activity", "enqueue_type_request_reason"),
    ("latch_sleep_breakdown", "Latch Sleep Breakdown", "latch_name"),
    ("latch_wait_time_breakdown", "Latch Wait Time Breakdown", "latch_name"),
    ("dictionary_cache", "Dictionary Cache Statistics", "cache"),
    ("library_cache", "Library Cache Activity", "namespace"),
    ("dynamic_remastering", "Dynamic Remastering Stats", "-"),
    ("streams_capture", "Streams Capture", "-"),
    ("streams_capture_rate", "Streams Capture Rate", "-"),
    ("streams_apply", "Streams Apply", "-"),
    ("streams_apply_rate", "Streams Apply Rate", "-"),
    ("streams_by_cpu_time", "Streams by CPU Time", "session_type"),
    ("streams_by_io_time", "Streams by IO Time", "session_type"),
    ("buffered_queues", "Buffered Queues", "queue_name"),
    ("buffered_subscribers", "Buffered Subscribers", "subscriber_name queue_name"),
    ("rule_set", "Rule Set", "ruleset_name"),
    ("rule_set_by_evaluations", "Rule Set by Evaluations", "ruleset_name"),
    ("rule_set_by_elapsed_time", "Rule Set by Elapsed Time", "ruleset_name"),
    ("persistent_queues", "Persistent Queues", "queue_name"),
    ("persistent_queues_rate", "Persistent Queues Rate", "queue_name"),
    ("persistent_queue_subscribers", "Persistent Queue Subscribers", "subscriber_name queue_name"),
    ("shared_servers_activity", "Shared Servers Activity", "-"),
    ("shared_servers_rates", "Shared Servers Rates", "-"),
    ("shared_servers_utilization", "Shared Servers Utilization", "-"),
    ("shared_servers_common_queue", "Shared Servers Common Queue", "-"),
    ("shared_servers_dispatchers", "Shared Servers Dispatchers", "-"),
):
    _section(_id, _title, _key)
for _id, _title in (("function", "Function"), ("filetype", "File Type")):
    # In megabytes, as the sections of one period are; no label says so.
    _section(
        f"iostat_by_{_id}_data", f"IOStat by {_title} - Data Rate per Second", "-", unit="bytes_per_s", scale=2.0**20
    )
    _section(f"iostat_by_{_id}_requests", f"IOStat by {_title} - Requests per Second", "-", unit="per_s")
_section("os_statistics", "Operating System Statistics", "statistic_name", row_unit=os_unit)
_section(
    "instance_activity",
    "Instance Activity Stats",
    "statistic",
    "Key Instance Activity Stats",
    "Other Instance Activity Stats",
    row_unit=activity_unit,
)
_section("process_memory_summary", "Process Memory Summary", "summary category", row_unit=unit_in_label)
_section("sga_memory_summary", "SGA Memory Summary", "sga_regions", unit="bytes")
_section("sga_breakdown", "SGA Breakdown Difference", "pool name", unit="bytes")
for _order in ("IO", "Read Time", "Buffer Waits"):
    _section(f"files_by_{slug(_order)}", f"Top File Comparison by {_order}", "tablespace filename", top=True)
for _id, _order in (
    ("elapsed_time", "Elapsed Time"),
    ("cpu_time", "CPU Time"),
    ("user_io_wait_time", "I/O Time"),
    ("gets", "Buffer Gets"),
    ("reads", "Physical Reads"),
    ("unoptimized_reads", "UnOptimized Read Requests"),
    ("executions", "Executions"),
    ("parse_calls", "Parse Calls"),
    ("sharable_memory", "Sharable Memory"),
    ("version_count", "Version Count"),
    ("cluster_wait_time", "Cluster Wait Time"),
):
    _section(f"sql_by_{_id}", f"Top SQL Comparison by {_order}", "sql_id", top=True)
for _order in (
    "Logical Reads", "Physical Reads", "Physical Read Requests", "UnOptimized Read Requests", "Optimized Read Requests",
    "Direct Physical Reads", "Physical Writes", "Physical Write Requests", "Direct Physical Writes", "Table Scans",
    "DB Block Changes", "Row Lock Waits", "ITL Waits", "Buffer Busy Waits", "Global Cache Buffer Busy",
    "GC Buffer Busy Waits", "CR Blocks Received", "Current Blocks Received",
):  # fmt: skip
    _section(
        f"segments_by_{slug(_order)}",
        f"Top Segments Comparison by {_order}",
        "owner tablespace object_name subobject_name type",
        f"Top Segments by {_order}",
        top=True,
    )
COMPARE.section(
    "compare_undo_segment_summary",
    "Undo Segment Summary",
    [
        text("period", ""),
        count("undo_blocks", "Num Undo Blocks (K)", measure="level"),
        count("transactions", "Number of Transactions", measure="level"),
        seconds("max_query_length_s", "Max Qry Len (s)", measure="level"),
        count("max_transaction_concurrency", "Max Tx Concurcy", measure="level"),
        text("tuned_retention_min_max_minutes", "Min/Max TR (mins)"),
        text("snapshot_too_old_out_of_space", "STO/ OOS"),
        text("undo_block_states", "uS/uR/uU/ eS/eR/eU"),
    ],
    requires=["", "Max Qry Len (s)"],
)
for _id, _title, _key in (
    ("compare_init_parameters", "init.ora Parameters", "parameter"),
    (
        "compare_init_parameters_multi_valued",
        "init.ora Multi-Valued Parameters",
        "parameter begin_value_first end_value_first end_value_second",
    ),
):
    COMPARE.section(
        _id,
        _title,
        [
            text("parameter", "Parameter Name"),
            *(
                text(f"{when.lower()}_value_{side}", f"{printed} Period {when} Snap Value", holds="value")
                for side, printed in (("first", "1st"), ("second", "2nd"))
                for when in ("Begin", "End")
            ),
        ],
        key=_key,
    )
