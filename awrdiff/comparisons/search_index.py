"""Search text and list line of a comparison, written with its result; never for redacted copies."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from awrdiff.analysis.change_similarity import change_of
from awrdiff.analysis.export.comparison_json import load_overview
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.verdict.ranked_changes import label
from awrdiff.analysis.verdict.summary import line_of
from awrdiff.comparisons.models import REVERSE, Comparison, ComparisonSection
from awrdiff.comparisons.result_storage import TURNED_DOCUMENT
from awrdiff.processing.models import State
from awrdiff.processing.row_locks import lock
from awrdiff.processing.storable_values import storable, storable_text
from awrdiff.search.models import Indexed
from parsers.storage.compressed_blocks import unpack

VERSION = 4  # one higher where what is written of a stored result becomes another
BATCH, EVERY_S = 100, 10  # of older results, by the sweeper
MEDIANS = 3  # of a batch: each takes as long as reading its reports
_MOST_TEXT = 60_000
_SQL_ID = re.compile(r"\b(?=[a-z]*\d)[0-9a-z]{13}\b")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Words:
    line: str
    text: str
    parts: list[dict[str, float]] | None = None


def words_of(pairs: Sequence[Computed], sections: Iterable[ComparisonSection], median: Computed | None = None) -> Words:
    """List line of the opening view, search text of all."""
    views = [*pairs, median] if median is not None else pairs
    lines = [text for computed in views for text in _texts_of(computed)]
    ids = {sql_id for section in sections if section.family == "sql" for sql_id in _SQL_ID.findall(section.row_text)}
    text = "\n".join([*dict.fromkeys(lines), " ".join(sorted(ids))])
    parts = change_of(views[-1].ranked)
    return Words(
        storable_text(line_of(views[-1])), storable_text(text)[:_MOST_TEXT], storable(parts.dump()) if parts else None
    )


def _texts_of(pair: Computed) -> Iterator[str]:
    yield pair.summary
    for finding in pair.findings:
        yield f"{finding.title} {finding.text}"
        if finding.subject:
            yield finding.subject.key
    for mover in pair.ranked.movers if pair.ranked else ():
        yield f"{label(mover.subject)} {mover.about}".strip()
    for setting in pair.ranked.settings if pair.ranked else ():
        yield setting.name


def write(comparison: Comparison, words: Words) -> None:
    """Call in the transaction that stores or locks it."""
    if comparison.copy_of_id:
        return
    columns = {"line": words.line, "text": words.text, "parts": words.parts, "version": VERSION}
    row, fields = Indexed(comparison=comparison, **columns), list(columns)
    Indexed.objects.bulk_create([row], update_conflicts=True, unique_fields=["comparison"], update_fields=fields)


def lines_of(pks: Collection[UUID]) -> dict[UUID, str]:
    return dict(Indexed.objects.filter(comparison__in=pks).values_list("comparison", "line"))


def missing() -> QuerySet[Comparison]:
    """Ready ones without a current line, newest first."""
    current_rows = Indexed.objects.filter(comparison=OuterRef("pk"), version__gte=VERSION)
    comparisons = Comparison.objects.filter(state=State.READY, stored_format__in=Comparison.readable_formats)
    return comparisons.filter(~Exists(current_rows), copy_of=None).order_by("-created_at")


def write_missing(limit: int = BATCH) -> int:
    """Number written."""
    done = medians = 0
    for pk in list(missing().values_list("pk", flat=True)[:limit]):
        with transaction.atomic():
            for locked in lock(Comparison, [pk]):
                median = _median_of(locked)
                medians += median is not None
                write(locked, _stored_words(locked, median))
        done += 1
        if medians == MEDIANS:
            break
    return done


def _median_of(comparison: Comparison) -> Computed | None:
    from awrdiff.comparisons import baseline_reports, median_comparison  # noqa: PLC0415 - hundreds of modules, which a start waits for

    places = baseline_reports.compared_places(comparison)
    try:
        view = median_comparison.opens_on(places) if len(places) > 2 else None
        return median_comparison.against_median(places, view).overview if view is not None else None
    except Exception:
        logger.exception("comparison %s cannot be held against the median of its reports", comparison.pk)
        return None


def _stored_words(comparison: Comparison, median: Computed | None) -> Words:
    """Empty, once, if unreadable."""
    sections = ComparisonSection.objects.filter(comparison=comparison, family="sql")
    try:
        documents = unpack(bytes(comparison.overview)) if comparison.overview else []
        pairs = [load_overview(document) for document in documents if not document.get(TURNED_DOCUMENT)]
        return words_of(pairs, sections.exclude(pair=REVERSE).only("family", "row_text"), median)
    except Exception:
        logger.exception("comparison %s is stored in a way that its verdict cannot be read from", comparison.pk)
        return Words("", "")
