"""Second reviews of a post-mortem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.postmortems.models import Answer, Postmortem
from awrdiff.postmortems.models import SecondReview as Review
from awrdiff.postmortems.second_reviews import Stage, current, stage_of
from awrdiff.web.clock import moment
from awrdiff.web.presenters.incident.kinds import SecondReview


class ReviewLine(SecondReview, kw_only=True):
    """`holds`: applies to the text they read; None before an answer."""

    withdraw_url: str


@dataclass(frozen=True, slots=True)
class Reviews:
    """`asked`: the reader's pending request, and its sender."""

    stage: Stage
    lines: Sequence[ReviewLine]
    digest: str
    asked: ReviewLine | None

    @property
    def signed(self) -> list[str]:
        """Sign-offs, for anybody."""
        return [line.said for line in self.lines if line.answer == Answer.SIGNED]

    @property
    def waiting(self) -> list[str]:
        """Sentences about pending reviews."""
        return [line.said for line in self.lines if line.withdraw_url]


def reviews_of(postmortem: Postmortem, digest: str, access: AccessContext) -> Reviews:
    reviews = current(postmortem)
    lines = [_line(postmortem, review, digest) for review in reviews]
    own = (
        line for review, line in zip(reviews, lines, strict=True) if review.reviewer and review.reviewer == access.user
    )
    own_request = next(own, None) if access.can_write and not postmortem.is_frozen else None
    return Reviews(stage_of(postmortem, reviews), lines, digest, own_request)


def _line(postmortem: Postmortem, review: Review, digest: str) -> ReviewLine:
    is_open = review.answer == Answer.PENDING and not postmortem.is_frozen
    return ReviewLine(
        id=review.pk,
        reviewer=sign_in_name(review.reviewer),
        reviewer_shown=shown_name(review.reviewer),
        asked_by=sign_in_name(review.asked_by),
        asked_by_shown=shown_name(review.asked_by),
        answer=review.answer,
        at=moment(review.answered_at or review.asked_at),
        why=review.why,
        holds=None if review.answered_at is None else review.digest == digest,
        version=review.number,
        said=_answer_text(review, digest),
        withdraw_url=reverse("postmortem-ask-withdraw", args=[postmortem.incident_id, review.pk]) if is_open else "",
    )


def _answer_text(review: Review, digest: str) -> str:
    who = shown_name(review.reviewer)
    if review.answered_at is None:
        return f"{who} was asked to review it on {moment(review.asked_at)}, and has not answered"
    before = "" if review.digest == digest else ", before the last change"
    if review.answer == Answer.SIGNED:
        return f"Signed off by {who} on {moment(review.answered_at)}{before}"
    return f"{who} asked for changes on {moment(review.answered_at)}{before}"
