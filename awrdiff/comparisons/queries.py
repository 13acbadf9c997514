from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Literal, NamedTuple, TypeAlias
from uuid import UUID

from django.db.models import BigIntegerField, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from awrdiff.accounts.access import AccessContext, NotFound, existing, require_row
from awrdiff.analysis.entities.kinds import KINDS, LONGEST_KEY, Ref
from awrdiff.analysis.entities.two_report_entity import MOST_ROWS, Entity, entity, keys_of
from awrdiff.analysis.export import comparison_json as analysis_document
from awrdiff.analysis.export.comparison_json import unpack_rows
from awrdiff.analysis.model.comparison import CommitLatency, ComparedRow, ComparedSection, IdentityFacts
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.analysis.model.ranked_changes import Ranked
from awrdiff.audit.services import saw
from awrdiff.comparisons.errors import NO_PAIR
from awrdiff.comparisons.models import (
    REVERSE,
    Comparison,
    ComparisonReport,
    ComparisonSection,
    current_version,
    version_in_words,
)
from awrdiff.comparisons.result_storage import TURNED_DOCUMENT, as_in_row_text, lines_with, words_of
from awrdiff.processing.models import State
from awrdiff.reports.models import SEVERAL, Report, ReportTrace
from awrdiff.reports.section_pages import Part, Wanted, part_of
from awrdiff.reports.services import reports_to_keep
from parsers.storage import compressed_blocks
from parsers.storage.compressed_blocks import unpack


def comparisons_for(access: AccessContext, *, views: bool = False) -> QuerySet[Comparison]:
    """Newest first; views only if requested."""
    if access.is_shared:
        return Comparison.objects.none()
    # A place comes with its report in one query: between two, both could be deleted.
    heavy = [f"report__{name}" for name in ("header", "issues", "head")]
    places = ComparisonReport.objects.order_by("position").select_related("report").defer(*heavy)
    listed = {} if views else {"chosen_from": None}
    comparisons = visible_to(access).filter(**listed).defer("overview")
    return comparisons.prefetch_related(Prefetch("places", queryset=places)).order_by("-created_at")


def visible_to(access: AccessContext) -> QuerySet[Comparison]:
    """Team's; guests see those shown to them."""
    comparisons = Comparison.objects.filter(team=access.team)
    return comparisons.filter(shown__membership=access.membership) if access.is_guest else comparisons


def comparison_for(access: AccessContext, pk: UUID | str) -> Comparison:
    """A share link allows its own only."""
    may = access.link is None or access.link.comparison_id == pk
    comparison = require_row(visible_to(access).filter(pk=pk), "There is no such comparison.", may=may)
    saw(access, "comparison", comparison.pk)
    return comparison


@dataclass(frozen=True, slots=True)
class Hanging:
    """Deleted with a comparison; and files that others or incidents keep."""

    going: tuple[Report, ...]
    staying: tuple[Report, ...]
    of_incidents: frozenset[UUID]


def hanging_on(comparison: Comparison) -> Hanging:
    """Agrees with `services.delete`, at this moment."""
    places = ComparisonReport.objects.select_related("report").defer("report__head", "report__header")
    own = {p.report_id: p.report for p in places.filter(comparison=comparison).order_by("position")}
    elsewhere = ComparisonReport.objects.filter(report__in=own).exclude(comparison=comparison)
    used = set(elsewhere.values_list("report_id", flat=True).distinct())
    attached = ReportTrace.objects.filter(trace__in=own).exclude(report__in=set(own) - used)
    kept_reports = frozenset(reports_to_keep(own))
    used |= set(attached.values_list("trace_id", flat=True)) | kept_reports
    going, staying = (tuple(r for pk, r in own.items() if (pk in used) is stays) for stays in (False, True))
    return Hanging(going, staying, kept_reports)


def compared_count(comparison: Comparison) -> int:
    """Excludes traces."""
    return ComparisonReport.objects.filter(comparison=comparison).exclude(report__kind=TRACE).count()


def result_version(comparison: Comparison) -> tuple[object, ...]:
    """Stored version of a ready comparison."""
    row = [getattr(comparison, f.attname) for f in Comparison._meta.concrete_fields if f.attname != "overview"]
    return current_version(), row, hashlib.sha256(bytes(comparison.overview)).hexdigest()


def version_of(access: AccessContext, comparison: Comparison) -> tuple[object, ...]:
    """ETag material, viewer included."""
    link = (access.link.pk, access.link.expires_at) if access.link else None
    other_teams = [team.pk for team in access.other_teams]
    whom = (
        access.team.pk,
        access.user.pk if access.user else None,
        access.is_local,
        access.role,
        other_teams,
        link,
        access.token,
    )
    return *result_version(comparison), whom


