"""Writes of incidents, with the revisions that merge late forms of them, their action items and events.

Each locks comparison, then incident (awrdiff/processing/row_locks.py), and may raise TooMuch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import AccessContext, Can, NotFound, existing, roles_that
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.models import Membership, User
from awrdiff.audit import services as audit
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import field_validation
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import (
    ActionItem,
    EventKind,
    Incident,
    IncidentRole,
    IncidentTag,
    Revision,
    Severity,
    Status,
    TimelineEdit,
    TimelineEvent,
)
from awrdiff.notices.services import forget, notify
from awrdiff.processing.row_locks import lock, lock_one
from awrdiff.whole_number_input import whole_number

MOST_ROLES, MOST_EVENTS, LONGEST_EVENT, MOST_REVISIONS = 30, 1_000, 2_000, 500
Texts = Mapping[str, str]
ROLE = "role: "
TIMES = ("begins_at", "ends_at", *field_validation.TIME_LABELS)
GONE = "There is no such incident, or it has been deleted."


@dataclass(frozen=True, slots=True)
class Typed:
    """Incident form as texts (field_validation.py)."""

    title: str
    severity: str = str(Severity.MODERATE.value)
    begins_at: str = ""
    ends_at: str = ""
    time_zone: str = "UTC"
    summary: str = ""
    tags: str = ""
    ticket: str = ""
    impact_at: str = ""
    detected_at: str = ""
    mitigated_at: str = ""
    resolved_at: str = ""

    @classmethod
    def of(cls, incident: Incident) -> Typed:
        zone = field_validation.zone_of(incident.time_zone)
        return cls(
            title=incident.title,
            severity=str(incident.severity),
            time_zone=incident.time_zone,
            summary=incident.summary,
            tags=", ".join(tag.name for tag in incident.tags.all()),
            ticket=incident.ticket,
            **{name: field_validation.clock_text(getattr(incident, name), zone) for name in TIMES},
        )

    @classmethod
    def exact(cls, incident: Incident) -> Typed:
        """With times right in any zone."""
        return replace(cls.of(incident), **{name: field_validation.exact(getattr(incident, name)) for name in TIMES})

    def texts(self, now: Incident, zone_name: str) -> dict[str, str]:
        """Form texts once saved, in that zone."""
        values, zone = self.values(now), field_validation.zone_of(zone_name)
        same = zone_name == now.time_zone
        clocks = {
            name: field_validation.clock_text(values[name], zone, getattr(now, name) if same else None)
            for name in TIMES
        }
        plain = {name: str(values[name]) for name in ("title", "severity", "time_zone", "summary", "ticket")}
        return {**plain, **clocks, "tags": ", ".join(sorted(field_validation.tags(self.tags)))}

    def values(self, now: Incident | None = None) -> dict[str, Any]:
        """`now`: incident to change."""
        zone = field_validation.zone(self.time_zone)
        was = (now.begins_at, now.ends_at) if now is not None and now.time_zone == zone else (None, None)
        begins = field_validation.moment(self.begins_at, zone, "The begin", was[0])
        ends = field_validation.moment(self.ends_at, zone, "The end", was[1]) if self.ends_at.strip() else None
        if ends is not None and ends < begins:
            raise IncidentRefused("The end lies before the beginning: correct one of them.")
        return {
            "title": field_validation.line(self.title, 200, "The title"),
            "severity": field_validation.choice(Severity, self.severity, "The severity"),
            "begins_at": begins,
            "ends_at": ends,
            "time_zone": zone,
            "summary": field_validation.prose(
                self.summary, field_validation.LONGEST_SUMMARY, "The summary", empty=True
            ),
            "ticket": field_validation.ticket(self.ticket),
            **self._set_times(now, zone),
        }

    def _set_times(self, now: Incident | None, zone: str) -> dict[str, datetime | None]:
        """Nothing ends before impact begins."""
        is_same_zone = now is not None and now.time_zone == zone
        times: dict[str, datetime | None] = {}
        for name, label in field_validation.TIME_LABELS.items():
            text = getattr(self, name)
            was = getattr(now, name) if is_same_zone else None
            times[name] = field_validation.moment(text, zone, f"“{label}”", was) if text.strip() else None
        impact = times["impact_at"]
        for name in ("mitigated_at", "resolved_at"):
            if impact is not None and (at := times[name]) is not None and at < impact:
                labels = field_validation.TIME_LABELS
                raise IncidentRefused(f"“{labels[name]}” lies before “{labels['impact_at']}”: correct one of them.")
        return times


def make(access: AccessContext, typed: Typed, *, client_key: UUID | None = None) -> Incident:
    """Idempotent by `client_key`. Raises IncidentRefused."""
    access.check(Can.WRITE)
    values, tags = typed.values(), field_validation.tags(typed.tags)
    own = {"team": access.team, "client_key": client_key}
    if client_key and (existing := Incident.objects.filter(**own).first()):
        return existing
    try:
        with transaction.atomic():
            rate_limits.spend_change(access.user)
            incident = Incident.objects.create(**own, **values, created_by=access.user, updated_by=access.user)
            _tag(incident, tags)
            note(incident, access, f"Incident opened, severity {incident.get_severity_display()}", EventKind.STATUS)
            audit.note(access, "made", "incident", incident.pk)
            return incident
    except IntegrityError:  # sent twice at the same moment
        return Incident.objects.get(**own)


def update(
    access: AccessContext, incident: Incident, version: int, typed: Typed, *, keeps_moments: bool = False
) -> Incident:
    """Merge with changes since `version`. A new zone keeps clock times, or moments with `keeps_moments` (`typed` is
    then exact). Raises IncidentRefused, ChangedMeanwhile.
    """
    with locked_incident(access, incident) as locked:
        before = texts_of(locked)
        now = asdict(Typed.of(locked))
        shown_in = locked.time_zone if keeps_moments else field_validation.zone(typed.time_zone)
        together = put_together(locked, version, typed.texts(locked, shown_in), now)
        if together == now:
            return locked
        mine = {name: getattr(typed, name) for name in TIMES if together[name] != now[name]}  # also its offset
        theirs = {name: field_validation.exact(getattr(locked, name)) for name in TIMES} if keeps_moments else {}
        merged = Typed(**{**together, **theirs, **mine})
        severity, zone = locked.severity, locked.time_zone
        for name, value in merged.values(locked).items():
            setattr(locked, name, value)
        _tag(locked, field_validation.tags(merged.tags))
        save(access, locked, before, {name: together[name] for name in mine if shown_in == locked.time_zone})
        if locked.severity != severity:
            label = Severity(severity).label
            note(locked, access, f"Severity {label} → {locked.get_severity_display()}", EventKind.LOG)
        note_change(access, locked)
        if locked.time_zone != zone and not keeps_moments:
            _keep_clocks(locked, field_validation.zone_of(zone), field_validation.zone_of(locked.time_zone))
        return locked


def save(
    access: AccessContext, incident: Incident, before: Mapping[str, str], clock_notes: Mapping[str, str] | None = None
) -> None:
    """Next version, keeping `before`. `clock_notes`: ambiguous clock times."""
    save_version(incident, before, {**texts_of(incident), **(clock_notes or {})}, access.user)


def texts_of(incident: Incident) -> dict[str, str]:
    return {**asdict(Typed.of(incident)), "status": str(incident.status)}


def set_status(access: AccessContext, incident: Incident, text: str) -> Incident:
    """Idempotent. Resolving sets a missing end to now."""
    status = field_validation.choice(Status, text, "The status")
    with locked_incident(access, incident) as locked:
        if locked.status == status:
            return locked
        note(locked, access, f"Status {locked.status} → {status}", EventKind.STATUS)
        before, locked.status = texts_of(locked), status
        if status in (Status.RESOLVED, Status.REVIEWED) and locked.ends_at is None:
            locked.ends_at = max(timezone.now(), locked.begins_at)
        save(access, locked, before)
        note_change(access, locked)
        in_roles = [role.user for role in IncidentRole.objects.filter(incident=locked).select_related("user")]
        people = [*([locked.created_by] if locked.created_by else []), *in_roles]
        notify_of(locked, "status", people, actor=access.user, change=f"{before['status']} → {status}")
        return locked


def delete(access: AccessContext, incident: Incident) -> None:
    """Idempotent. Comparisons, reports, verdicts stay."""
    access.check(Can.WRITE)
    with transaction.atomic():
        for locked in lock(Incident, [incident.pk]):
            audit.note(access, "deleted", "incident", locked.pk)
            forget("incident", [locked.pk])
            forget("action", locked.actions.values_list("pk", flat=True))
            locked.delete()


def give_role(access: AccessContext, incident: Incident, user: str, role: str) -> IncidentRole:
    """`user`: id of a member who is no guest."""
    role_name = field_validation.line(role, 40, "The role").lower()
    with locked_incident(access, incident) as locked:
        who = teammate(access, user)
        own = IncidentRole.objects.filter(incident=locked)
        if own.count() >= MOST_ROLES and not own.filter(user=who, role=role_name).exists():
            raise IncidentRefused(f"An incident has at most {MOST_ROLES} roles: take one away first.")
        before = role_text(locked, role_name)
        role_row, new = IncidentRole.objects.get_or_create(incident=locked, user=who, role=role_name)
        if new:
            keep_role(locked, role_name, before, access.user)
            note_change(access, locked)
        return role_row


def take_role(access: AccessContext, incident: Incident, pk: int) -> None:
    """Idempotent."""
    with locked_incident(access, incident) as locked:
        for role in IncidentRole.objects.filter(incident=locked, pk=pk):
            before = role_text(locked, role.role)
            role.delete()
            keep_role(locked, role.role, before, access.user)
            note_change(access, locked)


def pass_role(incident: Incident, role: IncidentRole, heir: User, by: User | None) -> None:
    """Caller holds the incident's lock."""
    before = role_text(incident, role.role)
    role.delete()
    IncidentRole.objects.get_or_create(incident=incident, user=heir, role=role.role)
    keep_role(incident, role.role, before, by)


