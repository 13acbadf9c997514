"""Post-mortems; text and review state follow from the versions, which come in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from django.db.models import Model
from msgspec import Meta, to_builtins
from msgspec.structs import replace

from awrdiff.postmortems.models import (
    Change,
    Postmortem,
    PostmortemSection,
    PostmortemVersion,
    SecondReview,
    Template,
)
from awrdiff.postmortems.sections import LIVE, Cell, LiveTable, SectionKind, kinds_of, stored
from awrdiff.postmortems.services import LONGEST_TEXT, MOST_VERSIONS
from awrdiff.postmortems.templates import MOST_SECTIONS, is_id
from awrdiff.processing.storable_values import storable
from awrdiff.transfer.jsonl_column_types import (
    ADDRESS,
    VIEW,
    Value,
    damage,
    number,
    text,
    uuid_of,
)
from awrdiff.transfer.jsonl_row_kinds import ImportRegister, LineRegister, Rows

_FOLLOWS = "follows from its versions"
_WHOLE = (Change.REVIEWED, Change.REOPENED)
_LIVE = Literal[LIVE]  # type: ignore[valid-type]


class Postmortems(Rows):
    """Includes the last draft of each section."""

    def document(self, row: Any) -> dict[str, Any]:
        drafted = dict(PostmortemSection.objects.filter(postmortem=row).values_list("key", "drafted"))
        return Rows.document(self, row) | {"drafted": drafted}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        drafted = document.get("drafted")
        if not isinstance(drafted, dict):
            raise damage("a post-mortem has no drafts")
        values = Rows.read(self, document)
        kinds = kinds_of(values["template"])
        texts = {kind.key: text(LONGEST_TEXT).read(drafted.get(kind.key), "drafted") for kind in kinds}
        return values | {"drafted": texts}

    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        Rows.check(self, values, register)
        register.ids["section"].update(f"{values[self.name]} {key}" for key in values["drafted"])

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        row = Rows.make(self, values, register)
        if row is not None:
            texts = values["drafted"].items()
            PostmortemSection.objects.bulk_create(
                PostmortemSection(postmortem=row, key=key, drafted=text) for key, text in texts
            )
        return row


class Versions(Rows):
    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        Rows.check(self, values, register)
        if values["number"] != register.counts[self.name, f"postmortem {values['postmortem']}"]:
            raise damage("the versions of a post-mortem are not all there, or not in their order")
        whole, of = values["kind"] in _WHOLE, f"{values['postmortem']} {values['section']}"
        if values["section"] != "" if whole else of not in register.ids["section"]:
            raise damage("a version of a post-mortem is of no section")

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        def with_place_here(cell: Cell) -> Cell:
            if here := register.ids["comparison"].get(cell.comparison):
                return replace(cell, comparison=str(here))
            return Cell(cell.text, cell.address, person=cell.person)  # one that is left out leads nowhere

        live = _with_cells(values["live"], with_place_here)
        version = Rows.make(self, {**values, "live": storable(to_builtins(live))}, register)
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


def _sections(sections: list[SectionKind]) -> Any:
    if not all(is_id(section.key) for section in sections) or len({s.key for s in sections}) < len(sections):
        raise ValueError("names a section twice, or by no id")
    return storable(stored(sections))


def _clean(cell: Cell) -> Cell:
    comparison = uuid_of(cell.comparison, "live") if cell.comparison else ""
    address, baseline = ADDRESS.read(cell.address, "live"), VIEW.read(cell.baseline, "live")
    return replace(cell, address=address, baseline=baseline, comparison=comparison)


def _with_cells(live: Mapping[str, Sequence[LiveTable]], change: Callable[[Cell], Cell]) -> dict[str, list[LiveTable]]:
    return {key: [table.with_cells(change) for table in tables] for key, tables in live.items()}


POSTMORTEMS = Postmortems(
    "postmortem",
    "post-mortems",
    Postmortem,
    1,
    "created_by created_at",
    {
        "template": Value(
            Annotated[list[SectionKind], Meta(max_length=MOST_SECTIONS)],
            "is not the sections of a post-mortem: one is empty, or too long",
            [],  # absent from older files
            _sections,
        )
    },
    of={"incident": "incident"},
    team="incident__team",
    left_out=dict.fromkeys(("version", "reviewed_at", "reviewed_by"), _FOLLOWS),
)
VERSIONS = Versions(
    "version",
    "versions of post-mortems",
    PostmortemVersion,
    MOST_VERSIONS,
    "kind section by_hand reason user at",
    {
        "number": number(MOST_VERSIONS, least=1),
        "text": text(LONGEST_TEXT),
        "live": Value(
            dict[_LIVE, list[LiveTable]],
            "is not the tables of a post-mortem, or holds a table that is not one",
            clean=partial(_with_cells, change=_clean),
        ),
        "of": number(MOST_VERSIONS, least=1, optional=True),
    },
    of={"postmortem": "postmortem"},
    team="postmortem__incident__team",
    order=("postmortem", "number"),
)
SECOND_REVIEWS = Rows(
    "second review",
    "second reviews",
    SecondReview,
    1_000,
    "reviewer asked_by asked_at answer digest why answered_at is_current",
    {"number": number(MOST_VERSIONS, optional=True)},
    of={"postmortem": "postmortem"},
    team="postmortem__incident__team",
)

KINDS = (POSTMORTEMS, VERSIONS, SECOND_REVIEWS)
LEFT_OUT: dict[type[Model], str] = {
    PostmortemSection: "what its last version says; what was drafted goes with the post-mortem",
    Template: "how a team works is for the owners of the team it goes to; each post-mortem brings its own",
}
