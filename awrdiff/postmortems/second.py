"""The second reviewer: somebody of the team is asked to read a post-mortem, and signs it off or asks for changes.

An answer is bound to what they read. Whoever may write can still review it without one: then it says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import User
from awrdiff.accounts.names import shown_name
from awrdiff.audit.services import note
from awrdiff.incidents import services as incidents
from awrdiff.notices.services import notify, take_back
from awrdiff.postmortems.errors import Frozen, NotAsSeen, PostmortemRefused
from awrdiff.postmortems.models import Answer, Postmortem, SecondReview
from awrdiff.postmortems.reading import reading_of
from awrdiff.processing.rows import lock
from awrdiff.processing.storable import one_line

LONGEST_WHY, MOST_REVIEWERS = 500, 10
PLACE = "postmortem/"  # of the incident, where a notice leads to


class Stage(StrEnum):
    """How far it is published: in the team and by its links."""

    DRAFT = "draft"
    IN_REVIEW = "in review"
    PUBLISHED = "published"


def current(postmortem: Postmortem) -> list[SecondReview]:
    """What was asked and answered of this edition, each reviewer's last."""
    return list(postmortem.second_reviews.filter(is_current=True).select_related("reviewer", "asked_by"))


def unanswered(postmortem: Postmortem) -> list[str]:
    """The names of those who were asked to read this edition, and have not answered."""
    return [shown_name(one.reviewer) for one in current(postmortem) if one.answer == Answer.ASKED]


def stage_of(postmortem: Postmortem, reviews: Sequence[SecondReview]) -> Stage:
    if postmortem.is_frozen:
        return Stage.PUBLISHED
    return Stage.IN_REVIEW if reviews else Stage.DRAFT


def stages_of(incidents: Sequence[UUID]) -> dict[UUID, Stage]:
    """By incident; of those that have a post-mortem."""
    asked = Exists(SecondReview.objects.filter(postmortem=OuterRef("pk"), is_current=True))
    found = Postmortem.objects.filter(incident__in=incidents).annotate(asked=asked)
    rows = found.values_list("incident", "reviewed_at", "asked")
    in_review = {True: Stage.IN_REVIEW, False: Stage.DRAFT}
    return {pk: Stage.PUBLISHED if reviewed_at else in_review[asked] for pk, reviewed_at, asked in rows}


def ask(access: AccessContext, postmortem: Postmortem, person: str) -> SecondReview:
    """`person`: the id of somebody on the team who may write. Who has answered is asked once more.

    Raises PostmortemRefused, Frozen.
    """
    with incidents.locked_incident(access, postmortem.incident) as incident:
        held = _open(postmortem)
        reviewer = incidents.teammate(access, person)
        if reviewer == access.user:
            raise PostmortemRefused("A second reviewer is somebody else than you.")
        reviews = {one.reviewer_id: one for one in current(held)}
        before = reviews.get(reviewer.pk)
        if before is not None and before.answer == Answer.ASKED:
            return before
        if before is None and len(reviews) >= MOST_REVIEWERS:
            raise PostmortemRefused(f"A post-mortem has at most {MOST_REVIEWERS} second reviewers.")
        if before is not None:
            _put_aside(before)
        made = SecondReview.objects.create(postmortem=held, reviewer=reviewer, asked_by=access.user)
        note(access, "changed", "post-mortem", incident.pk)
        _tell(access, made, "review", reviewer)
        return made


def answer(access: AccessContext, postmortem: Postmortem, given: str, why: str = "", *, seen: str) -> SecondReview:
    """`given`: signed or changes, which needs a `why`; `seen`: the digest of what was read.

    Raises NotFound of who was not asked, NotAsSeen where it says something else now, PostmortemRefused, Frozen.
    """
    why = one_line(why)
    if given not in (Answer.SIGNED, Answer.CHANGES):
        raise PostmortemRefused("“answer” must be signed or changes.")
    if given == Answer.CHANGES and not why:
        raise PostmortemRefused("Say what is to be changed.")
    if len(why) > LONGEST_WHY:
        raise PostmortemRefused(f"That is longer than {LONGEST_WHY} characters.")
    with incidents.locked_incident(access, postmortem.incident) as incident:
        held = _open(postmortem)
        asked = next((one for one in current(held) if one.reviewer is not None and one.reviewer == access.user), None)
        if asked is None:
            raise NotFound("You were not asked to review this post-mortem.")
        if reading_of(held).digest != seen:
            raise NotAsSeen("The post-mortem has been changed since you opened it: read it again, then answer.")
        if (asked.answer, asked.digest, asked.why) == (given, seen, why):
            return asked
        if asked.answer != Answer.ASKED:  # what was answered before stays as it was
            _put_aside(asked)
            asked = SecondReview(postmortem=held, reviewer=asked.reviewer, asked_by=asked.asked_by)
        asked.answer, asked.why, asked.digest, asked.number = given, why, seen, held.version
        asked.answered_at = timezone.now()
        asked.save()
        note(access, "changed", "post-mortem", incident.pk)
        if asked.asked_by is not None:
            _tell(access, asked, given, asked.asked_by)
        return asked


def withdraw(access: AccessContext, postmortem: Postmortem, pk: int) -> None:
    """Nobody is asked any more who has not answered; an answer stays. Twice is once."""
    with incidents.locked_incident(access, postmortem.incident) as incident:
        held = _open(postmortem)
        asked = next((one for one in current(held) if one.pk == pk and one.answer == Answer.ASKED), None)
        if asked is None:
            return
        _put_aside(asked)
        note(access, "changed", "post-mortem", incident.pk)
        if asked.reviewer is not None:
            take_back(access.team, "review", [asked.reviewer], key=_key(asked))


def _open(postmortem: Postmortem) -> Postmortem:
    found = lock(Postmortem, [postmortem.pk])
    if not found:
        raise NotFound("The incident has been deleted.")
    if found[0].is_frozen:
        raise Frozen
    return found[0]


def _put_aside(review: SecondReview) -> None:
    review.is_current = False
    review.save(update_fields=["is_current"])


def _tell(access: AccessContext, review: SecondReview, what: str, user: User) -> None:
    of, key = review.postmortem.incident, _key(review)
    notify(
        access.team, what, [user], kind="incident", thing=of.pk, place=PLACE, actor=access.user, about=of.title, key=key
    )


def _key(review: SecondReview) -> str:
    return f"second review {review.pk}"
