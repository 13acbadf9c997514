"""All that is found in the diagnosed cases, with what it rests on: `python -m tests.golden.said > tests/golden/said.txt`.

Each finding, and each reason why a rule says nothing, stands once, under the first case that has it, so that a change of
a rule is read as a change of its lines. The other way round a case adds what is said in other words there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison, Finding, Sessions
from tests.golden.test_diagnosed import NAMES, both, compared

FIGURES = re.compile(r"[-−+×]?\d[\d.,]*")


def written() -> str:
    return "".join(f"{line}\n" for line in lines())


def lines() -> Iterator[str]:
    seen: set[str] = set()
    for name in NAMES:
        yield from _block(name, [text for text in said(compared(name)) if text not in seen])
        seen.update(said(compared(name)))
    shapes = {FIGURES.sub("#", text) for text in seen}
    for name in NAMES:
        found = said(compare_reports(*reversed(both(name))))
        yield from _block(f"{name}, the other way round", [t for t in found if FIGURES.sub("#", t) not in shapes])
        shapes.update(FIGURES.sub("#", text) for text in found)


def _block(title: str, fresh: list[str]) -> list[str]:
    return [f"## {title}", *fresh, ""] if fresh else []


def said(comparison: Comparison) -> list[str]:
    silent = [f"{r.rule}: {r.state}, {r.by}" for r in comparison.rules if r.by]
    return [*map(_finding, comparison.findings), *silent]


def _finding(found: Finding) -> str:
    about = f"{found.subject.kind} {found.subject.key!r}" if found.subject else "nothing"
    explains = f", explains {' '.join(found.explains)}" if found.explains else ""
    rests = [f"    {e.section}: {e.key!r}.{e.column} {e.row_id}" for e in found.evidence]
    head = f"{found.rule}: {found.severity}, {found.tone}, about {about}, {_sessions(found.sessions)}{explains}"
    return "\n".join([head, f"  {found.title}", f"  {found.text}", *rests])


def _sessions(size: Sessions | None) -> str:
    if size is None:
        return "of no size"
    sides = [f"{s.low:.4g} … {s.high:.4g}" if s is not None else "unknown" for s in (size.first, size.second)]
    return f"sessions {' → '.join(sides)}"


if __name__ == "__main__":
    print(written(), end="")
