"""What second reviewers were asked and said of a post-mortem, as its page and its JSON have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.postmortems.models import Answer, Postmortem, SecondReview
from awrdiff.postmortems.second import Stage, current, stage_of
from awrdiff.web.clock import moment


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """`holds`: it says what they read; None while they have not answered."""

    id: int
    reviewer: str
    reviewer_shown: str
    asked_by: str
    asked_by_shown: str
    answer: str
    at: str
    why: str
    holds: bool | None
    version: int | None
    said: str
    withdraw_url: str

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "withdraw_url"}


@dataclass(frozen=True, slots=True)
class Reviews:
    """`asked`: whoever looks is a second reviewer of what is not published yet, and by whom they were asked."""

    stage: Stage
    lines: Sequence[ReviewLine]
    digest: str
    asked: ReviewLine | None

    @property
    def signed(self) -> list[str]:
        """The sign-offs alone, to be shown to anybody."""
        return [one.said for one in self.lines if one.answer == Answer.SIGNED]

    @property
    def waiting(self) -> list[str]:
        """Sentences about those who have not answered."""
        return [one.said for one in self.lines if one.withdraw_url]

    def as_dict(self) -> dict[str, Any]:
        return {
            "publishing": self.stage.value,
            "digest": self.digest,
            "second_reviews": [one.as_dict() for one in self.lines],
        }

    def for_outsiders(self) -> dict[str, Any]:
        return {"publishing": self.stage.value, "signed_off": self.signed}


def reviews_of(postmortem: Postmortem, digest: str, access: AccessContext) -> Reviews:
    found = current(postmortem)
    lines = [_line(postmortem, one, digest) for one in found]
    own = (line for one, line in zip(found, lines, strict=True) if one.reviewer and one.reviewer == access.user)
    asked = next(own, None) if access.can_write and not postmortem.is_frozen else None
    return Reviews(stage_of(postmortem, found), lines, digest, asked)


def _line(postmortem: Postmortem, one: SecondReview, digest: str) -> ReviewLine:
    is_open = one.answer == Answer.ASKED and not postmortem.is_frozen
    return ReviewLine(
        id=one.pk,
        reviewer=sign_in_name(one.reviewer),
        reviewer_shown=shown_name(one.reviewer),
        asked_by=sign_in_name(one.asked_by),
        asked_by_shown=shown_name(one.asked_by),
        answer=one.answer,
        at=moment(one.answered_at or one.asked_at),
        why=one.why,
        holds=None if one.answered_at is None else one.digest == digest,
        version=one.number,
        said=_said(one, digest),
        withdraw_url=reverse("postmortem-ask-withdraw", args=[postmortem.incident_id, one.pk]) if is_open else "",
    )


def _said(one: SecondReview, digest: str) -> str:
    """`Signed off by carl on 11 Jan 2018 13:40 UTC, before the last change`."""
    who = shown_name(one.reviewer)
    if one.answered_at is None:
        return f"{who} was asked to review it on {moment(one.asked_at)}, and has not answered"
    before = "" if one.digest == digest else ", before the last change"
    if one.answer == Answer.SIGNED:
        return f"Signed off by {who} on {moment(one.answered_at)}{before}"
    return f"{who} asked for changes on {moment(one.answered_at)}{before}"
