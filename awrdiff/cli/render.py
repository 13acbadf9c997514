"""A comparison as text: an entire format, or its summary.

Only the writer in use is imported.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from awrdiff.analysis.commit_latency.sla import Sla, slas_of_reports
from awrdiff.analysis.model.comparison import Comparison

Slas = Sequence[Sla | None]  # of the reports in their order; nothing where no SLA was given


def summary(comparisons: Sequence[Comparison], sla_s: float | None) -> str:
    from awrdiff.analysis.export.brief import as_brief  # noqa: PLC0415

    return as_brief(comparisons, _slas(comparisons, sla_s))


def whole(comparisons: Sequence[Comparison], form: str, sla_s: float | None) -> str:
    """An SLA adds `commit_latency.sla` (not in CSV)."""
    slas = _slas(comparisons, sla_s)
    match form:
        case "json":
            return _json(comparisons, slas)
        case "markdown":
            from awrdiff.analysis.export.markdown import as_markdown  # noqa: PLC0415

            return as_markdown(comparisons, slas)
        case "csv":
            from awrdiff.analysis.export.csv import as_csv  # noqa: PLC0415

            return as_csv(comparisons)
        case "html":
            from awrdiff.analysis.export.html import as_html  # noqa: PLC0415

            return as_html(comparisons, slas)
        case _:
            from awrdiff.analysis.export.ticket import ticket  # noqa: PLC0415

            return "\n".join(map(ticket, comparisons))


def _json(comparisons: Sequence[Comparison], slas: Slas) -> str:
    from awrdiff.analysis.export.document import as_dict_of_all  # noqa: PLC0415
    from awrdiff.analysis.export.published import as_json  # noqa: PLC0415

    document = as_dict_of_all(comparisons)
    if slas:
        document["commit_latency"]["sla"] = [as_json(sla) for sla in slas]
    return json.dumps(document, ensure_ascii=True) + "\n"


def _slas(comparisons: Sequence[Comparison], sla_s: float | None) -> Slas:
    if sla_s is None:
        return []
    return slas_of_reports(comparisons[0].commits_of_all or comparisons[0].commit_latency, sla_s)