def waiting() -> QuerySet[Comparison]:
    """Reports settled; size is that of their files."""
    places = ComparisonReport.objects.filter(comparison=OuterRef("pk")).order_by()
    unreadable = Q(state=State.READY) & ~Q(stored_format__in=Report.readable_formats)
    unsettled = Report.objects.filter(Q(state__in=[State.PENDING, State.RUNNING]) | unreadable)
    unread = places.filter(Q(report__in=unsettled) | Q(report__kind=SEVERAL, report__parts__in=unsettled))
    bytes_together = places.values("comparison").annotate(total=Sum("report__size")).values("total")
    weight = Coalesce(Subquery(bytes_together, output_field=BigIntegerField()), 0)
    return Comparison.objects.filter(~Exists(unread)).annotate(weight=weight)


def overview(comparison: Comparison, pair: int = 0) -> Computed:
    """Everything but the sections."""
    return analysis_document.load_overview(_of_pair(comparison, pair))


def _of_pair(comparison: Comparison, pair: int) -> Mapping[str, Any]:
    document: Mapping[str, Any] | None = _stored(comparison).get(pair)
    return existing(document, NO_PAIR)


def _stored(comparison: Comparison) -> dict[int, Any]:
    return by_pair(bytes(comparison.overview))


def by_pair(overview: bytes) -> dict[int, Any]:
    documents = unpack(overview) if overview else []
    return {REVERSE if document.get(TURNED_DOCUMENT) else n: document for n, document in enumerate(documents)}


def is_stored(comparison: Comparison, pair: int) -> bool:
    """False for a reversed pair not computed, or the first in a copy of a swap."""
    return pair in _stored(comparison)


def is_awaited(comparison: Comparison, pair: int) -> bool:
    """True if only the reversed pair is requested and missing, perhaps failed."""
    is_requested = pair == REVERSE and comparison.both_ways and comparison.is_ready
    return is_requested and not is_stored(comparison, REVERSE)


def shown_state(comparison: Comparison, pair: int) -> str:
    if not is_awaited(comparison, pair):
        return comparison.shown_state
    return "failed" if comparison.renewal_tried >= current_version() else "pending"


def opening_pair(comparison: Comparison) -> int:
    """Last stored; First against latest in old results."""
    return max((pair for pair in overviews(comparison) if pair != REVERSE), default=0)


def identity(comparison: Comparison, pair: int) -> tuple[IdentityFacts, IdentityFacts]:
    """Header facts, cheaper than the overview."""
    return analysis_document.load_identity(_of_pair(comparison, pair))


def movers_of(comparison: Comparison, pair: int) -> Ranked | None:
    return analysis_document.load_ranked(_of_pair(comparison, pair))


def overviews(comparison: Comparison) -> dict[int, Any]:
    """Documents of all pairs. Raises NotFound."""
    pairs = _stored(comparison)
    if not pairs:
        raise NotFound("The comparison is not computed.")
    return pairs


def default_basis(comparison: Comparison, pair: int = 0) -> Literal["s", "total"]:
    """Rates if windows differ in length."""
    return "s" if _of_pair(comparison, pair)["elapsed_differs"] else "total"


def commit_latency(comparison: Comparison, pair: int = 0) -> tuple[CommitLatency, CommitLatency]:
    """Commits of the pair, and of every report compared (equal if two)."""
    own = overview(comparison, pair)
    first = overview(comparison) if pair and is_stored(comparison, 0) else own
    return own.commit_latency, first.commits_of_all or own.commit_latency


def rail(comparison: Comparison, pair: int = 0) -> list[ComparisonSection]:
    """Sections with counts, without rows."""
    sections = ComparisonSection.objects.filter(comparison=comparison, pair=pair)
    return list(sections.defer("payload", "row_text"))


Key: TypeAlias = tuple[UUID, int, str]  # a comparison, a pair of it, a section


def counts(keys: Collection[Key]) -> list[ComparisonSection]:
    """Counts without rows, in one query."""
    return list(_these(keys).defer("payload", "row_text")) if keys else []


def payloads(keys: Collection[Key]) -> Iterator[tuple[Key, bytes]]:
    """Existing packed sections, in one query."""
    if keys:
        stored_sections = _these(keys).values_list("comparison", "pair", "section_id", "payload")
        for comparison, pair, section_id, payload in stored_sections.iterator(chunk_size=10):
            yield (comparison, pair, section_id), bytes(payload)


def _these(keys: Collection[Key]) -> QuerySet[ComparisonSection]:
    anyone = Q()
    for comparison, pair, section_id in keys:
        anyone |= Q(comparison=comparison, pair=pair, section_id=section_id)
    return ComparisonSection.objects.filter(anyone)


def open_section(comparison: Comparison, section_id: str, pair: int = 0) -> ComparedSection:
    """Rows are read lazily, again each time."""
    return analysis_document.open_section(_payload(comparison, section_id, pair))


def load_section(comparison: Comparison, section_id: str, pair: int = 0) -> ComparedSection:
    """All rows; pages use `load_part`."""
    return analysis_document.unpack_section(_payload(comparison, section_id, pair))


