"""Real pairs, and what an expert says of them first, somewhere, never."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.verdict.diagnosis import OF_ONE_HOUR
from tests.golden.contradictions import OF_A_LIMIT, contradictions
from tests.golden.test_diagnosed import page
from tests.harness import corpus as real

pytestmark = pytest.mark.corpus

RECEIPT = ("12.1.0.2-single-receipt-173494-173496.html", "12.1.0.2-single-receipt-173498-173500.html")
XYDB = ("19.0-rac-xydb-0800-0900.html", "19.0-rac-xydb-1500-1600.html")
SPRINT = ("23.7-single-sprint14.html", "23.7-single-sprint15.html")
STORAGE = ("11.2.0.4-rac-24726-24727.html", "11.2.0.4-rac-24727-24728.html")
IDLE = ("11.2.0.4-rac-orcl1-2-3.html", "11.2.0.4-rac-orcl1-2-3.txt")
DEMO = ("11.1.0.7-rac-demo-812-813.html", "11.1.0.7-rac-demo-815-816.html")
OTHER = ("19.24-rac-gbk-awr1.html", "23.7-single-sprint14.html")


@pytest.mark.parametrize(
    ("pair", "says", "never"),
    [
        (
            RECEIPT,
            (
                "executions fell to 26 %",
                "shared pool and library cache",
                "parsing took 88 % of DB time",
                "One hard parse takes 510 ms rather than 8.35 ms.",
                "there are no more of them",
                "3 virtual CPUs stand behind 12 CPUs",
            ),
            ("Parse errors: new", "CPU is not the limit", "The same work"),
        ),
        (
            XYDB,
            (
                "CPU accounts for 1.8 of the rise of 6.5 sessions",
                "row locks",
                "54.8 → 217 switches per hour",
                "30.1 MB of redo each",
            ),
            ("CPU is not the limit", "CPU for the same work", "The same work"),
        ),
        (
            SPRINT,
            (
                "The resource manager held sessions back for 20 % of Second's DB time: the database is limited to 2 of 4 CPUs.",
            ),
            ("CPU is not the limit", "The same work"),
        ),
        (
            STORAGE,
            ("row locks", "1.67 s → 2.26 s each", "are slow on both sides"),
            ("spills", "The same work takes"),
        ),
        (
            DEMO,
            (
                "The same parallel query, 1,178 and 1,188 s of it, in windows of 60.1 and 4.3 minutes: "
                "nothing got worse.",
            ),
            ("sessions rose",),
        ),
        (IDLE, ("Both periods are nearly idle",), ("Parsing", "ommit")),
        (OTHER, ("work is of another kind",), ("The same work", "More DB time per unit", "Less DB time per unit")),
    ],
)
def test_what_an_expert_says(corpus, pair, says, never):
    first, second = pair
    said = page(real.compared(corpus / first, corpus / second))
    assert [piece for piece in says if piece not in said] == [], said
    assert [piece for piece in never if piece in said] == [], said


def pairs(corpus: Path) -> list[tuple[str, str]]:
    """Each report of an interval beside the next by name, both ways: other databases, releases and forms among them."""
    kept = [r.name for r in real.of_kinds(corpus, *OF_AN_INTERVAL)]
    assert len(kept) > 1
    return [pair for a, b in pairwise(kept) for pair in ((a, b), (b, a))]


@pytest.mark.thorough
def test_no_pair_contradicts_itself(corpus):
    """Each pair is compared once, for all that is asked of it."""
    found = {}
    for first, second in pairs(corpus):
        comparison = real.compared(corpus / first, corpus / second)
        said = [*known_contradictions(comparison), *contradictions(comparison), *beyond_the_whole(comparison)]
        found |= {(first, second): said} if said else {}
    assert found == {}


def test_few_findings_are_read_first(corpus):
    """The median over the pairs, never a cap: five findings, two hundred words."""
    shown = [
        [f for f in real.compared(corpus / first, corpus / second).findings if not f.is_folded]
        for first, second in pairs(corpus)
    ]
    assert median(len(found) for found in shown) <= 5
    assert median(sum(len(f"{f.title} {f.text}".split()) for f in found) for found in shown) <= 200


def known_contradictions(comparison: Comparison) -> Iterator[str]:
    fired = {f.rule: f for f in comparison.findings}
    quieter = (comparison.identity[1].active_sessions or 0) <= (comparison.identity[0].active_sessions or 0)
    of_the_change = [f for f in comparison.findings if not f.title.startswith(OF_ONE_HOUR)]
    if quieter and any(f.severity == "critical" and f.rule not in OF_A_LIMIT for f in of_the_change):
        yield "critical on a quieter second"
    if "cpu-not-the-limit" in fired and {"resource-manager", "host-cpu-saturated", "memory-exhausted"} & set(fired):
        yield "CPU is not the limit beside what limits it"
    if any(f.tone == "better" and f.severity != "note" for f in comparison.findings):
        yield "better in the colour of worse"
    if len(re.findall(r"[.](?: [A-Z]|$)", comparison.summary)) > 4:
        yield comparison.summary
    if re.search(r"\bNone\b(?! of the)|\bnan\b", page(comparison)):
        yield "a figure that is none"


def beyond_the_whole(comparison: Comparison) -> Iterator[str]:
    """The split of an event by count and latency keeps the sign of its change where both went the same way."""
    attribution = comparison.attribution
    for part in attribution.parts if attribution is not None else ():
        if part.by_count_per_s is not None and part.by_latency_per_s is not None:
            total = part.by_count_per_s + part.by_latency_per_s
            if total != pytest.approx(part.diff_per_s, abs=1e-3 + 0.02 * abs(part.diff_per_s)):
                yield f"{part}: its parts make {total}"
