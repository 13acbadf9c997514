"""The whole: nothing changes against itself, swapping mirrors, and what is stored comes back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_all, compare_reports
from awrdiff.analysis.export.comparison_json import (
    as_dict,
    as_dict_of_all,
    dump_overview,
    dump_section,
    load_overview,
    load_section,
    plain,
)
from awrdiff.analysis.export.csv import HEADER, as_csv
from awrdiff.analysis.export.markdown import as_markdown, escape
from parsers.model import Column, Report, Row, Value
from tests.harness import corpus as real
from tests.unit.analysis.builders import events, exact, loaded, near, parameters, report, section
from tests.unit.analysis.commit_builders import committing

ONE = loaded(more=[parameters({"a": "1", "b": "x"})], waits={"x": (10, 5.0), "gone": (10, 500.0), "idle": (1, -9.0)})
OTHER = loaded(
    more=[parameters({"a": "2", "c": "y"})],
    waits={"x": (40, 90.0), "new": (3, 7.0)},
    elapsed=1800.0,
    begin_snap=300,
)


def test_against_itself_nothing_changes():
    c = compare_reports(ONE, ONE)
    assert all(r.status == "same" for s in c.sections for r in s.rows)
    assert all(not d.significant and not d.diff for s in c.sections for r in s.rows for d in r.values.values())
    assert c.attribution.residual_per_s == pytest.approx(0)
    assert not c.elapsed_differs


def mirrored(a: Report, b: Report) -> None:
    there, back = compare_reports(a, b), compare_reports(b, a)
    turned = {"only_first": "only_second", "only_second": "only_first"}
    reverse = {(s.id, r.row_id): r for s in back.sections for r in s.rows}
    assert len(reverse) == sum(len(s.rows) for s in there.sections)
    for s in there.sections:
        for r in s.rows:
            other = reverse[(s.id, r.row_id)]
            assert other.status == turned.get(r.status, r.status)
            assert other.weight == pytest.approx(r.weight)
            for column, d in r.values.items():
                o = other.values[column]
                assert (d.first, d.second) == (o.second, o.first)
                assert (d.significant, d.significant_per_s) == (o.significant, o.significant_per_s)
                assert (d.diff is None) == (o.diff is None)
                assert d.diff is None or d.diff == pytest.approx(-o.diff)
    if there.attribution is not None:
        assert there.attribution.residual_per_s == pytest.approx(-back.attribution.residual_per_s)


def test_swapping_mirrors():
    mirrored(ONE, OTHER)


def test_elapsed_that_differs_makes_rates_the_default():
    assert compare_reports(ONE, OTHER).elapsed_differs
    assert not compare_reports(loaded(elapsed=3600.0), loaded(elapsed=3650.0)).elapsed_differs


def test_storage_round_trip():
    c = compare_reports(ONE, OTHER)
    stored = json.loads(json.dumps(dump_overview(c)))
    loaded_back = load_overview(stored)
    assert json.loads(json.dumps(dump_overview(loaded_back))) == stored
    assert loaded_back.sections == ()
    assert loaded_back.attribution == c.attribution
    assert loaded_back.commit_latency == c.commit_latency
    assert loaded_back.findings == c.findings
    assert loaded_back.identity == c.identity
    for s in c.sections:
        assert load_section(json.loads(json.dumps(dump_section(s)))) == s


def test_the_document():
    document = as_dict(compare_reports(ONE, OTHER))
    assert json.loads(json.dumps(document)) == document
    assert document["schema"] == "awrdiff.comparison/1"
    assert len(document["reports"]) == 2
    assert document["commit_latency"]["causes"] == []
    rows = next(s for s in document["sections"] if s["id"] == "foreground_wait_events")["rows"]
    x = next(r for r in rows if r["key"] == {"event": "x"})
    assert x["values"]["waits"]["first"] == 10
    assert x["values"]["waits"]["diff"] == 30
    assert x["values"]["waits"]["pct"] == 300
    assert x["values"]["waits"]["pct_per_s"] == pytest.approx(700)
    gone = next(r for r in rows if r["key"] == {"event": "gone"})
    assert gone["status"] == "only_first"
    assert gone["values"]["waits"]["second"] is None


def test_more_than_two():
    document = as_dict_of_all(compare_all([ONE, OTHER, ONE]))
    assert len(document["reports"]) == 3
    assert [(p["first"], p["second"]) for p in document["pairs"]] == [(0, 1), (0, 2)]
    assert document["sections"] == document["pairs"][0]["sections"]


def test_commits_of_more_than_two_are_said_together():
    made = compare_all([committing(lfs=(n, n / 500)) for n in (36_000, 40_000, 50_000)])
    document = as_dict_of_all(made)
    assert [f["lfs_waits"]["value"] for f in document["commit_latency"]["reports"]] == [36_000, 40_000, 50_000]
    assert document["commit_latency"]["change"]["lfs_waits"]["value"] == 14_000
    assert [f["lfs_waits"]["value"] for f in document["pairs"][0]["commit_latency"]["reports"]] == [36_000, 40_000]
    assert made[1].commits_of_all is None
    stored = load_overview(dump_overview(made[0]))
    assert stored.commits_of_all == made[0].commits_of_all
    assert compare_all([ONE, OTHER])[0].commits_of_all is None


def test_plain_numbers():
    assert repr(plain(5.0)) == "5"
    assert plain(0.1 + 0.2) == 0.3
    assert plain(None) is None


def test_sections_of_one_side_only():
    c = compare_reports(report(events({"a": (1, 1)})), report(parameters({"p": "1"})))
    assert {s.id: (s.first_present, s.second_present) for s in c.sections} == {
        "foreground_wait_events": (True, False),
        "init_parameters": (False, True),
    }


HOSTILE = section(
    "sql_text",
    (Column("sql_id", "Id"), Column("module", "Module")),
    [("=cmd|'/c calc'!A1", "<script>alert(1)</script>| a\nb"), ("-1+1", "*x* `y`")],
)


def test_csv_is_read_back_and_holds_no_formula():
    c = compare_reports(report(HOSTILE, parameters({"p": "1"})), report(HOSTILE, parameters({"p": "2"})))
    rows = list(csv.DictReader(io.StringIO(as_csv([c]))))
    assert tuple(rows[0]) == HEADER
    assert not [r for r in rows if r["key"].startswith(("=", "-", "+", "@"))]
    changed = next(r for r in rows if r["key"] == "p")
    assert (changed["first"], changed["second"], changed["significant"]) == ("1", "2", "yes")


def test_markdown_says_the_unit_of_bytes_and_no_wait_of_nothing():
    """Bytes stand under printed labels such as `Memory (GB)`; 0 s in all over 6 waits is under what rounds up."""
    printed = section("host", (Column("host_name", "Host"), Column("memory_bytes", "Memory (GB)", "bytes")), [])
    sides = [replace(printed, records=(Row(("db1", near(gb * 2.0**30, 5e6))),)) for gb in (7.79, 15.58)]
    no_time = replace(events({}), records=(Row(("log file sync", exact(6), near(0), None, exact(0))),))
    text = as_markdown([compare_reports(report(no_time, sides[0]), report(no_time, sides[1]))])
    assert "7.79 GB → 15.58 GB" in text
    assert "| commit wait: log file sync | under 83.3 ms |" in text


def test_markdown_shows_what_changed_and_escapes_the_rest():
    text = as_markdown([compare_reports(report(), report(HOSTILE, begin_snap=3))])
    assert "<script>" not in text
    assert "\\<script\\>" in text
    assert "(not in First)" in text
    assert escape("a|b\n# c") == "a\\|b \\# c"
    full = as_markdown([compare_reports(ONE, OTHER)])
    assert "## Where the time went" in full
    assert "## Commit latency" in full
    assert "rows changed by 1 % of DB time, or as much as that; " in full
    assert "## What got worse" in full


def test_bad_input_is_one_line_and_writes_nothing(tmp_path: Path):
    target = tmp_path / "out.json"
    picture = tmp_path / "picture.html"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 99)
    for bad in (str(tmp_path / "nothing"), str(picture)):
        with pytest.raises(CommandError) as refused:
            call_command("compare", bad, bad, "--output", str(target))
        assert refused.value.returncode == 2
        assert "\n" not in str(refused.value)
        assert not target.exists()


CORPUS_PAIRS = [
    ("12.1.0.2-single-receipt-173494-173496.html", "12.1.0.2-single-receipt-173498-173500.html"),
    ("11.1.0.7-rac-demo-812-813.html", "19.0-rac-xydb-0800-0900.html"),
    ("11.2.0.4-single-dquito-5382-5535.html", "23.7-single-sprint15.html"),
]


@pytest.mark.corpus
@pytest.mark.parametrize("pair", CORPUS_PAIRS, ids=lambda p: p[0][:20])
def test_real_pairs_mirror_and_round_trip(corpus: Path, pair: tuple[str, str]):
    a, b = (real.read(corpus / n) for n in pair)
    mirrored(a, b)
    c = compare_reports(a, b)
    assert all(load_section(json.loads(json.dumps(dump_section(s)))) == s for s in c.sections)
    json.dumps(as_dict(c), allow_nan=False)
    assert len({(s.id, r.row_id) for s in c.sections for r in s.rows}) == sum(len(s.rows) for s in c.sections)
    assert "None" not in c.summary


@pytest.mark.corpus
def test_the_receipt_pair(corpus: Path):
    """Active sessions × 21.3 (DB time × 21.8 over a longer window): it is parsing, and commits do not matter."""
    c = real.compared(*(corpus / n for n in CORPUS_PAIRS[0]))
    assert "rose from 3.8 to 81.4 (×21.3)" in c.summary
    assert "transactions flat" in c.summary
    assert "parsing took 88 % of DB time, up from 44 %" in c.summary
    assert "shared pool and library cache" in c.summary
    assert "ommit" not in c.summary
    assert not c.commit_latency.material
    assert c.elapsed_differs
    assert c.warnings == ()
    first, second = c.commit_latency.reports
    assert first.naive_overhead_s.value == pytest.approx(0.000129, abs=1e-6)
    assert second.naive_overhead_s.value == pytest.approx(0.000609, abs=1e-6)
    assert c.attribution.first_covered == pytest.approx(0.803, abs=0.001)
    assert c.attribution.second_covered == pytest.approx(0.765, abs=0.001)
    top = c.attribution.parts[0]
    assert top.key == "library cache: mutex X"
    assert (top.diff_per_s, top.by_count_per_s, top.by_latency_per_s) == pytest.approx((27.24, 5.37, 21.87), abs=0.05)


def test_near_and_exact_are_values():
    assert (near(1), exact(1)) == (Value(1, 0.5), Value(1, 0))
