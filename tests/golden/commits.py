"""All of commit latency: `python -m tests.golden.commits > tests/golden/commits.txt`.

Of the demos every figure that is published, a line each; of the hours made by hand those that no line before has; of the
diagnosed cases, as they are and in other ways (said.py), what is said in other words, whatever its figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.export.commits import commit_dict
from awrdiff.analysis.report.side import Side
from tests.golden.commit_hours import HOURS
from tests.golden.said import FIGURES, others
from tests.golden.test_commit_cases import DEMOS, pairs
from tests.golden.test_diagnosed import NAMES, compared

_WORDS = re.compile(r"[a-z]{2,} [a-z]")


def written() -> str:
    return "".join(f"{line}\n" for line in lines())


def lines() -> Iterator[str]:
    said: set[str] = set()
    for slug in DEMOS:
        last = pairs(slug)[-1]
        found = list(flat(of(last.commits_of_all or last.commit_latency)))
        yield from (f"## {slug}", *found, "")
        said.update(found)
    for name, (reports, traces) in HOURS.items():
        found = list(flat(of(commit_latency([Side(r) for r in reports], traces))))
        yield from (f"## {name}", *(line for line in found if line not in said), "")
        said.update(found)
    seen = set(map(shape, said))
    for name, found in chain(((name, compared(name)) for name in NAMES), others()):
        fresh = {shape(line): line for line in flat(of(found.commit_latency)) if _WORDS.search(line)}
        left = [line for key, line in fresh.items() if key not in seen]
        yield from (f"## {name}", *left, "") if left else ()
        seen.update(fresh)


def of(latency: Any) -> dict[str, Any]:
    return {name: part for name, part in commit_dict(latency).items() if name != "catalogue"}


def shape(line: str) -> str:
    return FIGURES.sub("#", line)


def flat(thing: Any, path: str = "") -> Iterator[str]:
    """Estimates and evidence stand in one line; what is not there, in none."""
    if isinstance(thing, dict):
        yield from _flat_dict(thing, path)
    elif isinstance(thing, list):
        for number, one in enumerate(thing, 1):
            yield from flat(one, f"{path} {number}")
    elif thing is not None:
        yield f"{path}: {thing:.6g}" if isinstance(thing, float) else f"{path}: {thing}"


def _flat_dict(thing: dict[str, Any], path: str) -> Iterator[str]:
    if set(thing) == {"low", "value", "high"}:
        yield f"{path}: {' … '.join(f'{v:.6g}' if v is not None else '?' for v in thing.values())}"
    elif "row_id" in thing and "column" in thing:
        yield f"{path}: {thing['section']}: {thing['key']!r}.{thing['column']} {thing['row_id']}"
    else:
        for name, one in thing.items():
            yield from flat(one, f"{path}.{name}".strip("."))


if __name__ == "__main__":
    print(written(), end="")
