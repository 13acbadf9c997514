"""Incidents with all their parts, and the verdicts on findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from awrdiff.comparisons.anchors import LONGEST_TEXT
from awrdiff.incidents.actions import LONGEST_ACTION, MOST_ACTIONS
from awrdiff.incidents.attached import MOST_COMPARISONS
from awrdiff.incidents.attached import MOST_REPORTS as MOST_ATTACHED
from awrdiff.incidents.evidence import LONGEST_NOTE, MOST_EVIDENCE
from awrdiff.incidents.fields import LONGEST_SUMMARY, LONGEST_TAG, MOST_TAGS
from awrdiff.incidents.models import (
    ActionItem,
    ActionState,
    EventKind,
    Evidence,
    Incident,
    IncidentComparison,
    IncidentReport,
    IncidentRole,
    IncidentTag,
    Revision,
    Severity,
    SignOff,
    Status,
    TimelineEdit,
    TimelineEvent,
    Verdict,
    VerdictState,
)
from awrdiff.incidents.services import LONGEST_EVENT, MOST_ROLES, SET_TIMES
from awrdiff.incidents.timeline import MOST_EDITS
from awrdiff.incidents.verdicts import LONGEST_WHY, MOST_SIGN_OFFS, MOST_VERDICTS
from awrdiff.transfer.errors import damage
from awrdiff.transfer.register import LinesRead
from awrdiff.transfer.rows import Rows
from awrdiff.transfer.values import (
    PAIR,
    STANDING,
    Address,
    Anchor,
    Changes,
    Choice,
    Day,
    Flag,
    Moment,
    Number,
    Person,
    Text,
    View,
    Zone,
)

_KEY = {"client_key": "of the form that made it"}
_ROLE = Text(40)
_IN = {"incident": "incident"}
_TYPED = Moment(is_past=False)  # it may lie ahead


class Incidents(Rows):
    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        Rows.check(self, values, lines)
        if values["ends_at"] is not None and values["ends_at"] < values["begins_at"]:
            raise damage("an incident ends before it begins")


INCIDENTS = Incidents(
    name="incident",
    many="incidents",
    model=Incident,
    of={},
    team="team",
    most=10_000,
    values={
        "title": Text(200, empty=False),
        "severity": Choice(Severity),
        "status": Choice(Status),
        "begins_at": _TYPED,
        "ends_at": Moment(is_past=False, optional=True),
        **{name: Moment(is_past=False, optional=True) for name in SET_TIMES},
        "time_zone": Zone(),
        "summary": Text(LONGEST_SUMMARY),
        "ticket": Address(reference=True),
        "created_by": Person(),
        "created_at": Moment(),
        "updated_by": Person(),
        "updated_at": Moment(),
        "version": Number(),
    },
    left_out={**_KEY, "changed_at": "for who looks on; it begins anew"},
    order=("created_at", "pk"),
)
TAGS = Rows(
    name="tag",
    many="tags",
    model=IncidentTag,
    of=_IN,
    team="incident__team",
    most=MOST_TAGS,
    values={"name": Text(LONGEST_TAG, empty=False)},
)
ROLES = Rows(
    name="role_of",
    many="roles",
    model=IncidentRole,
    of=_IN,
    team="incident__team",
    most=MOST_ROLES,
    values={"user": Person(needed=True), "role": _ROLE},
)
COMPARISONS = Rows(
    name="attached_comparison",
    many="attached comparisons",
    model=IncidentComparison,
    of={**_IN, "comparison": "comparison"},
    team="incident__team",
    most=MOST_COMPARISONS,
    values={
        "attached_by": Person(),
        "attached_at": Moment(),
        "bad": Number(most=31, optional=True),
        "bad_chosen": Flag(),
    },
    left_out={"told": "read again from the comparison", "told_of": "the same", "story": "the same"},
)
REPORTS = Rows(
    name="attached_report",
    many="attached reports",
    model=IncidentReport,
    of={**_IN, "report": "report"},
    team="incident__team",
    most=MOST_ATTACHED,
    values={"attached_by": Person(), "attached_at": Moment(), "bad": Flag(optional=True)},
    left_out={"story": "read again from the report", "story_of": "the same"},
)
EVENTS = Rows(
    name="event",
    many="events",
    model=TimelineEvent,
    of=_IN,
    team="incident__team",
    most=10_000,  # what the system notes has no limit of its own
    if_any={"comparison": "comparison"},
    values={
        "at": _TYPED,
        "text": Text(LONGEST_EVENT, empty=False),
        "kind": Choice(EventKind),
        "user": Person(),
        "by_system": Flag(),
        "created_at": Moment(),
        "version": Number(),
    },
    left_out=_KEY,
)
EDITS = Rows(
    name="edit",
    many="edits of events",
    model=TimelineEdit,
    of={"event": "event"},
    team="event__incident__team",
    most=MOST_EDITS,
    values={
        "at": _TYPED,
        "text": Text(LONGEST_EVENT, empty=False),
        "kind": Choice(EventKind),
        "edited_by": Person(),
        "edited_at": Moment(),
    },
)
EVIDENCE = Rows(
    name="evidence",
    many="pieces of evidence",
    model=Evidence,
    of={**_IN, "comparison": "comparison"},
    team="incident__team",
    most=MOST_EVIDENCE,
    values={
        **STANDING,
        "baseline": View(),
        "note": Text(LONGEST_NOTE),
        "added_by": Person(),
        "added_at": Moment(),
    },
)
ACTIONS = Rows(
    name="action",
    many="action items",
    model=ActionItem,
    of=_IN,
    team="incident__team",
    most=MOST_ACTIONS,
    values={
        "text": Text(LONGEST_ACTION, empty=False),
        "owner": Person(),
        "due": Day(),
        "state": Choice(ActionState),
        "link": Address(reference=True),
        "created_by": Person(),
        "created_at": Moment(),
        "updated_by": Person(),
        "updated_at": Moment(),
        "closed_at": Moment(optional=True),
        "version": Number(),
    },
    left_out={**_KEY, "ticket_asked_at": "of this server's webhook"},
)
REVISIONS = Rows(
    name="revision",
    many="changes of fields",
    model=Revision,
    of=_IN,
    team="incident__team",
    most=200_000,  # of an incident and its action items, 500 each
    if_any={"action": "action"},
    values={
        "version": Number(optional=True),
        "changes": Changes(LONGEST_SUMMARY),
        "user": Person(),
        "at": Moment(),
    },
)
VERDICTS = Rows(
    name="verdict",
    many="verdicts",
    model=Verdict,
    of={"comparison": "comparison"},
    team="team",
    most=MOST_VERDICTS,
    values={
        "dbid": Text(40),
        "anchor": Anchor(finding=True),
        "pair": PAIR,
        "swapped": Flag(),
        "title": Text(LONGEST_TEXT),
        "text": Text(LONGEST_TEXT),
        "state": Choice(VerdictState),
        "explained_by": Anchor(),
        "explained_by_title": Text(LONGEST_TEXT),
        "why": Text(LONGEST_WHY),
        "role": _ROLE,
        "user": Person(),
        "at": Moment(),
        "is_current": Flag(),
    },
)
SIGN_OFFS = Rows(
    name="sign_off",
    many="sign-offs",
    model=SignOff,
    of={"verdict": "verdict"},
    team="verdict__team",
    most=MOST_SIGN_OFFS,
    values={"user": Person(needed=True), "role": _ROLE, "at": Moment()},
)

KINDS = (INCIDENTS, TAGS, ROLES, COMPARISONS, REPORTS, EVENTS, EDITS, EVIDENCE, ACTIONS, REVISIONS, VERDICTS, SIGN_OFFS)
