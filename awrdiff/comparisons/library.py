"""A team's own work by database: comparisons and reports, newest first. Demos are none of it, nor what a swap made."""

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
from awrdiff.analysis.model.traces import TRACE
from awrdiff.comparisons import days
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.databases import models
from awrdiff.processing.models import State
from awrdiff.processing.storable import storable_text
from awrdiff.reports.models import LEFT_OUT, SEVERAL, Report
from awrdiff.reports.queries import reports_for
from awrdiff.search import words
from awrdiff.search.names import COMPARISONS, MOST, REPORTS, day_text, rows_holding
from awrdiff.search.names import counted as counted_rows
from awrdiff.search.of import ids_with

MOST_TERMS = 12
LATEST = ("-begin_at", "-created_at")
MOST_RECENT = 200  # comparisons that bring their database to the front of the list
_UNREAD = Q(state=State.FAILED)
_TEXTS = ("name", "archive", "db_name", "instance_name", "host_name")  # of a report, that are searched


@dataclass(frozen=True, slots=True)
class Group:
    """What work is listed under: a database, by its `uid`; or the name alone of what is of no database that is known,
    "" where it names none or is not read. A name that an address says may be of several `databases`."""

    name: str
    databases: tuple[int, ...] = ()
    uid: UUID | None = None
    dbid: str = ""

    @property
    def key(self) -> tuple[int | None, str]:
        return (self.databases[0], "") if self.uid else (None, self.name)

    @property
    def address(self) -> str:
        """As an address says it."""
        return str(self.uid) if self.uid else self.name

    def is_of(self) -> Q:
        """Of reports with their `label`."""
        known = Q(database__in=self.databases)
        return known if self.uid else known | Q(database=None, label=self.name)

    def has_place(self) -> Q:
        """Of places with their `label`: a trace is listed, but brings its comparisons nowhere."""
        return self.is_of() if self.uid else self.is_of() & ~Q(database=None, report__kind=TRACE)


@dataclass(frozen=True, slots=True)
class Database:
    """What there is of one; `unread` of the `reports` could not be."""

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
    """Those that can be chosen from, with their `label`, newest window first: instead of a file of several what it
    holds, and no trace that a comparison has."""
    found = reports_for(access).filter(is_demo=False).exclude(kind=SEVERAL).exclude(error_code=LEFT_OUT)
    # A range of one: for what is equal PostgreSQL would read the places of all reports into a hash.
    attached = ComparisonReport.objects.filter(report__gte=OuterRef("pk"), report__lte=OuterRef("pk"))
    found = found.exclude(Q(kind=TRACE) & Exists(attached)).annotate(label=_label())
    return found.order_by(*LATEST)


def databases(access: AccessContext, *, each_once: bool = False) -> list[Database]:
    """Those with the latest work first, as `counted` completes them; what names none comes last. A comparison is work
    on its databases while it is one of the latest. `each_once`: a report that was read just now, of a database that is
    known, is no second one of its name until it is placed."""
    rows = {one.pk: one for one in _databases(access)}
    found: dict[tuple[int | None, str], Database] = {}
    if access.can_read:
        found = {(pk, ""): Database(_group(one), 0, 0, one.at) for pk, one in rows.items() if one.at}
        bare = own_reports(access).filter(database=None).order_by().values("label")
        bare = bare.exclude(_is_placed_soon()) if each_once else bare
        for row in bare.annotate(n=Count("pk"), unread=Count("pk", filter=_UNREAD), at=Max("created_at")):
            found[None, row["label"]] = Database(Group(row["label"]), row["n"], 0, row["at"], row["unread"])
    recent = own_comparisons(access).order_by("-created_at").values("pk")
    if access.can_read:  # all others are known by their reports; a guest knows them by comparisons alone
        recent = recent[:MOST_RECENT]
    places = _labelled(places_for(access)).exclude(report__kind=TRACE).filter(comparison__in=recent)
    for pk, label, at in places.values_list("database", "label", "comparison__created_at"):
        key = pk, "" if pk else label
        one = found.get(key) or Database(_group(rows[pk]) if pk in rows else Group(label), 0, 0, at)
        found[key] = replace(one, latest=max(at, one.latest))
    return sorted(found.values(), key=lambda one: (bool(one.name), one.latest), reverse=True)


