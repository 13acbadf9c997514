"""Reports: bytes, and the columns that do not come from parsing them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from django.db.models import QuerySet

from awrdiff.accounts.models import Membership, Team
from awrdiff.reports import services as reports
from awrdiff.reports.incoming import Incoming
from awrdiff.reports.models import SEVERAL, Report, ReportTrace
from awrdiff.reports.traces import MOST_TRACES
from awrdiff.reports.uploads import receive_chunks
from awrdiff.transfer.errors import damage
from awrdiff.transfer.packed import FILES, bytes_of, check_bytes
from awrdiff.transfer.register import ImportedRows, LinesRead, WrittenLines
from awrdiff.transfer.rows import Rows
from awrdiff.transfer.values import Moment, Person, Text, Value, uuid_of

_SHA256 = re.compile(r"[0-9a-f]{64}")


def reports_of(team: Team) -> QuerySet[Report]:
    """Without demos, which are everywhere, and files of several, which are their reports."""
    rows = Report.objects.filter(team=team, is_demo=False).exclude(kind=SEVERAL)
    return rows.defer("header", "issues", "head", "assessment").order_by("created_at", "pk")


class People:
    """The team's people, for a reader of the file: an import lets nobody in."""

    name, many = "person", "people"
    of: Mapping[str, str] = {}

    def documents(self, team: Team, lines: WrittenLines) -> Iterator[dict[str, Any]]:
        for person in Membership.objects.filter(team=team).select_related("user").order_by("pk"):
            user = person.user
            yield {self.name: user.get_username(), "shown_name": user.shown_name, "role": person.role}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        """Nothing refers to them."""

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        """Nobody."""


class Reports:
    name, many = "report", "reports"
    of: Mapping[str, str] = {}
    values: Mapping[str, Value] = {
        "name": Text(255),
        "archive": Text(255),
        "sha256": Text(64),
        "at": Moment(),
        "thinned_at": Moment(optional=True),
    }

    def documents(self, team: Team, lines: WrittenLines) -> Iterator[dict[str, Any]]:
        for report in reports_of(team).select_related("uploaded_by").iterator(chunk_size=200):
            lines.add(self.name, report.pk)
            yield {
                self.name: str(report.pk),
                "name": report.name,
                "archive": report.archive,
                "size": report.size,
                "sha256": report.sha256,
                "file": report.pk in lines.files,
                "at": Moment().dump(report.created_at),
                "thinned_at": Moment().dump(report.thinned_at),
                "by": Person().dump(report.uploaded_by),
            }

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        columns = {name: value.read(document.get(name), name) for name, value in self.values.items()}
        if not _SHA256.fullmatch(columns["sha256"]):
            raise damage("a report has no digest")
        own = {self.name: uuid_of(document.get(self.name), self.name), "name": columns["name"] or "report"}
        return {**columns, **own, "file": document.get("file") is True, "by": Person().read(document.get("by"), "by")}

    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        """Check that the file is whole, matches its line, and is no larger than an upload may be."""
        lines.add(self.name, values[self.name])
        lines.name([values["by"]])
        if values["file"]:
            check_bytes(lines.packed, values[self.name], values["sha256"], values["name"])

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        if not values["file"]:
            of_it = "it is left out, with its comparisons and what was said of them"
            making.remarks.append(f"“{values['name']}” has no file any more: {of_it}.")
            return
        chunks = bytes_of(making.packed, f"{FILES}{values[self.name]}")
        with closing(receive_chunks(chunks, values["name"])) as file:
            incoming = Incoming(file, values["name"], values["archive"])
            (report,) = reports.store_uploads(making.access, [incoming])
        own = Report.objects.filter(pk=report.pk)
        own.update(
            created_at=values["at"], thinned_at=values["thinned_at"], **making.by("uploaded_by_id", values["by"])
        )
        making.add(self.name, values[self.name], report.pk)
        making.counts[self.many] += 1


class Traces(Rows):
    """A file that is no trace, or too large a one, is attached but nothing of it is shown."""

    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        Rows.check(self, values, lines)
        if values["report"] == values["trace"]:
            raise damage("a report is attached to itself")


TRACES = Traces(
    name="attached_trace",
    many="attached traces",
    model=ReportTrace,
    of={"report": "report", "trace": "report"},
    team="report__team",
    most=MOST_TRACES,
    values={},
)

KINDS = (People(), Reports(), TRACES)
