"""Events about a team's people, sent to listeners in the same transaction. Apps register in `AppConfig.ready()`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from django.db import models

from awrdiff.accounts.models import ApiToken, Membership, Team, User


@dataclass(frozen=True, slots=True)
class Happening:
    """`user` (None: the server) did `action` to `subject`.

    `heir` takes over assigned work. `closed`: ended access in words (offboarding.py); `opened_to`: its new owner.
    """

    team: Team
    user: User | None
    action: str
    subject: models.Model
    _: KW_ONLY
    heir: User | None = None
    closed: str = ""
    opened_to: User | None = None

    @property
    def kind(self) -> str:
        """Memberships count as `person`."""
        names = {ApiToken: "token", Membership: "person"}
        return names.get(type(self.subject), self.subject._meta.model_name or "")

    @property
    def pk(self) -> object:
        return self.subject.user_id if isinstance(self.subject, Membership) else self.subject.pk


Listener = Callable[[Happening], object]
_LISTENERS: list[Listener] = []


def listen(listener: Listener) -> None:
    if listener not in _LISTENERS:
        _LISTENERS.append(listener)


def notify(team: Team, user: User | None, action: str, subject: models.Model, **more: Any) -> None:
    for listener in _LISTENERS:
        listener(Happening(team, user, action, subject, **more))
