"""python -m bench [reading] [click] [page] [slow]: one JSON object per line; all when none is named."""

from __future__ import annotations

import importlib
import sys

NAMES = ("reading", "page", "click", "slow")


def main(wanted: list[str]) -> None:
    unknown = set(wanted) - set(NAMES)
    if unknown:
        sys.exit(f"bench: there is no {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in wanted or NAMES:
        for printed in importlib.import_module(f"bench.{name}").run():
            print(printed, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
