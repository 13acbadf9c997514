"""Reads of the comparisons app. Nothing of another team, or beside a share link's comparison, is ever found."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Literal, NamedTuple, TypeAlias
from uuid import UUID

from django.db.models import BigIntegerField, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.export import document as analysis_document
from awrdiff.analysis.export import packed
from awrdiff.analysis.model.comparison import CommitLatency, ComparedRow, ComparedSection, IdentityFacts
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.ranked import Ranked
from awrdiff.analysis.model.traces import TRACE
from awrdiff.audit.services import saw
from awrdiff.comparisons import versions
from awrdiff.comparisons.models import Comparison, ComparisonReport, ComparisonSection
from awrdiff.comparisons.pairs import NO_PAIR, TURNED
from awrdiff.comparisons.record import TURNED_DOCUMENT
from awrdiff.comparisons.searched import lines_with, words_of
from awrdiff.processing import renewal
from awrdiff.processing.models import State
from awrdiff.processing.rows import row_or_none
from awrdiff.reports.models import SEVERAL, Report, ReportTrace
from awrdiff.reports.parts import Part, Wanted, part_of
from awrdiff.reports.services import reports_to_keep
from parsers.storage import blocks
from parsers.storage.document import unpack


def comparisons_for(access: AccessContext, *, views: bool = False) -> QuerySet[Comparison]:
    """The team's comparisons, newest first, with their reports in order; views of other parts of the reports are
    behind their original, unless they are asked for too."""
    if access.is_shared:
        return Comparison.objects.none()
    # A place comes with its report in one query: between two, both could be deleted.
    heavy = [f"report__{name}" for name in ("header", "issues", "head")]
    places = ComparisonReport.objects.order_by("position").select_related("report").defer(*heavy)
    listed = {} if views else {"chosen_from": None}
    found = visible_to(access).filter(**listed).defer("overview")
    return found.prefetch_related(Prefetch("places", queryset=places)).order_by("-created_at")


def visible_to(access: AccessContext) -> QuerySet[Comparison]:
    """The team's; of these a guest sees what was shown to them."""
    found = Comparison.objects.filter(team=access.team)
    return found.filter(shown__membership=access.membership) if access.is_guest else found


def comparison_for(access: AccessContext, pk: UUID | str) -> Comparison:
    """One comparison the access allows; a share link allows its own only."""
    found = row_or_none(visible_to(access).filter(pk=pk))
    if found is None or (access.link is not None and access.link.comparison_id != found.pk):
        raise NotFound("There is no such comparison.")
    saw(access, "comparison", found.pk)
    return found


@dataclass(frozen=True, slots=True)
class Hanging:
    """What goes when a comparison is deleted, and which of its files stay because another comparison has them, or
    (`held`) an incident."""

    going: tuple[Report, ...]
    staying: tuple[Report, ...]
    held: frozenset[UUID]


def hanging_on(comparison: Comparison) -> Hanging:
    """As `services.delete` does it, at this moment."""
    places = ComparisonReport.objects.select_related("report").defer("report__head", "report__header")
    own = {p.report_id: p.report for p in places.filter(comparison=comparison).order_by("position")}
    others = ComparisonReport.objects.filter(report__in=own).exclude(comparison=comparison)
    used = set(others.values_list("report_id", flat=True).distinct())
    attached = ReportTrace.objects.filter(trace__in=own).exclude(report__in=set(own) - used)
    kept = frozenset(reports_to_keep(own))
    used |= set(attached.values_list("trace_id", flat=True)) | kept
    going, staying = (tuple(r for pk, r in own.items() if (pk in used) is stays) for stays in (False, True))
    return Hanging(going, staying, kept)


def compared_count(comparison: Comparison) -> int:
    """How many reports it compares; traces are no reports."""
    return ComparisonReport.objects.filter(comparison=comparison).exclude(report__kind=TRACE).count()


def result_version(comparison: Comparison) -> tuple[object, ...]:
    """What is stored of a ready comparison, whoever asks."""
    row = [getattr(comparison, f.attname) for f in Comparison._meta.concrete_fields if f.attname != "overview"]
    return versions.current(), row, hashlib.sha256(bytes(comparison.overview)).hexdigest()


def version_of(access: AccessContext, comparison: Comparison) -> tuple[object, ...]:
    """What an answer about a ready comparison is made from, and for whom it is: for its ETag."""
    link = (access.link.pk, access.link.expires_at) if access.link else None
    others = [team.pk for team in access.other_teams]
    whom = (
        access.team.pk,
        access.user.pk if access.user else None,
        access.is_local,
        access.role,
        others,
        link,
        access.token,
    )
    return *result_version(comparison), whom


