"""`python manage.py compare FIRST SECOND [MORE…]`, the same as `awrdiff compare`. A single Oracle compare report is
split into its periods.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.analysis.export.formats import FORMATS
from awrdiff.cli.arguments import form_of
from awrdiff.cli.comparing import compare
from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.report_files import read_reports


class Command(BaseCommand):
    help = (
        "Compare report files: FIRST against each of the others. LGWR traces among them are attached to the "
        "comparison, not compared. Reads no database."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("first", metavar="FIRST")
        parser.add_argument(
            "second", metavar="SECOND", nargs="?", help="may be missing where FIRST is an Oracle compare report"
        )
        parser.add_argument("more", metavar="MORE", nargs="*")
        parser.add_argument(
            "--instance", type=int, metavar="N", help="of global (RAC) reports: compare instance N, not the cluster"
        )
        parser.add_argument("--format", choices=sorted(FORMATS), help="default: the ending of OUTPUT, or json")
        parser.add_argument("--output", type=Path, help="file to write (default: standard output)")

    def handle(self, *_args: Any, **options: Any) -> None:
        paths = [path for path in (options["first"], options["second"], *options["more"]) if path is not None]
        try:
            form = options["format"] or form_of(options["output"], FORMATS) or "json"
            pieces = FORMATS[form](compare(read_reports(paths), instance=options["instance"]))
            if options["output"] is None:
                for piece in pieces:
                    self.stdout.write(piece, ending="")
                self.stdout.flush()
            else:
                with options["output"].open("w", encoding="utf-8", errors="replace") as file:
                    file.writelines(pieces)
        except Refused as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise  # nobody reads on: awrdiff.django_command_line ends it
            where = options["output"] or "standard output"
            raise CommandError(f"{where}: {error.strerror}", returncode=2) from error
