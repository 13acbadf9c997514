"""Edit forms, with concurrent changes beside typed text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from awrdiff.accounts.access import Can, roles_that
from awrdiff.accounts.display_names import both_names, shown_name, shown_names
from awrdiff.accounts.models import Membership
from awrdiff.incidents.action_items import LONGEST_ACTION, TypedAction
from awrdiff.incidents.evidence import LONGEST_NOTE
from awrdiff.incidents.field_validation import LONGEST_SUMMARY, TIME_LABELS, zones
from awrdiff.incidents.models import ActionState, EventKind, Revision, Severity, TimelineEvent
from awrdiff.incidents.services import LONGEST_EVENT, ROLE, Merged, Typed
from awrdiff.incidents.timeline import BY_HAND, TypedEvent
from awrdiff.web.presenters.incident.time_zone_clock import Clock

_TICKET = "Its reference, such as JIRA-123 or #45, its address, or both."
Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Field:
    """`theirs`: stored text if it differs."""

    name: str
    label: str
    value: str
    kind: str = "text"  # text, area, datetime-local, date, url, choice, list
    options: Options = ()
    longest: int = 200
    required: bool = False
    help: str = ""
    theirs: str = ""

    @property
    def text(self) -> str:
        return dict(self.options).get(self.value, self.value)


def put_together(typed: Sequence[Field], now: Sequence[Field], merged: Merged) -> list[Field]:
    """Typed where untouched by others; both if both changed."""
    there = {field.name: field for field in now}
    return [
        replace(field, theirs=there[field.name].text or "nothing" if field.name in merged.conflicts else "")
        if field.name in merged.mine
        else there[field.name]
        for field in typed
    ]


def of_incident(typed: Typed) -> list[Field]:
    zone_options = tuple((zone, zone) for zone in zones())
    clocks = "By the clocks of the time zone below."
    zone_help = "Reports print local times without a zone: they are taken to be in this one."
    return [
        Field("title", "Title", typed.title, required=True),
        Field("severity", "Severity", typed.severity, "choice", tuple((str(s.value), s.label) for s in Severity)),
        Field("begins_at", "Begins", typed.begins_at, "datetime-local", required=True, help=clocks),
        Field("ends_at", "Ends", typed.ends_at, "datetime-local", help="Empty while it goes on."),
        *(Field(name, label, getattr(typed, name), "datetime-local") for name, label in TIME_LABELS.items()),
        Field(
            "time_zone", "Time zone", typed.time_zone, "list", zone_options, longest=64, required=True, help=zone_help
        ),
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


def edits(event: TimelineEvent) -> list[tuple[str, str, str, str]]:
    """Time, kind, text and author of each, last change first."""
    clock, kinds = Clock.of(event.incident), dict(EventKind.choices)
    return [
        (
            clock.text(edit.at),
            str(kinds.get(edit.kind, edit.kind)),
            edit.text,
            f"until {shown_name(edit.edited_by) if edit.edited_by else 'somebody'} changed it, "
            f"{clock.text(edit.edited_at)}",
        )
        for edit in event.edits.select_related("edited_by").order_by("-edited_at", "-pk")
    ]


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


def people(memberships: Sequence[Membership]) -> Options:
    """Members who may write."""
    return tuple(
        (str(membership.user_id), both_names(membership.user))
        for membership in memberships
        if membership.role in roles_that(Can.WRITE)
    )


@lru_cache(maxsize=1)
def _fields_by_name() -> dict[str, Field]:
    status = Field("status", "Status", "")
    return {field.name: field for field in (*of_incident(Typed("")), *of_action(TypedAction(""), ()), status)}


def changes(revisions: Sequence[Revision], clock: Clock) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Author and time, and each field with its texts before and after; last change first."""
    fields = _fields_by_name()
    # Names stored in changes of owners and roles.
    people = {
        person
        for revision in revisions
        for name, texts in revision.changes.items()
        if name == "owner" or name not in fields
        for text in texts
        for person in text.split(", ")
    }
    display_names = shown_names(people)

    def value_text(name: str, text: str) -> str:
        field = fields.get(name)
        if field is None or name == "owner":
            return ", ".join(display_names.get(person, person) for person in text.split(", ")) if text else "nobody"
        if not text:
            return "nothing"
        if field.kind == "datetime-local":
            plain_text = text.replace("T", " ")
            return plain_text if datetime.fromisoformat(text).tzinfo else plain_text.removesuffix(":00")
        return dict(field.options).get(text, text) if field.kind == "choice" else text

    return [
        (
            f"{'the tracker' if revision.by_tracker else shown_name(revision.user)}, {clock.text(revision.at)}",
            [
                (
                    fields[name].label if name in fields else name.removeprefix(ROLE).capitalize(),
                    value_text(name, before),
                    value_text(name, after),
                )
                for name, (before, after) in revision.changes.items()
            ],
        )
        for revision in revisions
    ]