def waiting() -> QuerySet[Comparison]:
    """Those whose reports, and the reports in a file of several, are all settled; their size is that of their files
    together."""
    places = ComparisonReport.objects.filter(comparison=OuterRef("pk")).order_by()
    unreadable = Q(state=State.READY) & ~Q(stored_format__in=Report.readable_formats)
    unsettled = Report.objects.filter(Q(state__in=[State.PENDING, State.RUNNING]) | unreadable)
    unread = places.filter(Q(report__in=unsettled) | Q(report__kind=SEVERAL, report__parts__in=unsettled))
    bytes_together = places.values("comparison").annotate(total=Sum("report__size")).values("total")
    weight = Coalesce(Subquery(bytes_together, output_field=BigIntegerField()), 0)
    return Comparison.objects.filter(~Exists(unread)).annotate(weight=weight)


def overview(comparison: Comparison, pair: int = 0) -> Computed:
    """Everything of the computed comparison but its sections."""
    return analysis_document.load_overview(_of_pair(comparison, pair))


def _of_pair(comparison: Comparison, pair: int) -> Mapping[str, Any]:
    found: Mapping[str, Any] | None = _stored(comparison).get(pair)
    if found is None:
        raise NotFound(NO_PAIR)
    return found


def _stored(comparison: Comparison) -> dict[int, Any]:
    return by_pair(bytes(comparison.overview))


def by_pair(overview: bytes) -> dict[int, Any]:
    """By pair, in order."""
    documents = unpack(overview) if overview else []
    return {TURNED if one.get(TURNED_DOCUMENT) else n: one for n, one in enumerate(documents)}


def is_stored(comparison: Comparison, pair: int) -> bool:
    """False of the other way round where nobody asked for it, or it is not computed yet; and of the first pair in a
    copy that was made of a swap."""
    return pair in _stored(comparison)


def is_awaited(comparison: Comparison, pair: int) -> bool:
    """Whether the other way round was asked for, and is not computed: the rest of the comparison is."""
    asked = pair == TURNED and comparison.both_ways and comparison.is_ready
    return asked and not is_stored(comparison, TURNED)


def shown_state(comparison: Comparison, pair: int) -> str:
    """As of the comparison, of this pair of it."""
    if not is_awaited(comparison, pair):
        return comparison.shown_state
    return "failed" if comparison.renewal_tried >= versions.current() else "pending"


def opening_pair(comparison: Comparison) -> int:
    """The last that is stored: the latest against the one before it, or First against the latest where an older version
    stored no such pair."""
    return max((pair for pair in overviews(comparison) if pair != TURNED), default=0)


def identity(comparison: Comparison, pair: int) -> tuple[IdentityFacts, IdentityFacts]:
    """What both reports of a pair say of themselves: a fraction of the work that its overview is."""
    return analysis_document.load_identity(_of_pair(comparison, pair))


def movers_of(comparison: Comparison, pair: int) -> Ranked | None:
    """What got worse and better in a pair."""
    return analysis_document.load_ranked(_of_pair(comparison, pair))


def overviews(comparison: Comparison) -> dict[int, Any]:
    """Of every pair as it is stored. Raises NotFound where nothing is."""
    pairs = _stored(comparison)
    if not pairs:
        raise NotFound("The comparison is not computed.")
    return pairs


def default_basis(comparison: Comparison, pair: int = 0) -> Literal["s", "total"]:
    """Rates where the windows differ in length: asked for every section and panel, so nothing else is made of it."""
    return "s" if _of_pair(comparison, pair)["elapsed_differs"] else "total"


def commit_latency(comparison: Comparison, pair: int = 0) -> tuple[CommitLatency, CommitLatency]:
    """Commits of the pair, and of every report compared (the same where there are two, or the first pair is not stored
    yet)."""
    own = overview(comparison, pair)
    first = overview(comparison) if pair and is_stored(comparison, 0) else own
    return own.commit_latency, first.commits_of_all or own.commit_latency


def rail(comparison: Comparison, pair: int = 0) -> list[ComparisonSection]:
    """The sections in order with their counts, without their rows."""
    found = ComparisonSection.objects.filter(comparison=comparison, pair=pair)
    return list(found.defer("payload", "row_text"))


Key: TypeAlias = tuple[UUID, int, str]  # a comparison, a pair of it, a section


def counts(keys: Collection[Key]) -> list[ComparisonSection]:
    """These sections without their rows, in one query."""
    return list(_these(keys).defer("payload", "row_text")) if keys else []


def payloads(keys: Collection[Key]) -> Iterator[tuple[Key, bytes]]:
    """These sections, packed, in one query; those that are there."""
    if keys:
        found = _these(keys).values_list("comparison", "pair", "section_id", "payload")
        for comparison, pair, section_id, payload in found.iterator(chunk_size=10):
            yield (comparison, pair, section_id), bytes(payload)


