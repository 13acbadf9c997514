"""What of a database has to be the same for its reports to be held against each other."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from awrdiff.analysis.baseline.changes import PARAMETERS
from awrdiff.analysis.report.startup import bounds
from parsers.model import Report

_TUNED = "__"  # sizes that the instance sets by itself, as it goes


def era_of(report: Report) -> str:
    """16 hex digits of its release, of when its instances were started, and of its parameters at the end.

    Another one where any of them changed. The hour of a start alone counts: some reports print no other.
    """
    return blake2b("\x1f".join(_parts(report)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _parts(report: Report) -> Iterator[str]:
    yield report.release or ""
    started = sorted((i.number or 0, i.startup) for i in report.instances if i.startup is not None)
    yield from (f"{number} {bounds(startup)[0]:%Y-%m-%d %H}" for number, startup in started)
    section = report.section(PARAMETERS)
    if section is None:
        return
    for row in sorted(section.records, key=section.key_of):
        name = " ".join(section.key_of(row)).lower()
        if not name.startswith(_TUNED):
            yield f"{name}={section.text(row, 'end_value') or section.text(row, 'begin_value')}"


__all__ = ["era_of"]
