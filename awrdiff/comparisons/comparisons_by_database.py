"""Team's comparisons and reports by database, newest first, without demos."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Value, When, Window
from django.db.models.expressions import RawSQL
from django.db.models.functions import Lower, RowNumber
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import User
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.comparisons import date_search_terms
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.databases import models
from awrdiff.processing.models import State
from awrdiff.processing.storable_values import storable_text
from awrdiff.reports.models import LEFT_OUT, SEVERAL, Report
from awrdiff.reports.queries import reports_for
from awrdiff.search import word_search
from awrdiff.search.name_search import COMPARISONS, MOST, REPORTS, day_text, row_counts, rows_holding
from awrdiff.search.word_search import ids_with

MOST_TERMS = 12
LATEST = ("-begin_at", "-created_at")
MOST_RECENT = 200  # comparisons that bring their database to the front of the list
_UNREAD = Q(state=State.FAILED)
_TEXTS = ("name", "archive", "db_name", "instance_name", "host_name")  # of a report, that are searched


@dataclass(frozen=True, slots=True)
class Group:
    """Database by `uid`, or a bare name ("" for none); a name may mean several `databases`."""

    name: str
    databases: tuple[int, ...] = ()
    uid: UUID | None = None
    dbid: str = ""

    @property
    def key(self) -> tuple[int | None, str]:
        return (self.databases[0], "") if self.uid else (None, self.name)

    @property
    def address(self) -> str:
        return str(self.uid) if self.uid else self.name

    def is_of(self) -> Q:
        """Condition on reports or places with `label`."""
        in_databases = Q(database__in=self.databases)
        return in_databases if self.uid else in_databases | Q(database=None, label=self.name)


@dataclass(frozen=True, slots=True)
class Database:
    """`unread`: failed reports."""

    group: Group
    reports: int
    comparisons: int
    latest: datetime
    unread: int = 0

    @property
    def name(self) -> str:
        return self.group.name


def own_comparisons(access: AccessContext) -> QuerySet[Comparison]:
    return comparisons_for(access).filter(is_demo=False)


def own_reports(access: AccessContext) -> QuerySet[Any]:
    """Selectable, newest window first; parts for multi-report files, no traces."""
    reports = reports_for(access).filter(is_demo=False).exclude(kind=SEVERAL).exclude(error_code=LEFT_OUT)
    # A range of one: for what is equal PostgreSQL would read the places of all reports into a hash.
    attached = ComparisonReport.objects.filter(report__gte=OuterRef("pk"), report__lte=OuterRef("pk"))
    reports = reports.exclude(Q(kind=TRACE) & Exists(attached)).annotate(label=_label())
    return reports.order_by(*LATEST)


def databases(access: AccessContext, *, each_once: bool = False) -> list[Database]:
    """Latest work first, unnamed last. `each_once`: not again for a report not yet placed."""
    rows = {row.pk: row for row in _databases(access)}
    by_key: dict[tuple[int | None, str], Database] = {}
    if access.can_read:
        by_key = {(pk, ""): Database(_group(row), 0, 0, row.at) for pk, row in rows.items() if row.at}
        bare = own_reports(access).filter(database=None).order_by().values("label")
        bare = bare.exclude(_is_placed_soon()) if each_once else bare
        for row in bare.annotate(n=Count("pk"), unread=Count("pk", filter=_UNREAD), at=Max("created_at")):
            by_key[None, row["label"]] = Database(Group(row["label"]), row["n"], 0, row["at"], row["unread"])
    recent = own_comparisons(access).order_by("-created_at").values("pk")
    if access.can_read:  # all others are known by their reports; a guest knows them by comparisons alone
        recent = recent[:MOST_RECENT]
    places = _labelled(places_for(access)).exclude(report__kind=TRACE).filter(comparison__in=recent)
    for pk, label, at in places.values_list("database", "label", "comparison__created_at"):
        key = pk, "" if pk else label
        database_line = by_key.get(key) or Database(_group(rows[pk]) if pk in rows else Group(label), 0, 0, at)
        by_key[key] = replace(database_line, latest=max(at, database_line.latest))
    return sorted(by_key.values(), key=lambda entry: (bool(entry.name), entry.latest), reverse=True)


def _is_placed_soon() -> Q:
    """Unplaced reports whose DBID and name are known."""
    same_database = {"team": OuterRef("team"), "dbid": OuterRef("dbid"), "name": Lower(OuterRef("db_name"))}
    return Q(
        Exists(models.DatabaseIdentity.objects.filter(**same_database)), placed_at=None, state=State.READY, copy_of=None
    )


def _databases(access: AccessContext) -> QuerySet[Any]:
    own = Report.objects.filter(database=OuterRef("pk")).order_by("-created_at")
    team_databases = models.Database.objects.filter(team=access.team, merged_into=None)
    return team_databases.annotate(at=Subquery(own.values("created_at")[:1]))


def _group(database: models.Database) -> Group:
    return Group(database.label, (database.pk,), database.uid, database.dbid if database.name else "")


def group_named(access: AccessContext, text: str) -> Group:
    """Group by id (merged too) or name. Raises NotFound."""
    try:
        uid = UUID(text)
    except ValueError:
        visible = [database for database in _of_name(access, text) if _sees(access, database)] if text else []
        bare = own_reports(access).filter(database=None, label=text)
        is_one = len(visible) == 1 and not bare.exists()
        return _group(visible[0]) if is_one else Group(text, tuple(database.pk for database in visible))
    named_database = models.Database.objects.filter(team=access.team, uid=uid).select_related("merged_into").first()
    if named_database is None or not _sees(access, named_database := named_database.merged_into or named_database):
        raise NotFound("There is no such database.")
    return _group(named_database)


def _of_name(access: AccessContext, text: str) -> list[models.Database]:
    rows = models.DatabaseIdentity.objects.filter(team=access.team)
    own = models.Database.objects.order_by("pk")
    if by_print := list(own.filter(pk__in=rows.filter(name=text.lower()).values("database"))):
        return by_print
    by_dbid = rows.filter(name="").values("database")
    printed = Report.objects.filter(database__in=by_dbid).annotate(label=_label()).filter(label=text)
    return list(own.filter(pk__in=printed.values("database")))


def printed_names(access: AccessContext) -> list[str]:
    labelled = reports_for(access).filter(is_demo=False).annotate(label=_label()).exclude(label="")
    return list(labelled.order_by("label").values_list("label", flat=True).distinct())


def ids(access: AccessContext) -> set[UUID]:
    """Merged ones too."""
    return set(models.Database.objects.filter(team=access.team).values_list("uid", flat=True))


def _sees(access: AccessContext, database: models.Database) -> bool:
    return access.can_read or places_for(access).filter(database=database).exists()


def with_totals(
    access: AccessContext, lines: Iterable[Database], *, each: int = 0
) -> tuple[list[Database], dict[Group, list[UUID]]]:
    """Totals, `each` newest comparisons; one between two databases counts in both."""
    wanted = list(lines)
    groups = [line.group for line in wanted]
    reports: dict[Any, int] = {}
    compared: dict[Any, int] = {}
    newest: dict[Any, list[UUID]] = {group.key: [] for group in groups}
    if access.can_read and (database_ids := _halves(groups)[0]):
        counts = (
            Report.objects.filter(database__in=database_ids).order_by().values_list("database").annotate(n=Count("*"))
        )
        reports = {(pk, ""): n for pk, n in counts}
    order = [F("at").desc(), F("comparison_id").asc()]
    for places, by in _places_of(access, groups):
        if not each:  # a count needs no order
            for row in places.values(*by).annotate(n=Count("comparison_id", distinct=True)):
                compared[_key(row)] = row["n"]
            continue
        own = [F(name) for name in by]
        once = places.values(*by, "comparison_id").annotate(at=Max("comparison__created_at"))
        some = once.annotate(n=Window(Count("*"), partition_by=own), rank=Window(RowNumber(), own, order))
        for row in some.filter(rank__lte=each).order_by("rank"):
            compared[_key(row)] = row["n"]
            newest[_key(row)].append(row["comparison_id"])
    keyed = [(line, line.group.key) for line in wanted]
    return [
        replace(line, reports=reports.get(key, line.reports), comparisons=compared.get(key, 0)) for line, key in keyed
    ], {group: newest[group.key][:each] for group in groups}


def latest_reports(access: AccessContext, wanted: Sequence[Group], *, each: int) -> dict[Group, list[Any]]:
    """Latest windows, at most `each` per group."""
    order = [F("begin_at").desc(), F("created_at").desc()]
    database_ids, names = _halves(wanted)
    reports: list[Any] = []
    if database_ids and access.can_read:  # an index has all that they are ranked by
        rank = Window(RowNumber(), partition_by=[F("database")], order_by=order)
        ranked = Report.objects.filter(database__in=database_ids).order_by().annotate(rank=rank).filter(rank__lte=each)
        reports += reports_for(access).filter(pk__in=ranked.values("pk")).order_by(*LATEST)
    if names:
        rank = Window(RowNumber(), partition_by=[F("label")], order_by=order)
        own = own_reports(access).filter(database=None, label__in=names)
        reports += own.annotate(rank=rank).filter(rank__lte=each)
    return {group: [r for r in reports if key_of(r) == group.key] for group in wanted}


_OF_NONE = Q(database=None) & ~Q(report__kind=TRACE)
_BY_DATABASE, _BY_NAME = ("database",), ("label",)


def _places_of(access: AccessContext, wanted: Sequence[Group]) -> Iterator[tuple[QuerySet[Any], tuple[str, ...]]]:
    """No index serves both databases and names."""
    database_ids, names = _halves(wanted)
    if database_ids:
        yield places_for(access).filter(database__in=database_ids), _BY_DATABASE
    if names:
        yield _labelled(places_for(access)).filter(_OF_NONE, label__in=names), _BY_NAME


def _halves(wanted: Sequence[Group]) -> tuple[list[int], list[str]]:
    return [group.databases[0] for group in wanted if group.uid], [group.name for group in wanted if not group.uid]


def _key(row: Mapping[str, Any]) -> tuple[int | None, str]:
    return row.get("database"), row.get("label", "")


def of_group(access: AccessContext, group: Group) -> tuple[QuerySet[Comparison], QuerySet[Any]]:
    wanted = group.is_of() if group.uid else group.is_of() & ~Q(database=None, report__kind=TRACE)
    here = _labelled(places_for(access)).filter(wanted).values("comparison")
    return own_comparisons(access).filter(pk__in=here), reports_of(access, group)


def reports_of(access: AccessContext, group: Group) -> QuerySet[Any]:
    """Newest window first, without traces, demos, multi-report files."""
    if group.uid is None:
        return own_reports(access).filter(group.is_of())
    reports = reports_for(access).filter(group.is_of()).annotate(label=_label())
    return reports.order_by(*LATEST)


def matching(access: AccessContext, text: str) -> tuple[QuerySet[Comparison], QuerySet[Any]]:
    """Comparisons and reports with every word in title, note, file, database, instance or host name; comparisons also
    in text (indexed.py), comments or maker's name. Days mean window or creation (UTC).
    """
    comparisons, reports, wanted = own_comparisons(access), own_reports(access), terms(text)
    ways = [_ways(access, term) for term in wanted]
    all_reports = rows_holding(REPORTS, access.team.pk, [_texts(term) for term in wanted])
    counts = iter(row_counts(*(way for each in ways for way in each), all_reports))
    for term, each in zip(wanted, ways, strict=True):
        reports = reports.filter(_in_report(term) | on_day(term))
        comparisons = _with_term(comparisons, access, term, [(way, next(counts)) for way in each])
    return comparisons, reports.filter(pk__in=all_reports) if next(counts) <= MOST else reports


def _ways(access: AccessContext, term: date_search_terms.Term) -> list[RawSQL | None]:
    texts, team = [_texts(term)], access.team.pk
    by_names = [rows_holding(of, team, texts) for of in (COMPARISONS, REPORTS)]
    return [*by_names, word_search.rows_holding(term.text), RawSQL(*_people(term).query.sql_with_params())]  # noqa: S611 - Django's own


def _with_term(
    comparisons: QuerySet[Comparison],
    access: AccessContext,
    term: date_search_terms.Term,
    ways: Sequence[tuple[Any, int]],
) -> QuerySet[Comparison]:
    """Small ways are joined; for large ones rows are tested."""
    by_title, in_reports, by_text, (_, people) = ways
    places = ComparisonReport.objects.order_by().filter(_in_report(term, "report__"))
    few: list[QuerySet[Any, Any]] = []
    more = Q(pk__in=[])
    if 0 < by_title[1] <= MOST:
        few.append(Comparison.objects.order_by().filter(_in_comparison(term), pk__in=by_title[0]).values_list("pk"))
    elif by_title[1] or in_reports[1] > MOST:
        more |= _in_comparison(term)
    if 0 < in_reports[1] <= MOST:
        few.append(places.filter(report__in=in_reports[0]).values_list("comparison"))
    elif in_reports[1]:
        # A range of one, and not alone: or PostgreSQL looks through all reports before those of one comparison.
        more |= Q(Exists(places.filter(comparison__gte=OuterRef("pk"), comparison__lte=OuterRef("pk"))))
    if by_text[1]:
        few += ids_with(access, term.text)
    if people and access.can_read:
        more |= Q(created_by__in=_people(term))
    elif len(few) > 1 and all(count <= MOST for _, count in ways):
        return comparisons.filter(pk__in=few[0].union(*few[1:]))
    for some in few:
        more |= Q(pk__in=some)
    return comparisons.filter(more)


def _texts(term: date_search_terms.Term) -> list[str]:
    when = term.when
    return [term.text, *([day_text(when.year, when.month, when.day)] if when else [])]


def _people(term: date_search_terms.Term) -> QuerySet[Any, Any]:
    by_name = Q(username__icontains=term.text) | Q(shown_name__icontains=term.text)
    return User.objects.filter(by_name).order_by().values("pk")


def _in_comparison(term: date_search_terms.Term) -> Q:
    return Q(title__icontains=term.text) | Q(note__icontains=term.text) | on_day(term)


def terms(text: str) -> list[date_search_terms.Term]:
    wanted = date_search_terms.terms(storable_text(text), timezone.now().date())
    words = [term for term in wanted if any(map(str.isalnum, term.text))]  # not the dash in `enq: TX - row lock`
    return (words or wanted)[:MOST_TERMS]


def partners(access: AccessContext, report: Report, *, most: int) -> list[Report]:
    """Own database and kind first, latest first."""
    its_own, kind = reports_of(access, group_of(report)), Q(kind=report.kind)
    near: list[Report] = []
    for some in (its_own.filter(kind), its_own.exclude(kind), own_reports(access)):
        further = some.filter(state=State.READY).exclude(kind=TRACE).exclude(pk__in=[report.pk, *(r.pk for r in near)])
        near += further[: most - len(near)]
        if len(near) == most:
            break
    return near


def standing_on(access: AccessContext, report: Report, *, came_from: str = "") -> QuerySet[Comparison]:
    """Newest first, `came_from` before all."""
    here = Q(pk__in=ComparisonReport.objects.filter(report=report).values("comparison"))
    own = comparisons_for(access).filter(here)
    try:
        wanted = UUID(came_from)
    except ValueError:
        return own
    comparisons = comparisons_for(access, views=True).filter(here)
    return comparisons.order_by(Case(When(pk=wanted, then=Value(0)), default=Value(1)), "-created_at")


def places_for(access: AccessContext) -> QuerySet[Any]:
    own = Q(comparison__team=access.team, comparison__is_demo=False)
    places = ComparisonReport.objects.filter(own).order_by()
    if access.is_guest:
        places = places.filter(comparison__shown__membership=access.membership)
    return places.none() if access.is_shared else places


def _labelled(places: QuerySet[Any]) -> QuerySet[Any]:
    with_label: QuerySet[Any] = places.annotate(label=_label("report__"))
    return with_label


def group_of(report: Report) -> Group:
    return Group(key_of(report)[1]) if report.database_id is None else _group(report.database)


def key_of(report: Report) -> tuple[int | None, str]:
    """Traces have no name."""
    name = "" if report.kind == TRACE else report.db_name or report.instance_name
    return (None, name) if report.database_id is None else (report.database_id, "")


def _label(to: str = "") -> Case:
    """Printed database, else instance."""
    return Case(
        When(**{f"{to}kind": TRACE}, then=Value("")),
        When(**{f"{to}db_name": ""}, then=F(f"{to}instance_name")),
        default=F(f"{to}db_name"),
    )


def _in_report(term: date_search_terms.Term, to: str = "") -> Q:
    wanted = _any(Q(**{f"{to}{name}__icontains": term.text}) for name in _TEXTS)
    if term.when is None:
        return wanted
    how = "startswith" if term.when.year else "contains"
    return wanted | _any(Q(**{f"{to}{end}__{how}": term.when.in_iso()}) for end in ("begin_at", "end_at"))


def on_day(term: date_search_terms.Term, field: str = "created_at") -> Q:
    """Time of day of creation matches nothing."""
    when = term.when
    day_parts = {"year": when.year, "month": when.month, "day": when.day} if when else {}
    conditions = {f"{field}__{part}": number for part, number in day_parts.items() if number is not None}
    return Q(**conditions) if conditions else Q(pk__in=[])


def _any(conditions: Iterable[Q]) -> Q:
    wanted = Q(pk__in=[])
    for condition in conditions:
        wanted |= condition
    return wanted
