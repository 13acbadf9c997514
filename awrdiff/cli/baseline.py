"""`awrdiff compare A B C D --baseline`: the last report against all those before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.whole import found_of, order
from awrdiff.analysis.export.baseline import Found
from awrdiff.analysis.export.baseline_files import baseline_pieces
from awrdiff.analysis.model.traces import split_traces
from awrdiff.cli.comparing import by_begin, instance_of
from awrdiff.cli.refusal import Refused
from parsers import Report


class Asked(TypedDict):
    instance: int | None
    by_time: bool
    only: Sequence[str]
    step: float


def hold_against(reports: Sequence[Report], asked: Asked) -> Found:
    """Raises Refused for fewer than three reports, and for a section that none prints."""
    alone, _ = split_traces([instance_of(report, asked["instance"]) for report in reports])
    if len(alone) < 3:
        raise Refused("--baseline takes two reports or more, and the one that is held against them as the last.")
    alone = by_begin(alone) if asked["by_time"] else alone
    unknown = next((s for s in asked["only"] if s not in order(alone)), None)
    if unknown is not None:
        raise Refused(f"There is no section “{unknown}” in these reports.")
    return found_of(alone, Chosen(tuple(range(len(alone) - 1)), len(alone) - 1), step=asked["step"], only=asked["only"])


def text(found: Found, form: str, *, brief: bool) -> str:
    return "".join(baseline_pieces(found, "markdown" if brief else form, brief=brief))
