"""Comparisons, which are computed again, and the owner's pins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils import timezone

from awrdiff.accounts.models import Team
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin
from awrdiff.pins.services import MOST_PINS
from awrdiff.reports.models import Report
from awrdiff.transfer.errors import damage
from awrdiff.transfer.register import ImportedRows, LinesRead, WrittenLines
from awrdiff.transfer.values import STANDING, Flag, Moment, Person, Text, Value, View, uuid_of

LONGEST_REMARK = 10_000
_ASPECT = re.compile(r"(first|second|instance:[0-9]{1,5})?")


class Comparisons:
    name, many = "comparison", "comparisons"
    of: Mapping[str, str] = {"places": "report"}
    values: Mapping[str, Value] = {
        "title": Text(comparisons.MOST_TITLE),
        "note": Text(LONGEST_REMARK),
        "by_time": Flag(),
        "at": Moment(),
        "by": Person(),
    }

    def documents(self, team: Team, lines: WrittenLines) -> Iterator[dict[str, Any]]:
        rows = Comparison.objects.filter(team=team, is_demo=False, mirror_of=None).select_related("created_by")
        for comparison in rows.defer("overview").order_by("created_at", "pk").iterator(chunk_size=200):
            places = list(comparison.places.order_by("position").values_list("report", "aspect"))
            if all(lines.has("report", report) for report, _ in places):
                lines.add(self.name, comparison.pk)
                yield {
                    self.name: str(comparison.pk),
                    "title": comparison.title,
                    "note": comparison.note,
                    "by_time": comparison.order_by_time,
                    "places": [[str(report), aspect] for report, aspect in places],
                    "at": Moment().dump(comparison.created_at),
                    "by": Person().dump(comparison.created_by),
                }

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        places = document.get("places")
        if not isinstance(places, list) or not 2 <= len(places) <= MOST_REPORTS:
            raise damage("a comparison has no reports, or too many")
        return {
            self.name: uuid_of(document.get(self.name), self.name),
            "places": [_place(place) for place in places],
            **{name: value.read(document.get(name), name) for name, value in self.values.items()},
        }

    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        for report, _ in values["places"]:
            lines.refer(self.name, "report", report)
        lines.add(self.name, values[self.name])
        lines.name([values["by"]])

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        pks = [making.ids["report"].get(report) for report, _ in values["places"]]
        if None in pks:
            making.without[self.many] += 1
            return
        there = Report.objects.defer("header", "issues", "head", "assessment").in_bulk(pks)
        words = {name: values[name] for name in ("title", "note")} | {"aspects": [a for _, a in values["places"]]}
        try:
            reports = [there[pk] for pk in pks]
            comparison = comparisons.create_comparison(making.access, reports, order_by_time=values["by_time"], **words)
        except ComparisonRefused as refusal:
            making.remarks.append(f"The comparison “{values['title']}”: {refusal.sentence}")
            return
        own = Comparison.objects.filter(pk=comparison.pk)
        own.update(created_at=values["at"], **making.by("created_by_id", values["by"]))
        making.add(self.name, values[self.name], comparison.pk)
        making.counts[self.many] += 1


def _place(place: Any) -> tuple[str, str]:
    if not isinstance(place, list) or len(place) != 2 or not all(isinstance(part, str) for part in place):
        raise damage("a place of a comparison is not one")
    if not _ASPECT.fullmatch(place[1]):
        raise damage("a part of a report is not one that reports have")
    return uuid_of(place[0], "id"), place[1]


# A pin also has the baseline that it was seen against.
_PINNED = {**STANDING, "baseline": View()}


class Pins:
    """Only those of the new team's owner are imported. A line's id is the comparison's."""

    name, many = "pin", "pins"
    of: Mapping[str, str] = {"pin": "comparison"}
    values: Mapping[str, Value] = {"by": Person(), "at": Moment(optional=True), **_PINNED}

    def documents(self, team: Team, lines: WrittenLines) -> Iterator[dict[str, Any]]:
        pins = Pin.objects.filter(team=team, **({"user": lines.pins_of} if lines.pins_of else {}))
        for pin in pins.select_related("user").order_by("pk").iterator(chunk_size=200):
            if lines.has("comparison", pin.comparison_id):
                own = {name: getattr(pin, name) for name in _PINNED}
                author = {"by": Person().dump(pin.user), "at": Moment().dump(pin.created_at)}
                yield {self.name: str(pin.comparison_id), **author, **own}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        own = {self.name: uuid_of(document.get(self.name), self.name)}
        return own | {name: value.read(document.get(name), name) for name, value in self.values.items()}

    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        lines.refer(self.name, "comparison", values[self.name])
        lines.count(self.name, f"{values[self.name]} {values['by']}", MOST_PINS, self.many)

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        """Unchanged: the present figures follow once it is compared."""
        user, comparison = making.access.user, making.ids["comparison"].get(values[self.name])
        if comparison is None:
            making.without[self.many] += 1
        elif user is None or values["by"] != user.get_username():
            making.of_others[self.many] += 1
        elif not making.takes((self.name, comparison, values["pair"], values["baseline"], values["anchor"])):
            making.doubles[self.many] += 1
        else:
            columns = {name: values[name] for name in _PINNED}
            columns["created_at"] = values["at"] or timezone.now()  # format 1 has none
            pin = Pin(team=making.access.team, user=user, comparison_id=comparison, **columns)
            pin.save_base(raw=True, force_insert=True)
            making.counts[self.many] += 1


KINDS = (Comparisons(), Pins())
