"""Closing lines of bin/test and .ci/run: all counts together, and the needs of skipped tests."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path


def read(paths: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """Counts by outcome, and skipped tests by reason, of all runs in these files."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in paths:
        for line in Path(path).read_text().splitlines() if Path(path).exists() else ():
            run = json.loads(line)
            counts.update(run["counts"])
            reasons.update(run["skipped"])
    return counts, reasons


def closing(counts: Counter[str]) -> str:
    """Words by which test runners are recognised."""
    return f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped"


def skipped(reasons: Counter[str]) -> str:
    return "".join(f"; {count} skipped: {reason}" for reason, count in sorted(reasons.items()))


def main(arguments: list[str]) -> int:
    """`FILE…` prints the counts; `--skipped FILE…` what was skipped. Status 1 where no test was run."""
    counts, reasons = read(argument for argument in arguments if argument != "--skipped")
    print(skipped(reasons) if "--skipped" in arguments else f"Tests: {closing(counts)}")
    return 0 if counts["passed"] + counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