def role_text(incident: Incident, role: str) -> str:
    role_rows = IncidentRole.objects.filter(incident=incident, role=role).order_by("pk")
    return ", ".join(role_rows.values_list("user__username", flat=True))


def keep_role(incident: Incident, role: str, before: str, user: User | None) -> None:
    """Record the change as field `role: lead`."""
    name = f"{ROLE}{role}"
    keep_revision(incident, None, {name: before}, {name: role_text(incident, role)}, user)


def note(
    incident: Incident, access: AccessContext, text: str, kind: EventKind, *, comparison: UUID | None = None
) -> TimelineEvent:
    """System event; `comparison`: titled in it. Incident is locked or new."""
    return TimelineEvent.objects.create(
        incident=incident,
        at=timezone.now(),
        text=text[:LONGEST_EVENT],
        kind=kind,
        user=access.user,
        by_system=True,
        comparison_id=comparison,
    )


def note_change(access: AccessContext, incident: Incident) -> None:
    audit.note(access, "changed", "incident", incident.pk)


def notify_of(incident: Incident, what: str, people: Iterable[User], **more: Any) -> Sequence[object]:
    more = {"about": incident.title, **more}
    return notify(incident.team, what, people, kind="incident", thing=incident.pk, **more)


@contextmanager
def locked_incident(access: AccessContext, incident: Incident, *, comparison: UUID | None = None) -> Iterator[Incident]:
    """Incident locked for the transaction, after the comparison."""
    access.check(Can.WRITE, incident)
    with transaction.atomic():
        if comparison is not None and not lock(Comparison, [comparison]):
            raise NotFound("The comparison has been deleted.")
        locked = existing(lock_one(Incident, incident.pk), GONE)
        rate_limits.spend_change(access.user)
        yield locked
        renew(Incident.objects.filter(pk=incident.pk))


