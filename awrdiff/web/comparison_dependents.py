"""The team's work on a comparison, from every app."""

from __future__ import annotations

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.incidents.finding_verdicts import of_everybody as verdicts_of
from awrdiff.incidents.queries import hanging_on as incidents_of
from awrdiff.pins.queries import of_everybody as pins_of_everybody
from awrdiff.sharing.models import Shows
from awrdiff.sharing.queries import ending_with
from awrdiff.threads.queries import of_everybody as threads_of_everybody
from awrdiff.web.presenters.page.deletion_warnings import Team


def team_of(comparison: Comparison) -> Team:
    return Team(
        pins_of_everybody(comparison),
        threads_of_everybody(comparison),
        verdicts_of(comparison),
        *incidents_of(comparison),
    )


def is_bare(access: AccessContext, comparison: Comparison) -> bool:
    """No pins, comments, verdicts, incidents or shares."""
    is_shown_to_guests = ShownComparison.objects.filter(comparison=comparison).exists()
    return (
        team_of(comparison) == Team()
        and not is_shown_to_guests
        and not ending_with(access, comparison, Shows.COMPARISON)
    )
