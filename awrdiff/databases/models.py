"""Databases of a team, and by which ids and names their reports are told."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models

from awrdiff.accounts.models import Team


class Database(models.Model):
    """What a team has reports of. `uid` is what addresses and scripts know it by, of its own within the team.

    `dbid` and `name` are as its reports print them, "" where none does. Instances, hosts, containers and releases are
    read from its reports (queries.py). `merged_into`: somebody said that it is that one; it has no reports then, and is
    in no list.
    """

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="databases")
    dbid = models.CharField(max_length=40, blank=True, default="")
    name = models.CharField(max_length=128, blank=True, default="")
    tags: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    zone = models.CharField(max_length=64, blank=True, default="")
    merged_into: models.ForeignKey[Any, Any] = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="merged"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "uid"], name="database_uid_once")]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return self.name or f"DBID {self.dbid}"


class DatabaseIdentity(models.Model):
    """Reports that print this DBID and name, on this host, are of `database`.

    `dbid` and `name`, in lower case, are "" where reports print none, or mask it. `host` is "" for any that has no row
    of its own; a row of one host is somebody's word on whether it is a copy. `by_hand`: somebody said so. `came_from`:
    the database it was of before somebody merged that into this one.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="identities")
    dbid = models.CharField(max_length=40, blank=True)
    name = models.CharField(max_length=128, blank=True)
    host = models.CharField(max_length=255, blank=True)
    by_hand = models.BooleanField(default=False)
    came_from: models.ForeignKey[Any, Any] = models.ForeignKey(
        Database, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "dbid", "name", "host"], name="database_identity_once")]
        indexes = [models.Index(fields=["team", "name"], name="database_by_name")]

    def __str__(self) -> str:
        return f"{self.name} {self.dbid} {self.host}".strip()
