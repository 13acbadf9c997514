"""Databases of a team, and the ids and names by which reports belong to them."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models

from awrdiff.accounts.models import Team


class Database(models.Model):
    """`uid`: id in addresses and scripts, unique in the team.

    `dbid`, `name`: as printed, "" where no report does. `merged_into`: by hand; then it has no reports and is unlisted.
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
    """Reports with this DBID, name and host belong to `database`.

    `dbid` and `name`, in lower case, are "" if missing or masked. `host`: "" for all without a row; a host's row says
    whether it is a copy. `by_hand`: confirmed. `came_from`: database before a merge.
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
