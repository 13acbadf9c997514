"""Identity of a database's setup: only reports of one era compare."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from awrdiff.analysis.baseline.parameter_differences import PARAMETERS
from awrdiff.analysis.report.instance_startup import bounds
from parsers.model import Report

PARAMETER_LISTS = (PARAMETERS, "init_parameters_multi_valued")
_TUNED = "__"  # sizes that the instance sets by itself, as it goes


def era_of(report: Report) -> str:
    """16 hex digits of release, instances, start hours (some print no minutes), final parameters."""
    return blake2b("\x1f".join(_parts(report)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _parts(report: Report) -> Iterator[str]:
    yield report.release or ""
    for instance in sorted(report.instances, key=lambda i: i.number or 0):
        yield (
            f"{instance.number or 0} {bounds(instance.startup)[0]:%Y-%m-%d %H}"
            if instance.startup
            else f"{instance.number or 0}"
        )
    for section in filter(None, map(report.section, PARAMETER_LISTS)):
        for row in sorted(section.records, key=section.key_of):
            name = " ".join(section.key_of(row)).lower()
            if not name.startswith(_TUNED):
                yield f"{name}={section.text(row, 'end_value') or section.text(row, 'begin_value')}"