def _these(keys: Collection[Key]) -> QuerySet[ComparisonSection]:
    anyone = Q()
    for comparison, pair, section_id in keys:
        anyone |= Q(comparison=comparison, pair=pair, section_id=section_id)
    return ComparisonSection.objects.filter(anyone)


def open_section(comparison: Comparison, section_id: str, pair: int = 0) -> ComparedSection:
    """One section; its rows are read anew, some at a time, whenever they are walked through."""
    return packed.open_section(_payload(comparison, section_id, pair))


def load_section(comparison: Comparison, section_id: str, pair: int = 0) -> ComparedSection:
    """One section with all its rows. For pages there is `load_part`."""
    return packed.unpack_section(_payload(comparison, section_id, pair))


def _payload(comparison: Comparison, section_id: str, pair: int) -> bytes:
    found = ComparisonSection.objects.filter(comparison=comparison, pair=pair, section_id=section_id)
    payload = found.values_list("payload", flat=True).first()
    if payload is None:
        raise NotFound("The comparison has no such section.")
    return bytes(payload)


def load_part(comparison: Comparison, section_id: str, wanted: Wanted, pair: int = 0) -> tuple[ComparedSection, Part]:
    """The rows of one section that a page shows at most: all of them, or one part of a very large section."""
    found = blocks.Packed(_payload(comparison, section_id, pair))
    number = part_of(found, wanted, lambda text: _first_row_with(comparison, section_id, text, pair))
    return packed.unpack_block(found, number), Part.of(found, number)


def _first_row_with(comparison: Comparison, section_id: str, text: str, pair: int) -> int | None:
    lines = ComparisonSection.objects.filter(comparison=comparison, pair=pair, section_id=section_id)
    row_text = lines.values_list("row_text", flat=True).first() or ""
    words = words_of(text)
    return next(lines_with(words, row_text), None) if words else None


def matching_rows(comparison: Comparison, text: str, pair: int = 0) -> dict[str, int]:
    """How many rows of each section hold every word of `text` in their key or texts; sections without any are left
    out."""
    return {section_id: sum(1 for _ in found) for section_id, found in _matches(comparison, text, pair)}


class Hits(NamedTuple):
    """The rows of one section that a search finds: how many, and the first of them."""

    section: ComparedSection
    total: int
    rows: tuple[ComparedRow, ...]


def first_hits(comparison: Comparison, text: str, pair: int, sections: int, rows: int) -> Iterator[Hits]:
    """Of `sections` sections at most, in the order of the report, the first `rows` rows that match."""
    for section_id, found in islice(_matches(comparison, text, pair), sections):
        numbers = list(found)
        section = open_section(comparison, section_id, pair)
        yield Hits(section, len(numbers), _rows_at(section.rows, numbers[:rows]))


def _rows_at(rows: Iterable[ComparedRow], numbers: Sequence[int]) -> tuple[ComparedRow, ...]:
    wanted = set(numbers)
    return tuple(row for at, row in enumerate(islice(rows, max(wanted) + 1)) if at in wanted)


def _matches(comparison: Comparison, text: str, pair: int) -> Iterator[tuple[str, Iterator[int]]]:
    """Section id and the numbers of its rows that match, section after section."""
    words = words_of(text)
    if not words:
        return
    sections = ComparisonSection.objects.filter(comparison=comparison, pair=pair)
    for word in words:
        sections = sections.filter(row_text__contains=word)
    listed = sections.values_list("section_id", "row_text").iterator(chunk_size=10)
    for section_id, row_text in listed:
        numbers = lines_with(words, row_text)
        first = next(numbers, None)
        if first is not None:  # each word may stand in another row
            yield section_id, chain((first,), numbers)


def renewal_note(access: AccessContext, comparison: Comparison) -> str:
    """What is said of a comparison that an older version made; "" where it is up to date. Why renewing it did not
    succeed is for members, as it may name files."""
    asked_for = comparison.engine_version == versions.current() - 1  # as both_ways.py makes it; the result is of today
    if asked_for and is_awaited(comparison, TURNED):
        return ""
    made_by = versions.in_words(comparison.engine_version)
    return renewal.note(comparison, versions.current(), made_by, with_reason=access.can_read)


def stage_of(comparison: Comparison, report_states: list[str], pair: int = 0) -> str:
    """What is being done now, in a word: a pending comparison waits for its reports, or for a worker."""
    if shown_state(comparison, pair) == "pending":
        return "reading" if any(s in ("pending", "running") for s in report_states) else "waiting"
    return comparison.stage
