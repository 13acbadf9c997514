"""Audit log of a team: ids only, so that no name or content outlives deletion."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.utils import timezone

from awrdiff.accounts.models import Team

APPEND_ONLY = "Lines of the audit log are never changed or deleted."


class AppendOnly(TypeError):
    """Audit lines cannot be changed."""

    def __init__(self) -> None:
        super().__init__(APPEND_ONLY)


class LineQuerySet(models.QuerySet["AuditLine"]):
    def update(self, **_values: Any) -> NoReturn:
        raise AppendOnly

    def delete(self) -> NoReturn:
        raise AppendOnly


class AuditLine(models.Model):
    """`who`: `user 3`, `link <id>`, `local` (personal server) or `server` (its chores).

    `once`: hash against repeats; null: no limit. The team may be gone. A database trigger refuses changes too.
    """

    team = models.ForeignKey(Team, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    who = models.CharField(max_length=50)
    action = models.CharField(max_length=20)
    kind = models.CharField(max_length=20)
    thing = models.CharField(max_length=50)
    once = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - null is not one of a kind

    objects = LineQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["team", "-id"], name="audit_recent"),
            models.Index(fields=["team", "who", "-id"], name="audit_by_whom"),
            models.Index(fields=["team", "action", "-id"], name="audit_by_action"),
            models.Index(fields=["team", "kind", "-id"], name="audit_by_kind"),
            models.Index(fields=["team", "thing", "-id"], name="audit_of_thing"),
        ]

    def __str__(self) -> str:
        return f"{self.who} {self.action} {self.kind} {self.thing}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnly
