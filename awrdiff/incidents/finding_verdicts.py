"""Verdicts on findings and sign-offs; each person's last counts, contradicted authors are notified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import AccessContext, Can, NotFound, require_row
from awrdiff.audit.services import note
from awrdiff.comparisons import anchors, queries
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import field_validation
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import Incident, SignOff, Verdict, VerdictState
from awrdiff.incidents.queries import SIGNED
from awrdiff.incidents.services import renew
from awrdiff.notices.services import notify
from awrdiff.processing.row_locks import lock
from awrdiff.processing.storable_values import storable_text

DISPUTED = "disputed"
Finding = tuple[object, ...]


def finding_of(verdict: Verdict) -> Finding:
    return verdict.comparison_id, verdict.pair, verdict.anchor


def by_finding(verdicts: Iterable[Verdict]) -> dict[Finding, list[Verdict]]:
    findings: dict[Finding, list[Verdict]] = {}
    for verdict in verdicts:
        findings.setdefault(finding_of(verdict), []).append(verdict)
    return findings


def is_agreed(verdicts: Sequence[Verdict]) -> bool:
    """Reasons may differ."""
    return len({(verdict.state, verdict.explained_by) for verdict in verdicts}) == 1


def team_state(verdicts: Sequence[Verdict]) -> str:
    """Agreed state, else `disputed`."""
    return str(verdicts[0].state) if is_agreed(verdicts) else DISPUTED


def one_of_each(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [several[0] for several in by_finding(verdicts).values()]


def agreed(verdicts: QuerySet[Verdict]) -> QuerySet[Verdict]:
    """Uncontradicted ones."""
    same = {name: OuterRef(name) for name in ("comparison", "pair", "anchor")}
    different = Verdict.objects.filter(**same, is_current=True).exclude(state=VerdictState.WITHDRAWN)
    return verdicts.exclude(Exists(different.exclude(state=OuterRef("state"), explained_by=OuterRef("explained_by"))))


MOST_VERDICTS, LONGEST_WHY, MOST_SIGN_OFFS = 1_000, 2_000, 20


@dataclass(frozen=True, slots=True)
class TypedVerdict:
    """`explained_by`: another finding's anchor."""

    anchor: str
    state: str
    why: str = ""
    explained_by: str = ""
    role: str = ""


def give(access: AccessContext, comparison: Comparison, typed: TypedVerdict, *, pair: int = 0) -> Verdict:
    """Idempotent, beside others' verdicts. Raises IncidentRefused, TooMuch."""
    access.check(Can.WRITE)
    if comparison.team_id != access.team.pk:
        raise NotFound("There is no such comparison.")
    anchor = storable_text(typed.anchor)[: anchors.LONGEST]
    finding = Verdict.objects.filter(comparison=comparison, pair=pair, anchor=anchor)
    values = _values(comparison, typed, pair)
    with transaction.atomic():
        if not lock(Comparison, [comparison.pk]):
            raise NotFound("The comparison has been deleted.")
        standing = list(finding.filter(is_current=True).select_related("user").prefetch_related(SIGNED))
        now = next((verdict for verdict in standing if verdict.user_id == _pk(access)), None)
        signed = [
            sign_off for verdict in standing for sign_off in verdict.sign_offs.all() if sign_off.user_id == _pk(access)
        ]
        last_verdict = now or (signed[-1].verdict if signed else None)
        if _is_same(access, now, values, can_withdraw=bool(signed)):
            if now is None:
                raise IncidentRefused("There is no judgement to withdraw.")
            return now
        if Verdict.objects.filter(comparison=comparison).count() >= MOST_VERDICTS:
            raise IncidentRefused(f"A comparison holds at most {MOST_VERDICTS:,} judgements, and has them.")
        if last_verdict is not None and values["state"] == VerdictState.WITHDRAWN:
            values |= {"title": last_verdict.title, "text": last_verdict.text}  # the finding may be gone
        rate_limits.spend_change(access.user)
        if now is not None:
            _supersede(now)
        for own_sign_off in signed:
            _as_judgement(own_sign_off, is_current=False)
        note(access, "judged", "comparison", comparison.pk)
        _renew_incidents(comparison.pk)
        identity = {"team": access.team, "comparison": comparison}
        verdict_row = Verdict.objects.create(
            **identity, **values, pair=pair, dbid=_dbid(comparison, pair), user=access.user
        )
        _tell_contradicted(access, comparison, verdict_row, standing)
        return verdict_row


