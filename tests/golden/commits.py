"""All of commit latency: `python -m tests.golden.commits` writes `commits/`, a file for each case.

Of the demos (`demos/`) every figure that is published, a line each; of the hours made by hand (`hours/`, commit_hours.py)
the same under an outline of the causes; of the diagnosed cases every line of words, and what is said in other words of
them in other ways (said.py), whatever its figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.export.json_encoding import commit_dict
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.analysis.report.figures_by_name import Side
from tests.golden.commit_hours import HOURS
from tests.golden.said import others, shape
from tests.golden.snapshots import ROOT, Snapshots, block
from tests.golden.test_commit_cases import DEMOS, pairs
from tests.golden.test_diagnosed import NAMES, compared
from tests.golden.test_plain_demos import STORIES

_WORDS = re.compile(r"[a-z]{2,} [a-z]")


def demo(slug: str) -> Iterator[str]:
    last = pairs(slug)[-1]
    return flat(of(last.commits_of_all or last.commit_latency))


def hour(name: str) -> Iterator[str]:
    reports, traces = HOURS[name]
    latency = commit_latency([Side(r) for r in reports], traces)
    yield from outline(latency)
    yield from flat(of(latency))


def case(name: str) -> Iterator[str]:
    shapes: set[str] = set()
    for title, found in (("", compared(name)), *others(name)):
        worded = {shape(line): line for line in flat(of(found.commit_latency)) if _WORDS.search(line)}
        fresh = [line for key, line in worded.items() if key not in shapes]
        yield from block(title, fresh) if title else fresh
        shapes.update(worded)


def outline(latency: CommitLatency) -> Iterator[str]:
    """What stands there, also where each line of it stood before."""
    for cause in latency.causes:
        counts = f"{len(cause.checks)} checks, {len(cause.evidence)} rows"
        yield f"{cause.rule}: {cause.confidence}, of {cause.reports}, {cause.part_of}, {counts}"
    yield from (f"{one.rule}: open, of {one.reports}, {len(one.checks)} checks" for one in latency.unsettled)


def of(latency: Any) -> dict[str, Any]:
    return {name: part for name, part in commit_dict(latency).items() if name != "catalogue"}


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


COMMITS = Snapshots(
    ROOT / "commits",
    {
        **{f"demos/{slug}": partial(demo, slug) for slug in DEMOS if slug not in STORIES},
        **{f"hours/{name}": partial(hour, name) for name in HOURS},
        **{name: partial(case, name) for name in NAMES},
    },
)

if __name__ == "__main__":
    COMMITS.write()
