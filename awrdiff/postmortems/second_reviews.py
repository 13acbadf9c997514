"""Second review: a team member signs off or asks for changes. An answer is bound to what was read; review without one
is noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, existing
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.models import User
from awrdiff.audit.services import note
from awrdiff.incidents import services as incidents
from awrdiff.notices.services import take_back
from awrdiff.postmortems.errors import Frozen, NotAsSeen, PostmortemRefused
from awrdiff.postmortems.live_tables import reading_of
from awrdiff.postmortems.models import Answer, Postmortem, SecondReview
from awrdiff.processing.row_locks import lock_one
from awrdiff.processing.storable_values import one_line

LONGEST_WHY, MOST_REVIEWERS = 500, 10
PLACE = "postmortem/"  # of the incident, where a notice leads to


class Stage(StrEnum):
    """Publication stage, in the team and by links."""

    DRAFT = "draft"
    IN_REVIEW = "in review"
    PUBLISHED = "published"


def current(postmortem: Postmortem) -> list[SecondReview]:
    """Each reviewer's last, in this edition."""
    return list(postmortem.second_reviews.filter(is_current=True).select_related("reviewer", "asked_by"))


def unanswered(postmortem: Postmortem) -> list[str]:
    """Names of reviewers without answer."""
    return [shown_name(request.reviewer) for request in current(postmortem) if request.answer == Answer.PENDING]


def stage_of(postmortem: Postmortem, reviews: Sequence[object]) -> Stage:
    if postmortem.is_frozen:
        return Stage.PUBLISHED
    return Stage.IN_REVIEW if reviews else Stage.DRAFT


def stages_of(incidents: Sequence[UUID]) -> dict[UUID, Stage]:
    """By incident, where a post-mortem exists."""
    pending_review = Exists(SecondReview.objects.filter(postmortem=OuterRef("pk"), is_current=True))
    postmortems = Postmortem.objects.filter(incident__in=incidents).annotate(asked=pending_review)
    rows = postmortems.values_list("incident", "reviewed_at", "asked")
    in_review = {True: Stage.IN_REVIEW, False: Stage.DRAFT}
    return {pk: Stage.PUBLISHED if reviewed_at else in_review[is_asked] for pk, reviewed_at, is_asked in rows}


def ask(access: AccessContext, postmortem: Postmortem, person: str) -> SecondReview:
    """`person`: id of a writing member. Raises PostmortemRefused, Frozen."""
    with incidents.locked_incident(access, postmortem.incident) as incident:
        locked = locked_draft(postmortem)
        reviewer = incidents.teammate(access, person)
        if reviewer == access.user:
            raise PostmortemRefused("A second reviewer is somebody else than you.")
        reviews = {request.reviewer_id: request for request in current(locked)}
        before = reviews.get(reviewer.pk)
        if before is not None and before.answer == Answer.PENDING:
            return before
        if before is None and len(reviews) >= MOST_REVIEWERS:
            raise PostmortemRefused(f"A post-mortem has at most {MOST_REVIEWERS} second reviewers.")
        if before is not None:
            _put_aside(before)
        review_request = SecondReview.objects.create(postmortem=locked, reviewer=reviewer, asked_by=access.user)
        note(access, "changed", "post-mortem", incident.pk)
        _tell(access, review_request, "review", reviewer)
        return review_request


def answer(
    access: AccessContext, postmortem: Postmortem, verdict: str, why: str = "", *, seen_digest: str
) -> SecondReview:
    """`seen_digest`: as read. Raises NotFound, NotAsSeen, PostmortemRefused, Frozen."""
    why = one_line(why)
    if verdict not in (Answer.SIGNED, Answer.CHANGES):
        raise PostmortemRefused("“answer” must be signed or changes.")
    if verdict == Answer.CHANGES and not why:
        raise PostmortemRefused("Say what is to be changed.")
    if len(why) > LONGEST_WHY:
        raise PostmortemRefused(f"That is longer than {LONGEST_WHY} characters.")
    with incidents.locked_incident(access, postmortem.incident) as incident:
        locked = locked_draft(postmortem)
        own = (request for request in current(locked) if request.reviewer and request.reviewer == access.user)
        review_request = existing(next(own, None), "You were not asked to review this post-mortem.")
        if reading_of(locked).digest != seen_digest:
            raise NotAsSeen("The post-mortem has been changed since you opened it: read it again, then answer.")
        if (review_request.answer, review_request.digest, review_request.why) == (verdict, seen_digest, why):
            return review_request
        if review_request.answer != Answer.PENDING:  # what was answered before stays as it was
            _put_aside(review_request)
            review_request = SecondReview(
                postmortem=locked, reviewer=review_request.reviewer, asked_by=review_request.asked_by
            )
        review_request.answer, review_request.why = verdict, why
        review_request.digest, review_request.number = seen_digest, locked.version
        review_request.answered_at = timezone.now()
        review_request.save()
        note(access, "changed", "post-mortem", incident.pk)
        if review_request.asked_by is not None:
            _tell(access, review_request, verdict, review_request.asked_by)
        return review_request


def withdraw(access: AccessContext, postmortem: Postmortem, pk: int) -> None:
    """Withdraw an unanswered request. Idempotent."""
    with incidents.locked_incident(access, postmortem.incident) as incident:
        locked = locked_draft(postmortem)
        pending = next(
            (request for request in current(locked) if request.pk == pk and request.answer == Answer.PENDING), None
        )
        if pending is None:
            return
        _put_aside(pending)
        note(access, "changed", "post-mortem", incident.pk)
        if pending.reviewer is not None:
            take_back(access.team, "review", [pending.reviewer], key=_key(pending))


def locked_postmortem(postmortem: Postmortem) -> Postmortem:
    """Raises NotFound."""
    return existing(lock_one(Postmortem, postmortem.pk), "The incident has been deleted.")


def locked_draft(postmortem: Postmortem) -> Postmortem:
    """Raises NotFound, Frozen."""
    locked = locked_postmortem(postmortem)
    if locked.is_frozen:
        raise Frozen
    return locked


def _put_aside(review: SecondReview) -> None:
    review.is_current = False
    review.save(update_fields=["is_current"])


def _tell(access: AccessContext, review: SecondReview, what: str, user: User) -> None:
    incidents.notify_of(review.postmortem.incident, what, [user], place=PLACE, actor=access.user, key=_key(review))


def _key(review: SecondReview) -> str:
    return f"second review {review.pk}"
