"""Take in local or S3 reports: `python manage.py import_reports PATH|s3://BUCKET/PREFIX… [--team TEAM] [--person
NAME]`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts.access import AccessContext, Can, roles_that
from awrdiff.accounts.models import Membership
from awrdiff.processing import metric_counters
from awrdiff.reports.bulk_import import S3, import_files
from awrdiff.reports.errors import NoRoom
from awrdiff.storage import SILENT, StorageAway

_SOME_REFUSED = 2
_POLITE = 10  # pages and what somebody waits for come before it


class Command(BaseCommand):
    help = (
        "Take in report files, archives, folders and what lies below s3://BUCKET/PREFIX, any number. What the team has "
        "is taken in once, so a stopped import goes on where it was; what cannot be read is named, and the rest come."
    )
    requires_system_checks = []  # they import every page

    def run_from_argv(self, argv: list[str]) -> None:
        os.nice(_POLITE)
        super().run_from_argv(argv)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="+")
        parser.add_argument("--team", help="the team they belong to; default: the only one there is")
        parser.add_argument("--person", metavar="NAME", help="who uploads them; default: the only one who may")

    def handle(self, *_args: Any, **options: Any) -> None:
        access = _access(options["team"], options["person"])
        _check(options["paths"])
        outcomes = Counter[str]()
        try:
            for outcome in import_files(access, options["paths"]):
                outcomes[outcome.became] += 1
                if outcome.why:
                    self._clear()
                    self.stderr.write(f"{outcome.name}: {outcome.why}")
                self._show(outcomes)
        except StorageAway as away:
            how = "does not answer" if away.word == SILENT else f"refuses to work ({away.__cause__})"
            message = (
                f"Stopped after {_summary(outcomes)}: the storage {how}. Begin again: what is in is not read twice."
            )
            raise CommandError(message) from away
        except (NoRoom, OSError) as error:
            message = f"Stopped after {_summary(outcomes)}: {error} Begin again: what is in is not read twice."
            raise CommandError(message) from error
        finally:
            self._clear()
            metric_counters.add_up()
        self.stdout.write(f"{_summary(outcomes)}. The workers read what is new now.")
        if outcomes["refused"]:
            sys.exit(_SOME_REFUSED)

    def _show(self, outcomes: Counter[str]) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{_summary(outcomes)}")
            sys.stderr.flush()

    def _clear(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")


def _check(places: list[Any]) -> None:
    for place in places:
        if not str(place).startswith(S3):
            if not Path(place).exists():
                raise CommandError(f"{place}: there is no such file or folder.", returncode=_SOME_REFUSED)
        elif find_spec("boto3") is None:
            message = f"{place}: S3 needs boto3, which requirements-s3.txt and awrdiff[s3] install."
            raise CommandError(message, returncode=_SOME_REFUSED)


def _summary(outcomes: Counter[str]) -> str:
    return f"{outcomes['new']:,} new, {outcomes['known']:,} known, {outcomes['refused']:,} refused"


def _access(team: str | None, person: str | None) -> AccessContext:
    may = Membership.objects.filter(role__in=roles_that(Can.UPLOAD), user__is_active=True, team__copies_of=None)
    may = may.filter(team__name=team) if team is not None else may
    may = may.filter(user__username=person) if person is not None else may
    memberships = list(may.select_related("team", "user").order_by("pk")[:2])
    if not memberships:
        raise CommandError("Nobody of this name and team may upload: manage.py add_user puts somebody on a team.")
    if len(memberships) > 1:
        raise CommandError("More than one may upload: say who does, with --team and --person.")
    membership = memberships[0]
    return AccessContext(membership.team, membership.user, role=membership.role, membership=membership.pk)
