"""Parts of a comparison or assessment, as JSON has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from msgspec import Struct

from awrdiff.analysis.commit_latency import figure_catalogue
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.model.ash_activity import Activity, Sampled, Stretch
from awrdiff.analysis.model.comparison import Attribution, CommitLatency, Finding, FindingVerdict, Range, Ranked
from awrdiff.analysis.model.diagnosis import Answer, Trouble
from awrdiff.analysis.model.ranked_changes import Connected, Mover
from awrdiff.analysis.model.single_report import Assessment, SingleFinding


class Parts(dict[str, Any]):
    """Object with `Parts` or iterators as values; written once."""


def pieces(thing: Any) -> Iterator[str]:
    """`json.dumps(thing)`: one line, ASCII only."""
    if isinstance(thing, Parts):
        yield "{"
        for at, (name, value) in enumerate(thing.items()):
            yield f"{', ' if at else ''}{json.dumps(name)}: "
            yield from pieces(value)
        yield "}"
    elif isinstance(thing, Iterator):
        yield "["
        for at, value in enumerate(thing):
            if at:
                yield ", "
            yield from pieces(value)
        yield "]"
    else:
        yield json.dumps(thing, ensure_ascii=True)


def whole(thing: Any) -> Any:
    """Plain dicts and lists."""
    if isinstance(thing, Parts):
        return {name: whole(value) for name, value in thing.items()}
    return [whole(value) for value in thing] if isinstance(thing, Iterator) else thing


def published(thing: Any) -> Any:
    """Structs as objects, tuples as lists, `_FORMS` in their own."""
    if (form := _FORMS.get(type(thing))) is not None:
        return form(thing)
    if isinstance(thing, Struct):
        return _fields(thing)
    return [published(each) for each in thing] if isinstance(thing, tuple | list) else thing


def _fields(thing: Struct, *last: str, **instead: Any) -> dict[str, Any]:
    names = [name for name in thing.__struct_fields__ if name not in last]
    return {n: instead[n] if n in instead else published(getattr(thing, n)) for n in (*names, *last)}


def _digits(number: float, digits: int) -> float:
    return float(f"{number:.{digits}g}")


def _answer(answer: Answer) -> dict[str, Any]:
    fields = _fields(answer)
    troubles = {side: fields.pop(side) for side in ("first", "second")}
    del fields["span"]  # a word of the sentences, which say it
    return {**fields, "troubles": troubles}


def _finding(finding: Finding) -> dict[str, Any]:
    into, because = finding.folded_into or None, finding.folded_because or None
    return _fields(finding, "evidence", folded_into=into, folded_because=because)


def _finding_verdict(verdict: FindingVerdict) -> dict[str, Any]:
    earlier = [_finding_verdict(other) for other in verdict.others]
    for document in earlier:
        del document["team"], document["others"]
    return _fields(verdict, at=verdict.at.isoformat(), team=verdict.team or verdict.state, others=earlier)


def _stretch(stretch: Stretch) -> dict[str, Any]:
    events = [{"event": name, "sessions": _digits(sessions, 6)} for name, sessions in stretch.events]
    return _fields(stretch, sessions=_digits(stretch.sessions, 6), events=events)


def _sampled(sampled: Sampled) -> dict[str, Any]:
    return {
        "active_sessions": {"first": published(sampled.first), "second": published(sampled.second)},
        "samples": {"first": sampled.samples[0], "second": sampled.samples[1]},
        "lists": published(sampled.lists),
    }


def _assessment(assessment: Assessment) -> dict[str, Any]:
    names = ("state", "headline", "troubles", "verdict", "findings", "rules")
    unchecked = [{"rule": r.rule, "by": r.by} for r in assessment.unchecked]
    return {**{name: published(getattr(assessment, name)) for name in names}, "unchecked": unchecked}


def _attribution(attribution: Attribution) -> dict[str, Any]:
    a = attribution
    return {
        "db_time_per_s": {"first": plain(a.first_per_s), "second": plain(a.second_per_s)},
        "parts": [{name: value for name, value in as_json(p).items() if name != "section"} for p in a.parts],
        "residual_per_s": plain(a.residual_per_s),
        "covered": {"first": plain(a.first_covered), "second": plain(a.second_covered)},
    }


def commit_dict(latency: CommitLatency) -> dict[str, Any]:
    """Every figure with low, value and high."""
    names = ("reports", "instances", "change", "split", "causes", "unsettled", "what_if", "material", "not_material")
    return {
        "lead": lead(latency.reports) if latency.reports else "",
        **{name: as_json(getattr(latency, name)) for name in (*names, "events")},
        "catalogue": as_json(figure_catalogue.as_dict()),
    }


_FORMS: dict[type, Callable[[Any], Any]] = {
    Activity: lambda a: _fields(a, "first", "second"),
    Answer: _answer,
    Assessment: _assessment,
    Attribution: _attribution,
    CommitLatency: commit_dict,
    Connected: lambda c: {**_fields(c.subject), "said": c.said},
    Finding: _finding,
    FindingVerdict: _finding_verdict,
    Mover: lambda m: _fields(m, change=_digits(m.change, 12)),
    Range: lambda r: [r.low, r.high],
    Ranked: lambda r: {
        "db_time_per_s": {"first": _digits(r.first, 12), "second": _digits(r.second, 12)},
        "movers": published(r.movers),
        "settings": published(r.settings),
    },
    Sampled: _sampled,
    SingleFinding: lambda f: _fields(f, "evidence"),
    Stretch: _stretch,
    Trouble: lambda t: _fields(t, sessions=_digits(t.sessions, 6), share=_digits(t.share, 6)),
}


def as_json(thing: Any) -> Any:
    """Structs as objects, numbers as `plain` writes them."""
    if isinstance(thing, Struct):
        return {name: as_json(getattr(thing, name)) for name in thing.__struct_fields__}
    if isinstance(thing, tuple | list):
        return [as_json(t) for t in thing]
    if isinstance(thing, Mapping):
        return {k: as_json(v) for k, v in thing.items()}
    return plain(thing) if isinstance(thing, float) else thing


def plain(number: float | None) -> float | int | None:
    """12 significant digits, integers without `.0`; None if not finite."""
    if number is None or not isfinite(number):
        return None
    if number == int(number) and abs(number) < 2**63:
        return int(number)
    return float(f"{number:.12g}")
