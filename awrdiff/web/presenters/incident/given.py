"""A verdict as it stands beside a finding, and what was rejected before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.analysis.model.judged import Judged
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Verdict
from awrdiff.web.presenters.incident.lines import judged_by, verdict_said


@dataclass(frozen=True, slots=True)
class Given:
    """A verdict that holds. `sign_url` takes the agreement of others: "" for who gave it."""

    state: str
    said: str
    why: str
    by: str
    at: str
    explained_by: str
    sign_offs: tuple[str, ...]
    sign_url: str

    @property
    def is_rejected(self) -> bool:
        return self.state == "rejected"


@dataclass(frozen=True, slots=True)
class Before:
    """A rejection of the same finding in another comparison of the database; `url` is "" where that was a swapped one
    which is not there any more. `title`: what it said there, which may be the other way round."""

    title: str
    why: str
    by: str
    at: str
    url: str

    @property
    def named(self) -> str:
        return self.title.rstrip(".")


def given_verdict(access: AccessContext, verdict: Verdict, comparison: Comparison) -> Given:
    is_own = access.user is not None and verdict.user_id == access.user.pk
    return Given(
        state=verdict.state,
        said=verdict_said(verdict, verdict.explained_by_title),
        why=verdict.why,
        by=judged_by(verdict),
        at=f"{verdict.at:%d %b %Y}",
        explained_by=verdict.explained_by,
        sign_offs=_sign_offs(verdict),
        sign_url="" if is_own else reverse("verdict-sign-off", args=[comparison.pk, verdict.pk]),
    )


def exported_verdict(verdict: Verdict) -> Judged:
    """For a file that is taken away."""
    return Judged(
        state=verdict.state,
        by=sign_in_name(verdict.user),
        by_shown=shown_name(verdict.user),
        at=verdict.at,
        why=verdict.why,
        role=verdict.role,
        explained_by=verdict.explained_by_title,
        signed=_sign_offs(verdict),
    )


def _sign_offs(verdict: Verdict) -> tuple[str, ...]:
    return tuple(f"{shown_name(s.user)} ({s.role})" for s in verdict.sign_offs.all())


def verdict_before(verdict: Verdict) -> Before:
    url = reverse("comparison", args=[verdict.shown_in]) if verdict.shown_in else ""
    return Before(verdict.title, verdict.why, shown_name(verdict.user), f"{verdict.at:%d %b %Y}", url)


def document(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.pk,
        "anchor": verdict.anchor,
        "pair": verdict.pair,
        "title": verdict.title,
        "state": verdict.state,
        "why": verdict.why,
        "explained_by": verdict.explained_by or None,
        "by": sign_in_name(verdict.user),
        "by_shown": shown_name(verdict.user),
        "role": verdict.role,
        "at": verdict.at.isoformat(),
    }
