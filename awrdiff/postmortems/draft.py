"""First draft of a post-mortem, from the incident alone. Only confirmed verdicts are causes; text of reports and people
is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta

from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.models import User
from awrdiff.analysis.export.html import printed_range
from awrdiff.analysis.export.markdown import escape
from awrdiff.analysis.figures_in_words import listing, number, seconds, stretch
from awrdiff.analysis.model.comparison import IdentityFacts
from awrdiff.incidents.bad_hour_selection import OWN, Sides
from awrdiff.incidents.bad_hour_summary import WhatHappened
from awrdiff.incidents.evidence import Live
from awrdiff.incidents.field_validation import TIME_LABELS
from awrdiff.incidents.finding_verdicts import by_finding, is_agreed
from awrdiff.incidents.models import Verdict, VerdictState
from awrdiff.postmortems.incident_material import Compared, Material

OPEN_HOUR = "Nobody has said yet which window is the incident's: what follows may be said of the one for comparison."
NO_CAUSE = "No cause has been confirmed."


def texts_of(material: Material) -> dict[str, str]:
    """By section; human-only sections are empty."""
    return {key: "\n".join(write(material)) for key, write in _WRITERS.items()}


def _summary(material: Material) -> Iterator[str]:
    incident = material.incident
    for paragraph in incident.summary.split("\n\n"):
        if paragraph.strip():
            yield escape(paragraph)
            yield ""
    yield f"**{escape(incident.title)}**: severity {incident.get_severity_display()}."
    yield from _happened(material.happened)
    compared = [escape(comparison.title) for comparison in material.compared]
    if compared:
        yield f"Compared: {listing(compared)}."


def _happened(happened: WhatHappened) -> Iterator[str]:
    for cause in happened.causes:
        yield f"{escape(cause.title)} {escape(cause.text)}".rstrip()
    if happened.headline and not happened.causes:
        yield f"{escape(happened.headline)} ({happened.judgement_text})"
    if happened.in_brief:
        yield f"{escape(happened.in_brief)}{f', {happened.window}' if happened.window else ''}."


def _impact(material: Material) -> Iterator[str]:
    yield from (f"- {line}" for line in _times(material))
    for comparison in material.compared:
        if comparison.identity:
            yield f"- {escape(comparison.title)}: {db_time(comparison)}"
            yield from (f"  - {line}" for line in _pinned_movers(comparison, material.evidence))


def _times(material: Material) -> Iterator[str]:
    """Times people set; the filed window is no duration."""
    incident, zone = material.incident, escape(material.incident.time_zone)
    impact, resolved = incident.impact_at, incident.resolved_at
    if impact is None:
        yield f"Filed under: {_window_text(material)} ({zone}); nobody has set when the impact began"
        return
    if resolved is not None:
        yield f"Impact: {_lasted(resolved - impact)}, {_span(material, impact, resolved)} ({zone})"
    else:
        yield f"Impact: since {minute_text(material.local(impact))} ({zone}); nobody has set when it was resolved"
    for name in ("detected_at", "mitigated_at"):
        if (at := getattr(incident, name)) is not None:
            after = f", {_lasted(at - impact)} after the impact began" if at >= impact else ""
            yield f"{TIME_LABELS[name]}: {minute_text(material.local(at))}{after}"


def _window_text(material: Material) -> str:
    begin, end = material.incident.begins_at, material.incident.ends_at
    return _span(material, begin, end) if end is not None else f"since {minute_text(material.local(begin))}"


def _span(material: Material, begin: datetime, end: datetime) -> str:
    first, last = material.local(begin), material.local(end)
    return f"{minute_text(first)} – {f'{last:%H:%M}' if first.date() == last.date() else minute_text(last)}"


def _lasted(span: timedelta) -> str:
    return stretch(span.total_seconds())


def db_time(compared: Compared) -> str:
    """Incident's hour first; "" if unread."""
    if not compared.identity:
        return ""
    figures = ((name, *map(show, compared.identity)) for name, show in _DB_TIME)
    parts = [
        f"{name} {_both_hours(compared.sides, first, second)}"
        for name, first, second in figures
        if (first, second) != ("–", "–")
    ]
    return ", ".join(parts) or "neither report prints DB time"


def _both_hours(sides: Sides, first: str, second: str) -> str:
    """`81.4 in the incident's hour (3.8 for comparison)`; in order while the hour is open."""
    if not sides.is_known:
        return f"{first} → {second}"
    own, other = (first, second) if sides.is_turned else (second, first)
    return f"{own} in {OWN[sides.word].name} ({other} for comparison)"


_DB_TIME: tuple[tuple[str, Callable[[IdentityFacts], str]], ...] = (
    ("DB time", lambda f: "–" if f.db_time_s is None else seconds(f.db_time_s)),
    ("average active sessions", lambda f: "–" if f.active_sessions is None else number(f.active_sessions)),
)


def _pinned_movers(compared: Compared, evidence: tuple[Live, ...]) -> Iterator[str]:
    opens = compared.pair
    own = (live.evidence for live in evidence if live.evidence.comparison_id == compared.comparison.pk)
    anchors = {evidence_row.anchor for evidence_row in own if not evidence_row.baseline and evidence_row.pair == opens}
    ranked = compared.ranked if anchors else None
    for mover in ranked.movers if ranked else ():
        rests_on = mover.evidence
        if rests_on is not None and f"{rests_on.section}/{rests_on.row_id}" in anchors:
            texts = (printed_range(mover.sessions.first), printed_range(mover.sessions.second))
            yield f"{escape(mover.subject.key)}: active sessions {_both_hours(compared.sides, *texts)}"


