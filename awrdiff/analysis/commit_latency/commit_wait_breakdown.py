"""A commit wait or its change in parts that add up. docs/commit-latency.md, section 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from awrdiff.analysis.figures_in_words import listing, seconds
from awrdiff.analysis.model.commit_latency import Cause, CommitFigures, CommitLatency, CommitSplit, SplitId

FLOOR = 0.05  # of a commit wait, or of its change: less is no step worth a name
LABELS: Mapping[SplitId, str] = {
    "write": "the redo write",
    "log_writer": "the log writer's stages",
    "remote": "the standby",
    "post_io": "time after the write",
    "broadcast": "the broadcast to other instances",
    "posting": "posting",
    "wake_up": "the wake-up",
    "queue": "the queue behind writes under way",
    "open": "beyond one write",
}


def split_of(f: CommitFigures, woken: float | None) -> CommitSplit:
    """Seconds; empty without figures. `woken`: the wake-up's share."""
    if f.wait_s is None or f.lfpw_avg_s is None:
        return CommitSplit()
    remainder = f.wait_s.value
    parts: dict[SplitId, float] = {}
    measured = [*_measured(f)]
    if woken is not None:
        measured.append(("wake_up", remainder * woken))
    for part, length in measured:
        parts[part] = min(max(length, 0.0), remainder)
        remainder -= parts[part]
    parts["queue" if f.stage("queue") is not None else "open"] = remainder
    return CommitSplit(parts)


def _measured(f: CommitFigures) -> Iterator[tuple[SplitId, float]]:
    write, io = f.lfpw_avg_s, f.stage("io")
    yield "write", write.value if write is not None else 0.0
    if io is not None:
        stages = [s.seconds.value for i in ("worker", "gather", "schedule", "issue") if (s := f.stage(i)) is not None]
        yield "log_writer", sum(stages)
        after = f.stage("post_io")
        if f.remote is not None:
            yield "remote", f.remote.cost_s.value
        elif after is not None:
            yield "post_io", after.seconds.value
        for stage in ("broadcast", "posting"):
            if (measured_stage := f.stage(stage)) is not None:
                yield stage, measured_stage.seconds.value
    elif f.remote is not None:
        yield "remote", f.remote.cost_s.value


def change_of(first: CommitFigures, second: CommitFigures) -> CommitSplit:
    """Second − first; unsplit parts go to the rest."""
    before, after = first.split.parts, second.split.parts
    if not before or not after or any(f.joined_writes for f in (first, second)):
        return CommitSplit()
    shared: list[SplitId] = [p for p in before if p in after and p != "open"]
    if ("open" in before) != ("open" in after):
        shared = ["write"]
    parts: dict[SplitId, float] = {p: after[p] - before[p] for p in shared}
    parts["open"] = sum(after.values()) - sum(before.values()) - sum(parts.values())
    if abs(parts["open"]) < 1e-12:
        del parts["open"]
    return CommitSplit(parts)


def sentence(change: CommitSplit) -> str:
    """` Of the change: 3.10 ms the redo write; the other way went …`"""
    whole = sum(change.parts.values())
    same = sorted(((p, s) for p, s in change.parts.items() if s * whole > 0), key=lambda i: -abs(i[1]))
    worth = [f"{seconds(abs(s))} {LABELS[p]}" for p, s in same if abs(s) >= FLOOR * abs(whole)]
    unsplit = set(change.parts) <= {"write", "open"} and abs(change.parts.get("write", 0.0)) < FLOOR * abs(whole)
    if not worth or unsplit:
        return ""
    against = [f"{seconds(abs(s))} {LABELS[p]}" for p, s in change.parts.items() if s * whole < -FLOOR * whole * whole]
    other = f"; the other way went {listing(against)}" if against else ""
    return f" Of the change: {listing(worth)}{other}."


MUCH = 0.25  # of LFS − LFPW: what accounts for less is not why commits wait


def probable(latency: CommitLatency) -> Cause | None:
    top = next((c for c in latency.causes if c.explains_s is not None), None)
    if top is None or top.explains_s is None or top.confidence not in ("proven", "high"):
        return None
    is_part = top.part_of in ("difference", "wait")
    difference = latency.reports[top.reports[-1]].naive_overhead_s if is_part else None
    return None if difference is not None and top.explains_s.value < MUCH * difference.value else top
