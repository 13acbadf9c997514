"""Files of comments and timeline events, stored like reports' (awrdiff/reports/files.py): before their row, loose after
it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import AccessContext, Can, HeldLink, existing, require_row
from awrdiff.audit.services import note, note_all, saw
from awrdiff.comparisons.queries import visible_to
from awrdiff.incidents.models import TimelineEvent
from awrdiff.incidents.services import locked_incident, note_change
from awrdiff.processing.storable_values import one_line
from awrdiff.reports import files
from awrdiff.reports.errors import UploadRefused
from awrdiff.reports.services import check_bytes
from awrdiff.sharing.models import Shows
from awrdiff.threads import queries
from awrdiff.threads.attachment_types import Contents, examined
from awrdiff.threads.models import LONGEST_ALT, Attachment, Comment
from awrdiff.threads.services import Change, announce_change, may_comment, undeleted, writing
from awrdiff.threads.subjects import of_thread

MOST = 10  # of a comment or an event
MOST_A_MINUTE = 60  # of one person
TOO_MANY = f"At most {MOST} files are attached to one thing: take one away first."
Saved = TypeVar("Saved", bound=Change | TimelineEvent)


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """`alt`: typed description."""

    name: str
    data: bytes
    alt: str = ""


def saved_with(access: AccessContext, received: Sequence[ReceivedFile], save: Callable[[], Saved]) -> Saved:
    """`save` and these files, or nothing. Raises UploadRefused, TooMuch."""
    with storing(access, received) as rows:
        saved = save()
        to = saved.comment if isinstance(saved, Change) else saved
        if to is not None:
            attach(access, rows, to)
        return saved


@contextmanager
def storing(access: AccessContext, received: Sequence[ReceivedFile]) -> Iterator[list[Attachment]]:
    """Unattached files vanish. Raises UploadRefused, TooMuch, TeamFull."""
    if not received:
        yield []
        return
    if access.is_shared or access.user is None:
        raise PermissionDenied("Whoever holds a link attaches no files.")
    access.check(Can.COMMENT)
    if len(received) > MOST:
        raise UploadRefused(TOO_MANY)
    own = Attachment.objects.filter(team=access.team, added_by=access.user)
    rate_limits.check_stored(
        MOST_A_MINUTE - len(received) + 1, f"You have attached {MOST_A_MINUTE} files", (own, "added_at")
    )
    refusal = f"You have sent {MOST_A_MINUTE} files within a minute: more are taken"
    rate_limits.spend_this_minute(f"files:{access.user.pk}", len(received), MOST_A_MINUTE, refusal)
    examined_files = [(examined(file.data, file.name), file.alt) for file in received]
    size = sum(len(contents.data) for contents, _ in examined_files)
    with transaction.atomic():  # before anything is written
        check_bytes(access.team.pk, size)
    rows = [stored(access, contents, alt) for contents, alt in examined_files]
    with naming({row.file for row in rows}):
        check_bytes(access.team.pk, size)  # others may have come first
        yield rows


@contextmanager
def naming(names: Collection[str]) -> Iterator[None]:
    """Transaction that makes rows; files without one become loose."""
    refused = True
    try:
        with files.naming_files(*names):
            yield
            row_names = Attachment.objects.filter(file__in=names).values_list("file", flat=True)
            files.loosen(set(names) - set(row_names))
            refused = False  # from here on nobody knows whether the database has kept the rows, until it says so
    finally:
        if refused:
            files.loosen(names)


def stored(access: AccessContext, contents: Contents, alt: str) -> Attachment:
    """Unsaved row of a stored file."""
    sha256 = hashlib.sha256(contents.data).hexdigest()
    file = files.keep("attachments", access.team.pk, sha256, ContentFile(contents.data))
    return Attachment(
        team=access.team,
        name=contents.name,
        alt=one_line(alt)[:LONGEST_ALT],
        kind=contents.kind,
        width=contents.width,
        height=contents.height,
        size=len(contents.data),
        sha256=sha256,
        file=file,
        added_by=access.user,
    )


def attach(access: AccessContext, rows: Sequence[Attachment], to: Comment | TimelineEvent) -> None:
    """Idempotent, within `storing`. Raises ThreadRefused."""
    if not rows:
        return
    if isinstance(to, TimelineEvent):
        with locked_incident(access, to.incident) as incident:
            if _saved(access, rows, to.attachments.all(), event=to):
                note_change(access, incident)
        return
    may_comment(access, to.thread)
    if not queries.is_own(access, to):
        raise PermissionDenied("Only who wrote a comment attaches to it.")
    with writing(of_thread(to.thread)):
        to = undeleted(to)
        if _saved(access, rows, to.attachments.all(), comment=to):
            announce_change(to.thread)


def _saved(access: AccessContext, rows: Iterable[Attachment], there: QuerySet[Attachment], **to: Any) -> bool:
    existing = set(there.values_list("sha256", flat=True))
    new = [row for row in {row.sha256: row for row in rows}.values() if row.sha256 not in existing]
    if len(existing) + len(new) > MOST:
        raise UploadRefused(TOO_MANY)
    for row in new:
        for name, value in to.items():
            setattr(row, name, value)
        row.save()
    note_all(access, "attached", "file", [row.pk for row in new])
    return bool(new)


def remove(access: AccessContext, attachment: Attachment) -> None:
    """Idempotent; for those who may change its parent."""
    if attachment.event is not None:
        with locked_incident(access, attachment.event.incident) as incident:
            if _removed(access, attachment):
                note_change(access, incident)
        return
    comment = _comment_of(attachment)
    may_comment(access, comment.thread)
    if not may_remove(access, attachment):
        raise PermissionDenied("Only who attached a file, or an owner of the team, takes it away.")
    with writing(of_thread(comment.thread)):
        if _removed(access, attachment):
            announce_change(comment.thread)


def stored_totals(teams: Collection[int] | None = None) -> dict[int, tuple[int, int]]:
    """Files and bytes by team, for quotas."""
    rows = Attachment.objects.order_by() if teams is None else Attachment.objects.filter(team__in=teams).order_by()
    totals = rows.values_list("team").annotate(files=Count("pk"), size=Sum("size"))
    return {team: (files, size) for team, files, size in totals}


def may_remove(access: AccessContext, attachment: Attachment) -> bool:
    if attachment.event_id is not None:
        return access.can_write
    own = queries.is_own(access, _comment_of(attachment))
    return access.can_comment and not access.is_shared and (own or access.can_administer)


def _removed(access: AccessContext, attachment: Attachment) -> bool:
    if not Attachment.objects.filter(pk=attachment.pk).delete()[0]:
        return False
    note(access, "deleted", "file", attachment.pk)
    return True


def _comment_of(attachment: Attachment) -> Comment:
    return existing(attachment.comment, "There is no such file.")


def attachment_for(access: AccessContext, pk: UUID) -> Attachment:
    related = ("comment__thread", "event__incident")
    attachments = _seen_by(access).filter(pk=pk).select_related(*related)
    attachment = require_row(attachments, "There is no such file, or it has been taken away.")
    saw(access, "file", attachment.pk)
    return attachment


def _seen_by(access: AccessContext) -> QuerySet[Attachment]:
    """Guests: files of open threads."""
    if access.link is not None:
        return _seen_below(access, access.link)
    own = Attachment.objects.filter(team=access.team)
    if not access.is_guest:
        return own
    visible_ids = Q(comment__thread__comparison__in=visible_to(access).values("pk"))
    return own.filter(visible_ids, comment__thread__for_guests=True) if access.sees_threads else own.none()


def _seen_below(access: AccessContext, link: HeldLink) -> QuerySet[Attachment]:
    """None below a redacted link: pictures may show names."""
    if link.redacted:
        return Attachment.objects.none()
    visible = Q(pk=None)
    if access.sees_threads:
        visible |= Q(comment__thread__link=link.pk)
    if link.shows in (Shows.INCIDENT, Shows.POSTMORTEM):
        visible |= Q(event__incident=link.incident_id)
    return Attachment.objects.filter(visible, team=access.team_pk)


def of_timeline(events: Iterable[TimelineEvent]) -> list[Attachment]:
    """`events`: from `incidents.queries.events_of`."""
    return [file for event in events if event.attached for file in event.attachments.all()]  # type: ignore[attr-defined]


def loosen_file(instance: Attachment, **_signal: Any) -> None:
    files.loosen([instance.file])