def _causes(material: Material) -> Iterator[str]:
    """Findings of the hour for comparison are no causes."""
    if any(not material.hours.sides(verdict).is_known for verdict in material.verdicts):
        yield f"{OPEN_HOUR}\n"
    findings = list(by_finding(material.verdicts).values())
    disputed = [several for several in findings if not is_agreed(several)]
    agreed = [verdict for several in findings if is_agreed(several) for verdict in several]
    confirmed = [v for v in agreed if v.state == VerdictState.CONFIRMED]
    of_other = [v for v in confirmed if material.hours.verdict(v).of_other]
    confirmed = [v for v in confirmed if v not in of_other]
    yield from (f"- {_cause(material, verdict)}" for verdict in confirmed)
    if not confirmed:
        yield NO_CAUSE
    if of_other:
        yield "\nConfirmed, of what is there for comparison:\n"
        yield from (f"- {_cause(material, verdict)}" for verdict in of_other)
    if disputed:
        yield "\nDisputed:\n"
        yield from (f"- {_dispute(material, several)}" for several in disputed)
    rejected = [v for v in agreed if v.state == VerdictState.REJECTED]
    if rejected:
        yield "\nRuled out:\n"
        yield from (f"- {_ruled_out(material, verdict)}" for verdict in rejected)
    explained = [v for v in agreed if v.state == VerdictState.EXPLAINED]
    if explained:
        confirmed_places = {_place(verdict, verdict.anchor) for verdict in confirmed}
        yield "\nExplained by something else:\n"
        yield from (
            f"- {_explanation(material, verdict, confirmed=_place(verdict, verdict.explained_by) in confirmed_places)}"
            for verdict in explained
        )


def _place(verdict: Verdict, anchor: str) -> tuple[object, ...]:
    return verdict.comparison_id, verdict.pair, anchor


def _cause(material: Material, verdict: Verdict) -> str:
    reading = material.hours.verdict(verdict)
    cause_text = f"**{escape(reading.heading)}** {escape(reading.text)}".strip()
    why = f": {escape(verdict.why)}" if verdict.why else ""
    return f"{cause_text} Confirmed{_signature(material, verdict)}{why}{_sign_offs(verdict)}"


def _ruled_out(material: Material, verdict: Verdict) -> str:
    because = f"because {escape(verdict.why)}" if verdict.why else "without a reason given"
    return f"{_title(material, verdict)} Ruled out{_signature(material, verdict)}, {because}"


def _explanation(material: Material, verdict: Verdict, *, confirmed: bool) -> str:
    """The other finding is named only if confirmed."""
    other = escape(material.hours.explaining(verdict).rstrip("."))
    by = f"by “{other}”" if confirmed else "by another finding, which is not confirmed"
    why = f": {escape(verdict.why)}" if verdict.why else ""
    role = f" as {escape(verdict.role)}" if verdict.role else ""
    who = f"{_escaped_name(verdict.user)}{role}, " if verdict.user else ""
    return f"{_title(material, verdict)} Explained {by} ({who}{day_text(material.local(verdict.at))}){why}"


def _dispute(material: Material, verdicts: Sequence[Verdict]) -> str:
    opinions = []
    for verdict in verdicts:
        what = str(verdict.get_state_display()).capitalize()
        what += f" “{escape(material.hours.explaining(verdict).rstrip('.'))}”" if verdict.explained_by else ""
        why = f", because {escape(verdict.why).rstrip('.')}" if verdict.why else ""
        opinions.append(f"{what}{_signature(material, verdict)}{why}{_sign_offs(verdict)}.")
    return f"{_title(material, verdicts[0])} {' '.join(opinions)}"


def _title(material: Material, verdict: Verdict) -> str:
    return escape(material.hours.verdict(verdict).heading)


def _signature(material: Material, verdict: Verdict) -> str:
    role = f" as {escape(verdict.role)}" if verdict.role else ""
    by = f" by {_escaped_name(verdict.user)}{role}" if verdict.user else ""
    return f"{by} on {day_text(material.local(verdict.at))}"


def _sign_offs(verdict: Verdict) -> str:
    signed = [f"{_escaped_name(sign_off.user)} ({escape(sign_off.role)})" for sign_off in verdict.sign_offs.all()]
    return f". Signed off by {listing(signed)}" if signed else ""


def _participants(material: Material) -> Iterator[str]:
    roles: dict[int, list[str]] = {}
    names: dict[int, str] = {}
    for incident_role in material.roles:
        roles.setdefault(incident_role.user_id, []).append(escape(incident_role.role))
        names[incident_role.user_id] = _escaped_name(incident_role.user)
    for user in _other_people(material):
        names.setdefault(user.pk, _escaped_name(user))
    yield from (f"- {name}{f': {listing(roles[pk])}' if pk in roles else ''}" for pk, name in names.items())


def _other_people(material: Material) -> Iterator[User]:
    yield from (event.user for event in material.events if event.user)
    yield from (live.evidence.added_by for live in material.evidence if live.evidence.added_by)
    yield from (verdict.user for verdict in material.verdicts if verdict.user)
    yield from (action.owner for action in material.actions if action.owner)


def _escaped_name(user: User) -> str:
    return escape(shown_name(user))


def minute_text(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y %H:%M}"


def day_text(moment: date) -> str:
    return f"{moment.day} {moment:%b %Y}"


_WRITERS: dict[str, Callable[[Material], Iterator[str]]] = {
    "summary": _summary,
    "impact": _impact,
    "causes": _causes,
    "participants": _participants,
}
