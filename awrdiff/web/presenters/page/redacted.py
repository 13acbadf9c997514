"""An incident and a post-mortem as a redacted link keeps them: every text through the names.

Kept is what is listed here, and no address, no id and no digest of anything: what somebody adds to a page tomorrow is
not told before it stands here, and then goes through `hide`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString
from msgspec import convert, to_builtins

from awrdiff.incidents.account import Chapter, WhatHappened
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.checklists import lines_of
from awrdiff.postmortems.sections import BY_KEY
from awrdiff.redaction.prose import Names, Unsure
from awrdiff.sharing.names import KnownNames
from awrdiff.web.clock import moment
from awrdiff.web.presenters.incident import band
from awrdiff.web.presenters.incident.clock import Clock
from awrdiff.web.presenters.postmortem import page as postmortems
from awrdiff.web.presenters.threads.attachments import left_out_said

Hide = Callable[[str], str]
_UNREAD = "left out: what cannot be read has names that are not known."
_GONE = "Tables of comparisons that are gone are left out: their names are not known."
DRAFT_LEFT_OUT = "Left out: this was drafted, and may quote what is left out, or what the incident no longer has."


@dataclass(frozen=True, slots=True)
class StateSaid:
    """Of a post-mortem: how far it is, by whom it was reviewed, and both with the sign-offs."""

    stage: str
    reviewed: str
    said: str


def of_incident(
    incident: Incident, context: Mapping[str, Any], windows: Sequence[band.Window], known: KnownNames
) -> dict[str, Any]:
    """`context`: of its page."""
    hide, head = known.names.hide, context["head"]
    return {
        "title": hide(head.title),
        "severity": head.severity,
        "severity_said": head.severity_said,
        "status": head.status,
        "window": head.window,
        "duration": head.duration,
        "zone": head.zone,
        "summary": hide(head.summary),
        "what": _what(context["what"], hide),
        "tags": [hide(tag) for tag in head.tags],
        "begins_at": incident.begins_at.isoformat(),
        "ends_at": incident.ends_at.isoformat() if incident.ends_at else None,
        "time_zone": incident.time_zone,
        "windows": [[one.role, one.side, one.begin.isoformat(), one.end.isoformat()] for one in windows],
        "roles": [{"name": hide(one["name"]), "role": hide(one["role"])} for one in context["roles"]],
        "comparisons": [{"title": hide(one.title), "own": one.own} for one in context["comparisons"]],
        "reports": [{"title": hide(one.title), "note": one.note} for one in context["reports"]],
        "timeline": [_line(number, one, hide) for number, one in enumerate(context["happened"], 1)],
        "evidence": [_evidence(number, one, hide) for number, one in enumerate(context["evidence"], 1)],
        "actions": [_action(one, hide) for one in context["actions"]],
        "verdicts": [_verdict(one, hide) for one in context["verdicts"]],
        **_said(known, sum(len(one.files) for one in context["happened"])),
    }


def _what(happened: WhatHappened, hide: Hide) -> dict[str, Any]:
    """Its own words stay: windows, states, judgement and the names of figures."""
    texts = {name: hide(getattr(happened, name)) for name in ("database", "trouble", "headline", "event", "statement")}
    kept = {name: getattr(happened, name) for name in ("window", "begin", "judgement", "load")}
    causes = [
        {name: hide(getattr(cause, name)) for name in ("title", "text", "why", "by")} for cause in happened.causes
    ]
    chapters: dict[str, Any] = {chapter.when: _chapter(chapter, hide) for chapter in happened.chapters}
    return {**texts, **kept, "causes": causes, **chapters, "open": [hide(text) for text in happened.open]}


def _chapter(chapter: Chapter, hide: Hide) -> dict[str, Any]:
    texts = ("headline", "detail", "improvement", "event", "statement")
    kept = {name: getattr(chapter, name) for name in ("when", "window", "begin", "is_sick", "state")}
    return {
        **kept,
        **{name: hide(getattr(chapter, name)) for name in texts},
        "not_the_cause": [hide(text) for text in chapter.not_the_cause],
        "figures": to_builtins(chapter.figures),
    }


def _line(number: int, one: Any, hide: Hide) -> dict[str, Any]:
    return {
        "anchor": f"line-{number}",
        "at": one.at.isoformat(),
        "when": one.when,
        "group": one.group,
        "kind": one.kind,
        "cls": one.cls,
        "text": hide(one.text),
        "by": hide(one.by),
    }


def _evidence(number: int, one: Any, hide: Hide) -> dict[str, Any]:
    texts = {name: hide(getattr(one, name)) for name in ("title", "place", "by", "arrow", "note")}
    return {"id": number, **texts, "then": [[hide(label), hide(text)] for label, text in one.then]}


def _action(one: Any, hide: Hide) -> dict[str, Any]:
    texts = {"text": hide(one.text), "owner": hide(one.owner)}
    return {**texts, "due": one.due, "state": one.state, "overdue": one.overdue, "link": ""}


def _verdict(one: Any, hide: Hide) -> dict[str, Any]:
    texts = {name: hide(getattr(one, name)) for name in ("title", "said", "why", "by", "comparison")}
    return {
        **texts,
        "state": one.state,
        "team": one.team,
        "when": one.when,
        "sign_offs": [hide(text) for text in one.sign_offs],
    }


def of_postmortem(
    incident: Incident,
    sections: Iterable[postmortems.SectionView],
    state: StateSaid,
    signed: Iterable[str],
    known: KnownNames,
    *,
    drafts: Mapping[str, str],
    is_cut: bool = False,
    files: int = 0,
) -> dict[str, Any]:
    """`drafts`: what sections would be drafted as now. A draft that says anything else may quote a comparison that was
    taken off since, of which nobody knows the names. `is_cut`: its tables have lost what is of comparisons whose names
    are not known. `files`: of its timeline, none of which is shown."""
    hide = known.names.hide
    said = _said(known)
    if is_cut and not known.comparisons:
        said["left_out"].append(_GONE)
    cut = is_cut or bool(said["left_out"])
    said["left_out"] += filter(None, [left_out_said(files)])

    def text(one: postmortems.SectionView) -> str:
        may_quote = bool(one.text) and not one.by_hand and (cut or one.text != drafts.get(one.key))
        return DRAFT_LEFT_OUT if may_quote else hide(one.text)

    return {
        "title": hide(incident.title),
        "state": "reviewed" if state.reviewed else "draft",
        "reviewed": hide(state.reviewed),
        "publishing": state.stage,
        "said": hide(state.said),
        "signed_off": [hide(one) for one in signed],
        "sections": [
            {
                "id": one.key if one.key in BY_KEY else f"section-{number}",  # others are of what an owner typed
                "title": hide(one.title),
                "text": text(one),
                "tables": [_table(table, hide) for table in one.tables],
            }
            for number, one in enumerate(sections, 1)
        ],
        **said,
    }


def _table(one: postmortems.ShownTable, hide: Hide) -> dict[str, Any]:
    return {
        "title": hide(one.caption.text),
        "note": hide(one.note),
        "head": [hide(text) for text in one.head],
        "rows": [[hide(cell.text) for cell in row] for row in one.rows],
    }


def _said(known: KnownNames, files: int = 0) -> dict[str, Any]:
    """When it was kept, and what is not in it."""
    counts = ((len(known.comparisons), "comparison"), (len(known.reports), "report"))
    out = [f"{count} {what}{'s are' if count > 1 else ' is'} {_UNREAD}" for count, what in counts if count]
    out += filter(None, [left_out_said(files)])
    return {"kept_at": moment(timezone.now()), "left_out": out}


def page_of_incident(kept: Mapping[str, Any]) -> dict[str, Any]:
    """For the template of the incident below a link."""
    ends = datetime.fromisoformat(kept["ends_at"]) if kept["ends_at"] else None
    begins = datetime.fromisoformat(kept["begins_at"])
    incident = Incident(begins_at=begins, ends_at=ends, time_zone=kept["time_zone"])
    windows = [
        band.Window(role, side, datetime.fromisoformat(begin), datetime.fromisoformat(end), ())
        for role, side, begin, end in kept["windows"]
    ]
    return {
        **{name: kept[name] for name in ("roles", "comparisons", "reports", "evidence", "actions", "verdicts")},
        "head": kept,
        "what": convert(kept.get("what", {}), WhatHappened),
        "happened": kept["timeline"],
        "band": band.draw(incident, windows, Clock.of(incident), timezone.now()),
        "kept": kept,
    }


def sections_of(kept: Mapping[str, Any]) -> list[postmortems.SectionView]:
    return [
        postmortems.SectionView(
            key=one["id"],
            title=one["title"],
            hint=SafeString("None."),
            text=one["text"],
            html=postmortems.html(one["text"]),
            tables=tuple(_shown_table(table) for table in one["tables"]),
            number=0,
            checks=tuple(postmortems.CheckLine(line.text, line.is_ticked) for line in lines_of(one["text"])),
        )
        for one in kept["sections"]
    ]


def _shown_table(one: Mapping[str, Any]) -> postmortems.ShownTable:
    cell = postmortems.ShownCell
    rows = tuple(tuple(cell(text) for text in row) for row in one["rows"])
    return postmortems.ShownTable(cell(one["title"]), tuple(one["head"]), rows, one["note"])


_NOT_TOLD = frozenset(
    ("windows", "anchor", "cls", "when", "severity_said", "window", "duration", "zone", "overdue", "own")
)


def document(kept: Any) -> Any:
    """For scripts: what is kept but for what only the page has."""
    if isinstance(kept, dict):
        return {name: document(value) for name, value in kept.items() if name not in _NOT_TOLD}
    return [document(one) for one in kept] if isinstance(kept, list) else kept


@dataclass(frozen=True, slots=True)
class Replacement:
    name: str
    shown: str
    count: int


def replacements(names: Names) -> list[Replacement]:
    found = sorted(names.replaced.items(), key=lambda one: (one[0][1], one[0][0]))
    return [Replacement(name, shown, count) for (name, shown), count in found]


def doubts(names: Names) -> list[Unsure]:
    """Those that only begin a sentence come last."""
    return sorted(names.unsure.values(), key=lambda one: (one.opens, one.word.casefold()))


def doubt_document(doubt: Unsure) -> dict[str, Any]:
    """Fields of the JSON, promised under these names."""
    own = {"word": doubt.word, "shown": doubt.pseudonym, "count": doubt.count}
    return {**own, "opens": doubt.opens, "kept": doubt.is_kept}
