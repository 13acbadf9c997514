"""Documents of the analysis → what is told of them: small, with figures in base units and what was left out counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from awrdiff.assistant.source import Document, Page, part
from awrdiff.cli.refusal import Refused

LONGEST_TEXT = 1_500  # characters of a name, a statement, what somebody wrote
MOST_MOVERS = MOST_SETTINGS = 12
_SEVERITIES = ("critical", "warning", "note")
_DIGITS = 6
Sections = Callable[[str], Document]


def of_list(name: str, page: Page, keep: Sequence[str]) -> Document:
    items = [{field: one[field] for field in keep if one.get(field) is not None} for one in page.items]
    unread = {"files_not_read_yet": page.unread} if page.unread else {}
    return tidy({name: items, "more": page.more, **unread})


def of_comparison(document: Document) -> Document:
    """Its verdict, and what got worse and better; findings are counted."""
    said = {name: document.get(name) for name in ("id", "title", "state", "error", "url") if document.get(name)}
    if document["state"] != "ready":
        return tidy({**said, "said": "It is not computed: ask again in some seconds, unless its state is “failed”."})
    ranked = document.get("ranked") or {"db_time_per_s": None, "movers": [], "settings": []}
    severities = Counter(one["severity"] for one in document["findings"])
    return tidy(
        {
            **said,
            "reports": _reports(document),
            "summary": document["summary"],
            "warnings": [one["text"] for one in document["warnings"] or ()],
            "active_sessions": ranked["db_time_per_s"],
            "biggest_changes": [_mover(one) for one in ranked["movers"][:MOST_MOVERS]],
            "biggest_changes_left_out": max(len(ranked["movers"]) - MOST_MOVERS, 0),
            "changed_parameters": [
                {name: one[name] for name in ("name", "first", "second")} for one in ranked["settings"][:MOST_SETTINGS]
            ],
            "changed_parameters_left_out": max(len(ranked["settings"]) - MOST_SETTINGS, 0),
            "findings": {severity: severities.get(severity, 0) for severity in _SEVERITIES},
        }
    )


def of_findings(
    document: Document, section_of: Sections, *, severity: str, rule: str, limit: int, cursor: str
) -> Document:
    chosen = [
        one for one in _ready(document)["findings"] if severity in ("", one["severity"]) and rule in ("", one["rule"])
    ]
    some, more = part(chosen, limit, cursor)
    return tidy({"findings": [_finding(one, section_of) for one in some], "in_all": len(chosen), "more": more})


def of_sections(document: Document, *, contains: str, limit: int, cursor: str) -> Document:
    wanted = contains.casefold()
    found = [
        {name: one[name] for name in ("id", "title", "rows", "changed")}
        for one in _ready(document)["sections"]
        if wanted in f"{one['id']} {one['title']}".casefold()
    ]
    some, more = part(found, limit, cursor)
    return tidy({"sections": some, "in_all": len(found), "more": more})


def of_section(document: Document, *, contains: str, everything: bool, limit: int, cursor: str) -> Document:
    wanted = contains.casefold()
    found = [
        row
        for row in document["rows"]
        if wanted in " ".join(map(str, row["key"].values())).casefold() and (everything or _is_changed(row))
    ]
    found.sort(key=lambda row: -abs(row.get("weight") or 0))
    some, more = part(found, limit, cursor)
    return tidy(
        {
            **_about(document),
            "rows": [_row(row) for row in some],
            "rows_found": len(found),
            "rows_in_all": len(document["rows"]),
            "more": more,
        }
    )


def of_entity(document: Document, *, limit: int, cursor: str) -> Document:
    """`limit` counts sections; of each the rows that the document has."""
    sections = [*document["sections"], *document["mentions"]]
    some, more = part(sections, limit, cursor)
    first = {} if cursor else {name: document.get(name) for name in ("listed", "ids", "statements", "named_by")}
    findings = [{name: one[name] for name in ("rule", "severity", "title")} for one in document["findings"]]
    cited = [one["rule"] for one in document["cited_by"]]
    return tidy(
        {
            "kind": document["kind"],
            "key": document["key"],
            **{name: value for name, value in first.items() if value},
            "findings": findings,
            "also_cited_by_rules": cited,
            "sections": [{**_about(one), "rows": [_row(row) for row in one["rows"]]} for one in some],
            "sections_in_all": len(sections),
            "more": more,
        }
    )


def tidy(document: Mapping[str, Any]) -> Document:
    """Numbers to six digits, where they are no whole ones; texts cut where they are long."""
    return {name: _short(value) for name, value in document.items()}


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]}… ({len(value)} characters in all)"
    if isinstance(value, Mapping):
        return tidy(value)
    return [_short(one) for one in value] if isinstance(value, list | tuple) else value


def _ready(document: Document) -> Document:
    if document["state"] != "ready":
        raise Refused("The comparison is not ready: read_comparison says what its state is.")
    return document


def _reports(document: Document) -> list[Document]:
    """Of the pair; by their names alone where an older server says no headers."""
    if headers := document.get("headers"):
        return [_header(one) for one in headers]
    pair = (0, document["pair"] + 1)
    return [{"name": one["name"]} for place, one in enumerate(document["reports"]) if place in pair]


def _header(header: Document) -> Document:
    snapshots = header.get("snapshots") or {}
    host = header.get("host") or {}
    return {
        "name": header.get("file"),
        "kind": header.get("kind"),
        "release": header.get("release"),
        "database": (header.get("database") or {}).get("name"),
        "instances": [one.get("name") for one in header.get("instances") or ()],
        "host": host.get("name"),
        "cpus": host.get("cpus"),
        "begin": (snapshots.get("begin") or {}).get("time"),
        "end": (snapshots.get("end") or {}).get("time"),
        "elapsed_s": snapshots.get("elapsed_s"),
        "db_time_s": snapshots.get("db_time_s"),
    }


def _mover(mover: Document) -> Document:
    return {
        **mover["subject"],
        "tone": mover["tone"],
        "counted_again": mover["view"] == "again",
        "about": mover["about"] or None,
        "how": mover["how"] or None,
        "active_sessions": {side: _middle(mover["sessions"][side]) for side in ("first", "second")},
        "change": mover["change"],
    }


def _middle(ends: Sequence[float] | None) -> float | None:
    return None if ends is None else sum(ends) / 2


def _finding(finding: Document, section_of: Sections) -> Document:
    kept = ("rule", "severity", "title", "text", "tone", "subject", "folded_into", "explains", "verdict")
    sessions = finding.get("sessions") or {}
    return {
        **{name: finding[name] for name in kept if finding.get(name)},
        "active_sessions": sessions or None,
        "evidence": [_evidence(one, section_of) for one in finding["evidence"]],
    }


def _evidence(evidence: Document, section_of: Sections) -> Document:
    """The row it names, with its figures; by its name alone where that is no row of a section."""
    named = {"section": evidence["section"], "row": evidence["key"]}
    try:
        section = section_of(evidence["section"])
    except Refused:
        return named
    row = next((one for one in section["rows"] if one["id"] == evidence["row_id"]), None)
    delta = row["values"].get(evidence["column"]) if row else None
    if row is None or delta is None:
        return named
    column = next(one for one in section["columns"] if one["id"] == evidence["column"])
    return {
        **named,
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
    values = {name: _delta(one) for name, one in row["values"].items() if _has(one)}
    return {"key": row["key"], "status": row["status"], **unit, "values": values}


def _delta(delta: Document) -> Document:
    return {name: value for name, value in delta.items() if value is not None or name in ("first", "second")}


def _has(delta: Document) -> bool:
    return any(delta[side] is not None for side in ("first", "second"))


def _is_changed(row: Document) -> bool:
    """As `changed` of its section counts them."""
    return row["status"] != "same" and not row["minor"]
