"""`python manage.py compare FIRST SECOND [MORE…]`: compares report files without touching the database.

One of Oracle's own compare reports alone is taken apart: its first period against its second.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.analysis.aspects import ready_comparison
from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.event_model import TOO_FEW, split_traces
from awrdiff.analysis.export import FORMATS
from awrdiff.analysis.instances import one_instance
from awrdiff.analysis.model import Comparison
from awrdiff.analysis.oracle_compare import is_compare
from parsers import Report, UnsupportedReport, open_reports, parse_report

_ONE = "give a second report to compare it with; only Oracle's own compare report holds two periods."


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
        parser.add_argument("--format", choices=sorted(FORMATS), default="json")
        parser.add_argument("--output", type=Path, help="file to write (default: standard output)")

    def handle(self, *_args: Any, **options: Any) -> None:
        paths = [path for path in (options["first"], options["second"], *options["more"]) if path is not None]
        reports, traces = split_traces([_chosen(_read(path), options["instance"]) for path in paths])
        pieces = FORMATS[options["format"]](_compared(reports, traces))
        if options["output"] is None:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            return
        try:
            with options["output"].open("w", encoding="utf-8", errors="replace") as file:
                file.writelines(pieces)
        except OSError as error:
            raise CommandError(f"{options['output']}: {error.strerror}", returncode=2) from error


def _read(path: str) -> Report:
    try:
        members = list(open_reports(Path(path).read_bytes(), path))
        refusals = [member.refusal for member in members if member.refusal]
        if len(members) > 1:
            raise CommandError(f"{path}: holds {len(members)} reports: give each as a file of its own.", returncode=2)
        if refusals:
            raise CommandError(f"{path}: {refusals[0]}", returncode=2)
        return parse_report(members[0].data, name=path)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=2) from error
    except UnsupportedReport as error:
        raise CommandError(f"{path}: {error}", returncode=2) from error


def _compared(reports: list[Report], traces: list[Report]) -> tuple[Comparison, ...]:
    """Reports with each other, or the periods of one; the traces are attached."""
    if len(reports) > 1:
        return compare_all(reports, traces)
    if reports and is_compare(reports[0]):
        return (ready_comparison(reports[0], traces),)
    if traces:
        raise CommandError(f"{', '.join(t.name for t in traces)}: {TOO_FEW}", returncode=2)
    raise CommandError(f"{reports[0].name}: {_ONE}", returncode=2)


def _chosen(report: Report, instance: int | None) -> Report:
    """Instance `instance` of a global report; any other report as it is."""
    if instance is None or report.kind != "awr_global":
        return report
    try:
        return one_instance(report, instance)
    except LookupError as error:
        raise CommandError(f"{report.name}: {error}", returncode=2) from error
