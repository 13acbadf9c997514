"""Distribution of a cluster's load over its instances.

Source: Oracle Real Application Clusters Administration and Deployment Guide, load balancing of services.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from awrdiff.analysis.model.comparison import Evidence, Range, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.facts import LEAST_SESSIONS, Facts
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, Quiet, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.words import listing, number, percent, sentence

_MODEL, _INSTANCES, _CLASSES = "time_model_by_instance", "instances_in_report", "foreground_wait_classes_by_instance"
_MEASURES = {"DB CPU": (_MODEL, "db_cpu_s"), "DB time": (_MODEL, "db_time_s"), "cluster waits": (_CLASSES, "cluster_s")}
_TIMES = 2.0  # of the mean of the other instances: balanced services differ by less
_LEAST_SHARE = 0.05  # of the sessions of all instances
_WHOLE = 0.5  # of the longest window: an instance that ran for less has no mean of it
_NOT_PRINTED = Unknown("Time Model of each instance")
_SUBJECT = Subject("work", "instances")


class Skew(Struct, frozen=True):
    """Most uneven measure of one report, in average active sessions by instance, and the even ones."""

    measure: str
    by_instance: Mapping[str, float]
    even: Mapping[str, Mapping[str, float]]
    evidence: Evidence

    @property
    def excess(self) -> Range:
        """Active sessions of the busiest instance above the mean of the others."""
        size = _excess(self.by_instance)
        return Range(size, size)

    @property
    def text(self) -> str:
        text = f"{self.measure} {_each(self.by_instance)}"
        even = [f"{name} {_each(of)}" for name, of in self.even.items()]
        return f"{text}; evenly spread: {'; '.join(even)}" if even else text

    @property
    def title(self) -> str:
        return f"{self.measure} {'are' if self.measure.endswith('s') else 'is'} spread unevenly over the instances"


def _each(of: Mapping[str, float]) -> str:
    return listing([f"{number(v)} on instance {name}" for name, v in sorted(of.items(), key=lambda each: -each[1])])


def _excess(of: Mapping[str, float]) -> float:
    most = max(of.values())
    return most - (sum(of.values()) - most) / (len(of) - 1)


def _is_uneven(of: Mapping[str, float]) -> bool:
    most = max(of.values())
    return most >= _TIMES * (sum(of.values()) - most) / (len(of) - 1)


def _column(side: Side, section_id: str, column: str) -> dict[str, float]:
    """By instance number, without rows of sums and means."""
    section = side.report.section(section_id)
    if section is None or column not in section.index:
        return {}
    cells = ((section.text(r, "instance_number") or "", section.number(r, column)) for r in section.records)
    return {name: v.number for name, v in cells if name.isdigit() and v is not None}


def skew_of(side: Side) -> Skew | Quiet | Contradicted | Unknown:
    """Largest of the uneven measures."""
    if not side.report.section(_MODEL):
        return _NOT_PRINTED if side.report.kind == "awr_global" else QUIET
    elapsed, whole = _column(side, _INSTANCES, "elapsed_s"), side.elapsed
    measured: dict[str, dict[str, float]] = {}
    for measure, (section_id, column) in _MEASURES.items():
        spent = {
            n: (s, elapsed.get(n) or (whole.number if whole else 0.0))
            for n, s in _column(side, section_id, column).items()
        }
        if len(spent) > 1 and all(e > 0 for _, e in spent.values()):
            measured[measure] = {name: s / e for name, (s, e) in spent.items()}
    least = max(LEAST_SESSIONS, _LEAST_SHARE * (side.active_sessions or 0.0))
    uneven = {m: of for m, of in measured.items() if _is_uneven(of) and _excess(of) >= least}
    if not uneven:
        return QUIET if measured else _NOT_PRINTED
    shortest = min(elapsed, key=lambda n: elapsed[n], default="")
    if shortest and elapsed[shortest] < _WHOLE * max(elapsed.values()):
        share = percent(elapsed[shortest] / max(elapsed.values()))
        return Contradicted(f"instance {shortest} is reported for {share} of the time")
    measure = max(uneven, key=lambda m: _excess(uneven[m]))
    even = {m: of for m, of in measured.items() if not _is_uneven(of) and max(of.values()) >= least}
    section_id, column = _MEASURES[measure]
    busiest = max(uneven[measure], key=lambda n: uneven[measure][n])
    return Skew(measure, uneven[measure], even, Evidence(section_id, busiest, column, anchor(section_id, busiest)))


def instance_skew(facts: Facts) -> RuleResult:
    """One instance has {_TIMES} times the mean of the others, of DB CPU, DB time or cluster waits."""
    by_side = [skew_of(side) for side in facts.sides]
    skews = [each for each in by_side if isinstance(each, Skew)]
    if not skews:
        unclear = [each for each in by_side if isinstance(each, (Contradicted, Unknown))]
        return unclear[-1] if unclear else QUIET
    names = ("First: ", "Second: ") if len(by_side) > 1 else ("",)
    text = "; ".join(f"{name}{s.text}" for name, s in zip(names, by_side, strict=True) if isinstance(s, Skew))
    sessions = sizes.of_sides([s.excess if isinstance(s, Skew) else sizes.NOTHING for s in by_side])
    title = f"{skews[-1].title}{'' if skews[-1] is by_side[-1] else ' of First'}."
    return Observation(sentence(title), f"{text}.", tuple(s.evidence for s in skews), sessions, _SUBJECT)