def _pk(access: AccessContext) -> int | None:
    return access.user.pk if access.user is not None else None


def _supersede(verdict: Verdict) -> None:
    """Signers without another verdict keep the old one."""
    Verdict.objects.filter(pk=verdict.pk).update(is_current=False)
    for sign_off in SignOff.objects.filter(verdict=verdict).select_related("verdict").order_by("at", "pk"):
        _as_judgement(sign_off, is_current=True)


def _as_judgement(signed: SignOff, *, is_current: bool) -> None:
    """Sign-off becomes a verdict of the same time; its first role counts."""
    of = signed.verdict
    same = Verdict.objects.filter(comparison=of.comparison_id, pair=of.pair, anchor=of.anchor, user=signed.user_id)
    names = ("team_id", "comparison_id", "pair", "anchor", "dbid", "title", "text", "state")
    copied = {name: getattr(of, name) for name in (*names, "explained_by", "explained_by_title")}
    holds = is_current and not same.filter(is_current=True).exists()
    verdict_row = Verdict.objects.create(**copied, role=signed.role, user_id=signed.user_id, is_current=holds)
    Verdict.objects.filter(pk=verdict_row.pk).update(at=signed.at)
    signed.delete()


def _tell_contradicted(
    access: AccessContext, comparison: Comparison, verdict_made: Verdict, standing: list[Verdict]
) -> None:
    if verdict_made.state == VerdictState.WITHDRAWN:
        return
    several = verdict_made.pair or queries.compared_count(comparison) > 2
    place = f"{f'?pair={verdict_made.pair}' if several else ''}#{quote(verdict_made.anchor, safe='/:')}"
    for verdict in standing:
        if (
            verdict.state in (verdict_made.state, VerdictState.WITHDRAWN)
            and verdict.explained_by == verdict_made.explained_by
        ):
            continue
        people = [sign_off.user for sign_off in verdict.sign_offs.all()] + ([verdict.user] if verdict.user else [])
        notify(
            access.team,
            "contradicted",
            people,
            kind="comparison",
            thing=comparison.pk,
            place=place,
            actor=access.user,
            about=verdict_made.title,
            change=f"{verdict.get_state_display()} → {verdict_made.get_state_display()}".lower(),
        )


def _renew_incidents(comparison: UUID) -> None:
    renew(Incident.objects.filter(attached_comparisons__comparison=comparison))


def _is_same(access: AccessContext, now: Verdict | None, values: dict[str, str], *, can_withdraw: bool) -> bool:
    if now is None:
        return values["state"] == VerdictState.WITHDRAWN and not can_withdraw
    same = all(getattr(now, name) == value for name, value in values.items() if name not in ("title", "text"))
    return same and access.user is not None


def _values(comparison: Comparison, typed: TypedVerdict, pair: int) -> dict[str, str]:
    state = field_validation.choice(VerdictState, typed.state, "The judgement")
    title, text = _title_and_text(comparison, typed.anchor, pair) if state is not VerdictState.WITHDRAWN else ("", "")
    explains = typed.explained_by if state is VerdictState.EXPLAINED else ""
    if state is VerdictState.REJECTED and not typed.why.strip():
        raise IncidentRefused("Say why it is rejected: the next comparison of this database shows it.")
    if state is VerdictState.EXPLAINED and explains == typed.anchor:
        raise IncidentRefused("A finding cannot explain itself: choose another.")
    return {
        "anchor": typed.anchor,
        "title": title,
        "text": text,
        "state": state.value,
        "why": field_validation.prose(typed.why, LONGEST_WHY, "The reason", empty=True),
        "role": field_validation.line(typed.role, 40, "The role", empty=True).lower(),
        "explained_by": explains,
        "explained_by_title": _title_and_text(comparison, explains, pair)[0] if state is VerdictState.EXPLAINED else "",
    }


