"""Reports: their bytes, and what their rows say that is not read from these."""

from __future__ import annotations

import hashlib
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
from awrdiff.transfer.packed import FILES, bytes_of
from awrdiff.transfer.register import ImportedRows, LinesRead, WrittenLines
from awrdiff.transfer.rows import Rows
from awrdiff.transfer.values import Moment, Person, Text, Value, uuid_of

_SHA256 = re.compile(r"[0-9a-f]{64}")


def reports_of(team: Team) -> QuerySet[Report]:
    """Demos are there anyway, and a file of several is its reports."""
    found = Report.objects.filter(team=team, is_demo=False).exclude(kind=SEVERAL)
    return found.defer("header", "issues", "head", "assessment").order_by("created_at", "pk")


class People:
    """Who is on the team, to be read by people: nobody is let in by a file."""

    name, many = "person", "people"
    of: Mapping[str, str] = {}

    def documents(self, team: Team, written: WrittenLines) -> Iterator[dict[str, Any]]:
        for person in Membership.objects.filter(team=team).select_related("user").order_by("pk"):
            user = person.user
            yield {self.name: user.get_username(), "shown_name": user.shown_name, "role": person.role}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    def check(self, values: Mapping[str, Any], seen: LinesRead) -> None:
        """They are nothing to others."""

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

    def documents(self, team: Team, written: WrittenLines) -> Iterator[dict[str, Any]]:
        for report in reports_of(team).select_related("uploaded_by").iterator(chunk_size=200):
            written.add(self.name, report.pk)
            yield {
                self.name: str(report.pk),
                "name": report.name,
                "archive": report.archive,
                "size": report.size,
                "sha256": report.sha256,
                "file": report.pk in written.files,
                "at": Moment().written(report.created_at),
                "thinned_at": Moment().written(report.thinned_at),
                "by": Person().written(report.uploaded_by),
            }

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        found = {name: value.read(document.get(name), name) for name, value in self.values.items()}
        if not _SHA256.fullmatch(found["sha256"]):
            raise damage("a report has no digest")
        own = {self.name: uuid_of(document.get(self.name), self.name), "name": found["name"] or "report"}
        return {**found, **own, "file": document.get("file") is True, "by": Person().read(document.get("by"), "by")}

    def check(self, values: Mapping[str, Any], seen: LinesRead) -> None:
        """Its file is whole, what its line says, and no larger than an upload may be."""
        seen.add(self.name, values[self.name])
        seen.name([values["by"]])
        if not values["file"]:
            return
        digest = hashlib.sha256()
        for chunk in bytes_of(seen.packed, f"{FILES}{values[self.name]}"):
            digest.update(chunk)
        if digest.hexdigest() != values["sha256"]:
            raise damage(f"“{values['name']}” is not what was exported")

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        if not values["file"]:
            of_it = "it is left out, with its comparisons and what was said of them"
            making.said.append(f"“{values['name']}” has no file any more: {of_it}.")
            return
        chunks = bytes_of(making.packed, f"{FILES}{values[self.name]}")
        with closing(receive_chunks(chunks, values["name"])) as file:
            incoming = Incoming(file, values["name"], values["archive"])
            (made,) = reports.store_uploads(making.access, [incoming])
        own = Report.objects.filter(pk=made.pk)
        own.update(
            created_at=values["at"], thinned_at=values["thinned_at"], **making.by("uploaded_by_id", values["by"])
        )
        making.add(self.name, values[self.name], made.pk)
        making.made[self.many] += 1


class Traces(Rows):
    """What is no trace, or too large a one, is attached in vain: nothing of it is shown."""

    def check(self, values: Mapping[str, Any], seen: LinesRead) -> None:
        Rows.check(self, values, seen)
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
