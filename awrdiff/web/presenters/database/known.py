"""What a team knows of a database: causes that it confirmed, and what is still to be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.urls import reverse

from awrdiff.accounts.names import shown_name
from awrdiff.incidents.models import ActionItem, Verdict
from awrdiff.incidents.of_database import Some


@dataclass(frozen=True, slots=True)
class KnownLine:
    title: str
    url: str
    said: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class KnownList:
    lines: Sequence[KnownLine]
    more: int


def causes(found: Some[Verdict]) -> KnownList:
    lines = [
        KnownLine(
            one.title,
            f"{reverse('comparison', args=[one.shown_in or one.comparison_id])}"
            f"?pair={one.pair}#{quote(one.anchor, safe='/:')}",
            f"confirmed {one.at:%d %b %Y}{f' by {shown_name(one.user)}' if one.user is not None else ''}",
            one.why,
        )
        for one in found.rows
    ]
    return KnownList(lines, found.more)


def actions(found: Some[ActionItem]) -> KnownList:
    lines = [
        KnownLine(
            one.text,
            f"{reverse('incident', args=[one.incident_id])}#actions",
            " · ".join(
                text
                for text in (
                    f"due {one.due:%d %b %Y}" if one.due else "no due date",
                    shown_name(one.owner) if one.owner is not None else "nobody’s",
                    one.incident.title,
                )
            ),
        )
        for one in found.rows
    ]
    return KnownList(lines, found.more)
