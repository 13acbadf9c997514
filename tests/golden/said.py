"""All that is found in the diagnosed cases, with what it rests on: `python -m tests.golden.said > tests/golden/said.txt`.

Each finding, and each reason why a rule says nothing, stands once, under the first case that has it, so that a change of a rule is read as a change of its lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.model.comparison import Finding, Sessions
from tests.golden.test_diagnosed import NAMES, compared


def written() -> str:
    return "".join(f"{line}\n" for line in lines())


def lines() -> Iterator[str]:
    seen = set()
    for name in NAMES:
        of_case = compared(name)
        said = [*map(of, of_case.findings), *(f"{r.rule}: {r.state}, {r.by}" for r in of_case.rules if r.by)]
        fresh = [text for text in said if text not in seen]
        seen.update(fresh)
        if fresh:
            yield from (f"## {name}", *fresh, "")


def of(found: Finding) -> str:
    about = f"{found.subject.kind} {found.subject.key!r}" if found.subject else "nothing"
    explains = f", explains {' '.join(found.explains)}" if found.explains else ""
    rests = [f"    {e.section}: {e.key!r}.{e.column} {e.row_id}" for e in found.evidence]
    head = f"{found.rule}: {found.severity}, {found.tone}, about {about}, {sessions(found.sessions)}{explains}"
    return "\n".join([head, f"  {found.title}", f"  {found.text}", *rests])


def sessions(size: Sessions | None) -> str:
    if size is None:
        return "of no size"
    sides = [
        f"{side.low:.4g} … {side.high:.4g}" if side is not None else "unknown" for side in (size.first, size.second)
    ]
    return f"sessions {' → '.join(sides)}"


if __name__ == "__main__":
    print(written(), end="")
