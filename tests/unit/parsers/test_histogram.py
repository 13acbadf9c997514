"""One distribution out of a chain of tables."""

from __future__ import annotations

import pytest

from parsers import parse_report
from parsers.model import Section, Value
from parsers.sections.histogram import parse_bucket
from tests.unit.parsers.reports import report, section, table

MAIN_12_1 = [
    "Event",
    "Total Waits",
    "\u2039 1ms".replace(" ", ""),
    "<2ms",
    "<4ms",
    "<8ms",
    "<16ms",
    "<32ms",
    "<=1s",
    ">1s",
]
TO_2S = ["Event", "Waits 64ms to 2s", "<32ms", "<64ms", "<1/8s", "<1/4s", "<1/2s", "<1s", "<2s", ">=2s"]
TO_2M = ["Event", "Waits 4s to 2m", "<2s", "<4s", "<8s", "<16s", "<32s", "< 1m", "< 2m", ">=2m"]
MAIN_12_2 = ["Event", "Total Waits", "<8us", "<16us", "<32us", "<64us", "<128us", "<256us", "<512us", ">=512us"]
TO_64US = ["Event", "Waits 1us - 64us", "<1us", "<2us", "<4us", "<8us", "<16us", "<32us", "<64us", ">=64us"]
TO_32MS = ["Event", "Waits 1ms to 32ms", "<512us", "<1ms", "<2ms", "<4ms", "<8ms", "<16ms", "<32ms", ">=32ms"]


def read(*tables: str) -> Section:
    found = parse_report(report(*tables)).section("wait_event_histogram")
    assert found
    return found


def row(found: Section, event: str) -> dict[str, object]:
    return {k: v.number if isinstance(v, Value) else v for r in found.rows if r["event"] == event for k, v in r.items()}


@pytest.mark.parametrize(
    ("label", "column"),
    [("<8us", "pct_lt_8us"), ("<1/8s", "pct_lt_125ms"), ("< 1m", "pct_lt_1m"), (">=1h", "pct_ge_1h"), ("\u20391ms", "pct_lt_1ms"),
     ("<=1s", "pct_le_1s"), ("<1/2h", "pct_lt_30m")],
)  # fmt: skip
def test_bucket_labels(label: str, column: str) -> None:
    bucket = parse_bucket(label)
    assert bucket
    assert bucket.column_id == column


@pytest.mark.parametrize("label", ["Event", "Total Waits", "<", "<x", "8us"])
def test_what_is_no_bucket(label: str) -> None:
    assert parse_bucket(label) is None


def test_chain_to_12_1() -> None:
    found = read(
        section("Wait Event Histogram",
                table(MAIN_12_1, ["slow", "10.1K", "90.0", "1.0", "", "", "", "2.0", "7.0", ""],
                      ["quick", "52", "100.0", "", "", "", "", "", "", ""],
                      ["rdbms ipc message", "9", "10.0", "", "", "", "", "", "50.0", "40.0"])),
        section("Wait Event Histogram Detail (64 msec to 2 sec)",
                table(TO_2S, ["slow", "700", "93.0", "5.0", "1.0", ".0", "", "", "", "1.0"])),
        section("Wait Event Histogram Detail (4 sec to 2 min)",
                table(TO_2M, ["slow", "100", "99.0", "1.0", "", "", "", "", "", ""])),
    )  # fmt: skip
    slow, quick, idle = (row(found, e) for e in ("slow", "quick", "rdbms ipc message"))
    assert [slow[f"pct_lt_{b}"] for b in ("1ms", "32ms", "64ms", "125ms", "250ms", "4s", "2m")] == [
        90,
        2,
        5,
        1,
        0,
        1,
        0,
    ]
    assert (slow["pct_le_1s"], slow["pct_ge_2m"]) == (None, 0), "what the detail tables replace is not repeated"
    assert (slow["waits"], slow["waits_64ms_to_2s"], slow["waits_4s_to_2m"]) == (10_100, 700, 100)
    assert [quick[f"pct_lt_{b}"] for b in ("2ms", "64ms", "2m")] == [0, 0, 0], "a blank cell is exactly zero"
    assert (idle["pct_le_1s"], idle["pct_gt_1s"], idle["pct_lt_64ms"]) == (50, 40, None), "idle events stay open-ended"
    dots = next(r for r in found.rows if r["event"] == "slow")
    assert dots["pct_lt_250ms"] == Value(0, pytest.approx(0.05)), "`.0` is more than nothing"
    assert dots["pct_lt_500ms"] == Value(0, 0)


def test_chain_from_12_2() -> None:
    found = read(
        section("Wait Event Histogram",
                table(MAIN_12_2, ["e", "1.3M", "50.0", "10.0", "", "", "", "", "20.0", "20.0"])),
        section("Wait Event Histogram (up to 64 us)",
                table(TO_64US, ["e", "800K", "", "30.0", "10.0", "10.0", "10.0", "", "", "40.0"])),
        section("Wait Event Histogram (up to 32 ms)",
                table(TO_32MS, ["e", "260K", "80.0", "15.0", "5.0", "", "", "", "", ""])),
    )  # fmt: skip
    e = row(found, "e")
    assert [e[f"pct_lt_{b}"] for b in ("1us", "2us", "4us", "8us", "16us", "64us", "512us", "1ms", "2ms", "32ms")] == [
        0, 30, 10, 10, 10, 0, 20, 15, 5, 0,
    ]  # fmt: skip
    assert "pct_ge_64us" not in e
    assert "pct_ge_512us" not in e
    assert e["pct_ge_32ms"] == 0
    buckets = [c.id for c in found.columns if c.id.startswith("pct_")]
    assert buckets[0] == "pct_lt_1us"
    assert buckets[-1] == "pct_ge_32ms"
    assert sum(v for k, v in e.items() if k.startswith("pct_") and isinstance(v, float)) == pytest.approx(100)


def test_without_the_finest_table_the_first_bucket_reaches_down_to_zero() -> None:
    found = read(section("Wait Event Histogram", table(MAIN_12_2, ["e", "7", "99.0", "1.0", "", "", "", "", "", ""])))
    assert row(found, "e")["pct_lt_8us"] == 99
    assert "pct_lt_4us" not in [c.id for c in found.columns]
