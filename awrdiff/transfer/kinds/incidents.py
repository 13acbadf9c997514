"""Incidents with all their parts, and the verdicts on findings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from awrdiff.incidents import models
from awrdiff.incidents.action_items import LONGEST_ACTION, MOST_ACTIONS
from awrdiff.incidents.comparisons_and_reports import MOST_COMPARISONS, MOST_REPORTS
from awrdiff.incidents.evidence import LONGEST_NOTE, MOST_EVIDENCE
from awrdiff.incidents.field_validation import LONGEST_SUMMARY, MOST_TAGS, TIME_LABELS
from awrdiff.incidents.finding_verdicts import LONGEST_WHY, MOST_SIGN_OFFS, MOST_VERDICTS
from awrdiff.incidents.services import LONGEST_EVENT, MOST_ROLES
from awrdiff.incidents.timeline import MOST_EDITS
from awrdiff.transfer.jsonl_column_types import (
    ANCHOR,
    DAY,
    FINDING_ANCHOR,
    PAIR,
    STANDING,
    TICKET,
    TYPED,
    TYPED_OR_NONE,
    ZONE,
    changes,
    choice,
    damage,
    number,
    text,
)
from awrdiff.transfer.jsonl_row_kinds import LineRegister, Rows

_CHANNEL = {
    "channel_nonce": "of this server's address",
    "channel_by": "of whoever opened that",
    "removed_messages": "of that too",
}
_KEY = {"client_key": "of the form that made it"}
_IN = {"incident": "incident"}
_Part = partial(Rows, of=_IN, team="incident__team")


class Incidents(Rows):
    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        Rows.check(self, values, register)
        if values["ends_at"] is not None and values["ends_at"] < values["begins_at"]:
            raise damage("an incident ends before it begins")


INCIDENTS = Incidents(
    "incident",
    "incidents",
    models.Incident,
    10_000,
    "severity status created_by created_at updated_by updated_at version",
    {
        "title": text(200, empty=False),
        "begins_at": TYPED,
        **dict.fromkeys(("ends_at", *TIME_LABELS), TYPED_OR_NONE),
        "time_zone": ZONE,
        "summary": text(LONGEST_SUMMARY),
        "ticket": TICKET,
    },
    left_out={**_KEY, "changed_at": "for who looks on; it begins anew", **_CHANNEL},
    order=("created_at", "pk"),
)
TAGS = _Part("tag", "tags", models.IncidentTag, MOST_TAGS, special={"name": text(40, empty=False)})
ROLES = _Part("role_of", "roles", models.IncidentRole, MOST_ROLES, "user role")
COMPARISONS = _Part(
    "attached_comparison",
    "attached comparisons",
    models.IncidentComparison,
    MOST_COMPARISONS,
    "attached_by attached_at bad_chosen",
    {"bad": number(most=31, optional=True)},
    of={**_IN, "comparison": "comparison"},
    left_out={"told": "read again from the comparison", "told_of": "the same", "story": "the same"},
)
REPORTS = _Part(
    "attached_report",
    "attached reports",
    models.IncidentReport,
    MOST_REPORTS,
    "attached_by attached_at bad",
    of={**_IN, "report": "report"},
    left_out={"story": "read again from the report", "story_of": "the same"},
)
_EVENT = {"at": TYPED, "text": text(LONGEST_EVENT, empty=False), "kind": choice(*models.EventKind.values)}
EVENTS = _Part(
    "event",
    "events",
    models.TimelineEvent,
    10_000,  # what the system notes has no limit of its own
    "user by_system created_at version outside_author",
    _EVENT,
    if_any={"comparison": "comparison"},
    left_out=_KEY,
)
EDITS = Rows(
    "edit",
    "edits of events",
    models.TimelineEdit,
    MOST_EDITS,
    "edited_by edited_at",
    _EVENT,
    of={"event": "event"},
    team="event__incident__team",
)


class _Evidence(Rows):
    """Formats 1 and 2 may have a row both ways round, each with a note."""

    def _makes_room(self, row: models.Evidence) -> bool:
        place = {name: getattr(row, name) for name in ("incident_id", "comparison_id", "pair", "baseline", "anchor")}
        other = models.Evidence.objects.filter(**place).first()
        if other is not None and row.note not in other.note:
            models.Evidence.objects.filter(pk=other.pk).update(note=f"{other.note}\n{row.note}".strip()[:LONGEST_NOTE])
        return False


class _Verdicts(Rows):
    """Formats 1 and 2 may have both ways round: the older is history."""

    def _makes_room(self, row: models.Verdict) -> bool:
        same = {name: getattr(row, name) for name in ("comparison_id", "pair", "anchor", "user_id")}
        other = models.Verdict.objects.filter(**same, is_current=True).first()
        if other is None or (other.at, other.state) == (row.at, row.state):
            return False
        if other.at > row.at:
            row.is_current = False
        else:
            models.Verdict.objects.filter(pk=other.pk).update(is_current=False)
        return True


EVIDENCE = _Evidence(
    "evidence",
    "pieces of evidence",
    models.Evidence,
    MOST_EVIDENCE,
    "added_by added_at",
    {**STANDING, "note": text(LONGEST_NOTE)},
    of={**_IN, "comparison": "comparison"},
    team="incident__team",
)
ACTIONS = _Part(
    "action",
    "action items",
    models.ActionItem,
    MOST_ACTIONS,
    "owner state created_by created_at updated_by updated_at closed_at version by_tracker",
    {"text": text(LONGEST_ACTION, empty=False), "due": DAY, "link": TICKET},
    left_out={**_KEY, "ticket_asked_at": "of this server's webhook"},
)
REVISIONS = _Part(
    "revision",
    "changes of fields",
    models.Revision,
    200_000,  # of an incident and its action items, 500 each
    "version user at by_tracker",
    {"changes": changes(LONGEST_SUMMARY)},
    if_any={"action": "action"},
)
VERDICTS = _Verdicts(
    "verdict",
    "verdicts",
    models.Verdict,
    MOST_VERDICTS,
    "dbid title text state explained_by_title role user at is_current",
    {"anchor": FINDING_ANCHOR, "pair": PAIR, "explained_by": ANCHOR, "why": text(LONGEST_WHY)},
    of={"comparison": "comparison"},
)
SIGN_OFFS = Rows(
    "sign_off",
    "sign-offs",
    models.SignOff,
    MOST_SIGN_OFFS,
    "user role at",
    of={"verdict": "verdict"},
    team="verdict__team",
)

KINDS = (INCIDENTS, TAGS, ROLES, COMPARISONS, REPORTS, EVENTS, EDITS, EVIDENCE, ACTIONS, REVISIONS, VERDICTS, SIGN_OFFS)
