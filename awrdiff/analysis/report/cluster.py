"""The time model of all instances of a global (RAC) report: it prints the sum in a row, not as the table of statistics
that a report of one instance has. The host's times are not taken so: the mean of several hosts hides the busy one.
"""

from __future__ import annotations

from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.report.turned import TIME_MODEL, TURNED, turned
from awrdiff.analysis.rows.align import anchor
from parsers.model import Report, Section

_PRINTED, _SUM = "time_model_by_instance", "Sum"


def sections_of_all(report: Report) -> dict[str, Section]:
    """By id; nothing of a report of one instance."""
    section = report.section(_PRINTED) if report.kind == "awr_global" else None
    record = section.find(_SUM) if section is not None else None
    if section is None or record is None or report.section(TIME_MODEL) is not None:
        return {}
    return {TIME_MODEL: turned(section, record, TURNED[_PRINTED])}


def where_printed(evidence: Evidence, *reports: Report) -> Evidence:
    """A row of the time model that none of the reports prints as such, where a global one prints it; any other as it
    is."""
    if evidence.section != TIME_MODEL or any(r.section(TIME_MODEL) is not None for r in reports):
        return evidence
    columns = {name: column for column, name in TURNED[_PRINTED].names.items()}
    column = columns.get(evidence.key)
    return Evidence(_PRINTED, _SUM, column, anchor(_PRINTED, _SUM)) if column is not None else evidence
