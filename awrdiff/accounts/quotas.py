"""Team quotas, set by a server administrator. Existing things stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from django.db import transaction
from django.utils import timezone

from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.member_events import notify
from awrdiff.accounts.models import Membership, Team, TeamSize, User
from awrdiff.accounts.services import lock_team
from awrdiff.whole_number_input import whole_number

HIGHEST = 2**31 - 1  # of people and of reports
HIGHEST_BYTES = 2**53
MEBIBYTE = 1 << 20
COUNT_EVERY_S = 300
ASK = "Whoever administers the server says how many."
# By kind of file, a function of team ids (None: all): number of files and their bytes, by team.
FILE_COUNTS: dict[str, Callable[[Collection[int] | None], dict[int, tuple[int, int]]]] = {}


def count(teams: Collection[int] | None = None) -> None:
    """Store team sizes, so that pages need not count."""
    counts = {name: count_files(teams) for name, count_files in FILE_COUNTS.items()}
    sizes = Counter[int]()
    for by_team in counts.values():
        sizes.update({team: size for team, (_, size) in by_team.items()})
    now, reports = timezone.now(), counts["reports"]
    own = Team.objects.filter(copies_of=None)
    pks = (own if teams is None else own.filter(pk__in=teams)).values_list("pk", flat=True)
    rows = [
        TeamSize(team_id=pk, reports=reports.get(pk, (0, 0))[0], file_bytes=sizes[pk], counted_at=now) for pk in pks
    ]
    updated = ["reports", "file_bytes", "counted_at"]
    TeamSize.objects.bulk_create(rows, update_conflicts=True, unique_fields=["team"], update_fields=updated)


def count_missing() -> None:
    if missing := list(Team.objects.filter(copies_of=None, size=None).values_list("pk", flat=True)):
        count(missing)


def bytes_of(team_id: int) -> int:
    """Bytes of all stored files, as uploaded."""
    return sum(count_files([team_id]).get(team_id, (0, 0))[1] for count_files in FILE_COUNTS.values())


def choose(team: Team, by: User | None, *, people: str, reports: str, mebibytes: str) -> None:
    """Empty or 0: no quota. Raises PeopleRefused."""
    most_bytes = _number(mebibytes, HIGHEST_BYTES // MEBIBYTE)
    with transaction.atomic():
        locked = lock_team(team.pk)
        locked.most_people, locked.most_reports = _number(people, HIGHEST), _number(reports, HIGHEST)
        locked.most_bytes = most_bytes and most_bytes * MEBIBYTE
        locked.save(update_fields=["most_people", "most_reports", "most_bytes"])
        notify(locked, by, "quotas", locked)


def _number(text: str, highest: int) -> int | None:
    if (number := whole_number(text.strip() or "0", highest)) is None:
        raise PeopleRefused(f"A quota is a whole number up to {highest:,}, or empty for none.")
    return number or None


def check_people(team_id: int) -> None:
    """Lock the team; one more must fit. Raises PeopleRefused."""
    most = lock_team(team_id).most_people
    if most is not None and Membership.objects.filter(team=team_id).count() >= most:
        raise PeopleRefused(f"The team has {most:,} people and may have no more. {ASK}")
