"""The closing lines of bin/test: all counts together, and each reason for a skip."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path


def main(path: str) -> None:
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for line in Path(path).read_text().splitlines():
        run = json.loads(line)
        counts.update(run["counts"])
        reasons.update(run["skipped"])
    print("Tests: " + ", ".join(f"{counts[k]} {k}" for k in ("passed", "failed", "error", "skipped") if counts[k]))
    for reason, count in sorted(reasons.items()):
        print(f"  {count} skipped: {reason}")


if __name__ == "__main__":
    main(sys.argv[1])
