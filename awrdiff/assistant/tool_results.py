"""Short answers from the analysis, in base units, with counts of what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from awrdiff.assistant.report_source import Document, Page, part
from awrdiff.cli.exit_statuses import Refused

LONGEST_TEXT = 1_500  # characters of a name, a statement, what somebody wrote
MOST_MOVERS = MOST_SETTINGS = 12
_SEVERITIES = ("critical", "warning", "note")
_DIGITS = 6
_SIDES = ("first", "second")
Sections = Callable[[str], Document]


def of_list(name: str, page: Page, keep: Sequence[str]) -> Document:
    items = [{field: entry[field] for field in keep if entry.get(field) is not None} for entry in page.items]
    unread = {"files_not_read_yet": page.unread} if page.unread else {}
    return {name: items, "more": page.more, **unread}


def of_comparison(document: Document) -> Document:
    """Verdict and biggest changes; findings as counts."""
    head = {name: document.get(name) for name in ("id", "title", "state", "error", "url") if document.get(name)}
    if document["state"] != "ready":
        return {**head, "said": "It is not computed: ask again in some seconds, unless its state is “failed”."}
    ranked = document.get("ranked") or {"db_time_per_s": None, "movers": [], "settings": []}
    severities = Counter(finding["severity"] for finding in document["findings"])
    return {
        **head,
        "reports": _reports(document),
        "summary": document["summary"],
        "warnings": [warning["text"] for warning in document["warnings"] or ()],
        "active_sessions": ranked["db_time_per_s"],
        "biggest_changes": [_mover(mover) for mover in ranked["movers"][:MOST_MOVERS]],
        "biggest_changes_left_out": max(len(ranked["movers"]) - MOST_MOVERS, 0),
        "changed_parameters": [
            {name: setting[name] for name in ("name", *_SIDES)} for setting in ranked["settings"][:MOST_SETTINGS]
        ],
        "changed_parameters_left_out": max(len(ranked["settings"]) - MOST_SETTINGS, 0),
        "findings": {severity: severities.get(severity, 0) for severity in _SEVERITIES},
    }


def of_findings(
    document: Document, section_of: Sections, *, severity: str, rule: str, limit: int, cursor: str
) -> Document:
    findings = [
        finding
        for finding in _ready(document)["findings"]
        if severity in ("", finding["severity"]) and rule in ("", finding["rule"])
    ]
    some, more = part(findings, limit, cursor)
    return {"findings": [_finding(finding, section_of) for finding in some], "in_all": len(findings), "more": more}


def of_sections(document: Document, *, contains: str, limit: int, cursor: str) -> Document:
    wanted = contains.casefold()
    sections = [
        {name: section[name] for name in ("id", "title", "rows", "changed")}
        for section in _ready(document)["sections"]
        if wanted in f"{section['id']} {section['title']}".casefold()
    ]
    some, more = part(sections, limit, cursor)
    return {"sections": some, "in_all": len(sections), "more": more}


def of_section(document: Document, *, contains: str, everything: bool, limit: int, cursor: str) -> Document:
    wanted = contains.casefold()
    rows = [row for row in document["rows"] if wanted in " ".join(map(str, row["key"].values())).casefold()]
    if not everything:
        rows = [row for row in rows if row["status"] != "same" and not row["minor"]]
    rows.sort(key=lambda row: -abs(row.get("weight") or 0))
    some, more = part(rows, limit, cursor)
    return {
        **_about(document),
        "rows": [_row(row) for row in some],
        "rows_found": len(rows),
        "rows_in_all": len(document["rows"]),
        "more": more,
    }


def of_entity(document: Document, *, limit: int, cursor: str) -> Document:
    """`limit` counts sections; each has all its rows."""
    sections = [*document["sections"], *document["mentions"]]
    some, more = part(sections, limit, cursor)
    first = {} if cursor else {name: document.get(name) for name in ("listed", "ids", "statements", "named_by")}
    findings = [{name: finding[name] for name in ("rule", "severity", "title")} for finding in document["findings"]]
    cited = [citation["rule"] for citation in document["cited_by"]]
    return {
        "kind": document["kind"],
        "key": document["key"],
        **{name: value for name, value in first.items() if value},
        "findings": findings,
        "also_cited_by_rules": cited,
        "sections": [{**_about(section), "rows": [_row(row) for row in section["rows"]]} for section in some],
        "sections_in_all": len(sections),
        "more": more,
    }


def tidy(document: Mapping[str, Any]) -> Document:
    """Non-integers to six digits; long texts cut."""
    return {name: _short(value) for name, value in document.items()}


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]}… ({len(value)} characters in all)"
    if isinstance(value, Mapping):
        return tidy(value)
    return [_short(element) for element in value] if isinstance(value, list | tuple) else value


def _ready(document: Document) -> Document:
    if document["state"] != "ready":
        raise Refused("The comparison is not ready: read_comparison says what its state is.")
    return document


def _reports(document: Document) -> list[Document]:
    """Older servers give names alone."""
    if headers := document.get("headers"):
        return [_header(header) for header in headers]
    pair = (0, document["pair"] + 1)
    return [{"name": report["name"]} for place, report in enumerate(document["reports"]) if place in pair]


def _header(header: Document) -> Document:
    snapshots = header.get("snapshots") or {}
    host = header.get("host") or {}
    return {
        "name": header.get("file"),
        "kind": header.get("kind"),
        "release": header.get("release"),
        "database": (header.get("database") or {}).get("name"),
        "instances": [instance.get("name") for instance in header.get("instances") or ()],
        "host": host.get("name"),
        "cpus": host.get("cpus"),
        "begin": (snapshots.get("begin") or {}).get("time"),
        "end": (snapshots.get("end") or {}).get("time"),
        "elapsed_s": snapshots.get("elapsed_s"),
        "db_time_s": snapshots.get("db_time_s"),
    }


def _mover(mover: Document) -> Document:
    ends = {side: mover["sessions"][side] for side in _SIDES}
    return {
        **mover["subject"],
        "tone": mover["tone"],
        "counted_again": mover["view"] == "again",
        "about": mover["about"] or None,
        "how": mover["how"] or None,
        "active_sessions": {side: sum(of) / 2 if of is not None else None for side, of in ends.items()},
        "change": mover["change"],
    }


def _finding(finding: Document, section_of: Sections) -> Document:
    fields = ("rule", "severity", "title", "text", "tone", "subject", "folded_into", "explains", "verdict")
    sessions = finding.get("sessions") or {}
    return {
        **{name: finding[name] for name in fields if finding.get(name)},
        "active_sessions": sessions or None,
        "evidence": [_evidence(evidence, section_of) for evidence in finding["evidence"]],
    }


def _evidence(evidence: Document, section_of: Sections) -> Document:
    """Name alone where no section has the row."""
    reference = {"section": evidence["section"], "row": evidence["key"]}
    try:
        section = section_of(evidence["section"])
    except Refused:
        return reference
    row = next((candidate for candidate in section["rows"] if candidate["id"] == evidence["row_id"]), None)
    delta = row["values"].get(evidence["column"]) if row else None
    if row is None or delta is None:
        return reference
    column = next(candidate for candidate in section["columns"] if candidate["id"] == evidence["column"])
    return {
        **reference,
        "column": column["id"],
        "label": column["label"],
        "unit": row.get("unit") or column["unit"],
        "status": row["status"],
        **delta,
    }


def _about(section: Document) -> Document:
    notes = [*section["first_notes"], *section["second_notes"]]
    return {
        "section": section["id"],
        "title": section["title"],
        "coverage": section["coverage"],
        "notes": list(dict.fromkeys(notes)),
        "columns": section["columns"],
    }


def _row(row: Document) -> Document:
    unit = {"unit": row["unit"]} if row.get("unit") else {}
    values = {
        name: {of: value for of, value in delta.items() if value is not None or of in _SIDES}
        for name, delta in row["values"].items()
        if any(delta[side] is not None for side in _SIDES)
    }
    return {"key": row["key"], "status": row["status"], **unit, "values": values}
