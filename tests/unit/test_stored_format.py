"""Stored documents outlive the version that made them: those of a known format are read as they are.

`stored/` holds documents as format 1 was first stored. They are never made anew: a test here that fails says that the
shape has changed, which needs a default where the key is read, or another FORMAT. A key with a default is left
out of what is compared here, since these documents lack it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import convert

from awrdiff.analysis.export import comparison_json as compared
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.models import Report
from parsers.storage import report_serialisation as read

STORED = Path(__file__).parent / "stored"


def stored(name: str):
    return json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))


def as_json(document):
    return json.loads(json.dumps(document))


def _is_empty(value):
    return all(map(_is_empty, value.values())) if isinstance(value, dict) else value in (None, [])


def kept(again, stored):
    """Whether `again` says all that `stored` does; what has come since may stand beside it, as null or empty."""
    if isinstance(stored, dict):
        new = [again[key] for key in again if key not in stored]
        return all(map(_is_empty, new)) and all(kept(again[key], value) for key, value in stored.items())
    if isinstance(stored, list):
        return len(again) == len(stored) and all(map(kept, again, stored))
    return again == stored


def read_section(document):
    return read.load_section(document, convert(document["rows"], list[read.StoredRow]))


def test_the_formats_are_those_of_the_stored_documents():
    assert (read.FORMAT, compared.FORMAT) == (1, 1), "store documents of the new format beside those of the old"
    assert read.FORMAT in Report.readable_formats
    assert compared.FORMAT in Comparison.readable_formats


def test_a_report_of_format_1_is_read():
    section = read_section(stored("report-section-1"))
    report = read.load_head(stored("report-head-1"), (section,))
    assert report.database.name == "PAY"
    assert section.records[0].cells[0] == "log file sync"
    again = as_json(read.dump_head(report))
    assert {key: again[key] for key in stored("report-head-1")} == stored("report-head-1")
    again = as_json(read.dump_section(section))
    assert {key: again[key] for key in stored("report-section-1")} == stored("report-section-1")


def test_a_comparison_of_format_1_is_read():
    for name, load, dump in (
        ("comparison-section-1", compared.load_section, compared.dump_section),
        ("comparison-overview-1", compared.load_overview, compared.dump_overview),
    ):
        again = as_json(dump(load(stored(name))))
        for key, value in stored(name).items():
            assert key in ("rules", "findings") or kept(again[key], value), key


def test_rules_that_were_only_counted_are_counted_still():
    document = {**stored("comparison-overview-1"), "rules": [34, 24, 3]}
    loaded = compared.load_overview(document)
    assert [len(loaded.rules_in(state)) for state in ("fired", "quiet", "forbidden", "unknown")] == [7, 24, 0, 3]


@pytest.mark.parametrize("name", ["report-head-1", "report-section-1", "comparison-section-1", "comparison-overview-1"])
def test_a_key_that_is_not_known_harms_nothing(name):
    """As a newer version of the same format may store."""
    document = {**stored(name), "of_a_newer_version": 1}
    load = {
        "report-head-1": lambda d: read.load_head(d, ()),
        "report-section-1": read_section,
        "comparison-section-1": compared.load_section,
        "comparison-overview-1": compared.load_overview,
    }[name]
    assert load(document)
