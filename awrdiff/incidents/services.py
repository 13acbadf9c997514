"""Writes about an incident itself: making, changing, its status, roles and end. What hangs on it is in modules by noun.

Each write locks the incident, after the comparison it is about (awrdiff/processing/rows.py), and returns what changed.
All are counted: TooMuch is raised where somebody makes too many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.accounts import limits
from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.capabilities import Can, roles_that
from awrdiff.accounts.models import Membership, User
from awrdiff.audit import services as audit
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import fields, revisions
from awrdiff.incidents.errors import IncidentRefused
from awrdiff.incidents.models import (
    EventKind,
    Incident,
    IncidentRole,
    IncidentTag,
    Severity,
    Status,
    TimelineEdit,
    TimelineEvent,
)
from awrdiff.notices.services import forget, notify
from awrdiff.processing.rows import lock

MOST_ROLES, MOST_EVENTS, LONGEST_EVENT = 30, 1_000, 2_000
ROLE = "role: "
TIMES = ("begins_at", "ends_at", *fields.TIME_LABELS)
GONE = "There is no such incident, or it has been deleted."


@dataclass(frozen=True, slots=True)
class Typed:
    """What an incident's form has, as texts; see fields.py."""

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
        """As its form shows it."""
        zone = fields.zone_of(incident.time_zone)
        return cls(
            title=incident.title,
            severity=str(incident.severity),
            time_zone=incident.time_zone,
            summary=incident.summary,
            tags=", ".join(tag.name for tag in incident.tags.all()),
            ticket=incident.ticket,
            **{name: fields.clock_text(getattr(incident, name), zone) for name in TIMES},
        )

    @classmethod
    def exact(cls, incident: Incident) -> Typed:
        """The same with its times as moments, whatever clocks show."""
        return replace(cls.of(incident), **{name: fields.exact(getattr(incident, name)) for name in TIMES})

    def texts(self, now: Incident, zone_name: str) -> dict[str, str]:
        """By field, as the form shows them once they are saved, by the clocks of that zone."""
        values, zone = self.values(now), fields.zone_of(zone_name)
        same = zone_name == now.time_zone
        clocks = {name: fields.clock_text(values[name], zone, getattr(now, name) if same else None) for name in TIMES}
        plain = {name: str(values[name]) for name in ("title", "severity", "time_zone", "summary", "ticket")}
        return {**plain, **clocks, "tags": ", ".join(sorted(fields.tags(self.tags)))}

    def values(self, now: Incident | None = None) -> dict[str, Any]:
        """`now`: the incident that is changed."""
        zone = fields.zone(self.time_zone)
        was = (now.begins_at, now.ends_at) if now is not None and now.time_zone == zone else (None, None)
        begins = fields.moment(self.begins_at, zone, "The begin", was[0])
        ends = fields.moment(self.ends_at, zone, "The end", was[1]) if self.ends_at.strip() else None
        if ends is not None and ends < begins:
            raise IncidentRefused("The end lies before the beginning: correct one of them.")
        return {
            "title": fields.line(self.title, 200, "The title"),
            "severity": fields.choice(Severity, self.severity, "The severity"),
            "begins_at": begins,
            "ends_at": ends,
            "time_zone": zone,
            "summary": fields.prose(self.summary, fields.LONGEST_SUMMARY, "The summary", empty=True),
            "ticket": fields.ticket(self.ticket),
            **self._set_times(now, zone),
        }

    def _set_times(self, now: Incident | None, zone: str) -> dict[str, datetime | None]:
        """Those that people set, None where nobody has. Nothing is over before its impact began."""
        is_same_zone = now is not None and now.time_zone == zone
        times: dict[str, datetime | None] = {}
        for name, label in fields.TIME_LABELS.items():
            text = getattr(self, name)
            was = getattr(now, name) if is_same_zone else None
            times[name] = fields.moment(text, zone, f"“{label}”", was) if text.strip() else None
        impact = times["impact_at"]
        for name in ("mitigated_at", "resolved_at"):
            if impact is not None and (at := times[name]) is not None and at < impact:
                labels = fields.TIME_LABELS
                raise IncidentRefused(f"“{labels[name]}” lies before “{labels['impact_at']}”: correct one of them.")
        return times