def _is_placed_soon() -> Q:
    """Of reports that were not looked at yet, and print a DBID and a name that a database is known by."""
    known = {"team": OuterRef("team"), "dbid": OuterRef("dbid"), "name": Lower(OuterRef("db_name"))}
    return Q(Exists(models.DatabaseIdentity.objects.filter(**known)), placed_at=None, state=State.READY, copy_of=None)


def _databases(access: AccessContext) -> QuerySet[Any]:
    """The team's, with the time at which the latest report of each came as `at`."""
    own = Report.objects.filter(database=OuterRef("pk")).order_by("-created_at")
    found = models.Database.objects.filter(team=access.team, merged_into=None)
    return found.annotate(at=Subquery(own.values("created_at")[:1]))


def _group(found: models.Database) -> Group:
    return Group(found.label, (found.pk,), found.uid, found.dbid if found.name else "")


def group_named(access: AccessContext, text: str) -> Group:
    """As an address says it: the id of a database, or of one that was merged into it; or a name, which several may
    have. Raises NotFound."""
    try:
        uid = UUID(text)
    except ValueError:
        known = [one for one in _of_name(access, text) if _sees(access, one)] if text else []
        bare = own_reports(access).filter(database=None, label=text)
        is_one = len(known) == 1 and not bare.exists()
        return _group(known[0]) if is_one else Group(text, tuple(one.pk for one in known))
    found = models.Database.objects.filter(team=access.team, uid=uid).select_related("merged_into").first()
    if found is None or not _sees(access, found := found.merged_into or found):
        raise NotFound("There is no such database.")
    return _group(found)


def _of_name(access: AccessContext, text: str) -> list[models.Database]:
    """Those that a report of the name, in whatever case, is of; or else those in which a report that masks its name, or
    prints none, would be listed under the text."""
    rows = models.DatabaseIdentity.objects.filter(team=access.team)
    own = models.Database.objects.order_by("pk")
    if known := list(own.filter(pk__in=rows.filter(name=text.lower()).values("database"))):
        return known
    by_dbid = rows.filter(name="").values("database")
    printed = Report.objects.filter(database__in=by_dbid).annotate(label=_label()).filter(label=text)
    return list(own.filter(pk__in=printed.values("database")))


def printed_names(access: AccessContext) -> list[str]:
    """All that its reports are, or would be, listed under: of a database or without one."""
    found = reports_for(access).filter(is_demo=False).annotate(label=_label()).exclude(label="")
    return list(found.order_by("label").values_list("label", flat=True).distinct())


def ids(access: AccessContext) -> set[UUID]:
    """Of the team's databases, merged ones too."""
    return set(models.Database.objects.filter(team=access.team).values_list("uid", flat=True))


def _sees(access: AccessContext, found: models.Database) -> bool:
    """Guests know of one where a comparison of it is shown to them."""
    return access.can_read or places_for(access).filter(database=found).exists()


def counted(
    access: AccessContext, found: Iterable[Database], *, each: int = 0
) -> tuple[list[Database], dict[Group, list[UUID]]]:
    """How much there is of each, and its newest comparisons, at most `each`. One between two databases is of both."""
    wanted = list(found)
    groups = [one.group for one in wanted]
    reports: dict[Any, int] = {}
    compared: dict[Any, int] = {}
    newest: dict[Any, list[UUID]] = {group.key: [] for group in groups}
    if access.can_read and (known := _halves(groups)[0]):
        counts = Report.objects.filter(database__in=known).order_by().values_list("database").annotate(n=Count("*"))
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
    keyed = [(one, one.group.key) for one in wanted]
    return [
        replace(one, reports=reports.get(key, one.reports), comparisons=compared.get(key, 0)) for one, key in keyed
    ], {group: newest[group.key][:each] for group in groups}


def latest_reports(access: AccessContext, wanted: Sequence[Group], *, each: int) -> dict[Group, list[Any]]:
    """Of each the reports of its latest windows, at most `each`."""
    order = [F("begin_at").desc(), F("created_at").desc()]
    known, names = _halves(wanted)
    found: list[Any] = []
    if known and access.can_read:  # an index has all that they are ranked by
        rank = Window(RowNumber(), partition_by=[F("database")], order_by=order)
        ranked = Report.objects.filter(database__in=known).order_by().annotate(rank=rank).filter(rank__lte=each)
        found += reports_for(access).filter(pk__in=ranked.values("pk")).order_by(*LATEST)
    if names:
        rank = Window(RowNumber(), partition_by=[F("label")], order_by=order)
        own = own_reports(access).filter(database=None, label__in=names)
        found += own.annotate(rank=rank).filter(rank__lte=each)
    return {one: [r for r in found if key_of(r) == one.key] for one in wanted}