def renew(incidents: QuerySet[Incident]) -> None:
    """Notify open pages."""
    incidents.update(changed_at=timezone.now())


def teammate(access: AccessContext, text: str) -> User:
    on_team = Membership.objects.filter(team=access.team, user=whole_number(text) or 0, role__in=roles_that(Can.WRITE))
    membership = on_team.select_related("user").first()
    if membership is None:
        raise IncidentRefused("There is no such person on your team.")
    return membership.user


def _tag(incident: Incident, names: tuple[str, ...]) -> None:
    IncidentTag.objects.filter(incident=incident).exclude(name__in=names).delete()
    there = set(IncidentTag.objects.filter(incident=incident).values_list("name", flat=True))
    IncidentTag.objects.bulk_create(IncidentTag(incident=incident, name=n) for n in names if n not in there)


def _keep_clocks(incident: Incident, before: tzinfo, after: tzinfo) -> None:
    """Keep clock times when the zone was wrong."""

    def shifted(at: datetime) -> datetime:
        return at.astimezone(before).replace(tzinfo=after).astimezone(UTC)

    typed = list(TimelineEvent.objects.filter(incident=incident, by_system=False))
    edits = list(TimelineEdit.objects.filter(event__in=typed))
    for event in typed:
        event.at = shifted(event.at)
    for edit in edits:
        edit.at = shifted(edit.at)
    TimelineEvent.objects.bulk_update(typed, ["at"], batch_size=200)
    TimelineEdit.objects.bulk_update(edits, ["at"], batch_size=200)


