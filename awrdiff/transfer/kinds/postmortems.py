"""Post-mortems. Text and review state follow from the versions, which come in order, so the two never disagree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Model

from awrdiff.postmortems.live import documents, tables_of
from awrdiff.postmortems.models import (
    Answer,
    Change,
    Postmortem,
    PostmortemSection,
    PostmortemVersion,
    SecondReview,
    Template,
)
from awrdiff.postmortems.second import LONGEST_WHY
from awrdiff.postmortems.sections import LIVE, kinds_of
from awrdiff.postmortems.services import LONGEST_REASON, LONGEST_TEXT, MOST_VERSIONS
from awrdiff.postmortems.templates import LONGEST_ID, LONGEST_PROMPT, LONGEST_TITLE, MOST_SECTIONS, is_id
from awrdiff.processing.storable import storable
from awrdiff.transfer.errors import damage
from awrdiff.transfer.register import ImportedRows, LinesRead
from awrdiff.transfer.rows import Rows
from awrdiff.transfer.values import PAIR, Address, Anchor, Choice, Flag, Moment, Number, Person, Text, View, uuid_of

_FOLLOWS = "follows from its versions"
_WHOLE = (Change.REVIEWED, Change.REOPENED)
_SECTION = {"id": Text(LONGEST_ID), "title": Text(LONGEST_TITLE, empty=False), "prompt": Text(LONGEST_PROMPT)}
_CELL = Text(5_000)  # an event of the timeline, or all that is said of a piece of evidence


class Postmortems(Rows):
    """With the last draft of each section."""

    def document(self, row: Any) -> dict[str, Any]:
        drafted = dict(PostmortemSection.objects.filter(postmortem=row).values_list("key", "drafted"))
        return Rows.document(self, row) | {"drafted": drafted}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        drafted = document.get("drafted")
        if not isinstance(drafted, dict):
            raise damage("a post-mortem has no drafts")
        values = Rows.read(self, document)
        kinds = kinds_of(values["template"])
        texts = {kind.key: Text(LONGEST_TEXT).read(drafted.get(kind.key), "drafted") for kind in kinds}
        return values | {"drafted": texts}

    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        Rows.check(self, values, lines)
        lines.ids["section"].update(f"{values[self.name]} {key}" for key in values["drafted"])

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        row = Rows.make(self, values, making)
        if row is not None:
            texts = values["drafted"].items()
            PostmortemSection.objects.bulk_create(
                PostmortemSection(postmortem=row, key=key, drafted=text) for key, text in texts
            )
        return row


class Versions(Rows):
    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        Rows.check(self, values, lines)
        if values["number"] != lines.counts[self.name, f"postmortem {values['postmortem']}"]:
            raise damage("the versions of a post-mortem are not all there, or not in their order")
        whole, of = values["kind"] in _WHOLE, f"{values['postmortem']} {values['section']}"
        if values["section"] != "" if whole else of not in lines.ids["section"]:
            raise damage("a version of a post-mortem is of no section")

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        comparisons = making.ids["comparison"]
        version = Rows.make(self, {**values, "live": _translated(values["live"], comparisons)}, making)
        if version is None:
            return None
        now: dict[str, Any] = {"version": version.number}
        if version.kind in _WHOLE:
            reviewed = version.kind == Change.REVIEWED
            now |= {
                "reviewed_at": version.at if reviewed else None,
                "reviewed_by": version.user_id if reviewed else None,
            }
        else:
            section = PostmortemSection.objects.get(postmortem=version.postmortem_id, key=version.section)
            section.say(version.text, version.number, version.user_id, version.at, by_hand=version.by_hand)
            section.save(update_fields=["text", "number", "by_hand", "ticks"])
        Postmortem.objects.filter(pk=version.postmortem_id).update(**now)
        return version


class Sections:
    """Template of the post-mortem when it was begun; absent from older files."""

    def dump(self, value: Any) -> Any:
        return value

    def read(self, raw: Any, name: str) -> list[dict[str, str]]:
        rows = [] if raw is None else raw
        if not isinstance(rows, list) or len(rows) > MOST_SECTIONS or not all(isinstance(row, dict) for row in rows):
            raise damage(f"“{name}” is not the sections of a post-mortem")
        sections = [{key: text.read(row.get(key), name) for key, text in _SECTION.items()} for row in rows]
        if not all(is_id(s["id"]) for s in sections) or len({s["id"] for s in sections}) < len(sections):
            raise damage(f"“{name}” names a section twice, or by no id")
        return sections


class Live:
    """Tables kept by a review, by section."""

    def dump(self, value: Any) -> Any:
        return value

    def read(self, raw: Any, name: str) -> dict[str, list[dict[str, Any]]]:
        if not isinstance(raw, dict) or not set(raw) <= set(LIVE):
            raise damage(f"“{name}” is not the tables of a post-mortem")
        try:
            whole = {key: documents(tables_of(tables)) for key, tables in raw.items()}
        except (TypeError, KeyError, AttributeError, RecursionError):
            raise damage(f"“{name}” holds a table that is not one") from None
        return {key: [_table(table, name) for table in tables] for key, tables in whole.items()}


def _table(raw: dict[str, Any], name: str) -> dict[str, Any]:
    head = [_CELL.read(text, name) for text in raw["head"]]
    rows = [[_cell(cell, name) for cell in row] for row in raw["rows"]]
    return {"caption": _cell(raw["caption"], name), "head": head, "rows": rows, "note": _CELL.read(raw["note"], name)}


def _cell(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {
        "text": _CELL.read(raw["text"], name),
        "address": Address().read(raw["address"], name),
        "comparison": uuid_of(raw["comparison"], name) if raw["comparison"] else "",
        "pair": PAIR.read(raw["pair"], name),
        "anchor": Anchor().read(raw["anchor"], name),
        "baseline": View().read(raw["baseline"], name),
        "person": Person().read(raw["person"], name),
    }


_NOWHERE = {"comparison": "", "pair": 0, "anchor": "", "baseline": ""}


def _translated(live: Mapping[str, Any], comparisons: Mapping[str, Any]) -> dict[str, Any]:
    """Point cells at the comparisons here; those of one that was left out lead nowhere."""

    def cell(raw: dict[str, Any]) -> dict[str, Any]:
        here = comparisons.get(raw["comparison"])
        return raw | ({"comparison": str(here)} if here else _NOWHERE)

    def table(raw: dict[str, Any]) -> dict[str, Any]:
        return raw | {"caption": cell(raw["caption"]), "rows": [[cell(c) for c in row] for row in raw["rows"]]}

    return {key: storable([table(raw) for raw in tables]) for key, tables in live.items()}


POSTMORTEMS = Postmortems(
    name="postmortem",
    many="post-mortems",
    model=Postmortem,
    of={"incident": "incident"},
    team="incident__team",
    most=1,
    values={"template": Sections(), "created_by": Person(), "created_at": Moment()},
    left_out=dict.fromkeys(("version", "reviewed_at", "reviewed_by"), _FOLLOWS),
)
VERSIONS = Versions(
    name="version",
    many="versions of post-mortems",
    model=PostmortemVersion,
    of={"postmortem": "postmortem"},
    team="postmortem__incident__team",
    most=MOST_VERSIONS,
    values={
        "number": Number(MOST_VERSIONS, least=1),
        "kind": Choice(Change),
        "section": Text(20),
        "text": Text(LONGEST_TEXT),
        "by_hand": Flag(),
        "live": Live(),
        "of": Number(MOST_VERSIONS, least=1, optional=True),
        "reason": Text(LONGEST_REASON),
        "user": Person(),
        "at": Moment(),
    },
    order=("postmortem", "number"),
)
SECOND_REVIEWS = Rows(
    name="second review",
    many="second reviews",
    model=SecondReview,
    of={"postmortem": "postmortem"},
    team="postmortem__incident__team",
    most=1_000,
    values={
        "reviewer": Person(),
        "asked_by": Person(),
        "asked_at": Moment(),
        "answer": Choice(Answer),
        "number": Number(MOST_VERSIONS, optional=True),
        "digest": Text(64),
        "why": Text(LONGEST_WHY),
        "answered_at": Moment(optional=True),
        "is_current": Flag(),
    },
)

KINDS = (POSTMORTEMS, VERSIONS, SECOND_REVIEWS)
LEFT_OUT: dict[type[Model], str] = {
    PostmortemSection: "what its last version says; what was drafted goes with the post-mortem",
    Template: "how a team works is for the owners of the team it goes to; each post-mortem brings its own",
}
