"""Databases in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from msgspec import Struct

from awrdiff.analysis.names.oracle_releases import with_product
from awrdiff.databases.models import Database
from awrdiff.databases.queries import Facts, reports_of_each


class DatabaseLine(Struct):
    id: str
    name: str
    dbid: str | None
    tags: list[str]
    reports: int
    latest: str | None
    url: str


class InstanceFacts(Struct):
    name: str
    hosts: str


class ReleaseFacts(Struct):
    release: str
    since: str | None


class AskedHost(Struct):
    """An instance on a new host: the same database, or a copy?"""

    host: str
    before: str
    since: str


class DatabaseFacts(Struct):
    """Facts that its reports print."""

    id: str
    name: str
    dbid: str | None
    tags: list[str]
    zone: str | None
    instances: list[InstanceFacts]
    releases: list[ReleaseFacts]
    asked: list[AskedHost]
    same_dbid: list[str]


def lines(databases: Sequence[Any]) -> list[DatabaseLine]:
    counts = reports_of_each(databases)
    return [
        DatabaseLine(
            str(database.uid),
            database.label,
            database.dbid or None,
            list(database.tags),
            counts.get(database.pk, 0),
            minute(database.latest) or None,
            reverse("database", args=[database.uid]),
        )
        for database in databases
    ]


def facts_of(database: Database, facts: Facts, alike: Sequence[Database]) -> DatabaseFacts:
    """`alike`: databases of the same DBID."""
    return DatabaseFacts(
        str(database.uid),
        database.name,
        database.dbid or None,
        list(database.tags),
        database.zone or None,
        [
            InstanceFacts(instance.name or str(instance.number), ", ".join(instance.hosts))
            for instance in facts.instances
        ],
        [ReleaseFacts(with_product(release.release), minute(release.since) or None) for release in facts.releases],
        [
            AskedHost(host_change.identity.host, host_change.before, host_change.since)
            for host_change in facts.host_changes
        ],
        [str(other.uid) for other in alike],
    )


def minute(iso: str | None) -> str:
    """`2026-11-22 14:00`, by the database's clock."""
    return (iso or "")[:16].replace("T", " ")
