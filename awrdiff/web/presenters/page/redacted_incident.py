"""Incident and post-mortem of a redacted link, pseudonymised. Only what is listed here is stored, no address, id or
digest; new fields stay out until added, through `hide`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString
from msgspec import convert, to_builtins

from awrdiff.incidents.bad_hour_summary import WhatHappened
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.markdown import lines_of
from awrdiff.postmortems.sections import BY_KEY, Cell, LiveTable
from awrdiff.redaction.free_text import Names, Unsure
from awrdiff.sharing.names_to_redact import KnownNames
from awrdiff.web.presenters.incident import time_scale_band
from awrdiff.web.presenters.incident.json_types import ChecklistLine
from awrdiff.web.presenters.incident.time_zone_clock import Clock
from awrdiff.web.presenters.postmortem import page as postmortems
from awrdiff.web.presenters.threads.attachments import left_out_text
from awrdiff.web.value_formatting import moment

Hide = Callable[[str], str]
_UNREAD = "left out: what cannot be read has names that are not known."
_GONE = "Tables of comparisons that are gone are left out: their names are not known."
DRAFT_LEFT_OUT = "Left out: this was drafted, and may quote what is left out, or what the incident no longer has."


def of_incident(
    incident: Incident, context: Mapping[str, Any], windows: Sequence[time_scale_band.Window], known_names: KnownNames
) -> dict[str, Any]:
    hide, head = known_names.names.hide, context["head"]
    return {
        "title": hide(head["title"]),
        "severity": head["severity"],
        "severity_said": head["severity_said"],
        "status": head["status"],
        "window": head["window"],
        "duration": head["duration"],
        "zone": head["zone"],
        "summary": hide(head["summary"]),
        "what": _what(context["what"], hide),
        "tags": [hide(tag) for tag in head["tags"]],
        "begins_at": incident.begins_at.isoformat(),
        "ends_at": incident.ends_at.isoformat() if incident.ends_at else None,
        "time_zone": incident.time_zone,
        "windows": [[window.role, window.side, window.begin.isoformat(), window.end.isoformat()] for window in windows],
        "roles": [_hiding(role, hide, "name", "role") for role in context["roles"]],
        "comparisons": [
            {"title": hide(comparison.title), "own": comparison.own, "word": comparison.word}
            for comparison in context["comparisons"]
        ],
        "reports": [{"title": hide(report.title), "note": report.note} for report in context["reports"]],
        "timeline": [
            {"anchor": f"line-{number}", "at": event.at.isoformat()}
            | _as_is(event, "when", "group", "kind", "cls")
            | _hiding(event, hide, "text", "by")
            for number, event in enumerate(context["happened"], 1)
        ],
        "evidence": [
            {"id": number, **_hiding(evidence, hide, "title", "place", "by", "arrow", "note")}
            | {"then": [[hide(label), hide(text)] for label, text in evidence.then]}
            for number, evidence in enumerate(context["evidence"], 1)
        ],
        "actions": [
            _hiding(action, hide, "text", "owner") | _as_is(action, "due", "state", "overdue") | {"link": ""}
            for action in context["actions"]
        ],
        "verdicts": [
            _hiding(verdict, hide, "title", "said", "why", "by", "comparison")
            | _as_is(verdict, "state", "team", "when")
            | {"sign_offs": [hide(text) for text in verdict.sign_offs]}
            for verdict in context["verdicts"]
        ],
        **_storing_facts(known_names, sum(len(event.files) for event in context["happened"])),
    }


def _hiding(thing: Any, hide: Hide, *names: str) -> dict[str, Any]:
    return {name: hide(getattr(thing, name)) for name in names}


def _as_is(thing: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}


def _what(happened: WhatHappened, hide: Hide) -> dict[str, Any]:
    """Own vocabulary stays: windows, states, judgements, figure names."""
    chapters: dict[str, Any] = {
        chapter.when: {
            **_as_is(chapter, "when", "window", "begin", "is_sick", "state"),
            **_hiding(chapter, hide, "headline", "detail", "improvement", "event", "statement"),
            "not_the_cause": [hide(text) for text in chapter.not_the_cause],
            "figures": to_builtins(chapter.figures),
        }
        for chapter in happened.chapters
    }
    return {
        **_hiding(happened, hide, "database", "trouble", "headline", "event", "statement"),
        **_as_is(happened, "window", "begin", "judgement", "load", "span"),
        "causes": [_hiding(cause, hide, "title", "text", "why", "by") for cause in happened.causes],
        **chapters,
        "open": [hide(text) for text in happened.open],
    }


def of_postmortem(
    incident: Incident,
    sections: Iterable[postmortems.SectionView],
    state: tuple[str, str, str],
    signed: Iterable[str],
    known_names: KnownNames,
    *,
    drafts: Mapping[str, str],
    is_cut: bool = False,
    files: int = 0,
) -> dict[str, Any]:
    """`state`: stage, review, and both with sign-offs. `drafts`: current; a differing one may quote a detached
    comparison of unknown names. `is_cut`: tables lack comparisons of unknown names.
    """
    hide, (stage, reviewed, state_text) = known_names.names.hide, state
    stored_facts = _storing_facts(known_names)
    if is_cut and not known_names.comparisons:
        stored_facts["left_out"].append(_GONE)
    cut = is_cut or bool(stored_facts["left_out"])
    stored_facts["left_out"] += filter(None, [left_out_text(files)])

    def text(section: postmortems.SectionView) -> str:
        may_quote = bool(section.text) and not section.by_hand and (cut or section.text != drafts.get(section.key))
        return DRAFT_LEFT_OUT if may_quote else hide(section.text)

    return {
        "title": hide(incident.title),
        "state": "reviewed" if reviewed else "draft",
        "reviewed": hide(reviewed),
        "publishing": stage,
        "said": hide(state_text),
        "signed_off": [hide(sign_off) for sign_off in signed],
        "sections": [
            {
                "id": section.key
                if section.key in BY_KEY
                else f"section-{number}",  # others are of what an owner typed
                "title": hide(section.title),
                "text": text(section),
                "tables": [_table(table, hide) for table in section.tables],
            }
            for number, section in enumerate(sections, 1)
        ],
        **stored_facts,
    }


def _table(shown_table: LiveTable, hide: Hide) -> dict[str, Any]:
    return {
        "title": hide(shown_table.caption.text),
        "note": hide(shown_table.note),
        "head": [hide(text) for text in shown_table.head],
        "rows": [[hide(cell.text) for cell in row] for row in shown_table.rows],
    }


def _storing_facts(known_names: KnownNames, files: int = 0) -> dict[str, Any]:
    counts = ((len(known_names.comparisons), "comparison"), (len(known_names.reports), "report"))
    out = [f"{count} {what}{'s are' if count > 1 else ' is'} {_UNREAD}" for count, what in counts if count]
    out += filter(None, [left_out_text(files)])
    return {"kept_at": moment(timezone.now()), "left_out": out}


def page_of_incident(stored: Mapping[str, Any]) -> dict[str, Any]:
    """For the template below a link."""
    ends = datetime.fromisoformat(stored["ends_at"]) if stored["ends_at"] else None
    begins = datetime.fromisoformat(stored["begins_at"])
    incident = Incident(begins_at=begins, ends_at=ends, time_zone=stored["time_zone"])
    windows = [
        time_scale_band.Window(role, side, datetime.fromisoformat(begin), datetime.fromisoformat(end), ())
        for role, side, begin, end in stored["windows"]
    ]
    chart, rows = time_scale_band.draw(incident, windows, Clock.of(incident), timezone.now())
    return {
        **{name: stored[name] for name in ("roles", "comparisons", "reports", "evidence", "actions", "verdicts")},
        "head": stored,
        "what": convert(stored.get("what", {}), WhatHappened),
        "happened": stored["timeline"],
        "band": chart,
        "band_rows": rows,
        "kept": stored,
    }


def sections_of(stored: Mapping[str, Any]) -> list[postmortems.SectionView]:
    return [
        postmortems.SectionView(
            key=section["id"],
            title=section["title"],
            hint=SafeString("None."),
            text=section["text"],
            html=postmortems.html(section["text"]),
            tables=tuple(_shown_table(table) for table in section["tables"]),
            number=0,
            checks=tuple(ChecklistLine(line.text, line.is_ticked, "", "", "") for line in lines_of(section["text"])),
        )
        for section in stored["sections"]
    ]


def _shown_table(stored_table: Mapping[str, Any]) -> LiveTable:
    rows = tuple(tuple(map(Cell, row)) for row in stored_table["rows"])
    return LiveTable(Cell(stored_table["title"]), tuple(stored_table["head"]), rows, stored_table["note"])


_PAGE_ONLY = frozenset(
    ("windows", "anchor", "cls", "when", "severity_said", "window", "duration", "zone", "overdue", "own", "word")
)


def document(stored: Any) -> Any:
    """Without page-only fields."""
    if isinstance(stored, dict):
        return {name: document(value) for name, value in stored.items() if name not in _PAGE_ONLY}
    return [document(child) for child in stored] if isinstance(stored, list) else stored


def replacements(names: Names) -> list[tuple[str, str, int]]:
    """Name, replacement, count."""
    counted_names = sorted(names.replaced.items(), key=lambda entry: (entry[0][1], entry[0][0]))
    return [(name, pseudonym, count) for (name, pseudonym), count in counted_names]


def doubts(names: Names) -> list[Unsure]:
    """Those that only begin a sentence come last."""
    return sorted(names.unsure.values(), key=lambda doubt: (doubt.opens, doubt.word.casefold()))


def doubt_document(doubt: Unsure) -> dict[str, Any]:
    """Promised field names."""
    own = {"word": doubt.word, "shown": doubt.pseudonym, "count": doubt.count}
    return {**own, "opens": doubt.opens, "kept": doubt.is_kept}
