"""Closing lines of bin/test and .ci/run: all counts together, the needs of skipped tests, tests that ran twice."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path


def read(paths: Iterable[str]) -> tuple[Counter[str], Counter[str], list[str]]:
    """Counts by outcome, skipped tests by reason, and names of tests run a second time, of all runs in these files."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    reruns: list[str] = []
    for path in paths:
        for line in Path(path).read_text().splitlines() if Path(path).exists() else ():
            run = json.loads(line)
            counts.update(run["counts"])
            reasons.update(run["skipped"])
            reruns += run.get("reruns", [])
    return counts, reasons, reruns


def closing(counts: Counter[str]) -> str:
    """Words by which test runners are recognised."""
    return f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped"


def skipped(reasons: Counter[str]) -> str:
    return "".join(f"; {count} skipped: {reason}" for reason, count in sorted(reasons.items()))


def main(arguments: list[str]) -> int:
    """`FILE…` prints the counts; `--skipped FILE…` what was skipped. Status 1 where no test was run."""
    counts, reasons, reruns = read(argument for argument in arguments if argument != "--skipped")
    if "--skipped" in arguments:
        print(skipped(reasons))
    else:
        print(*(f"Run a second time: {name}" for name in reruns), f"Tests: {closing(counts)}", sep="\n")
    return 0 if counts["passed"] + counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