@dataclass(frozen=True, slots=True)
class Merged:
    """`conflicts`: current texts; `mine`: fields with typed text."""

    texts: dict[str, str]
    mine: frozenset[str]
    conflicts: dict[str, str]


class ChangedMeanwhile(Exception):
    """Conflict, nothing saved. The message names the author."""

    def __init__(self, message: str, merged: Merged) -> None:
        super().__init__(message)
        self.merged = merged

    @property
    def fields(self) -> dict[str, dict[str, str]]:
        """Conflicting fields: current and typed."""
        conflicts = self.merged.conflicts.items()
        return {name: {"now": now, "typed": self.merged.texts[name]} for name, now in conflicts}


def merge(base: Mapping[str, str], typed: Mapping[str, str], now: Mapping[str, str]) -> Merged:
    """`base` filled the form; fields missing there conflict."""
    differ = {name for name, text in typed.items() if text != now.get(name)}
    mine = frozenset(name for name in differ if typed[name] != base.get(name))
    conflicts = {name: now.get(name, "") for name in sorted(mine) if base.get(name) != now.get(name)}
    return Merged({**now, **{name: typed[name] for name in mine}}, mine, conflicts)


def keep_revision(
    subject: Incident | ActionItem,
    version: int | None,
    before: Texts,
    after: Texts,
    user: User | None,
    *,
    by_tracker: bool = False,
) -> None:
    """Record changed fields, if any."""
    changes = {name: [before.get(name, ""), text] for name, text in after.items() if text != before.get(name, "")}
    if changes:
        action = subject if isinstance(subject, ActionItem) else None
        own = {"action": action, "incident": action.incident if action else subject}
        Revision.objects.create(**own, version=version, changes=changes, user=user, by_tracker=by_tracker)


def save_version(
    subject: Incident | ActionItem, before: Texts, after: Texts, user: User | None, *, by_tracker: bool = False
) -> None:
    """The next one, keeping `before`."""
    keep_revision(subject, subject.version, before, after, user, by_tracker=by_tracker)
    subject.version, subject.updated_by = subject.version + 1, user
    subject.save()


def revisions_of(subject: Incident | ActionItem) -> list[Revision]:
    """Latest first."""
    of_action = isinstance(subject, ActionItem)
    own = Revision.objects.filter(**({"action": subject} if of_action else {"incident": subject, "action": None}))
    return list(own.select_related("user").order_by("-at", "-pk"))


def put_together(subject: Incident | ActionItem, version: int, typed: Texts, now: Texts) -> dict[str, str]:
    """Merge a form with later changes. Raises ChangedMeanwhile."""
    revisions = [revision for revision in revisions_of(subject) if revision.version is not None]
    if len(revisions) >= MOST_REVISIONS:
        raise IncidentRefused(f"This was changed {MOST_REVISIONS} times, and each is kept: it cannot be changed again.")
    since = [revision for revision in revisions if revision.version is not None and revision.version >= version]
    base = dict(now)
    for later in since:
        base |= {name: before for name, (before, _) in later.changes.items()}
    if len(since) != subject.version - version:  # what was saved before changes were kept, or no version there is
        base = {}
    merged = merge(base, typed, now)
    last = next((revision for revision in since if merged.conflicts.keys() & revision.changes.keys()), None)
    author = (last.user, last.at) if last else (subject.updated_by, subject.updated_at)
    return _without_conflicts(merged, *author)


def put_event_together(
    event: TimelineEvent, version: int, typed: Texts, now: Texts, then: Sequence[Texts]
) -> dict[str, str]:
    """`put_together` for an event; `then`: its former texts."""
    versions = [*then, now] if len(then) == event.version - 1 else []
    base = versions[version - 1] if 0 < version <= len(versions) else now if version == event.version else {}
    last = event.edits.select_related("edited_by").last()
    return _without_conflicts(
        merge(base, typed, now), *((last.edited_by, last.edited_at) if last else (None, event.at))
    )


def _without_conflicts(merged: Merged, user: User | None, at: datetime) -> dict[str, str]:
    """`user`: who made the other changes. Raises ChangedMeanwhile."""
    if not merged.conflicts:
        return merged.texts
    name, when = shown_name(user) if user else "Somebody", f"{at.astimezone(UTC):%H:%M} UTC"
    text = f"{name} changed this at {when}, while you were writing. Nothing of yours is saved yet."
    raise ChangedMeanwhile(text, merged)
