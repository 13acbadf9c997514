"""Databases as their pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from awrdiff.analysis.names.releases import with_product
from awrdiff.databases.models import Database
from awrdiff.databases.queries import Facts, HostChange, reports_of_each
from awrdiff.web import format as fmt


@dataclass(frozen=True, slots=True)
class DatabaseLine:
    id: str
    name: str
    dbid: str
    tags: tuple[str, ...]
    reports: str
    count: int
    latest: str
    url: str


@dataclass(frozen=True, slots=True)
class InstanceLine:
    name: str
    hosts: str


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    release: str
    since: str


@dataclass(frozen=True, slots=True)
class MergedLine:
    name: str
    dbid: str
    url: str  # where that is taken back


@dataclass(frozen=True, slots=True)
class DatabasePage:
    database: Database
    reports_url: str
    instances: Sequence[InstanceLine]
    releases: Sequence[ReleaseLine]
    moved: Sequence[HostChange]
    alike: Sequence[Database]
    merged: Sequence[MergedLine]
    looked_at: str


def lines(found: Sequence[Any]) -> list[DatabaseLine]:
    """Databases as `databases_for` finds them."""
    counts = reports_of_each(found)
    return [_line(one, counts.get(one.pk, 0)) for one in found]


def _line(found: Any, reports: int) -> DatabaseLine:
    return DatabaseLine(
        str(found.uid),
        found.label,
        found.dbid,
        tuple(found.tags),
        fmt.count_text(reports, "report"),
        reports,
        _minute(found.latest),
        reverse("database", args=[found.uid]),
    )


def page(found: Database, facts: Facts, alike: Sequence[Database]) -> DatabasePage:
    merged = [
        MergedLine(one.label, one.dbid, reverse("database-unmerge", args=[one.uid]))
        for one in found.merged.filter(pk__in=found.identities.values("came_from")).order_by("name", "pk")
    ]
    return DatabasePage(
        found,
        f"{reverse('home')}?{urlencode({'db': found.uid})}",
        [InstanceLine(one.name or str(one.number), ", ".join(one.hosts)) for one in facts.instances],
        [ReleaseLine(with_product(one.release), _minute(one.since)) for one in facts.releases],
        facts.host_changes,
        alike,
        merged,
        "its report" if facts.looked_at == 1 else f"its latest {facts.looked_at:,} reports",
    )


def document(found: DatabaseLine) -> dict[str, Any]:
    return {
        "id": found.id,
        "name": found.name,
        "dbid": found.dbid or None,
        "tags": list(found.tags),
        "reports": found.count,
        "latest": found.latest or None,
        "url": found.url,
    }


def page_document(found: DatabasePage) -> dict[str, Any]:
    own = found.database
    return {
        "id": str(own.uid),
        "name": own.name,
        "dbid": own.dbid or None,
        "tags": own.tags,
        "zone": own.zone or None,
        "instances": [{"name": one.name, "hosts": one.hosts} for one in found.instances],
        "releases": [{"release": one.release, "since": one.since or None} for one in found.releases],
        "asked": [{"host": one.identity.host, "before": one.before, "since": one.since} for one in found.moved],
        "same_dbid": [str(one.uid) for one in found.alike],
    }


def _minute(iso: str | None) -> str:
    """`2026-11-22 14:00`, the database's own clock."""
    return (iso or "")[:16].replace("T", " ")
