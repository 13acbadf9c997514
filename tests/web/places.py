"""What an address is, and where it stands about the things of one team.

Kinds: `public` is for anyone; `member` for whoever is on a team, about the own team; `object` for the members of the team
it belongs to, for anyone else it is not there; `link` for whoever holds a link that is live, `talk` for whoever may
comment by one; `account` is about oneself, for whoever has signed in; `server` for whoever administers it. `owners`: of the team, its owners alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tests.web.cast import Cast

READ, WRITE, TAKE_AWAY = frozenset({"GET", "HEAD"}), frozenset({"POST"}), frozenset({"POST", "DELETE"})
DELETE = frozenset({"DELETE"})
FINE = frozenset({200, 201, 204, 302})
Kind = Literal["public", "member", "object", "link", "talk", "account", "server"]


@dataclass(frozen=True)
class Row:
    kind: Kind
    methods: frozenset[str]
    place: Callable[[Cast], dict[str, object]] = lambda _: {}
    data: Callable[[Cast], dict[str, object]] = lambda _: {}
    fine: frozenset[int] = FINE
    owners: bool = False
    as_json: bool = False  # what is sent

    @property
    def asked(self) -> list[str]:
        """Its methods but HEAD, which is as GET: who may is asked for both."""
        return sorted(self.methods - {"HEAD"})


def of_comparison(c: Cast) -> dict[str, object]:
    return {"pk": c.comparison.pk}


def of_report(c: Cast) -> dict[str, object]:
    return {"pk": c.report.pk}


def of_token(c: Cast) -> dict[str, object]:
    return {"token": c.token}


def of_talk(c: Cast) -> dict[str, object]:
    return {"token": c.talk.token}


def of_talks_thread(c: Cast) -> dict[str, object]:
    return {"token": c.talk.token, "thread_pk": c.talk.comment.thread_id}


def of_thread(c: Cast) -> dict[str, object]:
    return {"pk": c.comparison.pk, "thread_pk": c.comment.thread_id}


def also(place: Callable[[Cast], dict[str, object]], **more: object) -> Callable[[Cast], dict[str, object]]:
    return lambda c: {**place(c), **more}


def of_incident(c: Cast) -> dict[str, object]:
    return {"pk": c.incident.incident.pk}


def of_incidents_thread(c: Cast) -> dict[str, object]:
    return {**of_incident(c), "thread_pk": c.incident.comment.thread_id}


def of_event(c: Cast) -> dict[str, object]:
    return {**of_incident(c), "event_pk": c.incident.event.pk}


def of_evidence(c: Cast) -> dict[str, object]:
    return {**of_incident(c), "evidence_pk": c.incident.evidence.pk}


def of_action(c: Cast) -> dict[str, object]:
    return {**of_incident(c), "action_pk": c.incident.action.pk}


def of_person(c: Cast) -> dict[str, object]:
    return {"pk": c.person.pk}


def of_postmortem(c: Cast) -> dict[str, object]:
    return {"pk": c.postmortem.incident_id}


def sent(
    methods: frozenset[str],
    place: Callable[[Cast], dict[str, object]],
    data: Callable[[Cast], dict[str, object]] = lambda _: {},
    fine: frozenset[int] = FINE,
) -> Row:
    """To the API, about a thing: JSON."""
    return Row("object", methods, place, data, fine, as_json=True)
