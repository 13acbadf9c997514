"""One entity in a stored comparison, read from its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from django.db.models import Q

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.entities.entity import MOST_ROWS, Entity, entity, keys_of
from awrdiff.analysis.entities.kinds import KINDS, LONGEST_KEY, Ref
from awrdiff.analysis.export.document import unpack_rows
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.comparisons.queries import overview
from awrdiff.comparisons.searched import as_in_row_text

_MOST_LINES = 20 * MOST_ROWS  # of a section that hold the name, most of them by chance


def find_entity(comparison: Comparison, kind: str, key: str, pair: int = 0) -> Entity:
    """Raises NotFound for what neither report names."""
    if kind not in KINDS or not key.strip() or len(key) > LONGEST_KEY:
        raise NotFound("There is nothing of this name: see docs/entities.md for what has an address.")
    computed = overview(comparison, pair)
    ref = Ref(kind, key)
    texts = {as_in_row_text(t) for k in keys_of(computed, ref) for t in KINDS[kind].spellings(k)} - {""}
    found_entity = entity(computed, _holding(comparison, texts, pair), ref) if texts else None
    if found_entity is None:
        raise NotFound(f"Neither report names a {KINDS[kind].name} “{key}”.")
    return found_entity


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
