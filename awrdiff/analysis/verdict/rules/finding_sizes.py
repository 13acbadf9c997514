"""Size of a finding: active sessions of both sides from printed intervals, and their direction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from awrdiff.analysis.figures_in_words import change, number, percent, several
from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Tone
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfTwo
from parsers.model import Value

NOTHING = Range(0.0, 0.0)
Size = Sessions | Range | None  # of two reports, or of one
_PRINTABLE = 1e-3  # sessions: a bound below it is told as this
_READABLE = 1e-4  # sessions: less would read as none
_WORLDS_APART = 1000  # times as much: the two figures tell it better
_TELLING = 0.005  # sessions: factors of less are factors of nothing


def sessions_in(facts: FactsOfTwo, seconds: Callable[[Side], Value | None]) -> Sessions:
    """Active sessions of a printed total in seconds."""
    return Sessions(facts.first.sessions(seconds(facts.first)), facts.second.sessions(seconds(facts.second)))


def size_in(facts: Facts, seconds: Callable[[Side], Value | None]) -> Size:
    return of_sides([s.sessions(seconds(s)) for s in facts.sides])


def size_waiting(facts: Facts, wanted: Callable[[str], bool]) -> Size:
    return of_sides([waits(s, wanted) for s in facts.sides])


def of_sides(sides: Sequence[Range | None]) -> Size:
    return Sessions(*sides) if len(sides) > 1 else sides[0]


def events_named(side: Side, wanted: Callable[[str], bool]) -> list[Event]:
    return sorted((e for name, e in side.foreground.items() if wanted(name)), key=lambda e: -e.total.number)


def sessions_waiting(facts: FactsOfTwo, wanted: Callable[[str], bool]) -> Sessions:
    return Sessions(waits(facts.first, wanted), waits(facts.second, wanted))


def waits(side: Side, wanted: Callable[[str], bool]) -> Range | None:
    """Unlisted: up to the last entry; None if unreadable."""
    if any(map(wanted, side.unread_waits)):
        return None
    ranges = [r for e in events_named(side, wanted) if (r := side.sessions(e.total)) is not None]
    return total(ranges) if ranges else most_unlisted(side)


def most_unlisted(side: Side) -> Range | None:
    """Upper bound in active sessions."""
    if not side.foreground:
        return None
    if not side.foreground_is_partial:
        return NOTHING
    least = min((r.high for e in side.foreground.values() if (r := side.sessions(e.total))), default=0.0)
    return Range(0.0, least)


def total(parts: Iterable[Range]) -> Range:
    listed = list(parts)
    return Range(sum(r.low for r in listed), sum(r.high for r in listed))


def tone(sessions: Size) -> Tone:
    """Neutral where intervals overlap or a side is unknown."""
    if not isinstance(sessions, Sessions):
        return "worse"
    a, b = middle(sessions.first), middle(sessions.second)
    if a is None or b is None or change(a, b) == "flat":
        return "neutral"
    if sessions.change > 0:
        return "worse"
    return "better" if sessions.change < 0 else "neutral"


def tone_of(sessions: Sessions, claim: Tone) -> Tone:
    """`claim` where the sessions moved that way too."""
    return claim if tone(sessions) == claim else "neutral"


def middle(side: Range | None) -> float | None:
    return None if side is None else side.middle


def shares_of(facts: Facts, sessions: Size) -> list[float | None]:
    """Shares (0..1) of each side's DB time."""
    parts = (sessions.first, sessions.second) if isinstance(sessions, Sessions) else (sessions,)
    whole = [s.active_sessions for s in facts.sides]
    return [p.middle / w if p is not None and w else None for p, w in zip(parts, whole, strict=True)]


def share_text(shares: Iterable[float | None]) -> str:
    """`4 % → 12 % of DB time`"""
    return f"{' → '.join('not printed' if s is None else percent(s) for s in shares)} of DB time"


def most(shares: Iterable[float | None]) -> float:
    return max((s for s in shares if s is not None), default=0.0)


def text(sessions: Size) -> str:
    """`2.8 → 9.3 active sessions (×3.35)`"""
    if not isinstance(sessions, Sessions):
        return f"{number(middle(sessions) or 0.0)} active sessions"
    a, b = middle(sessions.first), middle(sessions.second)
    if a is None or b is None:
        only = a if b is None else b
        return f"{number(only or 0.0)} active sessions in {'First' if b is None else 'Second'}"
    sides, figures = [s for s in (sessions.first, sessions.second) if s is not None], []
    for side in sides:
        least = max(side.high, _PRINTABLE) if _is_bound(side) else _PRINTABLE if 0 < side.middle < _READABLE else None
        figures.append(f"under {number(least)}" if least is not None else number(side.middle))
    is_telling = min(a, b) >= _TELLING and max(a, b) < _WORLDS_APART * min(a, b)
    how = f" ({change(a, b)})" if is_telling and not any(map(_is_bound, sides)) else ""
    return f"{' → '.join(figures)} active sessions{how}"


def sessions_text(count: float) -> str:
    return several(count, "active session", "active sessions")


def _is_bound(side: Range) -> bool:
    """An unlisted event, or a total printed as 0."""
    return side.low <= 0 < side.high


def part_of(part: float, whole: float, *, grew: bool, apart: bool) -> str:
    """`5.3 of the rise of 6.9 active sessions`. `apart`: two databases."""
    mine, total = number(part), number(whole)
    if part > whole and mine != total:  # something else went the other way
        if apart:
            way = "more" if grew else "fewer"
            return f"{mine} active sessions {way} in Second, {total} {way} in all"
        return f"{'up' if grew else 'down'} by {mine}, all active sessions together by {total}"
    change_ = "difference" if apart else "rise" if grew else "drop"
    return f"{'all' if mine == total else mine} of the {change_} of {total} active sessions"


def rows_of(*events: Iterable[Event]) -> tuple[Evidence, ...]:
    rows = {e.name.lower(): e.evidence() for side in events for e in side}
    return tuple(rows.values())
