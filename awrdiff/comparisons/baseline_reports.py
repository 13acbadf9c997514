"""Single reports of a comparison, for baseline views.

Cached by report and parser version; nothing is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar
from uuid import UUID

from django.db.models import Sum
from msgspec.structs import replace

from awrdiff.accounts.access import NotFound, existing, require_row
from awrdiff.analysis.baseline.aligned_sections import MEASURED, Measure, Series, measure, series_of
from awrdiff.analysis.baseline.member_selection import positions_by_time
from awrdiff.analysis.baseline.parameter_differences import PARAMETERS, ParameterChange, parameter_changes
from awrdiff.analysis.baseline.section_vs_median import Against, BaselineSelection, compare_with_baseline, yardstick_of
from awrdiff.analysis.baseline.stacked_db_time import STACKED_OF, Stacked, stack_of
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.names.section_families import family_of
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report_scopes import seen_as
from awrdiff.analysis.rows.align import merged_order
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.report_places_and_titles import places_of
from awrdiff.reports import queries as report_queries
from awrdiff.reports.models import Report, ReportSection
from parsers.model import Report as Parsed
from parsers.model import Section
from parsers.storage.report_serialisation import unpack_report, unpack_section

MOST_ROWS = 60_000  # of one section in all the reports: some 2 s, and 300 MB
DELETED = "One of the reports was deleted in the meantime."
NOWHERE = "None of the chosen reports prints this section."
TOO_LARGE = f"This table has more than {MOST_ROWS:,} rows in all the reports together: choose fewer of them."
_MOST_KNOWN = 512

K = TypeVar("K")
T = TypeVar("T")
Key = tuple[UUID, int, str]  # report, version of the parsers that read it, aspect


class Place(Protocol):
    @property
    def report(self) -> Report: ...
    @property
    def aspect(self) -> str: ...


@dataclass(slots=True)
class ListedSection:
    section_id: str
    title: str
    family: str
    rows: int


_heads: dict[Key, Parsed] = {}
_measures: dict[Key, Measure] = {}
_stacks: dict[tuple[Key, ...], Stacked] = {}
_changes: dict[tuple[Key, ...], list[tuple[ParameterChange, ...]]] = {}
_MOST_SERIES = 32


def compared_places(comparison: Comparison) -> list[ComparisonReport]:
    """Places without traces; addresses number them."""
    return split_traces(places_of(comparison))[0]


def version_of(places: Iterable[Place]) -> object:
    """ETag material of these places."""
    return [(*key_of(p), p.report.name) for p in places]


def heads_of(places: Sequence[Place]) -> list[Parsed]:
    missing = {key_of(p): p for p in places if key_of(p) not in _heads}
    whole = [p.report.pk for p in missing.values() if not p.aspect]
    stored = Report.objects.filter(pk__in=whole).values_list("pk", "head") if whole else ()
    heads = {pk: bytes(head) for pk, head in stored}
    cached_heads = {k: _heads[k] for p in places if (k := key_of(p)) in _heads}
    for key, place in missing.items():
        cached_heads[key] = (
            _part(place, ()) if place.aspect else unpack_report(existing(heads.get(place.report.pk), DELETED), ())
        )
        _keep(_heads, key, cached_heads[key])
    return [cached_heads[key_of(p)] for p in places]


def measures_of(places: Sequence[Place]) -> list[Measure]:
    measures = {k: _measures[k] for p in places if (k := key_of(p)) in _measures}
    missing = [p for p in {key_of(p): p for p in places}.values() if key_of(p) not in measures]
    sections = _sections([p for p in missing if not p.aspect], MEASURED)
    for place, head in zip(missing, heads_of(missing), strict=True):
        own = tuple(sections.get(place.report.pk, {}).values())
        read = _part(place, MEASURED) if place.aspect else replace(head, sections=own)
        measures[key_of(place)] = measure(read)
        _keep(_measures, key_of(place), measures[key_of(place)])
    return [measures[key_of(p)] for p in places]


def stacked_of(places: Sequence[Place]) -> Stacked:
    key = tuple(map(key_of, places))
    if (stack := _stacks.get(key)) is None:
        stack = stack_of([Side(report) for report in reports_with(places, STACKED_OF)])
        _keep(_stacks, key, stack, _MOST_SERIES)
    return stack


def reports_with(places: Sequence[Place], section_ids: Sequence[str]) -> list[Parsed]:
    sections = _sections([p for p in places if not p.aspect], section_ids)
    return [
        _part(place, section_ids)
        if place.aspect
        else replace(head, sections=tuple(sections.get(place.report.pk, {}).values()))
        for place, head in zip(places, heads_of(places), strict=True)
    ]


def parameter_changes_of(places: Sequence[Place], heads: Sequence[Parsed]) -> list[tuple[ParameterChange, ...]]:
    """Changes of each report since the one before."""
    key = tuple(map(key_of, places))
    if (changes := _changes.get(key)) is None:
        order = positions_by_time(heads)
        try:
            changes = parameter_changes(series(places, PARAMETERS), heads, order)
        except NotFound:
            changes = [() for _ in order]
        _keep(_changes, key, changes, _MOST_SERIES)
    return changes


def series(places: Sequence[Place], section_id: str, only: Collection[str] | None = None) -> Series:
    """Raises NotFound, ComparisonRefused for too many rows."""
    whole = [p for p in places if not p.aspect]
    rows = ReportSection.objects.filter(report__in={p.report.pk for p in whole}, section_id=section_id)
    if (rows.aggregate(all=Sum("rows"))["all"] or 0) > MOST_ROWS:
        raise ComparisonRefused(TOO_LARGE)
    by_report = _sections(whole, (section_id,))
    sections = [
        _part(p, (section_id,)).section(section_id) if p.aspect else by_report.get(p.report.pk, {}).get(section_id)
        for p in places
    ]
    if not any(sections):
        raise NotFound(NOWHERE)
    return series_of(sections, [m.basis for m in measures_of(places)], only)


def held_against(
    places: Sequence[Place], view: BaselineSelection, section_id: str, only: Collection[str] | None = None
) -> tuple[Against, Series]:
    """Baseline reports in order, then Second; `only`: row ids."""
    used = [*(places[n] for n in view.members), places[view.second]]
    own = BaselineSelection(tuple(range(len(view.members))), len(view.members))
    section_series, measures = series(used, section_id, only), measures_of(used)
    return compare_with_baseline(
        section_series, [m.basis for m in measures], own, yardstick_of(measures, own)
    ), section_series


def every_section(places: Sequence[Place], view: BaselineSelection) -> Iterator[Against]:
    """One at a time; too large ones are omitted."""
    for line in lines([*(places[n] for n in view.members), places[view.second]]):
        try:
            yield held_against(places, view, line.section_id)[0]
        except (NotFound, ComparisonRefused):
            continue


def lines(places: Sequence[Place]) -> list[ListedSection]:
    """Sections of any report, in order."""
    by_report: dict[tuple[UUID, str], dict[str, ListedSection]] = {}
    whole = {p.report.pk for p in places if not p.aspect}
    stored = ReportSection.objects.filter(report__in=whole).order_by("report", "position")
    for report, section_id, title, rows in stored.values_list("report", "section_id", "title", "rows"):
        line = ListedSection(section_id, title, family_of(section_id), rows)
        by_report.setdefault((report, ""), {})[section_id] = line
    for place in places:
        if place.aspect:
            own = _part(place, None).sections
            listed = {s.id: ListedSection(s.id, s.title, family_of(s.id), len(s.records)) for s in own}
            by_report[place.report.pk, place.aspect] = listed
    return _merge([by_report.get((p.report.pk, p.aspect), {}) for p in reversed(places)])


def _merge(listed: Sequence[dict[str, ListedSection]]) -> list[ListedSection]:
    order: list[str] = []
    most: dict[str, ListedSection] = {}
    for sections in listed:
        order = merged_order(order, list(sections))
        most |= {i: line for i, line in sections.items() if i not in most or line.rows > most[i].rows}
    return [most[i] for i in order]


def key_of(place: Place) -> Key:
    return place.report.pk, place.report.parser_version, place.aspect


def _keep(cache: dict[K, T], key: K, value: T, most: int = _MOST_KNOWN) -> None:
    if len(cache) >= most:
        cache.clear()
    cache[key] = value


def _sections(places: Iterable[Place], wanted: Sequence[str]) -> dict[UUID, dict[str, Section]]:
    reports = {p.report.pk for p in places}
    by_report: dict[UUID, dict[str, Section]] = {}
    stored = ReportSection.objects.filter(report__in=reports, section_id__in=wanted) if reports else ()
    for row in stored:
        by_report.setdefault(row.report_id, {})[row.section_id] = unpack_section(bytes(row.payload))
    return by_report


def _part(place: Place, wanted: Sequence[str] | None) -> Parsed:
    """Its file is read whole. `wanted` None: all sections."""
    read = whole_report(place)
    return read if wanted is None else replace(read, sections=tuple(s for s in read.sections if s.id in wanted))


def whole_report(place: Place) -> Parsed:
    """Raises NotFound."""
    report = require_row(Report.objects.filter(pk=place.report.pk), DELETED)
    return seen_as(report_queries.load_report(report), place.aspect)
