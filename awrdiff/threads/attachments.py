"""Files that people attach to a comment, or to an event that they typed on a timeline.

They are kept as reports' files are (awrdiff/reports/files.py): in the storage before their row is made, and loose from
the moment it is deleted, with whatever it hung on.
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

from awrdiff.accounts import limits
from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.audit.services import note, note_all, saw
from awrdiff.comparisons.queries import visible_to
from awrdiff.incidents.models import TimelineEvent
from awrdiff.incidents.services import locked_incident, note_change
from awrdiff.processing.rows import row_or_none
from awrdiff.processing.storable import one_line
from awrdiff.reports import files
from awrdiff.reports.errors import UploadRefused
from awrdiff.reports.services import check_bytes
from awrdiff.sharing.models import Shows
from awrdiff.threads import queries
from awrdiff.threads.contents import Contents, examined
from awrdiff.threads.models import LONGEST_ALT, Attachment, Comment
from awrdiff.threads.services import Change, announce_change, may_comment, still_said, writing
from awrdiff.threads.subjects import of_thread

MOST = 10  # of a comment or an event
MOST_A_MINUTE = 60  # of one person
TOO_MANY = f"At most {MOST} files are attached to one thing: take one away first."
Saved = TypeVar("Saved", bound=Change | TimelineEvent)


@dataclass(frozen=True, slots=True)
class Given:
    """A file as it came. `alt`: what it shows, as somebody typed it."""

    name: str
    data: bytes
    alt: str = ""


def saved_with(access: AccessContext, given: Sequence[Given], save: Callable[[], Saved]) -> Saved:
    """What `save` makes or changes has these files, or nothing is saved. Raises UploadRefused, TooMuch."""
    with storing(access, given) as rows:
        saved = save()
        to = saved.comment if isinstance(saved, Change) else saved
        if to is not None:
            attach(access, rows, to)
        return saved


@contextmanager
def storing(access: AccessContext, given: Sequence[Given]) -> Iterator[list[Attachment]]:
    """Rows that are not saved yet, of files that are in the storage, for `attach`; what is done inside is one
    transaction. Of what it does not attach nothing is left. What is refused is work too, and counts. Raises
    UploadRefused, TooMuch, TeamFull."""
    if not given:
        yield []
        return
    if access.is_shared or access.user is None:
        raise PermissionDenied("Whoever holds a link attaches no files.")
    if not access.can_comment:
        raise PermissionDenied
    if len(given) > MOST:
        raise UploadRefused(TOO_MANY)
    own = Attachment.objects.filter(team=access.team, added_by=access.user)
    limits.check_stored(MOST_A_MINUTE - len(given) + 1, f"You have attached {MOST_A_MINUTE} files", (own, "added_at"))
    said = f"You have sent {MOST_A_MINUTE} files within a minute: more are taken"
    limits.spend_this_minute(f"files:{access.user.pk}", len(given), MOST_A_MINUTE, said)
    known = [(examined(one.data, one.name), one.alt) for one in given]
    size = sum(len(contents.data) for contents, _ in known)
    with transaction.atomic():  # before anything is written
        check_bytes(access.team.pk, size)
    rows = [stored(access, contents, alt) for contents, alt in known]
    with naming({row.file for row in rows}):
        check_bytes(access.team.pk, size)  # others may have come first
        yield rows


@contextmanager
def naming(names: Collection[str]) -> Iterator[None]:
    """One transaction around the making of rows of these files; those that no row names then are loose at once."""
    refused = True
    try:
        with files.naming_files(*names):
            yield
            named = Attachment.objects.filter(file__in=names).values_list("file", flat=True)
            files.loosen(set(names) - set(named))
            refused = False  # from here on nobody knows whether the database has kept the rows, until it says so
    finally:
        if refused:
            files.loosen(names)


def stored(access: AccessContext, contents: Contents, alt: str) -> Attachment:
    """The row of a file, not saved yet, whose bytes are in the storage."""
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
    """Within `storing`. What is there already, as where a form was sent twice, is there once. Raises ThreadRefused
    where the comment has been deleted since it was first sent."""
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
        to = still_said(to)
        if _saved(access, rows, to.attachments.all(), comment=to):
            announce_change(to.thread)


def _saved(access: AccessContext, rows: Iterable[Attachment], there: QuerySet[Attachment], **to: Any) -> bool:
    known = set(there.values_list("sha256", flat=True))
    new = [row for row in {row.sha256: row for row in rows}.values() if row.sha256 not in known]
    if len(known) + len(new) > MOST:
        raise UploadRefused(TOO_MANY)
    for row in new:
        for name, value in to.items():
            setattr(row, name, value)
        row.save()
    note_all(access, "attached", "file", [row.pk for row in new])
    return bool(new)


def remove(access: AccessContext, found: Attachment) -> None:
    """By whoever may delete the comment, or change the event. Removing twice is harmless."""
    if found.event is not None:
        with locked_incident(access, found.event.incident) as incident:
            if _removed(access, found):
                note_change(access, incident)
        return
    comment = _comment_of(found)
    may_comment(access, comment.thread)
    if not may_remove(access, found):
        raise PermissionDenied("Only who attached a file, or an owner of the team, takes it away.")
    with writing(of_thread(comment.thread)):
        if _removed(access, found):
            announce_change(comment.thread)


def kept(teams: Collection[int] | None = None) -> dict[int, tuple[int, int]]:
    """By team how many files, and their bytes, for quotas."""
    rows = Attachment.objects.order_by() if teams is None else Attachment.objects.filter(team__in=teams).order_by()
    counted = rows.values_list("team").annotate(files=Count("pk"), size=Sum("size"))
    return {team: (files, size) for team, files, size in counted}


def may_remove(access: AccessContext, found: Attachment) -> bool:
    if found.event_id is not None:
        return access.can_write
    own = queries.is_own(access, _comment_of(found))
    return access.can_comment and not access.is_shared and (own or access.can_administer)


def _removed(access: AccessContext, found: Attachment) -> bool:
    if not Attachment.objects.filter(pk=found.pk).delete()[0]:
        return False
    note(access, "deleted", "file", found.pk)
    return True


def _comment_of(found: Attachment) -> Comment:
    if found.comment is None:
        raise NotFound("There is no such file.")
    return found.comment


def attachment_for(access: AccessContext, pk: UUID) -> Attachment:
    related = ("comment__thread", "event__incident")
    found = row_or_none(_seen_by(access).filter(pk=pk).select_related(*related))
    if found is None:
        raise NotFound("There is no such file, or it has been taken away.")
    saw(access, "file", found.pk)
    return found


def _seen_by(access: AccessContext) -> QuerySet[Attachment]:
    """Of whatever they read: guests of threads that are for them."""
    if access.link is not None:
        return _seen_below(access, access.link)
    own = Attachment.objects.filter(team=access.team)
    if not access.is_guest:
        return own
    seen = Q(comment__thread__comparison__in=visible_to(access).values("pk"))
    return own.filter(seen, comment__thread__for_guests=True) if access.sees_threads else own.none()


def _seen_below(access: AccessContext, link: HeldLink) -> QuerySet[Attachment]:
    """Nothing below a redacted one: nobody knows what names a picture shows."""
    if link.redacted:
        return Attachment.objects.none()
    seen = Q(pk=None)
    if access.sees_threads:
        seen |= Q(comment__thread__link=link.pk)
    if link.shows in (Shows.INCIDENT, Shows.POSTMORTEM):
        seen |= Q(event__incident=link.incident_id)
    return Attachment.objects.filter(seen, team=access.team_pk)


def of_timeline(events: Iterable[TimelineEvent]) -> list[Attachment]:
    """Of events that `incidents.queries.events_of` gave, in the order of these."""
    return [file for one in events if one.attached for file in one.attachments.all()]  # type: ignore[attr-defined]


def loosen_file(instance: Attachment, **_signal: Any) -> None:
    """Its row is deleted, with whatever it hung on."""
    files.loosen([instance.file])
