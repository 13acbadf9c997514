"""What people say of databases: tags, zone, and which reports are of one. Each is a line in the audit log."""

from __future__ import annotations

import re
from zoneinfo import available_timezones

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F

from awrdiff.accounts.access import AccessContext
from awrdiff.audit.services import note
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.databases.placing import Identity, fold, forget_halves, lock, make, sort_anew
from awrdiff.processing.storable import storable_text

MOST_TAGS, LONGEST_TAG = 12, 40
_TAG = re.compile(r"[^\s,]+")


def describe(access: AccessContext, database: Database, *, tags: str, zone: str) -> None:
    """`tags` stand between spaces or commas; `zone` is an IANA name, or "" where it is not known."""
    _check(access, database)
    if zone and zone not in available_timezones():
        raise DatabaseRefused("The time zone must be an IANA name, such as Europe/Vienna, America/New_York or UTC.")
    with transaction.atomic():
        Database.objects.filter(pk=database.pk).update(tags=read_tags(tags), zone=zone)
        note(access, "changed", "database", database.uid)


def read_tags(text: str) -> list[str]:
    """Each once, in lower case."""
    found = list(dict.fromkeys(_TAG.findall(storable_text(text).lower())))
    if len(found) > MOST_TAGS:
        raise DatabaseRefused(f"A database has at most {MOST_TAGS} tags: leave some out.")
    if any(len(tag) > LONGEST_TAG for tag in found):
        raise DatabaseRefused(f"A tag has at most {LONGEST_TAG} characters.")
    return found


def merge(access: AccessContext, source: Database, into: Database) -> None:
    """They are one: all that is known of `source` is of `into` from now on, and its links lead there."""
    _check(access, source, into)
    with transaction.atomic():
        _lock(access, source, into)
        if source.pk == into.pk or into.merged_into_id or source.merged_into_id:
            raise DatabaseRefused("Choose two databases, neither of which was merged into another before.")
        forget_halves(source)
        source.identities.filter(came_from=None).update(came_from=F("database"))
        source.identities.update(by_hand=True)
        fold(source, into)
        sort_anew(into)
        note(access, "merged", "database", source.uid)


def unmerge(access: AccessContext, merged: Database) -> None:
    """Take back a merge: what was of it then is of it again."""
    _check(access, merged)
    with transaction.atomic():
        _lock(access, merged)
        into = merged.merged_into
        if into is None:
            raise DatabaseRefused("This database was not merged into another.")
        DatabaseIdentity.objects.filter(database=into, came_from=merged).update(database=merged, came_from=None)
        Database.objects.filter(pk=merged.pk).update(merged_into=None)
        sort_anew(into)
        note(access, "split", "database", merged.uid)


def split(access: AccessContext, database: Database, identity: Identity) -> Database:
    """Reports with this DBID, name and host are of another database, which is made: a copy. Returns it."""
    _check(access, database)
    with transaction.atomic():
        _lock(access, database)
        row = _row(database, identity)
        if row.pk and not database.identities.exclude(pk=row.pk).exists():
            raise DatabaseRefused("This is all that the database is known by: there is nothing to split it from.")
        made = make(database.team_id, identity)
        row.database, row.by_hand, row.came_from = made, True, None
        row.save()
        sort_anew(database)
        note(access, "split", "database", made.uid)
    return made


def keep(access: AccessContext, database: Database, identity: Identity) -> None:
    """Reports with this DBID, name and host are of this database, also where they are of another host."""
    _check(access, database)
    with transaction.atomic():
        _lock(access, database)
        row = _row(database, identity)
        row.by_hand = True
        row.save()
        note(access, "changed", "database", database.uid)


def _row(database: Database, identity: Identity) -> DatabaseIdentity:
    """Of the database; one of a host is made where there is none. Raises DatabaseRefused."""
    alike = DatabaseIdentity.objects.filter(team=database.team_id, dbid=identity.dbid, name=identity.name)
    found = {row.host: row for row in alike}
    row = found.get(identity.host)
    if row is None and identity.host and "" in found and found[""].database_id == database.pk:
        parts = {"dbid": identity.dbid, "name": identity.name, "host": identity.host}
        came_from = found[""].came_from
        return DatabaseIdentity(team_id=database.team_id, database=database, came_from=came_from, **parts)
    if row is None or row.database_id != database.pk:
        raise DatabaseRefused("No reports of this database print that: it was changed in the meantime.")
    return row


def _lock(access: AccessContext, *databases: Database) -> None:
    """As whoever places a report does; the databases are then as whoever had the lock before left them."""
    lock(access.team.pk)
    for one in databases:
        one.refresh_from_db()


def _check(access: AccessContext, *databases: Database) -> None:
    if not access.can_write or any(one.team_id != access.team.pk for one in databases):
        raise PermissionDenied
