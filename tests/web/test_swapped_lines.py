"""Lines of an older export that were read the other way round."""

from __future__ import annotations

import zipfile

import pytest

from awrdiff.comparisons.models import REVERSE
from awrdiff.transfer.team_zip import Swapped
from awrdiff.transfer.untrusted_zip_reading import FILES

TRACE = "Trace file /u01/trace/db_lgwr_77.trc"


@pytest.fixture
def swapped(tmp_path) -> Swapped:
    path = tmp_path / "team.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name in "abcd":
            packed.writestr(f"{FILES}{name}", "<html><title>AWR Report</title>")
        packed.writestr(f"{FILES}t", TRACE)
    found = Swapped(zipfile.ZipFile(path))
    for comparison in ("ab", "abct", "abcd"):
        found.add(comparison, list(comparison))
    return found


@pytest.mark.parametrize(
    ("comparison", "pair", "there"),
    [
        ("ab", 0, REVERSE),
        ("ab", 1, REVERSE + 1),
        ("abct", 0, REVERSE),
        ("abct", 1, 2),
        ("abct", 2, 1),
        ("abcd", 1, REVERSE + 1),
        ("abcd", 3, 3),
        ("unknown", 1, REVERSE + 1),
    ],
)
def test_a_line_goes_to_the_pair_of_the_same_two_reports(swapped, comparison, pair, there):
    of = {"comparison": comparison, "pair": pair}
    for line in ({"evidence": "1", **of, "swapped": True}, {"pin": comparison, "pair": pair, "swapped": True}):
        swapped.settle(line)
        assert (line["pair"], "swapped" in line) == (there, False)


@pytest.mark.parametrize("line", [{"pair": 1, "swapped": False}, {"pair": 0, "swapped": True, "baseline": "0,1/2"}])
def test_what_was_read_straight_or_of_several_reports_stays(swapped, line):
    pair = line["pair"]
    swapped.settle(line)
    assert line["pair"] == pair
