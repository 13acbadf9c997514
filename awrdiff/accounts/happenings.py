"""Events about a team's people, sent to listeners inside the transaction that makes them.

Other apps register in `AppConfig.ready()`; this one imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import models

from awrdiff.accounts.models import ApiToken, Membership, Team, User


@dataclass(frozen=True, slots=True)
class Happening:
    """`user` did `action` to `subject`, of that `kind` and `pk`; user None: the server.

    `heir` takes over what was assigned to somebody who no longer sees the team. `closed`: the end of what they had
    opened (opened.py), in words; `opened_to`: its new owner.
    """

    team: Team
    user: User | None
    action: str
    kind: str
    pk: object
    subject: models.Model
    heir: User | None = None
    closed: str = ""
    opened_to: User | None = None


Listener = Callable[[Happening], object]
_LISTENERS: list[Listener] = []


def listen(listener: Listener) -> None:
    if listener not in _LISTENERS:
        _LISTENERS.append(listener)


def notify(
    team: Team,
    user: User | None,
    action: str,
    subject: models.Model,
    *,
    heir: User | None = None,
    closed: str = "",
    opened_to: User | None = None,
) -> None:
    kind, pk = _known_by(subject)
    for listener in _LISTENERS:
        listener(Happening(team, user, action, kind, pk, subject, heir, closed, opened_to))


def _known_by(subject: models.Model) -> tuple[str, object]:
    """A membership counts as a person, by the user's id."""
    if isinstance(subject, ApiToken):
        return "token", subject.pk
    if isinstance(subject, Membership):
        return "person", subject.user_id
    return subject._meta.model_name or "", subject.pk
