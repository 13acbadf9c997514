"""People, reports, comparisons, which are computed again, and the owner's pins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Annotated, Any

from django.db.models import QuerySet
from django.utils import timezone
from msgspec import Meta

from awrdiff.accounts.models import Membership, Team
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin
from awrdiff.pins.services import MOST_PINS
from awrdiff.reports import services as reports
from awrdiff.reports.lgwr_traces import MOST_TRACES
from awrdiff.reports.models import SEVERAL, Report, ReportTrace
from awrdiff.reports.queries import HEAVY
from awrdiff.reports.received_files import receive_chunks
from awrdiff.reports.uploaded_report_rows import Incoming
from awrdiff.transfer.jsonl_column_types import (
    FLAG,
    MOMENT,
    MOMENT_OR_NONE,
    PERSON,
    STANDING,
    Value,
    damage,
    text,
    uuid_of,
)
from awrdiff.transfer.jsonl_row_kinds import ImportRegister, LineKind, LineRegister, Rows, WrittenRegister
from awrdiff.transfer.untrusted_zip_reading import FILES, bytes_of, check_bytes

LONGEST_REMARK = 10_000


def reports_of(team: Team) -> QuerySet[Report]:
    """Excludes demos and multi-report files."""
    rows = Report.objects.filter(team=team, is_demo=False).exclude(kind=SEVERAL)
    return rows.defer(*HEAVY).order_by("created_at", "pk")


class People(LineKind):
    """Serves readers of the file: an import lets nobody in."""

    name, many = "person", "people"

    def documents(self, team: Team, register: WrittenRegister) -> Iterator[dict[str, Any]]:
        for person in Membership.objects.filter(team=team).select_related("user").order_by("pk"):
            user = person.user
            yield {self.name: user.get_username(), "shown_name": user.shown_name, "role": person.role}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        return {}


class Reports(LineKind):
    """Bytes, and the columns not parsed from them."""

    name, many = "report", "reports"
    columns = {"at": "created_at", "by": "uploaded_by"}
    values = {
        "name": text(255),
        "archive": text(255),
        "sha256": Value(Annotated[str, Meta(pattern="^[0-9a-f]{64}$")], "is not a digest"),
        "file": FLAG,
        "at": MOMENT,
        "thinned_at": MOMENT_OR_NONE,
        "by": PERSON,
    }

    def documents(self, team: Team, register: WrittenRegister) -> Iterator[dict[str, Any]]:
        for report in reports_of(team).select_related("uploaded_by").iterator(chunk_size=200):
            register.add(self.name, report.pk)
            own = {"size": report.size, "file": report.pk in register.files}
            yield {self.name: str(report.pk), **self.values_in(report), **own}

    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        """Requires a whole file, matching its line, within upload size."""
        register.add(self.name, values[self.name])
        register.name([values["by"]])
        if values["file"]:
            check_bytes(register.packed, values[self.name], values["sha256"], values["name"])

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        name = values["name"] or "report"
        if not values["file"]:
            of_it = "it is left out, with its comparisons and what was said of them"
            register.remarks.append(f"“{name}” has no file any more: {of_it}.")
            return
        chunks = bytes_of(register.packed, f"{FILES}{values[self.name]}")
        with closing(receive_chunks(chunks, name)) as file:
            (report,) = reports.store_uploads(register.access, [Incoming(file, name, values["archive"])])
        columns = {"created_at": values["at"], "thinned_at": values["thinned_at"]}
        Report.objects.filter(pk=report.pk).update(**columns, **register.by("uploaded_by_id", values["by"]))
        register.add(self.name, values[self.name], report.pk)
        register.counts[self.many] += 1


class Traces(Rows):
    """No trace, or too large: attached, but nothing is shown."""

    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        Rows.check(self, values, register)
        if values["report"] == values["trace"]:
            raise damage("a report is attached to itself")


TRACES = Traces(
    "attached_trace",
    "attached traces",
    ReportTrace,
    MOST_TRACES,
    of={"report": "report", "trace": "report"},
    team="report__team",
)

_PLACE = tuple[str, Annotated[str, Meta(pattern="^(first|second|instance:[0-9]{1,5})?$")]]
_PLACES = Value(
    Annotated[list[_PLACE], Meta(min_length=2, max_length=MOST_REPORTS)],
    "has no reports, or too many, or a place of a comparison that is not one",
    clean=lambda places: [(uuid_of(report, "id"), aspect) for report, aspect in places],
    dump=lambda rows: [[str(pk), aspect] for pk, aspect in rows.order_by("position").values_list("report", "aspect")],
)


class Comparisons(LineKind):
    name, many = "comparison", "comparisons"
    of = {"places": "report"}
    columns = {"by_time": "order_by_time", "at": "created_at", "by": "created_by"}
    values = {
        "title": text(comparisons.MOST_TITLE),
        "note": text(LONGEST_REMARK),
        "by_time": FLAG,
        "places": _PLACES,
        "at": MOMENT,
        "by": PERSON,
    }

    def documents(self, team: Team, register: WrittenRegister) -> Iterator[dict[str, Any]]:
        rows = Comparison.objects.filter(team=team, is_demo=False).select_related("created_by")
        for comparison in rows.defer("overview").order_by("created_at", "pk").iterator(chunk_size=200):
            values = self.values_in(comparison)
            if all(register.has("report", report) for report, _ in values["places"]):
                register.add(self.name, comparison.pk)
                yield {self.name: str(comparison.pk), **values}

    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        for report, _ in values["places"]:
            register.refer(self.name, "report", report)
        register.add(self.name, values[self.name])
        register.name([values["by"]])

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        pks = [register.ids["report"].get(report) for report, _ in values["places"]]
        if None in pks:
            register.without[self.many] += 1
            return
        rows = Report.objects.defer(*HEAVY).in_bulk(pks)
        words = {name: values[name] for name in ("title", "note")} | {"aspects": [a for _, a in values["places"]]}
        try:
            compared = [rows[pk] for pk in pks]
            row = comparisons.create_comparison(register.access, compared, order_by_time=values["by_time"], **words)
        except ComparisonRefused as refusal:
            register.remarks.append(f"The comparison “{values['title']}”: {refusal.sentence}")
            return
        own = Comparison.objects.filter(pk=row.pk)
        own.update(created_at=values["at"], **register.by("created_by_id", values["by"]))
        register.add(self.name, values[self.name], row.pk)
        register.counts[self.many] += 1


class Pins(LineKind):
    """The new owner's alone are imported. A line's id is the comparison's."""

    name, many = "pin", "pins"
    of = {"pin": "comparison"}
    columns = {"at": "created_at", "by": "user"}
    values = {"by": PERSON, "at": MOMENT_OR_NONE, **STANDING}

    def documents(self, team: Team, register: WrittenRegister) -> Iterator[dict[str, Any]]:
        pins = Pin.objects.filter(team=team, **({"user": register.pins_of} if register.pins_of else {}))
        for pin in pins.select_related("user").order_by("pk").iterator(chunk_size=200):
            if register.has("comparison", pin.comparison_id):
                yield {self.name: str(pin.comparison_id), **self.values_in(pin)}

    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        register.refer(self.name, "comparison", values[self.name])
        register.count(self.name, f"{values[self.name]} {values['by']}", MOST_PINS, self.many)

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        """Unchanged: the present figures follow once it is compared."""
        user, comparison = register.access.user, register.ids["comparison"].get(values[self.name])
        if comparison is None:
            register.without[self.many] += 1
        elif user is None or values["by"] != user.get_username():
            register.of_others[self.many] += 1
        elif not register.takes((self.name, comparison, values["pair"], values["baseline"], values["anchor"])):
            register.doubles[self.many] += 1
        else:
            columns = {name: values[name] for name in STANDING}
            columns["created_at"] = values["at"] or timezone.now()  # format 1 has none
            pin = Pin(team=register.access.team, user=user, comparison_id=comparison, **columns)
            pin.save_base(raw=True, force_insert=True)
            register.counts[self.many] += 1


KINDS = (People(), Reports(), TRACES, Comparisons(), Pins())
