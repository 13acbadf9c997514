"""Where a report prints no statistics, the load profile tells the work, by the names of each release."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from parsers.model import Column
from tests.unit.analysis.builders import column, exact, instead, loaded, section, time_model

OLD = ("User calls", "Executes", "Logical reads", "Physical reads", "Hard parses", "Parses", "Redo size")
NEW = (
    "User calls", "Executes (SQL)", "Logical read (blocks)", "Physical read (blocks)", "Hard parses (SQL)",
    "Parses (SQL)", "Redo size (bytes)",
)  # fmt: skip


def profiled(names: tuple[str, ...], rates: tuple[float, ...], *, parse: float):
    made = loaded(parse=parse)
    rows = [(name, exact(rate)) for name, rate in zip(names, rates, strict=True)]
    profile = section("load_profile", (Column("metric", "Metric"), column("per_second", "per_s", "rate")), rows)
    kept = [s for s in made.sections if s.id != "instance_activity"]
    return replace(made, sections=(*kept, profile))


@pytest.mark.parametrize("names", [OLD, NEW], ids=["to 11.2", "from 12.1"])
def test_every_measure_is_found_by_its_name(names):
    first = profiled(names, (100, 200, 10_000, 100, 5, 50, 100_000), parse=40.0)
    second = profiled(names, (100, 200, 40_000, 1_000, 50, 60, 800_000), parse=900.0)
    said = {f.rule: f"{f.title} {f.text}" for f in compare_reports(first, second).findings}
    assert "Fewer" not in said["physical-reads"]
    assert "100 → 1,000" in said["physical-reads"]
    assert "5 → 50 hard parses per second" in said["hard-parse-rate"]
    assert "50 → 200 per execution" in " ".join(said.values())


@pytest.mark.parametrize("name", ["Logons", "User logons"])
def test_logons_are_found_by_their_name(name):
    def connecting(rate, spent):
        times = time_model(db_time=1_000.0, db_cpu=500.0, connection_management_call_elapsed_time=spent)
        return instead(profiled((name,), (rate,), parse=40.0), times)

    said = {f.rule: f.text for f in compare_reports(connecting(1, 10.0), connecting(6, 200.0)).findings}
    assert said["logon-rate"].startswith("1 → 6 logons per second")