_OF_NONE = Q(database=None) & ~Q(report__kind=TRACE)
_BY_DATABASE, _BY_NAME = ("database",), ("label",)


def _places_of(access: AccessContext, wanted: Sequence[Group]) -> Iterator[tuple[QuerySet[Any], tuple[str, ...]]]:
    """Places of databases, and of names alone: no index answers both at once."""
    known, names = _halves(wanted)
    if known:
        yield places_for(access).filter(database__in=known), _BY_DATABASE
    if names:
        yield _labelled(places_for(access)).filter(_OF_NONE, label__in=names), _BY_NAME


def _halves(wanted: Sequence[Group]) -> tuple[list[int], list[str]]:
    return [one.databases[0] for one in wanted if one.uid], [one.name for one in wanted if not one.uid]


def _key(row: Mapping[str, Any]) -> tuple[int | None, str]:
    return row.get("database"), row.get("label", "")


def of_group(access: AccessContext, group: Group) -> tuple[QuerySet[Comparison], QuerySet[Any]]:
    """All there is of one."""
    here = _labelled(places_for(access)).filter(group.has_place()).values("comparison")
    return own_comparisons(access).filter(pk__in=here), reports_of(access, group)


def reports_of(access: AccessContext, group: Group) -> QuerySet[Any]:
    """Newest window first. What is of a database is no trace, no demo and no file of several."""
    if group.uid is None:
        return own_reports(access).filter(group.is_of())
    found = reports_for(access).filter(group.is_of()).annotate(label=_label())
    return found.order_by(*LATEST)


def matching(access: AccessContext, text: str) -> tuple[QuerySet[Comparison], QuerySet[Any]]:
    """What has every word of `text` in its title or note, in a file's, database's, instance's or host's name; a
    comparison also in what it says (indexed.py), what people say of it, or in the name of who made it. A day (`11 Jan
    2018`, `yesterday`) is that of a report's window, or the one it was made on (UTC)."""
    comparisons, reports, wanted = own_comparisons(access), own_reports(access), terms(text)
    ways = [_ways(access, term) for term in wanted]
    all_reports = rows_holding(REPORTS, access.team.pk, [_texts(term) for term in wanted])
    counts = iter(counted_rows(*(way for each in ways for way in each), all_reports))
    for term, each in zip(wanted, ways, strict=True):
        reports = reports.filter(_in_report(term) | on_day(term))
        comparisons = _with_term(comparisons, access, term, [(way, next(counts)) for way in each])
    return comparisons, reports.filter(pk__in=all_reports) if next(counts) <= MOST else reports


def _ways(access: AccessContext, term: days.Term) -> list[RawSQL | None]:
    """To what one term finds, each by its index: comparisons, reports, what is said; and people."""
    texts, team = [_texts(term)], access.team.pk
    named = [rows_holding(of, team, texts) for of in (COMPARISONS, REPORTS)]
    return [*named, words.rows_holding(term.text), RawSQL(*_people(term).query.sql_with_params())]  # noqa: S611 - Django's own


def _with_term(
    comparisons: QuerySet[Comparison], access: AccessContext, term: days.Term, ways: Sequence[tuple[Any, int]]
) -> QuerySet[Comparison]:
    """Those that one term finds. A way that leads to few rows is gone from there, and one that leads to none is not; of
    more, each comparison is looked at until a page of them is found."""
    named, in_reports, said, (_, people) = ways
    places = ComparisonReport.objects.order_by().filter(_in_report(term, "report__"))
    few: list[QuerySet[Any, Any]] = []
    more = Q(pk__in=[])
    if 0 < named[1] <= MOST:
        few.append(Comparison.objects.order_by().filter(_in_comparison(term), pk__in=named[0]).values_list("pk"))
    elif named[1] or in_reports[1] > MOST:
        more |= _in_comparison(term)
    if 0 < in_reports[1] <= MOST:
        few.append(places.filter(report__in=in_reports[0]).values_list("comparison"))
    elif in_reports[1]:
        # A range of one, and not alone: or PostgreSQL looks through all reports before those of one comparison.
        more |= Q(Exists(places.filter(comparison__gte=OuterRef("pk"), comparison__lte=OuterRef("pk"))))
    if said[1]:
        few += ids_with(access, term.text)
    if people and access.can_read:
        more |= Q(created_by__in=_people(term))
    elif len(few) > 1 and all(count <= MOST for _, count in ways):
        return comparisons.filter(pk__in=few[0].union(*few[1:]))
    for some in few:
        more |= Q(pk__in=some)
    return comparisons.filter(more)


