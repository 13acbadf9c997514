"""The team's work on a comparison, from every app."""

from __future__ import annotations

from typing import NamedTuple

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.incidents.finding_verdicts import of_everybody as verdicts_of
from awrdiff.incidents.queries import hanging_on as incidents_of
from awrdiff.pins.queries import of_everybody as pins_of_everybody
from awrdiff.sharing.models import Shows
from awrdiff.sharing.queries import ending_with
from awrdiff.threads.queries import of_everybody as threads_of_everybody


class TeamWork(NamedTuple):
    """`incidents`: their number."""

    pins: int = 0
    threads: int = 0
    verdicts: int = 0
    incidents: int = 0
    evidence: int = 0


def team_of(comparison: Comparison) -> TeamWork:
    return TeamWork(
        pins_of_everybody(comparison),
        threads_of_everybody(comparison),
        verdicts_of(comparison),
        *incidents_of(comparison),
    )


def is_bare(access: AccessContext, comparison: Comparison) -> bool:
    """No pins, comments, verdicts, incidents or shares."""
    is_shown_to_guests = ShownComparison.objects.filter(comparison=comparison).exists()
    return (
        not any(team_of(comparison))
        and not is_shown_to_guests
        and not ending_with(access, comparison, Shows.COMPARISON)
    )
