"""python -m bench [NAME…]: one JSON object per line; the usual ones when none is named.

python -m bench against REF [MEASURE…]: bench/against.py.
"""

from __future__ import annotations

import importlib
import sys

USUAL = ("reading", "compute", "page", "click")
_OTHERS = (
    "linear",
    "command",
    "sheet",
    "series",
    "hostile",
    "exports",
    "slow",
    "bulk",
    "fleet",
    "workers",
    "crowd",
    "sizing",
)
NAMES = (*USUAL, *_OTHERS)


def main(wanted: list[str]) -> None:
    if wanted[:1] == ["against"] and len(wanted) > 1:
        for printed in importlib.import_module("bench.against").run(*wanted[1:]):
            print(printed, flush=True)
        return
    unknown = set(wanted) - set(NAMES)
    if unknown:
        sys.exit(f"bench: there is no {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in wanted or USUAL:
        for printed in importlib.import_module(f"bench.{name}").run():
            print(printed, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