def make(access: AccessContext, typed: Typed, *, client_key: UUID | None = None) -> Incident:
    """A new one, open; or the one that this form has made already. Raises IncidentRefused."""
    may_write(access)
    values, tags = typed.values(), fields.tags(typed.tags)
    own = {"team": access.team, "client_key": client_key}
    if client_key and (found := Incident.objects.filter(**own).first()):
        return found
    try:
        with transaction.atomic():
            limits.spend_change(access.user)
            made = Incident.objects.create(**own, **values, created_by=access.user, updated_by=access.user)
            _tag(made, tags)
            note(made, access, f"Incident opened, severity {made.get_severity_display()}", EventKind.STATUS)
            audit.note(access, "made", "incident", made.pk)
            return made
    except IntegrityError:  # sent twice at the same moment
        return Incident.objects.get(**own)


def update(
    access: AccessContext, incident: Incident, version: int, typed: Typed, *, keeps_moments: bool = False
) -> Incident:
    """Its own fields, put together with what others saved since `version`. Another zone keeps what clocks showed, or
    with `keeps_moments` when it was; `typed` is then exact. Raises IncidentRefused, and ChangedMeanwhile where somebody
    changed the same field."""
    with locked_incident(access, incident) as found:
        before = texts_of(found)
        now = asdict(Typed.of(found))
        shown_in = found.time_zone if keeps_moments else fields.zone(typed.time_zone)
        together = revisions.put_together(found, version, typed.texts(found, shown_in), now)
        if together == now:
            return found
        mine = {name: getattr(typed, name) for name in TIMES if together[name] != now[name]}  # also its offset
        theirs = {name: fields.exact(getattr(found, name)) for name in TIMES} if keeps_moments else {}
        merged = Typed(**{**together, **theirs, **mine})
        severity, zone = found.severity, found.time_zone
        for name, value in merged.values(found).items():
            setattr(found, name, value)
        _tag(found, fields.tags(merged.tags))
        save(access, found, before, {name: together[name] for name in mine if shown_in == found.time_zone})
        if found.severity != severity:
            label = Severity(severity).label
            note(found, access, f"Severity {label} → {found.get_severity_display()}", EventKind.LOG)
        note_change(access, found)
        if found.time_zone != zone and not keeps_moments:
            _keep_clocks(found, fields.zone_of(zone), fields.zone_of(found.time_zone))
        return found


def save(
    access: AccessContext, found: Incident, before: Mapping[str, str], told: Mapping[str, str] | None = None
) -> None:
    """As another version; what its fields said `before` is kept. `told`: what clocks alone do not tell of its times."""
    revisions.keep(found, found.version, before, {**texts_of(found), **(told or {})}, access.user)
    found.version, found.updated_by = found.version + 1, access.user
    found.save()


def texts_of(found: Incident) -> dict[str, str]:
    """Of all its fields that somebody may change."""
    return {**asdict(Typed.of(found)), "status": str(found.status)}


def set_status(access: AccessContext, incident: Incident, text: str) -> Incident:
    """Setting what it is already changes nothing. Who resolves what has no end gives it one: now."""
    status = fields.choice(Status, text, "The status")
    with locked_incident(access, incident) as found:
        if found.status == status:
            return found
        note(found, access, f"Status {found.status} → {status}", EventKind.STATUS)
        before, found.status = texts_of(found), status
        if status in (Status.RESOLVED, Status.REVIEWED) and found.ends_at is None:
            found.ends_at = max(timezone.now(), found.begins_at)
        save(access, found, before)
        note_change(access, found)
        notify(
            access.team,
            "status",
            _taking_part(found),
            kind="incident",
            thing=found.pk,
            actor=access.user,
            about=found.title,
            change=f"{before['status']} → {status}",
        )
        return found


def _taking_part(incident: Incident) -> list[User]:
    """Who made it or has a role in it."""
    roles = IncidentRole.objects.filter(incident=incident).select_related("user")
    made_by = [incident.created_by] if incident.created_by else []
    return [*made_by, *(role.user for role in roles)]


def delete(access: AccessContext, incident: Incident) -> None:
    """With all that hangs on it; comparisons, reports and verdicts stay. Deleting twice is harmless."""
    may_write(access)
    with transaction.atomic():
        for found in lock(Incident, [incident.pk]):
            audit.note(access, "deleted", "incident", found.pk)
            forget("incident", [found.pk])
            forget("action", found.actions.values_list("pk", flat=True))
            found.delete()