def _title_and_text(comparison: Comparison, anchor: str, pair: int) -> tuple[str, str]:
    fits = anchor.startswith(anchors.FINDING) and len(anchor) <= anchors.LONGEST and comparison.is_ready
    standing = anchors.standing(comparison, anchor, pair) if fits else None
    if standing is None:
        raise IncidentRefused("There is no such finding in this comparison: choose one of those it lists.")
    return storable_text(standing.title), storable_text(standing.figures[0][1] if standing.figures else "")


def sign_off(access: AccessContext, verdict: Verdict, role: str) -> SignOff:
    """Replaces own verdicts. Idempotent. Raises IncidentRefused, TooMuch."""
    access.check(Can.WRITE)
    role_name = field_validation.line(role, 40, "The role").lower()
    with transaction.atomic():
        lock(Comparison, [verdict.comparison_id])  # as whoever judges does
        locked = lock(Verdict, [verdict.pk])
        if not locked or not locked[0].is_current or locked[0].state == VerdictState.WITHDRAWN:
            raise IncidentRefused("Another judgement has been given meanwhile: read it first.")
        signed = locked[0]
        if signed.user_id is not None and signed.user_id == _pk(access):
            raise IncidentRefused("This is your own judgement: others sign it off.")
        if SignOff.objects.filter(verdict=verdict).count() >= MOST_SIGN_OFFS:
            raise IncidentRefused(f"A judgement is signed off at most {MOST_SIGN_OFFS} times.")
        sign_off_row, new = SignOff.objects.get_or_create(verdict=verdict, user=access.user, role=role_name)
        if new:
            rate_limits.spend_change(access.user)
            finding = {name: getattr(signed, name) for name in ("comparison_id", "pair", "anchor")}
            for earlier in SignOff.objects.filter(user=access.user, **{f"verdict__{k}": v for k, v in finding.items()}):
                if earlier.verdict_id != signed.pk:
                    _as_judgement(earlier, is_current=False)
            for own in Verdict.objects.filter(**finding, user=access.user, is_current=True):
                _supersede(own)
            note(access, "signed off", "comparison", signed.comparison_id)
            _renew_incidents(signed.comparison_id)
        return sign_off_row


def current(access: AccessContext, comparison: Comparison, pair: int | None = 0) -> list[Verdict]:
    """`pair` None: all pairs. Team only."""
    if not access.can_read:
        return []
    verdicts = Verdict.objects.filter(comparison=comparison, is_current=True, team=access.team)
    verdicts = verdicts.exclude(state=VerdictState.WITHDRAWN)
    verdicts = verdicts if pair is None else verdicts.filter(pair=pair)
    return list(verdicts.select_related("user").prefetch_related(SIGNED))


def verdict_for(access: AccessContext, comparison: Comparison, pk: int) -> Verdict:
    verdicts = Verdict.objects.filter(comparison=comparison, pk=pk, team=access.team)
    return require_row(verdicts, "There is no such judgement.", may=access.can_read)


def of_everybody(comparison: Comparison) -> int:
    """Number deleted with the comparison."""
    verdicts = Verdict.objects.filter(comparison=comparison, is_current=True)
    return verdicts.exclude(state=VerdictState.WITHDRAWN).count()


def _dbid(comparison: Comparison, pair: int) -> str:
    """DBID of Second, else First."""
    headers = queries.overview(comparison, pair).headers
    printed = [str((header.get("database") or {}).get("dbid") or "") for header in reversed(headers)]
    return next(filter(None, printed), "")[:40]
