"""Changes to databases by people, each audited."""

from __future__ import annotations

import re
from zoneinfo import available_timezones

from django.db import transaction
from django.db.models import F

from awrdiff.accounts.access import AccessContext, Can
from awrdiff.audit.services import note
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.databases.report_assignment import Identity, fold, forget_halves, lock, make, sort_anew
from awrdiff.processing.storable_values import storable_text

MOST_TAGS, LONGEST_TAG = 12, 40
_TAG = re.compile(r"[^\s,]+")


def describe(access: AccessContext, database: Database, *, tags: str, zone: str) -> None:
    """`tags`: by spaces or commas. Raises DatabaseRefused."""
    access.check(Can.WRITE, database)
    if zone and zone not in available_timezones():
        raise DatabaseRefused("The time zone must be an IANA name, such as Europe/Vienna, America/New_York or UTC.")
    with transaction.atomic():
        Database.objects.filter(pk=database.pk).update(tags=read_tags(tags), zone=zone)
        note(access, "changed", "database", database.uid)


def read_tags(text: str) -> list[str]:
    """Distinct, lower case. Raises DatabaseRefused."""
    tags = list(dict.fromkeys(_TAG.findall(storable_text(text).lower())))
    if len(tags) > MOST_TAGS:
        raise DatabaseRefused(f"A database has at most {MOST_TAGS} tags: leave some out.")
    if any(len(tag) > LONGEST_TAG for tag in tags):
        raise DatabaseRefused(f"A tag has at most {LONGEST_TAG} characters.")
    return tags


def merge(access: AccessContext, source: Database, into: Database) -> None:
    """`source` redirects to `into`. Raises DatabaseRefused."""
    access.check(Can.WRITE, source, into)
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
    """Give back what was its own. Raises DatabaseRefused."""
    access.check(Can.WRITE, merged)
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
    """Move its reports to a new database, a copy."""
    access.check(Can.WRITE, database)
    with transaction.atomic():
        _lock(access, database)
        row = _row(database, identity)
        if row.pk and not database.identities.exclude(pk=row.pk).exists():
            raise DatabaseRefused("This is all that the database is known by: there is nothing to split it from.")
        copy = make(database.team_id, identity)
        row.database, row.by_hand, row.came_from = copy, True, None
        row.save()
        sort_anew(database)
        note(access, "split", "database", copy.uid)
    return copy


def keep(access: AccessContext, database: Database, identity: Identity) -> None:
    """Confirm that these reports belong here, whatever their host."""
    access.check(Can.WRITE, database)
    with transaction.atomic():
        _lock(access, database)
        row = _row(database, identity)
        row.by_hand = True
        row.save()
        note(access, "changed", "database", database.uid)


def _row(database: Database, identity: Identity) -> DatabaseIdentity:
    """Made if missing for a host. Raises DatabaseRefused."""
    alike = DatabaseIdentity.objects.filter(team=database.team_id, dbid=identity.dbid, name=identity.name)
    by_host = {row.host: row for row in alike}
    row = by_host.get(identity.host)
    if row is None and identity.host and "" in by_host and by_host[""].database_id == database.pk:
        parts = {"dbid": identity.dbid, "name": identity.name, "host": identity.host}
        came_from = by_host[""].came_from
        return DatabaseIdentity(team_id=database.team_id, database=database, came_from=came_from, **parts)
    if row is None or row.database_id != database.pk:
        raise DatabaseRefused("No reports of this database print that: it was changed in the meantime.")
    return row


def _lock(access: AccessContext, *databases: Database) -> None:
    """Rereads the databases after locking."""
    lock(access.team.pk)
    for database in databases:
        database.refresh_from_db()