def _payload(comparison: Comparison, section_id: str, pair: int) -> bytes:
    sections = ComparisonSection.objects.filter(comparison=comparison, pair=pair, section_id=section_id)
    payload = sections.values_list("payload", flat=True).first()
    return bytes(existing(payload, "The comparison has no such section."))


def load_part(comparison: Comparison, section_id: str, wanted: Wanted, pair: int = 0) -> tuple[ComparedSection, Part]:
    payload = compressed_blocks.Packed(_payload(comparison, section_id, pair))
    number = part_of(payload, wanted, lambda text: _first_row_with(comparison, section_id, text, pair))
    return analysis_document.unpack_block(payload, number), Part.of(payload, number)


def _first_row_with(comparison: Comparison, section_id: str, text: str, pair: int) -> int | None:
    lines = ComparisonSection.objects.filter(comparison=comparison, pair=pair, section_id=section_id)
    row_text = lines.values_list("row_text", flat=True).first() or ""
    words = words_of(text)
    return next(lines_with(words, row_text), None) if words else None


def matching_rows(comparison: Comparison, text: str, pair: int = 0) -> dict[str, int]:
    """Number of rows with every word, by section."""
    return {section_id: sum(1 for _ in matches) for section_id, matches in _matches(comparison, text, pair)}


class Hits(NamedTuple):
    """Matching rows of a section: count and first ones."""

    section: ComparedSection
    total: int
    rows: tuple[ComparedRow, ...]


def first_hits(comparison: Comparison, text: str, pair: int, sections: int, rows: int) -> Iterator[Hits]:
    """First `rows` of at most `sections` sections."""
    for section_id, matches in islice(_matches(comparison, text, pair), sections):
        numbers = list(matches)
        section = open_section(comparison, section_id, pair)
        yield Hits(section, len(numbers), _rows_at(section.rows, numbers[:rows]))


def _rows_at(rows: Iterable[ComparedRow], numbers: Sequence[int]) -> tuple[ComparedRow, ...]:
    wanted = set(numbers)
    return tuple(row for at, row in enumerate(islice(rows, max(wanted) + 1)) if at in wanted)


def _matches(comparison: Comparison, text: str, pair: int) -> Iterator[tuple[str, Iterator[int]]]:
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
    """ "" if current; reasons for members only, as they name files."""
    # As compute_both_ways leaves it: the result itself is of today.
    is_requested_again = comparison.engine_version == current_version() - 1
    if is_requested_again and is_awaited(comparison, REVERSE):
        return ""
    made_by = version_in_words(comparison.engine_version)
    return comparison.renewal_note(current_version(), made_by, with_reason=access.can_read)


def stage_of(comparison: Comparison, report_states: list[str], pair: int = 0) -> str:
    if shown_state(comparison, pair) == "pending":
        return "reading" if any(s in ("pending", "running") for s in report_states) else "waiting"
    return comparison.stage


_MOST_LINES = 20 * MOST_ROWS  # of a section that hold the name, most of them by chance


def find_entity(comparison: Comparison, kind: str, key: str, pair: int = 0) -> Entity:
    """Raises NotFound for what neither report names."""
    if kind not in KINDS or not key.strip() or len(key) > LONGEST_KEY:
        raise NotFound("There is nothing of this name: see docs/entities.md for what has an address.")
    computed = overview(comparison, pair)
    ref = Ref(kind, key)
    texts = {as_in_row_text(t) for k in keys_of(computed, ref) for t in KINDS[kind].spellings(k)} - {""}
    named_entity = entity(computed, _holding(comparison, texts, pair), ref) if texts else None
    return existing(named_entity, f"Neither report names a {KINDS[kind].name} “{key}”.")


def _holding(comparison: Comparison, texts: Iterable[str], pair: int) -> Iterator[ComparedSection]:
    texts = tuple(texts)
    anyone = Q()
    for text in texts:
        anyone |= Q(row_text__contains=text)
    sections = ComparisonSection.objects.filter(anyone, comparison=comparison, pair=pair).order_by("position")
    for row_text, payload in sections.values_list("row_text", "payload").iterator(chunk_size=10):
        lines = (n for n, line in enumerate(row_text.split("\n")) if any(text in line for text in texts))
        rows = list(islice(lines, _MOST_LINES))
        yield unpack_rows(bytes(payload), rows)


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A pair as its page reads it; see `median_comparison.AgainstMedian`."""

    comparison: Comparison
    pair: int

    @property
    def overview(self) -> Computed:
        return overview(self.comparison, self.pair)

    @property
    def elapsed_differs(self) -> bool:
        return default_basis(self.comparison, self.pair) == "s"

    @property
    def lines(self) -> list[ComparisonSection]:
        return rail(self.comparison, self.pair)

    def part(self, section_id: str, wanted: Wanted) -> tuple[ComparedSection, Part]:
        return load_part(self.comparison, section_id, wanted, self.pair)

    def section(self, section_id: str) -> ComparedSection:
        return open_section(self.comparison, section_id, self.pair)
