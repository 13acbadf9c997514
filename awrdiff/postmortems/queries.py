"""Reads of post-mortems; access follows the incident."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Max, Q, QuerySet

from awrdiff.accounts.access import NotFound, existing
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.models import Change, Postmortem, PostmortemSection, PostmortemVersion
from awrdiff.postmortems.sections import LIVE, LiveTable, load_tables
from awrdiff.processing.row_locks import row_or_none

NO_VERSION = "The post-mortem has no such version."


@dataclass(frozen=True, slots=True)
class AsOf:
    """Texts after a version, and tables stored by a review, both by section."""

    number: int | None
    texts: dict[str, str]
    live: dict[str, tuple[LiveTable, ...]]


def drafted_of(incident: Incident) -> Postmortem | None:
    """None until drafted."""
    postmortem = row_or_none(Postmortem.objects.select_related("reviewed_by").filter(incident=incident))
    if postmortem is not None:
        postmortem.incident = incident
    return postmortem


def postmortem_of(incident: Incident) -> Postmortem:
    """Raises NotFound until drafted."""
    return existing(drafted_of(incident), "The incident has no post-mortem yet: draft one on its page.")


def people_of(incident: Incident) -> set[int | None]:
    """Ids of authors, reviewers and those who asked them."""
    people = set[int | None]()
    for own in Postmortem.objects.filter(incident=incident):
        people |= {own.created_by_id, own.reviewed_by_id}
        people.update(own.versions.order_by().values_list("user", flat=True).distinct())
        for review in own.second_reviews.all():
            people |= {review.reviewer_id, review.asked_by_id}
    return people


def sections_of(postmortem: Postmortem) -> list[PostmortemSection]:
    """In document order."""
    by_key = {section.key: section for section in postmortem.sections.all()}
    return [by_key[kind.key] for kind in postmortem.kinds]


def section_for(postmortem: Postmortem, key: str) -> PostmortemSection:
    return PostmortemSection.objects.get(postmortem=postmortem, key=key)


def kept_tables(postmortem: Postmortem) -> dict[str, tuple[LiveTable, ...]]:
    """Live tables as of the review."""
    return as_of(postmortem, postmortem.version).live


def versions_of(postmortem: Postmortem) -> QuerySet[PostmortemVersion]:
    """Newest first, without texts."""
    return postmortem.versions.select_related("user").defer("text", "live")


def version_of(postmortem: Postmortem, number: int) -> PostmortemVersion:
    if not 0 < number <= postmortem.version:
        raise NotFound(NO_VERSION)
    return postmortem.versions.select_related("user").get(number=number)


def as_of(postmortem: Postmortem, number: int) -> AsOf:
    """Version 0 is empty. Raises NotFound."""
    if not 0 <= number <= postmortem.version:
        raise NotFound(NO_VERSION)
    until = postmortem.versions.filter(number__lte=number)
    whole = Q(kind__in=[Change.REVIEWED, Change.REOPENED])
    last = until.exclude(whole).order_by().values("section").annotate(last=Max("number")).values_list("last", flat=True)
    texts = dict(postmortem.versions.filter(number__in=list(last)).values_list("section", "text"))
    state = until.filter(whole).order_by("-number").first()
    live = state.live if state else {}
    return AsOf(
        number,
        {kind.key: texts.get(kind.key, "") for kind in postmortem.kinds},
        {key: load_tables(live[key]) for key in LIVE if key in live},
    )


def text_in_version(postmortem: Postmortem, key: str, number: int) -> dict[str, str]:
    """`text` in the version that wrote it, or empty."""
    wrote = PostmortemVersion.objects.filter(postmortem=postmortem, section=key, number=number)
    return {"text": texts[0]} if (texts := wrote.values_list("text", flat=True)[:1]) else {}
