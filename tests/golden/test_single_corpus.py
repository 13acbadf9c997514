"""What real reports say by themselves: sentences that their own figures bear out, and links that lead to rows."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from awrdiff.analysis.model.single_report import Assessment
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess
from parsers.model import Report
from tests.golden.test_diagnosed_single import OF_TWO, astray, page
from tests.harness import corpus as real

pytestmark = pytest.mark.corpus
# What must be said of some, what must never, and what stands first.
SAID = {
    "11.2.0.4-rac-24726-24727.html": (
        "row-locks",
        ("142 sessions were active", "statement g3q22swyr3j50", "on NTJW.T_USER", "Writes of every kind are slow."),
        ("Parsing",),
    ),
    "12.1.0.2-single-receipt-173498-173500.html": (
        "parsing-dominates",
        (
            "parsing takes 88 % of DB time",
            "510 ms each",
            "3 virtual CPUs stand behind 12 CPUs",
            "library cache: mutex X",
        ),
        ("CPU is not the limit",),
    ),
    "19.0-rac-xydb-1500-1600.html": (
        "log-file-switch",
        ("statement bsw76ah8zct21", "on IDC_DATA_SHAREDB.CW_XSQF", "217 switches per hour"),
        ("CPU is not the limit",),
    ),
    "23.7-single-sprint15.html": (
        "resource-manager",
        ("The resource manager held sessions back for 20 % of DB time", "limited to 2 of 4 CPUs"),
        ("CPU is not the limit",),
    ),
    "11.2.0.4-rac-orcl1-2-3.html": ("", ("nearly idle",), ("Parsing", "commit", "cold")),
    "11.2.0.4-single-dquito-5382-5535.html": ("", ("nearly idle", "6.4 days"), ("Parsing", "commit", "long")),
    "12.2.0.1-pdb-idcdb-56288-56289.html": (
        "interconnect",
        ("74 % of DB time is gc buffer busy acquire", "statement 5y33xfhumrhfz takes 94 % of DB time"),
        (),
    ),
    "12.2.0.1-global-811-812.html": ("top-wait", ("on 2 instances", "instances db10ap1 and db10ap2"), ("on 8 CPUs",)),
    "11.2.0.3-ash-dbm11203-1845-1900.html": (
        "sampled-events",
        ("7.3 sessions were active", "67 % in db file sequential read", "82ud5h0qcg0bf has 29 %", "cache of 728 MB"),
        ("queue for CPU", "keeps others waiting"),
    ),
    "11.1.0.7-sql-demo-910-911.html": (
        "sql-cost",
        ("a6r9zzu06tudh took 10.2 of 10.6 active sessions", "47 % on CPU and 47 % in I/O", "several processes at once"),
        ("by 2 plans",),
    ),
    "11.2.0.1-addm-dbtest-4219-4220.txt": (
        "addm-said",
        ("100 % of that to Top SQL Statements", "and advises to tune 4mfwm7psk02pc", "CPU was not a bottleneck"),
        ("SQL tables",),
    ),
}


@cache
def read(path: Path) -> tuple[Report, Assessment]:
    report = real.read(path)
    assert report is not None
    return report, assess(report)


def reports(corpus: Path) -> list[Path]:
    return [p for p in sorted(corpus.iterdir()) if p.suffix != ".tsv"]


def test_links_lead_to_rows(corpus: Path):
    assert [(p.name, found) for p in reports(corpus) if (found := astray(read(p)[0], read(p)[1].findings))] == []


def test_one_report_claims_no_change(corpus: Path):
    said = [(p.name, f.title, f.text) for p in reports(corpus) for f in read(p)[1].findings if OF_TWO.search(f.title)]
    assert said == []
    of_one = [p for p in reports(corpus) if read(p)[0].kind != "awr_compare"]  # which holds two periods
    assert [p.name for p in of_one if OF_TWO.search(read(p)[1].verdict)] == []


def test_nothing_is_larger_than_the_whole(corpus: Path):
    """Waits and CPU are parts of DB time; a statement in parallel, and what is sampled, may be a little more."""
    for path in reports(corpus):
        report, found = read(path)
        whole = Side(report).active_sessions or 0.0
        for finding in found.findings:
            if finding.sessions is not None:
                assert finding.sessions.low <= 1.1 * whole, (path.name, finding)


def test_what_is_small_is_not_said(corpus: Path):
    for path in reports(corpus):
        report, found = read(path)
        side = Side(report)
        of_cpus, sessions = 0.005 * side.processors, side.active_sessions or 0.0
        least = max(0.05, of_cpus if sessions < of_cpus else min(of_cpus, 0.05 * sessions))
        small = [f for f in found.findings if f.sessions and (f.sessions.low + f.sessions.high) / 2 < least]
        assert small == [], path.name


@pytest.mark.parametrize("name", sorted(SAID))
def test_what_must_be_said_first_somewhere_and_never(corpus: Path, name: str):
    found = read(corpus / name)[1]
    first, says, never = SAID[name]
    said = page(found)
    assert [f.rule for f in found.findings][:1] == [first] if first else True
    assert [piece for piece in says if piece not in said] == [], said
    assert [piece for piece in never if piece in said] == [], said


def test_the_same_snapshots_as_html_and_as_text_say_the_same(corpus: Path):
    for name in ("11.2.0.3-single-dbm11203-1822-1823", "11.2.0.3-single-dbm11203-1826-1827", "11.2.0.4-rac-orcl1-2-3"):
        html, text = (read(corpus / f"{name}.{ending}")[1] for ending in ("html", "txt"))
        assert [(f.rule, f.severity) for f in html.findings] == [(f.rule, f.severity) for f in text.findings]
