"""Verdicts on a finding, and earlier rejections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

from django.urls import reverse
from msgspec import Meta, Struct, field, structs

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import shown_name, sign_in_name
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import FindingVerdict
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.incidents.finding_verdicts import by_finding, is_agreed, team_state
from awrdiff.incidents.models import Verdict
from awrdiff.web import links
from awrdiff.web.presenters.incident.timeline_entries import verdict_text


class Judgement(Struct):
    """One person's verdict, in JSON, schema and page."""

    id: int
    anchor: str
    pair: int
    title: str
    state: Annotated[str, Meta(description="confirmed, rejected, explained_by, withdrawn")]
    text: Annotated[str, Meta(description="the same as a sentence begins")] = field(name="said")
    why: str
    explained_by: Annotated[str | None, Meta(description="anchor of the other finding")]
    by: Annotated[str, Meta(description="the name to sign in with")]
    by_shown: str
    role: str
    at: str
    signed: Annotated[list[str], Meta(description="who signs it off, as what")]

    @classmethod
    def of(cls, verdict: Verdict) -> Self:
        return cls(
            id=verdict.pk,
            anchor=verdict.anchor,
            pair=verdict.pair,
            title=verdict.title,
            state=verdict.state,
            text=verdict_text(verdict, verdict.explained_by_title),
            why=verdict.why,
            explained_by=verdict.explained_by or None,
            by=sign_in_name(verdict.user),
            by_shown=shown_name(verdict.user),
            role=verdict.role,
            at=verdict.at.isoformat(),
            signed=list(_signers(verdict)),
        )


class Listed(Judgement):
    """With the team's verdict: the common one of all who judged."""

    team: Annotated[str, Meta(description="confirmed, rejected, explained_by; disputed where people differ")] = ""


def verdicts_of(
    access: AccessContext,
    comparison: Comparison,
    verdicts: Sequence[Verdict],
    judged_before: Mapping[str, Verdict],
    *,
    pair: int,
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Current and earlier ones by anchor, for this reader. Of one finding all, latest last, each with its day and
    address to agree, "" for its author. `state`: the team's; `own`: the reader's.
    """
    current = {}
    for several in by_finding(verdicts).values():
        view: dict[str, Any] = {"state": team_state(several), "judgements": []}
        for verdict in several:
            judgement, sign_url = Judgement.of(verdict), ""
            if access.user is not None and verdict.user_id == access.user.pk:
                view["own"] = judgement
            else:
                sign_url = reverse("verdict-sign-off", args=[comparison.pk, verdict.pk])
            view["judgements"].append((judgement, f"{verdict.at:%d %b %Y}", sign_url))
            if sign_url and is_agreed(several):
                view["sign_url"] = sign_url
        current[several[0].anchor] = view
    return current, {anchor: verdict_before(verdict, pair) for anchor, verdict in judged_before.items()}


def judged_in(computed: Computed, verdicts: Sequence[Verdict], pair: int) -> Computed:
    """With the latest verdict on each finding, beside the others."""
    judgements: dict[str, FindingVerdict] = {}
    for several in by_finding(verdict for verdict in verdicts if verdict.pair == pair).values():
        *earlier, latest = map(_exported, several)
        judgements[several[0].anchor] = structs.replace(latest, team=team_state(several), others=tuple(earlier))
    return structs.replace(computed, finding_verdicts=tuple(map(judgements.get, map(of_finding, computed.findings))))


def _exported(verdict: Verdict) -> FindingVerdict:
    return FindingVerdict(
        state=verdict.state,
        by=sign_in_name(verdict.user),
        by_shown=shown_name(verdict.user),
        at=verdict.at,
        why=verdict.why,
        role=verdict.role,
        explained_by=verdict.explained_by_title,
        signed=_signers(verdict),
    )


def _signers(verdict: Verdict) -> tuple[str, ...]:
    return tuple(f"{shown_name(s.user)} ({s.role})" for s in verdict.sign_offs.all())


def verdict_before(verdict: Verdict, pair: int) -> dict[str, Any]:
    """Verdict on the same finding in another comparison of the database. `title`: the finding there."""
    return {
        "text": f"{verdict_text(verdict, '')} before",
        "is_turned": (verdict.pair == REVERSE) != (pair == REVERSE),  # First and Second swapped
        "title": verdict.title,
        "named": verdict.title.rstrip("."),
        "why": verdict.why,
        "by": shown_name(verdict.user),
        "at": f"{verdict.at:%d %b %Y}",
        "url": links.place(verdict.comparison_id, verdict.pair),
    }


def team_judgements(verdicts: Sequence[Verdict]) -> list[Listed]:
    judgements = []
    for several in by_finding(verdicts).values():
        for verdict in several:
            judgement = Listed.of(verdict)
            judgement.team = team_state(several)
            judgements.append(judgement)
    return judgements
