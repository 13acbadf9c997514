"""What people have made of a comparison: every app that hangs on one is asked."""

from __future__ import annotations

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.incidents.queries import hanging_on as incidents_of
from awrdiff.incidents.verdicts import of_everybody as verdicts_of
from awrdiff.pins.queries import of_everybody as pins_of_everybody
from awrdiff.sharing.models import Shows
from awrdiff.sharing.queries import ending_with
from awrdiff.threads.queries import of_everybody as threads_of_everybody
from awrdiff.web.presenters.page.deleting import Team


def team_of(found: Comparison) -> Team:
    return Team(pins_of_everybody(found), threads_of_everybody(found), verdicts_of(found), *incidents_of(found))


def is_bare(access: AccessContext, found: Comparison) -> bool:
    """Nobody has pinned, said, judged, attached or shared anything of it."""
    shown = ShownComparison.objects.filter(comparison=found).exists()
    return team_of(found) == Team() and not shown and not ending_with(access, found, Shows.COMPARISON)
