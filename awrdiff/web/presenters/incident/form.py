"""The forms that change something: what is typed, and beside it what somebody else saved meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from awrdiff.accounts.capabilities import Can, roles_that
from awrdiff.accounts.models import Membership, User
from awrdiff.accounts.names import both_names, shown_name, shown_names
from awrdiff.incidents.actions import LONGEST_ACTION, TypedAction
from awrdiff.incidents.evidence import LONGEST_NOTE
from awrdiff.incidents.fields import LONGEST_SUMMARY, TIME_LABELS, zones
from awrdiff.incidents.merging import Merged
from awrdiff.incidents.models import ActionState, EventKind, Revision, Severity, TimelineEvent
from awrdiff.incidents.services import LONGEST_EVENT, ROLE, Typed
from awrdiff.incidents.timeline import BY_HAND, TypedEvent
from awrdiff.web.presenters.incident.clock import Clock

_TICKET = "Its reference, such as JIRA-123 or #45, its address, or both."
Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Field:
    """`theirs` is what stands there now, where that is another text than is typed."""

    name: str
    label: str
    value: str
    kind: str = "text"  # text, area, datetime-local, date, url, choice, list
    options: Options = ()
    longest: int = 200
    required: bool = False
    help: str = ""
    theirs: str = ""


def put_together(typed: Sequence[Field], now: Sequence[Field], merged: Merged) -> list[Field]:
    """What was typed, in the fields that somebody else left alone: others are as they were saved, and where both
    changed one both texts are there."""
    there = {one.name: one for one in now}
    return [
        replace(one, theirs=_field_text(there[one.name]) if one.name in merged.conflicts else "")
        if one.name in merged.mine
        else there[one.name]
        for one in typed
    ]


def _field_text(field: Field) -> str:
    return dict(field.options).get(field.value, field.value) or "nothing"


def of_incident(typed: Typed) -> list[Field]:
    known = tuple((zone, zone) for zone in zones())
    clocks = "By the clocks of the time zone below."
    zone_help = "Reports print local times without a zone: they are taken to be in this one."
    return [
        Field("title", "Title", typed.title, required=True),
        Field("severity", "Severity", typed.severity, "choice", tuple((str(s.value), s.label) for s in Severity)),
        Field("begins_at", "Begins", typed.begins_at, "datetime-local", required=True, help=clocks),
        Field("ends_at", "Ends", typed.ends_at, "datetime-local", help="Empty while it goes on."),
        *(Field(name, label, getattr(typed, name), "datetime-local") for name, label in TIME_LABELS.items()),
        Field("time_zone", "Time zone", typed.time_zone, "list", known, longest=64, required=True, help=zone_help),
        Field("summary", "Summary", typed.summary, "area", longest=LONGEST_SUMMARY),
        Field("tags", "Tags", typed.tags, longest=500, help="Separated by commas."),
        Field("ticket", "Ticket", typed.ticket, longest=500, help=_TICKET),
    ]


def of_event(typed: TypedEvent, zone: str) -> list[Field]:
    kinds = tuple((kind.value, str(kind.label)) for kind in BY_HAND)
    return [
        Field("at", "When", typed.at, "datetime-local", required=True, help=f"In {zone}."),
        Field("kind", "Kind", typed.kind, "choice", kinds),
        Field("text", "What happened", typed.text, "area", longest=LONGEST_EVENT, required=True),
    ]


@dataclass(frozen=True, slots=True)
class Edit:
    """What an event said before."""

    when: str
    kind: str
    text: str
    by: str


def edits(event: TimelineEvent) -> list[Edit]:
    """The last change first."""
    clock = Clock.of(event.incident)
    found = event.edits.select_related("edited_by").order_by("-edited_at", "-pk")
    kinds = dict(EventKind.choices)
    return [
        Edit(
            clock.said(one.at),
            str(kinds.get(one.kind, one.kind)),
            one.text,
            _changed_by_text(one.edited_by, one.edited_at, clock),
        )
        for one in found
    ]


def _changed_by_text(user: User | None, at: datetime, clock: Clock) -> str:
    return f"until {shown_name(user) if user else 'somebody'} changed it, {clock.said(at)}"


def of_action(typed: TypedAction, people: Options) -> list[Field]:
    states = tuple((state.value, str(state.label)) for state in ActionState)
    return [
        Field("text", "What is to be done", typed.text, longest=LONGEST_ACTION, required=True),
        Field("owner", "Owner", typed.owner, "choice", (("", "nobody"), *people)),
        Field("due", "Due", typed.due, "date"),
        Field("link", "Ticket", typed.link, longest=500, help=_TICKET),
        Field("state", "State", typed.state, "choice", states),
    ]


def of_note(typed: str) -> list[Field]:
    return [Field("note", "Note", typed, "area", longest=LONGEST_NOTE)]


def people(found: Sequence[Membership]) -> Options:
    """Who may have a role or an action item: whoever may write."""
    return tuple((str(one.user_id), both_names(one.user)) for one in found if one.role in roles_that(Can.WRITE))


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody changed at once: by field what it said before, and what after."""

    by: str
    fields: tuple[tuple[str, str, str], ...]


@lru_cache(maxsize=1)
def _known() -> dict[str, Field]:
    """By name, every field that a change may be of; those of roles have none."""
    status = Field("status", "Status", "")
    return {one.name: one for one in (*of_incident(Typed("")), *of_action(TypedAction(""), ()), status)}


def changes(found: Sequence[Revision], clock: Clock) -> list[Change]:
    """The last change first."""
    called = shown_names(_people_in(found))
    return [
        Change(
            f"{shown_name(one.user)}, {clock.said(one.at)}",
            tuple(
                (_label(name), _said(name, before, called), _said(name, after, called))
                for name, (before, after) in one.changes.items()
            ),
        )
        for one in found
    ]


def _people_in(found: Sequence[Revision]) -> set[str]:
    """The names that changes of owners and roles are kept by."""
    texts = (text for one in found for name, both in one.changes.items() if _is_of_people(name) for text in both)
    return {name for text in texts for name in text.split(", ")}


def _is_of_people(name: str) -> bool:
    return name == "owner" or name not in _known()


def _label(name: str) -> str:
    return _known()[name].label if name in _known() else name.removeprefix(ROLE).capitalize()


def _said(name: str, text: str, called: Mapping[str, str]) -> str:
    """As people read it: of a choice its label, of a time without a T."""
    field = _known().get(name)
    if not text:
        return "nobody" if field is None or name == "owner" else "nothing"
    if field is None or name == "owner":
        return ", ".join(called.get(one, one) for one in text.split(", "))
    if field.kind == "datetime-local":
        said = text.replace("T", " ")
        return said if datetime.fromisoformat(text).tzinfo else said.removesuffix(":00")
    return dict(field.options).get(text, text) if field.kind == "choice" else text
