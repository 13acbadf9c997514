"""What a comparison is found by, and the line that says it in a list: written with its result.

Of a copy for outsiders nothing is indexed: who searches is never one of them, and
what the original says must not be told by it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from awrdiff.analysis.export.document import load_overview
from awrdiff.analysis.likeness import made_of
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.verdict.line import line_of
from awrdiff.analysis.verdict.movers import label
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.comparisons.pairs import TURNED
from awrdiff.comparisons.record import TURNED_DOCUMENT
from awrdiff.processing.models import State
from awrdiff.processing.rows import lock
from awrdiff.processing.storable import storable, storable_text
from awrdiff.search.models import Indexed
from parsers.storage.document import unpack

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
    """The line of what the page opens on, the last pair or `median`, the latest against those like it; of all of them
    verdict, findings, what moved, and the statements they list."""
    shown = [*pairs, median] if median is not None else pairs
    lines = [text for one in shown for text in _said(one)]
    ids = {found for one in sections if one.family == "sql" for found in _SQL_ID.findall(one.row_text)}
    text = "\n".join([*dict.fromkeys(lines), " ".join(sorted(ids))])
    made = made_of(shown[-1].ranked)
    return Words(
        storable_text(line_of(shown[-1])), storable_text(text)[:_MOST_TEXT], storable(made.dump()) if made else None
    )


def _said(pair: Computed) -> Iterator[str]:
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
    """In the transaction of whoever stores the result, or holds its row."""
    if comparison.copy_of_id:
        return
    said = {"line": words.line, "text": words.text, "parts": words.parts, "version": VERSION}
    row, fields = Indexed(comparison=comparison, **said), list(said)
    Indexed.objects.bulk_create([row], update_conflicts=True, unique_fields=["comparison"], update_fields=fields)


def lines_of(pks: Collection[UUID]) -> dict[UUID, str]:
    return dict(Indexed.objects.filter(comparison__in=pks).values_list("comparison", "line"))


def missing() -> QuerySet[Comparison]:
    """Ready ones of which an older version wrote no line, or another; newest first."""
    written = Indexed.objects.filter(comparison=OuterRef("pk"), version__gte=VERSION)
    found = Comparison.objects.filter(state=State.READY, stored_format__in=Comparison.readable_formats)
    return found.filter(~Exists(written), copy_of=None).order_by("-created_at")


def write_missing(limit: int = BATCH) -> int:
    """Some of them; says how many. A start never waits for it."""
    done = medians = 0
    for pk in list(missing().values_list("pk", flat=True)[:limit]):
        with transaction.atomic():
            for one in lock(Comparison, [pk]):
                median = _median_of(one)
                medians += median is not None
                write(one, _stored_words(one, median))
        done += 1
        if medians == MEDIANS:
            break
    return done


def _median_of(comparison: Comparison) -> Computed | None:
    """What its page opens on, unless that is a pair."""
    from awrdiff.comparisons import baselines, medians  # noqa: PLC0415 - hundreds of modules, which a start waits for

    places = baselines.compared_places(comparison)
    try:
        chosen = medians.opens_on(places) if len(places) > 2 else None
        return medians.against_median(places, chosen).overview if chosen is not None else None
    except Exception:
        logger.exception("comparison %s cannot be held against the median of its reports", comparison.pk)
        return None


def _stored_words(comparison: Comparison, median: Computed | None) -> Words:
    """Of a stored result; nothing of one that cannot be read, which is not tried again and again."""
    sections = ComparisonSection.objects.filter(comparison=comparison, family="sql")
    try:
        documents = unpack(bytes(comparison.overview)) if comparison.overview else []
        pairs = [load_overview(one) for one in documents if not one.get(TURNED_DOCUMENT)]
        return words_of(pairs, sections.exclude(pair=TURNED).only("family", "row_text"), median)
    except Exception:
        logger.exception("comparison %s is stored in a way that its verdict cannot be read from", comparison.pk)
        return Words("", "")
