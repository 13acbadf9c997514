"""Commit latency, figure by figure: `python -m tests.golden.commits` writes `commits/`, a file for each case.

Of the demos (`demos/`) every figure that is published, a line each; of the hours made by hand (`hours/`, commit_hours.py) an
outline of the causes, and each line in which they differ from the plain hour: what is said of it, its SLA, its figures. What a
rule says whatever the figures, title, caveat and checks, stands once for all hours (`rules.txt`). What is said of commits
in the diagnosed cases stands in `said/`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain
from string import ascii_uppercase
from typing import Any

from awrdiff.analysis.commit_latency import commit_latency, figure_catalogue
from awrdiff.analysis.commit_latency.commit_batching_savings import no_bound, runs_of, sentences
from awrdiff.analysis.commit_latency.sla import slas_of_reports
from awrdiff.analysis.export.json_encoding import commit_dict
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.analysis.report.figures_by_name import Side
from tests.golden.commit_hours import HOURS, Hour, alone, pair
from tests.golden.said import of_reports
from tests.golden.snapshots import ROOT, Snapshots
from tests.golden.test_commit_cases import DEMOS, pairs
from tests.golden.test_plain_demos import STORIES

PLAIN: dict[str, Hour] = {"the plain hour": alone(), "the plain hour twice": pair({}, {})}


def demo(slug: str) -> Iterator[str]:
    last = pairs(slug)[-1]
    latency = last.commits_of_all or last.commit_latency
    return chain(savings(latency), flat(of(latency)))


_OF_A_RULE = re.compile(r"(?:causes|unsettled) \d+\.(?:title|caveat|lacks|checks)\b")


def hour(name: str) -> Iterator[str]:
    printed, plain = _lines(name), () if name in PLAIN else _lines(list(PLAIN)[len(HOURS[name][0]) - 1])
    yield from outline(_latency(name))
    yield from (line for line in printed if line not in plain)
    paths = {_path(line) for line in printed}
    yield from (f"none: {path}" for path in dict.fromkeys(map(_path, plain)) if path not in paths)


def rules() -> Iterator[str]:
    """What each rule says in any hour."""
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    for name in (*PLAIN, *HOURS):
        latency = _latency(name)
        for cause in latency.causes:
            texts[cause.rule] |= dict.fromkeys((cause.title, cause.caveat, *cause.checks))
        for rule in latency.unsettled:
            texts[rule.rule] |= dict.fromkeys((rule.title, rule.lacks, *rule.checks))
    for rule_id in sorted(texts):
        yield from (f"{rule_id}:", *(f"  {text}" for text in texts[rule_id]))


@cache
def _latency(name: str) -> CommitLatency:
    reports, traces = {**PLAIN, **HOURS}[name]
    return commit_latency([Side(report) for report in reports], traces)


@cache
def _lines(name: str) -> tuple[str, ...]:
    """Of an hour, in any order: what is said of it, its SLA of 10 ms, what fewer commits save, and all figures."""
    latency = _latency(name)
    slas = (f"sla {n}: {sla.text}" for n, sla in enumerate(slas_of_reports(latency, 0.01), 1) if sla)
    figures = (line for line in flat(of(latency)) if not _OF_A_RULE.match(line))
    return (*of_reports(*{**PLAIN, **HOURS}[name]), *slas, *savings(latency), *figures)


def savings(latency: CommitLatency) -> Iterator[str]:
    yield from (f"no bound {n}: {text}" for n, figures in enumerate(latency.reports, 1) if (text := no_bound(figures)))
    for now in range(len(latency.reports)):
        if runs := runs_of(latency.what_if, now, assume=True):
            yield from (
                f"savings {now + 1}: {text}" for text in sentences(runs, ascii_uppercase[: len(runs.line.points)])
            )


def _path(line: str) -> str:
    return line.partition(":")[0]


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
        yield f"{path}: {thing['section']}: {thing['key']!r}.{thing['column']}"
    else:
        parts = [line for name, one in thing.items() for line in flat(one, f"{path}.{name}".strip("."))]
        if "." not in path or not path[-1].isdigit():
            yield from parts
        elif parts:  # of a list inside of a report
            yield f"{path}: {'; '.join(part.removeprefix(f'{path}.') for part in parts)}"


COMMITS = Snapshots(
    ROOT / "commits",
    {
        **{f"demos/{slug}": partial(demo, slug) for slug in DEMOS if slug not in STORIES},
        **{f"hours/{name}": partial(hour, name) for name in (*PLAIN, *HOURS)},
        "rules": rules,
        "figures": lambda: flat(figure_catalogue.as_dict()),
    },
)

if __name__ == "__main__":
    COMMITS.write()
