"""The sections of a post-mortem, in the order it is read: those that are known, and those that a template holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.accounts.access import NotFound

Stored = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SectionKind:
    """`live`: below what is typed stand tables of the incident, as they are until it is reviewed. `hint`: what belongs
    there, as Markdown, said while nothing does."""

    key: str
    title: str
    hint: str
    live: bool = False


OFFERED = (
    SectionKind("summary", "Summary", "What happened, in a few sentences for somebody who was not there."),
    SectionKind("impact", "Impact", "Who noticed what, for how long."),
    SectionKind("detection", "Detection", "How it was noticed, by whom, and what could have told it earlier."),
    SectionKind("timeline", "Timeline", "What the events of the incident do not tell.", live=True),
    SectionKind("evidence", "Evidence", "What the figures do not tell by themselves.", live=True),
    SectionKind("causes", "Causes", "What it was, as judgements have confirmed it, and what speaks for that."),
    SectionKind("went-wrong", "What went wrong", "What made it worse or longer than it had to be."),
    SectionKind("went-well", "What went well", "What helped, and should be kept."),
    SectionKind("lessons", "Lessons", "What is done otherwise from now on."),
    SectionKind("actions", "Action items", "What is to be said about the action items.", live=True),
    SectionKind("participants", "Participants", "Who took part, and as what."),
)
# Of a team that has no template of its own, and of every post-mortem that was begun before there were templates.
_OWN_CHOICE = ("detection", "went-wrong", "lessons")
SECTIONS = tuple(one for one in OFFERED if one.key not in _OWN_CHOICE)
BY_KEY = {one.key: one for one in OFFERED}
LIVE = tuple(one.key for one in OFFERED if one.live)


def kinds_of(template: Stored) -> tuple[SectionKind, ...]:
    """Of a template as it is stored; of none the default."""
    if not template:
        return SECTIONS
    return tuple(SectionKind(one["id"], one["title"], one["prompt"], live=one["id"] in LIVE) for one in template)


def stored(kinds: Sequence[SectionKind]) -> list[dict[str, str]]:
    """`kinds_of` reads it back."""
    return [{"id": one.key, "title": one.title, "prompt": one.hint} for one in kinds]


def section_of(kinds: Sequence[SectionKind], key: str) -> SectionKind:
    found = next((one for one in kinds if one.key == key), None)
    if found is None:
        raise NotFound("The post-mortem has no such section.")
    return found
