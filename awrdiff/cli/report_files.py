"""Reports named on a command line, read one by one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.output import takes_escapes
from parsers import Report, UnsupportedReport, parse_report
from parsers.command_line_inputs import members_of


def read_reports(arguments: Sequence[str]) -> list[Report]:
    """Other files are noted on standard error. Raises Refused."""
    with Progress() as progress:
        return [report for argument in arguments for report in _read(argument, progress)]


def _read(argument: str, progress: Progress) -> Iterator[Report]:
    count = 0
    try:
        for member in members_of(argument):
            if member.stray:
                progress.note(f"{member.name}: left out: {member.refusal}")
                continue
            if member.refusal:
                raise Refused(one_line(f"{member.name}: {member.refusal}"))
            progress.show(f"reading {member.name}")
            try:
                report = parse_report(member.data, name=member.name)
            except UnsupportedReport as refusal:
                raise Refused(one_line(f"{member.name}: {refusal}")) from refusal
            yield report
            count += 1
    except OSError as error:
        raise Refused(f"{argument}: {error.strerror or error}") from error
    except UnsupportedReport as refusal:
        raise Refused(one_line(f"{argument}: {refusal}")) from refusal
    if not count:
        raise Refused(f"{argument}: there is no report in it.")


def one_line(text: str) -> str:
    return " ".join(text.split())


class Progress:
    """Standard error, on a terminal only; cleared at the end."""

    def __init__(self) -> None:
        self.visible = takes_escapes(sys.stderr)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, what: str) -> None:
        if self.visible:
            sys.stderr.write(f"\r\x1b[K{one_line(what)[:78]}")
            sys.stderr.flush()

    def note(self, sentence: str) -> None:
        self.clear()
        print(one_line(sentence), file=sys.stderr)  # noqa: T201

    def clear(self) -> None:
        if self.visible:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
