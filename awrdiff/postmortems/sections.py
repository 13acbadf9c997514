"""The sections of a post-mortem, in the order it is read."""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.accounts.access import NotFound


@dataclass(frozen=True, slots=True)
class SectionKind:
    """`live`: below what is typed stand tables of the incident, as they are until it is reviewed. `hint`: what belongs
    there, said while nothing does."""

    key: str
    title: str
    hint: str
    live: bool = False


SECTIONS = (
    SectionKind("summary", "Summary", "What happened, in a few sentences for somebody who was not there."),
    SectionKind("impact", "Impact", "Who noticed what, for how long."),
    SectionKind("timeline", "Timeline", "What the events of the incident do not tell.", live=True),
    SectionKind("evidence", "Evidence", "What the figures do not tell by themselves.", live=True),
    SectionKind("causes", "Causes", "What it was, as verdicts have confirmed it, and what speaks for that."),
    SectionKind("went-well", "What went well", "What helped, and should be kept."),
    SectionKind("actions", "Action items", "What is to be said about the action items.", live=True),
    SectionKind("participants", "Participants", "Who took part, and as what."),
)
BY_KEY = {one.key: one for one in SECTIONS}
LIVE = tuple(one.key for one in SECTIONS if one.live)


def section_of(key: str) -> SectionKind:
    found = BY_KEY.get(key)
    if found is None:
        raise NotFound("A post-mortem has no such section.")
    return found
