"""Make a token: `python manage.py token --name NAME --scope read,upload`; its last word is the token, shown once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet
from django.utils.text import slugify

from awrdiff.accounts import api_tokens
from awrdiff.accounts.access import SCOPES
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Team, User


class Command(BaseCommand):
    help = "Make a token by which a machine asks, for a service of a team or, with --person, for somebody."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help="what it is for")
        parser.add_argument("--scope", required=True, help=f"some of {','.join(SCOPES)}")
        parser.add_argument("--team", help="its name; without it the only one there is, or that of the person")
        parser.add_argument("--person", help="whose token it is: it may do what they may, and goes when they go")
        parser.add_argument("--days", type=int, help="how long it is valid; else until it is revoked")

    def handle(self, *_args: Any, **options: Any) -> None:
        user = None
        scopes = [scope.strip() for scope in options["scope"].split(",") if scope.strip()]
        try:
            wanted = (options["name"], scopes, options["days"])
            if options["person"]:
                user = User.objects.filter(username=options["person"], is_active=True).first()
                if user is None:
                    raise CommandError(f"There is no person “{options['person']}”.")
            teams = Team.objects.filter(members=user) if user else Team.objects.all()
            team = _pick_team(teams, options["team"])
            created, token = api_tokens.make(team, user, *wanted, made_by=None)
        except PeopleRefused as error:
            raise CommandError(str(error)) from error
        until = f"until {created.expires_at:%d %B %Y}" if created.expires_at else "until it is revoked"
        sentence = f"The token “{created.name}” of the team “{team}” is valid {until}, and is not shown again:"
        self.stdout.write(f"{sentence}\n{token}")


def _pick_team(teams: QuerySet[Team], wanted: str | None) -> Team:
    """By name or slug; without `wanted` the only one."""
    rows = list(teams.filter(copies_of=None).order_by("name"))
    if wanted:
        rows = [t for t in rows if t.name == wanted] or [t for t in rows if slugify(t.name) == wanted]
        if not rows:
            raise CommandError(f"There is no such team: “{wanted}”.")
    if not rows:
        raise CommandError("There is no team yet: open the first page, or make one with add_user.")
    if len(rows) > 1:
        raise CommandError(f"There are several teams: give one with --team ({', '.join(team.name for team in rows)}).")
    return rows[0]
