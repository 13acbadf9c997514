"""Report files → comparisons → text, also for `manage.py compare`. Only the writer in use is imported."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches

from msgspec.structs import replace

from awrdiff.analysis.commit_latency.sla import Sla, slas_of_reports
from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.lgwr_traces import TOO_FEW, split_traces
from awrdiff.analysis.oracle_compare import is_compare
from awrdiff.analysis.report.single_rac_instance import one_instance
from awrdiff.analysis.report_scopes import ready_comparison
from awrdiff.cli.exit_statuses import Refused
from parsers import Report

_NO_SECOND = "give a second report to compare it with; only Oracle's own compare report holds two periods."


def compare(reports: Sequence[Report], *, instance: int | None = None, by_time: bool = False) -> tuple[Comparison, ...]:
    """First against each other, LGWR traces attached. Raises Refused.

    `by_time`: by begin, if every report prints it.
    """
    alone, traces = split_traces([instance_of(report, instance) for report in reports])
    if len(alone) > 1:
        return compare_all(by_begin(alone) if by_time else alone, traces)
    if alone and is_compare(alone[0]):
        return (ready_comparison(alone[0], traces),)
    if traces:
        raise Refused(f"{', '.join(t.name for t in traces)}: {TOO_FEW}")
    raise Refused(f"{alone[0].name}: {_NO_SECOND}" if alone else "There is no report to compare.")


def only(comparisons: Sequence[Comparison], wanted: Sequence[str]) -> tuple[Comparison, ...]:
    """Keeps these sections; all if none wanted. Raises Refused."""
    if not wanted:
        return tuple(comparisons)
    section_ids = {section.id for comparison in comparisons for section in comparison.sections}
    for section_id in wanted:
        if section_id not in section_ids:
            close = get_close_matches(section_id, section_ids, n=3)
            instead = f" Did you mean {' or '.join(close)}?" if close else ""
            raise Refused(f"There is no section “{section_id}” in this comparison.{instead}")
    return tuple(replace(c, sections=tuple(s for s in c.sections if s.id in wanted)) for c in comparisons)


def by_begin(reports: list[Report]) -> list[Report]:
    """Unchanged unless every report prints its begin."""
    begins = [report.period.begin.time for report in reports]
    if any(begin is None for begin in begins):
        return reports
    return [reports[i] for i in sorted(range(len(reports)), key=lambda i: (begins[i], i))]


def instance_of(report: Report, instance: int | None) -> Report:
    """Non-global reports stay unchanged."""
    if instance is None or report.kind != "awr_global":
        return report
    try:
        return one_instance(report, instance)
    except LookupError as error:
        raise Refused(f"{report.name}: {error}") from error


def from_step(comparisons: Sequence[Comparison], step: float) -> tuple[Comparison, ...]:
    """`step`: percent of DB time."""
    return tuple(replace(c, step=step) for c in comparisons)


Slas = Sequence[Sla | None]  # of the reports in their order; nothing where no SLA was given


def summary(comparisons: Sequence[Comparison], sla_s: float | None) -> str:
    from awrdiff.analysis.export.brief_summary import as_brief  # noqa: PLC0415

    return as_brief(comparisons, _slas(comparisons, sla_s))


def whole(comparisons: Sequence[Comparison], form: str, sla_s: float | None) -> str:
    """An SLA adds `commit_latency.sla` (not in CSV)."""
    slas = _slas(comparisons, sla_s)
    match form:
        case "json":
            from awrdiff.analysis.export.comparison_json import as_dict_of_all  # noqa: PLC0415
            from awrdiff.analysis.export.json_encoding import as_json  # noqa: PLC0415

            document = as_dict_of_all(comparisons)
            if slas:
                document["commit_latency"]["sla"] = [as_json(sla) for sla in slas]
            return json.dumps(document, ensure_ascii=True) + "\n"
        case "markdown":
            from awrdiff.analysis.export.markdown import as_markdown  # noqa: PLC0415

            return as_markdown(comparisons, slas)
        case "csv":
            from awrdiff.analysis.export.csv import as_csv  # noqa: PLC0415

            return as_csv(comparisons)
        case "html":
            from awrdiff.analysis.export.html import as_html  # noqa: PLC0415

            return as_html(comparisons, slas)
        case "ticket":
            from awrdiff.analysis.export.brief_summary import ticket  # noqa: PLC0415

            return "\n".join(map(ticket, comparisons))
        case _:
            raise ValueError(form)


def _slas(comparisons: Sequence[Comparison], sla_s: float | None) -> Slas:
    if sla_s is None:
        return []
    return slas_of_reports(comparisons[0].commits_of_all or comparisons[0].commit_latency, sla_s)
