"""Verdicts on a finding, and earlier rejections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from django.urls import reverse
from msgspec import Meta, Struct

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.analysis.model.comparison import Judged
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.pairs import TURNED
from awrdiff.incidents.models import Verdict
from awrdiff.incidents.verdicts import DISPUTED, by_finding, is_agreed, team_state
from awrdiff.web import links
from awrdiff.web.presenters.incident.lines import verdict_said


class Judgement(Struct):
    """One person's verdict, in JSON, schema and page."""

    id: int
    anchor: str
    pair: int
    title: str
    state: Annotated[str, Meta(description="confirmed, rejected, explained_by, withdrawn")]
    said: Annotated[str, Meta(description="the same as a sentence begins")]
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
            said=verdict_said(verdict, verdict.explained_by_title),
            why=verdict.why,
            explained_by=verdict.explained_by or None,
            by=sign_in_name(verdict.user),
            by_shown=shown_name(verdict.user),
            role=verdict.role,
            at=verdict.at.isoformat(),
            signed=[f"{shown_name(s.user)} ({s.role})" for s in verdict.sign_offs.all()],
        )


class Listed(Judgement):
    """With the team's verdict: the common one of all who judged."""

    team: Annotated[str, Meta(description="confirmed, rejected, explained_by; disputed where people differ")] = ""


class OnPage(Struct):
    """A verdict with its day; `sign_url`: address to agree, "" for its author."""

    judgement: Judgement
    day: str
    sign_url: str


class Given(Struct):
    """All verdicts on one finding, latest last. `state`: the team's, `disputed` if they differ; `own`: the reader's."""

    state: str
    judgements: list[OnPage]
    own: Judgement | None
    sign_url: str

    @property
    def is_rejected(self) -> bool:
        return self.state == "rejected"

    @property
    def is_disputed(self) -> bool:
        return self.state == DISPUTED


@dataclass(frozen=True, slots=True)
class Before:
    """A verdict on the same finding in another comparison of the database. `title`: the finding there; `is_turned`:
    First and Second swapped.
    """

    said: str
    is_turned: bool
    title: str
    why: str
    by: str
    at: str
    url: str

    @property
    def named(self) -> str:
        return self.title.rstrip(".")


def given(access: AccessContext, verdicts: Sequence[Verdict], comparison: Comparison) -> Given:
    """`verdicts`: at least one, on one finding."""
    pages = []
    own = None
    for verdict in verdicts:
        is_own = access.user is not None and verdict.user_id == access.user.pk
        sign_url = "" if is_own else reverse("verdict-sign-off", args=[comparison.pk, verdict.pk])
        pages.append(OnPage(Judgement.of(verdict), f"{verdict.at:%d %b %Y}", sign_url))
        own = pages[-1].judgement if is_own else own
    return Given(
        state=team_state(verdicts),
        judgements=pages,
        own=own,
        sign_url=next((page_verdict.sign_url for page_verdict in reversed(pages) if page_verdict.sign_url), "")
        if is_agreed(verdicts)
        else "",
    )


def exported(verdicts: Sequence[Verdict]) -> Judged:
    """The latest verdict, with the others."""
    other_verdicts = tuple(Judged(**_exported_fields(verdict)) for verdict in verdicts[:-1])
    return Judged(**_exported_fields(verdicts[-1]), team=team_state(verdicts), others=other_verdicts)


def _exported_fields(verdict: Verdict) -> Mapping[str, Any]:
    return {
        "state": verdict.state,
        "by": sign_in_name(verdict.user),
        "by_shown": shown_name(verdict.user),
        "at": verdict.at,
        "why": verdict.why,
        "role": verdict.role,
        "explained_by": verdict.explained_by_title,
        "signed": tuple(f"{shown_name(s.user)} ({s.role})" for s in verdict.sign_offs.all()),
    }


def verdict_before(verdict: Verdict, pair: int) -> Before:
    return Before(
        said=f"{verdict_said(verdict, '')} before",
        is_turned=(verdict.pair == TURNED) != (pair == TURNED),
        title=verdict.title,
        why=verdict.why,
        by=shown_name(verdict.user),
        at=f"{verdict.at:%d %b %Y}",
        url=links.place(verdict.comparison_id, verdict.pair),
    )


def team_judgements(verdicts: Sequence[Verdict]) -> list[Listed]:
    judgements = []
    for several in by_finding(verdicts).values():
        for verdict in several:
            judgement = Listed.of(verdict)
            judgement.team = team_state(several)
            judgements.append(judgement)
    return judgements
