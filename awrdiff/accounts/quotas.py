"""How much a team may have, as a server administrator says. What it has already stays, whatever is said later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from django.db import transaction
from django.utils import timezone

from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.happenings import notify
from awrdiff.accounts.models import Membership, Team, TeamSize, User
from awrdiff.accounts.services import lock_team

HIGHEST = 2**31 - 1  # of people and of reports
HIGHEST_BYTES = 2**53
MEBIBYTE = 1 << 20
COUNT_EVERY_S = 300
ASK = "Whoever administers the server says how many."
# What is kept of teams, all or these: by team how many files, and their bytes.
KEPT: dict[str, Callable[[Collection[int] | None], dict[int, tuple[int, int]]]] = {}


def count(teams: Collection[int] | None = None) -> None:
    """Write down what all teams, or these, keep: a page that shows it must not count it each time."""
    found = {name: kept(teams) for name, kept in KEPT.items()}
    sizes = Counter[int]()
    for by_team in found.values():
        sizes.update({team: size for team, (_, size) in by_team.items()})
    now, reports = timezone.now(), found["reports"]
    own = Team.objects.filter(copies_of=None)
    pks = (own if teams is None else own.filter(pk__in=teams)).values_list("pk", flat=True)
    rows = [
        TeamSize(team_id=pk, reports=reports.get(pk, (0, 0))[0], file_bytes=sizes[pk], counted_at=now) for pk in pks
    ]
    updated = ["reports", "file_bytes", "counted_at"]
    TeamSize.objects.bulk_create(rows, update_conflicts=True, unique_fields=["team"], update_fields=updated)


def count_missing() -> None:
    """Of teams made since the sweeper counted last, which are small, and all where it has not yet."""
    if missing := list(Team.objects.filter(copies_of=None, size=None).values_list("pk", flat=True)):
        count(missing)


def bytes_of(team_id: int) -> int:
    """Of all files that it keeps, as they came."""
    return sum(kept([team_id]).get(team_id, (0, 0))[1] for kept in KEPT.values())


def choose(team: Team, by: User | None, *, people: str, reports: str, mebibytes: str) -> None:
    """Texts as typed; empty or 0: as much as there is room for. Raises PeopleRefused."""
    most_bytes = _number(mebibytes, HIGHEST_BYTES // MEBIBYTE)
    with transaction.atomic():
        found = lock_team(team.pk)
        found.most_people, found.most_reports = _number(people, HIGHEST), _number(reports, HIGHEST)
        found.most_bytes = most_bytes and most_bytes * MEBIBYTE
        found.save(update_fields=["most_people", "most_reports", "most_bytes"])
        notify(found, by, "quotas", found)


def _number(text: str, highest: int) -> int | None:
    text = text.strip() or "0"
    if not text.isascii() or not text.isdecimal() or len(text) > 16 or int(text) > highest:
        raise PeopleRefused(f"A quota is a whole number up to {highest:,}, or empty for none.")
    return int(text) or None


def check_people(team_id: int) -> None:
    """For one more, in the transaction that lets them in. Raises PeopleRefused."""
    most = lock_team(team_id).most_people
    if most is not None and Membership.objects.filter(team=team_id).count() >= most:
        raise PeopleRefused(f"The team has {most:,} people and may have no more. {ASK}")