def _texts(term: days.Term) -> list[str]:
    """Of which one stands in what is found by the term."""
    when = term.when
    return [term.text, *([day_text(when.year, when.month, when.day)] if when else [])]


def _people(term: days.Term) -> QuerySet[Any, Any]:
    named = Q(username__icontains=term.text) | Q(shown_name__icontains=term.text)
    return User.objects.filter(named).order_by().values("pk")


def _in_comparison(term: days.Term) -> Q:
    return Q(title__icontains=term.text) | Q(note__icontains=term.text) | on_day(term)


def terms(text: str) -> list[days.Term]:
    """What is looked for."""
    wanted = days.terms(storable_text(text), timezone.now().date())
    said = [term for term in wanted if any(map(str.isalnum, term.text))]  # not the dash in `enq: TX - row lock`
    return (said or wanted)[:MOST_TERMS]


def partners(access: AccessContext, report: Report, *, most: int) -> list[Report]:
    """Read reports it can be compared with: those of its own database and kind first, the latest windows first."""
    its_own, kind = reports_of(access, group_of(report)), Q(kind=report.kind)
    near: list[Report] = []
    for some in (its_own.filter(kind), its_own.exclude(kind), own_reports(access)):
        others = some.filter(state=State.READY).exclude(kind=TRACE).exclude(pk__in=[report.pk, *(r.pk for r in near)])
        near += others[: most - len(near)]
        if len(near) == most:
            break
    return near


def standing_on(access: AccessContext, report: Report, *, came_from: str = "") -> QuerySet[Comparison]:
    """The comparisons the report stands in, newest first; the one of the id `came_from` before all others."""
    here = Q(pk__in=ComparisonReport.objects.filter(report=report).values("comparison"))
    own = comparisons_for(access).filter(here)
    try:
        wanted = UUID(came_from)
    except ValueError:
        return own
    found = comparisons_for(access, views=True).filter(here)
    return found.order_by(Case(When(pk=wanted, then=Value(0)), default=Value(1)), "-created_at")


def places_for(access: AccessContext) -> QuerySet[Any]:
    """Reports in their places in the team's own comparisons."""
    own = Q(comparison__team=access.team, comparison__is_demo=False)
    found = ComparisonReport.objects.filter(own).order_by()
    if access.is_guest:
        found = found.filter(comparison__shown__membership=access.membership)
    return found.none() if access.is_shared else found


def _labelled(places: QuerySet[Any]) -> QuerySet[Any]:
    found: QuerySet[Any] = places.annotate(label=_label("report__"))
    return found


def group_of(report: Report) -> Group:
    """Under what it is listed."""
    return Group(key_of(report)[1]) if report.database_id is None else _group(report.database)


def key_of(report: Report) -> tuple[int | None, str]:
    """Of its group; a trace, which stands beside reports, is listed under no name."""
    name = "" if report.kind == TRACE else report.db_name or report.instance_name
    return (None, name) if report.database_id is None else (report.database_id, "")


def _label(to: str = "") -> Case:
    """The name of what has no database: that of the database it prints, or else of the instance."""
    return Case(
        When(**{f"{to}kind": TRACE}, then=Value("")),
        When(**{f"{to}db_name": ""}, then=F(f"{to}instance_name")),
        default=F(f"{to}db_name"),
    )


def _in_report(term: days.Term, to: str = "") -> Q:
    wanted = _any(Q(**{f"{to}{name}__icontains": term.text}) for name in _TEXTS)
    if term.when is None:
        return wanted
    how = "startswith" if term.when.year else "contains"
    return wanted | _any(Q(**{f"{to}{end}__{how}": term.when.in_iso()}) for end in ("begin_at", "end_at"))


def on_day(term: days.Term, field: str = "created_at") -> Q:
    """Nothing is found by the time of day it was made at."""
    when = term.when
    named = {"year": when.year, "month": when.month, "day": when.day} if when else {}
    asked = {f"{field}__{part}": number for part, number in named.items() if number is not None}
    return Q(**asked) if asked else Q(pk__in=[])


def _any(found: Iterable[Q]) -> Q:
    wanted = Q(pk__in=[])
    for one in found:
        wanted |= one
    return wanted
