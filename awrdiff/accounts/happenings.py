"""What happens to the people of a team is told to whoever listens, in the transaction that makes it so.

Apps that build on this one register in `AppConfig.ready()`: this one knows none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import models

from awrdiff.accounts.models import ApiToken, Membership, Team, User


@dataclass(frozen=True, slots=True)
class Happening:
    """`user` did `action` to `subject`, a thing of that `kind` and `pk`; None: the server by itself.
    `heir`: who has from then on what was given to somebody who sees the team's things no more. `closed`: what became of
    what somebody had opened (opened.py), in words; `opened_to`: who has it from then on."""

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
    """A membership is a person, by the user's id."""
    if isinstance(subject, ApiToken):
        return "token", subject.pk
    if isinstance(subject, Membership):
        return "person", subject.user_id
    return subject._meta.model_name or "", subject.pk
