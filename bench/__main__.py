"""python -m bench [NAME…]: one JSON object per line; the usual ones when none is named."""

from __future__ import annotations

import importlib
import sys

USUAL = ("reading", "compute", "page", "click")
_OTHERS = ("linear", "command", "sheet", "series", "hostile", "exports", "slow", "bulk", "fleet", "workers", "crowd")
NAMES = (*USUAL, *_OTHERS)


def main(wanted: list[str]) -> None:
    unknown = set(wanted) - set(NAMES)
    if unknown:
        sys.exit(f"bench: there is no {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in wanted or USUAL:
        for printed in importlib.import_module(f"bench.{name}").run():
            print(printed, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
