"""Causes of slow commits: evidence, caveats, next steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from awrdiff.analysis.model.commit_latency import Cause, CommitLatency
from awrdiff.web.presenters.commit.figure_texts import Rows, SideLabel, range_of, seconds, share

MARKS = {"proven": "crit", "high": "crit", "medium": "warn", "low": "note", "note": "note"}
LITTLE_SPREAD = 0.05  # of the value: a range as narrow says nothing more
STATEMENT = re.compile(r"^(?P<before>.*?)(?P<sql>SELECT .+?;)(?P<after>.*)$")


Check = tuple[str, str, str]  # a next step: its text before a statement, the statement, the text after it


def present(latency: CommitLatency, sides: Sequence[SideLabel], rows: Rows) -> dict[str, Any]:
    """`size`: first cause's part of a commit wait."""
    listed: set[str] = set()
    ranked = [
        {
            "cause": c,
            "cls": MARKS[c.confidence],
            "where": _where(c.reports, sides, between=c.between),
            "explains": _explains(c),
            "checks": _fresh(c.checks, listed),
            "evidence": rows.links(c.evidence),
        }
        for c in latency.causes
    ]
    unsettled = [(u, _where(u.reports, sides, between=False), _fresh(u.checks, listed)) for u in latency.unsettled]
    return {
        "ranked": ranked,
        "main": [view for view, c in zip(ranked, latency.causes, strict=True) if c.confidence != "note"],
        "beside": [view for view, c in zip(ranked, latency.causes, strict=True) if c.confidence == "note"],
        "unsettled": unsettled,
        "size": _size_of_first(latency, sides),
    }


def _size_of_first(latency: CommitLatency, sides: Sequence[SideLabel]) -> str:
    cause = next((c for c in latency.causes if c.confidence != "note"), None)
    if cause is None:
        return ""
    where, size = _where(cause.reports, sides, between=cause.between), _size(cause, latency)
    if where and not cause.between and len(set(cause.reports)) > 1:  # the size is that of the last
        first, *_, last = (sides[at].label for at in dict.fromkeys(cause.reports))
        where = f"in {last}, as in {first}"
    text = ": ".join(p for p in (where, size) if p)
    return f"{text[:1].upper()}{text[1:]}."


def _size(cause: Cause, latency: CommitLatency) -> str:
    if cause.size:
        return cause.size
    if cause.explains_s is None or cause.explains_s.value <= 0:
        return "its size in a commit wait cannot be told"
    part, waits = cause.explains_s.value, [f.lfs_avg_s.value if f.lfs_avg_s else 0.0 for f in latency.reports]
    whole, of, longer = waits[min(cause.reports[-1], len(waits) - 1)], "that a commit waits", "a commit waits"
    if cause.part_of == "change":
        whole, of, longer = abs(whole - waits[0]), "by which commit waits differ", "the waits differ"
    if part == whole > 0:
        return f"all of the {seconds(whole)} {of}"
    if whole <= 0 or part > whole:
        return f"{seconds(part)}, longer than {longer}"
    return f"{seconds(part)} of the {seconds(whole)} {of} ({share(part / whole)})"


def _fresh(checks: Sequence[str], listed: set[str]) -> tuple[Check, ...]:
    fresh = [c for c in checks if c not in listed]
    listed.update(fresh)
    return tuple(map(check_of, fresh))


def _explains(cause: Cause) -> str:
    claim = cause.explains_s
    if claim is None or claim.value <= 0:
        return ""
    of, about = "the change" if cause.part_of == "change" else "a commit wait", seconds(claim.value)
    if claim.high - claim.low > LITTLE_SPREAD * claim.value:
        return f"Can account for about {about} of {of} ({range_of(claim, seconds)})."
    return "" if about in cause.text else f"Can account for up to {about} of {of}."


def _where(reports: Sequence[int], sides: Sequence[SideLabel], *, between: bool) -> str:
    if len(sides) < 2:
        return ""
    labels = [sides[at].label for at in dict.fromkeys(reports) if at < len(sides)]
    return f"between {' and '.join(labels)}" if between else f"in {' and '.join(labels)}"


def check_of(text: str) -> Check:
    match = STATEMENT.match(text)
    if match is None:
        return text, "", ""
    return match["before"].rstrip(), match["sql"], match["after"].strip()