def give_role(access: AccessContext, incident: Incident, user: str, role: str) -> IncidentRole:
    """`user`: the id of somebody on the team who is no guest."""
    called = fields.line(role, 40, "The role").lower()
    with locked_incident(access, incident) as found:
        who = teammate(access, user)
        own = IncidentRole.objects.filter(incident=found)
        if own.count() >= MOST_ROLES and not own.filter(user=who, role=called).exists():
            raise IncidentRefused(f"An incident has at most {MOST_ROLES} roles: take one away first.")
        before = role_text(found, called)
        made, new = IncidentRole.objects.get_or_create(incident=found, user=who, role=called)
        if new:
            keep_role(found, called, before, access.user)
            note_change(access, found)
        return made


def take_role(access: AccessContext, incident: Incident, pk: int) -> None:
    """Taking it twice is harmless."""
    with locked_incident(access, incident) as found:
        for role in IncidentRole.objects.filter(incident=found, pk=pk):
            before = role_text(found, role.role)
            role.delete()
            keep_role(found, role.role, before, access.user)
            note_change(access, found)


def pass_role(incident: Incident, role: IncidentRole, heir: User, by: User | None) -> None:
    """Somebody else has it instead. The incident is locked."""
    before = role_text(incident, role.role)
    role.delete()
    IncidentRole.objects.get_or_create(incident=incident, user=heir, role=role.role)
    keep_role(incident, role.role, before, by)


def role_text(incident: Incident, role: str) -> str:
    """Who has it."""
    found = IncidentRole.objects.filter(incident=incident, role=role).order_by("pk")
    return ", ".join(found.values_list("user__username", flat=True))


def keep_role(incident: Incident, role: str, before: str, user: User | None) -> None:
    """That it is somebody else's now; among the fields it stands under `role: lead`."""
    name = f"{ROLE}{role}"
    revisions.keep(incident, None, {name: before}, {name: role_text(incident, role)}, user)


def note(
    incident: Incident, access: AccessContext, text: str, kind: EventKind, *, comparison: UUID | None = None
) -> TimelineEvent:
    """What the system keeps on the timeline of what somebody does; `comparison`: whose title is in the text. The
    incident is locked, or new."""
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
    """The audit log says who did something to the incident or to what hangs on it."""
    audit.note(access, "changed", "incident", incident.pk)


def may_write(access: AccessContext) -> None:
    if not access.can_write:
        raise PermissionDenied


@contextmanager
def locked_incident(access: AccessContext, incident: Incident, *, comparison: UUID | None = None) -> Iterator[Incident]:
    """The incident as it is now, locked until the end; before it the comparison that the write is about."""
    may_write(access)
    if incident.team_id != access.team.pk:
        raise PermissionDenied
    with transaction.atomic():
        if comparison is not None and not lock(Comparison, [comparison]):
            raise NotFound("The comparison has been deleted.")
        found = lock(Incident, [incident.pk])
        if not found:
            raise NotFound(GONE)
        limits.spend_change(access.user)
        yield found[0]
        renew(Incident.objects.filter(pk=incident.pk))


def renew(incidents: QuerySet[Incident]) -> None:
    """Whoever has their page open is to see what changed."""
    incidents.update(changed_at=timezone.now())


def teammate(access: AccessContext, text: str) -> User:
    pks = fields.ids([text])
    on_team = Membership.objects.filter(team=access.team, user__in=pks, role__in=roles_that(Can.WRITE))
    found = on_team.select_related("user").first()
    if found is None:
        raise IncidentRefused("There is no such person on your team.")
    return found.user


def _tag(incident: Incident, names: tuple[str, ...]) -> None:
    IncidentTag.objects.filter(incident=incident).exclude(name__in=names).delete()
    there = set(IncidentTag.objects.filter(incident=incident).values_list("name", flat=True))
    IncidentTag.objects.bulk_create(IncidentTag(incident=incident, name=n) for n in names if n not in there)


def _keep_clocks(incident: Incident, before: tzinfo, after: tzinfo) -> None:
    """Times were typed as clocks showed them: they keep that when the zone of the clocks turns out to be another."""

    def moved(at: datetime) -> datetime:
        return at.astimezone(before).replace(tzinfo=after).astimezone(UTC)

    typed = list(TimelineEvent.objects.filter(incident=incident, by_system=False))
    edits = list(TimelineEdit.objects.filter(event__in=typed))
    for event in typed:
        event.at = moved(event.at)
    for edit in edits:
        edit.at = moved(edit.at)
    TimelineEvent.objects.bulk_update(typed, ["at"], batch_size=200)
    TimelineEdit.objects.bulk_update(edits, ["at"], batch_size=200)
