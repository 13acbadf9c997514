"""`awrdiff compare A B C D --baseline`: the last report against all those before it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypedDict

from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.whole import found_of, order
from awrdiff.analysis.export.baseline import Found, baseline_markdown, baseline_parts
from awrdiff.analysis.export.pieces import whole
from awrdiff.analysis.model.traces import split_traces
from awrdiff.cli.comparing import by_begin, chosen
from awrdiff.cli.refusal import Refused
from parsers import Report

FORMATS = ("json", "markdown")


class Asked(TypedDict):
    instance: int | None
    by_time: bool
    only: Sequence[str]
    step: float


def held(reports: Sequence[Report], asked: Asked) -> Found:
    """Raises Refused for fewer than three reports, and for a section that none prints."""
    alone, _ = split_traces([chosen(report, asked["instance"]) for report in reports])
    if len(alone) < 3:
        raise Refused("--baseline takes two reports or more, and the one that is held against them as the last.")
    alone = by_begin(alone) if asked["by_time"] else alone
    unknown = next((s for s in asked["only"] if s not in order(alone)), None)
    if unknown is not None:
        raise Refused(f"There is no section “{unknown}” in these reports.")
    return found_of(alone, Chosen(tuple(range(len(alone) - 1)), len(alone) - 1), step=asked["step"], only=asked["only"])


def text(found: Found, form: str, *, brief: bool) -> str:
    if brief:
        return "".join(baseline_markdown(found, brief=True))
    if form not in FORMATS:
        raise Refused(f"--baseline is written as {' or '.join(FORMATS)}: it cannot be written as {form}.")
    if form == "markdown":
        return "".join(baseline_markdown(found))
    return json.dumps(whole(baseline_parts(found)), ensure_ascii=True) + "\n"
