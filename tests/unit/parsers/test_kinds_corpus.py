"""The real reports of kinds other than the AWR report of one instance: right kind, nothing unknown, nothing noted."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.files.encoding import decode
from parsers.html.table_reader import read_html
from parsers.html.wrapped_line_rejoining import rejoin
from parsers.model import Value
from parsers.sections.registry import REGISTRY
from tests.harness import corpus as real

pytestmark = pytest.mark.corpus

# Part of the name, kind, release, snapshots, instances.
KINDS = (
    ("12.1.0.2-global-rac", "awr_global", "12.1.0.2.0", (176, 177), 2),
    ("12.2.0.1-global-811-812", "awr_global", "12.2.0.1.0", (811, 812), 2),
    ("12.2.0.1-global-db2tp", "awr_global", "12.2.0.1.0", (231, 232), 2),
    ("12.2.0.1-global-789-790-wrapped132", "awr_global", "12.2.0.1.0", (789, 790), 2),
    ("11.1.0.7-sql-demo", "awr_sql", "11.1.0.7.0", (910, 911), 1),
    ("11.2.0.3-ash", "ash", "11.2.0.3.0", (None, None), 1),
    ("11.2.0.3-compare", "awr_compare", "11.2.0.3.0", (1822, 1823), 1),
    ("lgwr-trace-exadata-999", "lgwr_trace", "12.2.0.1.0", (None, None), 1),
    ("lgwr-trace-oravm1-17884", "lgwr_trace", "11.2.0.2.0", (None, None), 1),
    ("lgwr-trace-oravm1-4520", "lgwr_trace", "11.2.0.2.0", (None, None), 1),
)


def file(corpus: Path, part: str) -> Path:
    found = [p for p in corpus.iterdir() if p.name.startswith(part) and p.suffix != ".txt"]
    if not found:
        pytest.skip(f"no file {part}* in the folder of real reports")
    return found[0]


@pytest.mark.parametrize(("part", "kind", "release", "snapshots", "instances"), KINDS, ids=[k[0] for k in KINDS])
def test_it_is_read(
    corpus: Path, part: str, kind: str, release: str, snapshots: tuple[int | None, int | None], instances: int
) -> None:
    report = real.read(file(corpus, part))
    assert (report.kind, report.release, len(report.instances)) == (kind, release, instances)
    assert (report.period.begin.id, report.period.end.id) == snapshots
    assert [s.id for s in report.sections if not s.known] == []
    assert [i.text for i in report.issues] == []


def test_exactly_one_section_matches_each_table(corpus: Path) -> None:
    wrong = []
    for path in sorted(p for p in corpus.iterdir() if p.suffix.lower().startswith(".htm")):
        for table in read_html(rejoin(decode(path.read_bytes()).text)).tables:
            found = [d.id for d in REGISTRY.candidates(table)]
            if len(found) != 1:
                wrong.append((path.name, table.heading, table.caption, found))
    assert wrong == []


def test_the_wrapped_report_has_the_sections_of_its_sister(corpus: Path) -> None:
    """Two reports of one database, one spooled at 132 columns: the same tables, the same columns, no cut names."""
    plain = real.read(file(corpus, "12.2.0.1-global-811-812"))
    wrapped = real.read(file(corpus, "12.2.0.1-global-789-790-wrapped132"))
    assert [s.id for s in wrapped.sections] == [s.id for s in plain.sections]
    differing = [
        s.id for s in wrapped.sections if [c.label for c in s.columns] != [c.label for c in plain.by_id[s.id].columns]
    ]
    assert differing == []
    statistics = [{r.cells[0] for r in x.by_id["instance_activity"].records} for x in (wrapped, plain)]
    assert len(statistics[0] & statistics[1]) > 0.9 * len(statistics[0])


@pytest.mark.parametrize(
    "part", ["12.1.0.2-global-rac", "12.2.0.1-global-811-812", "12.2.0.1-global-789-790-wrapped132"]
)
def test_instances_add_up_to_the_sum(corpus: Path, part: str) -> None:
    report = real.read(file(corpus, part))
    for section_id, column in (
        ("time_model_by_instance", "db_time_s"),
        ("system_statistics_by_instance", "redo_bytes"),
        ("global_messages_by_instance", "gcs_messages_sent"),
        ("interconnect_clients_by_instance", "sent_total_bytes"),
    ):
        section = report.by_id[section_id]
        figures = {section.text(r, "instance_number"): section.number(r, column) for r in section.records}
        parts = [figures[str(i.number)] for i in report.instances]
        total = figures["Sum"]
        assert isinstance(total, Value)
        tolerance = total.half + sum(p.half for p in parts if p) + 1e-6
        assert sum(p.number for p in parts if p) == pytest.approx(total.number, abs=tolerance), section_id


def test_the_compare_report_agrees_with_the_single_reports(corpus: Path) -> None:
    sides = {
        "first": real.read(file(corpus, "11.2.0.3-single-dbm11203-1822")),
        "second": real.read(file(corpus, "11.2.0.3-single-dbm11203-1826")),
    }
    both = real.read(file(corpus, "11.2.0.3-compare"))
    events, activity, model = (
        both.by_id[i] for i in ("compare_wait_events", "compare_instance_activity", "compare_time_model")
    )
    for side, single in sides.items():
        foreground, statistics = single.by_id["foreground_wait_events"], single.by_id["instance_activity"]
        commit, redo = events.find("log file sync"), activity.find("redo size")
        alone, single_redo = foreground.find("log file sync"), statistics.find("redo size")
        assert commit
        assert alone
        assert redo
        assert single_redo
        ours = events.number(commit, f"total_wait_time_{side}_s")
        theirs = foreground.number(alone, "total_wait_time_s")
        assert ours
        assert theirs
        assert ours.number == pytest.approx(theirs.number, abs=ours.half + theirs.half)
        assert activity.number(redo, f"value_{side}") == pytest.approx(statistics.number(single_redo, "total"))
        db_time = model.find("DB time")
        assert db_time is not None
        assert model.number(db_time, f"time_{side}_s") == single.period.db_time_s
