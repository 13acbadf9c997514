"""What of a database has to be the same for its reports to be held against each other."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from awrdiff.analysis.baseline.changes import PARAMETERS
from awrdiff.analysis.report.startup import bounds
from parsers.model import Report, Section

PARAMETER_LISTS = (PARAMETERS, "init_parameters_multi_valued")
_TUNED = "__"  # sizes that the instance sets by itself, as it goes


def era_of(report: Report) -> str:
    """16 hex digits of its release, of its instances and when they were started, and of its parameters at the end.

    Another one where any of them changed, and for another instance of the same database. The hour of a start alone
    counts: some reports print no other.
    """
    return blake2b("\x1f".join(_parts(report)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _parts(report: Report) -> Iterator[str]:
    yield report.release or ""
    for one in sorted(report.instances, key=lambda i: i.number or 0):
        yield f"{one.number or 0} {bounds(one.startup)[0]:%Y-%m-%d %H}" if one.startup else f"{one.number or 0}"
    for section in filter(None, map(report.section, PARAMETER_LISTS)):
        yield from _set_in(section)


def _set_in(section: Section) -> Iterator[str]:
    for row in sorted(section.records, key=section.key_of):
        name = " ".join(section.key_of(row)).lower()
        if not name.startswith(_TUNED):
            yield f"{name}={section.text(row, 'end_value') or section.text(row, 'begin_value')}"


__all__ = ["PARAMETER_LISTS", "era_of"]
