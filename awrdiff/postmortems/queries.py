"""Reads of the post-mortems app. Who may see the incident sees its post-mortem."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Max, Q, QuerySet

from awrdiff.accounts.access import NotFound
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.live import LiveTable, tables_of
from awrdiff.postmortems.models import Change, Postmortem, PostmortemSection, PostmortemVersion
from awrdiff.postmortems.sections import LIVE
from awrdiff.processing.rows import row_or_none

NO_VERSION = "The post-mortem has no such version."


@dataclass(frozen=True, slots=True)
class AsOf:
    """The document after one of its versions: texts by section, and the tables that a review kept. `number` is None of
    what is no version, such as a draft that was not made."""

    number: int | None
    texts: dict[str, str]
    live: dict[str, tuple[LiveTable, ...]]


def drafted_of(incident: Incident) -> Postmortem | None:
    """None where none has been drafted yet."""
    found = row_or_none(Postmortem.objects.select_related("reviewed_by").filter(incident=incident))
    if found is not None:
        found.incident = incident
    return found


def postmortem_of(incident: Incident) -> Postmortem:
    """Raises NotFound where none has been drafted yet."""
    found = drafted_of(incident)
    if found is None:
        raise NotFound("The incident has no post-mortem yet: draft one on its page.")
    return found


def people_of(incident: Incident) -> set[int | None]:
    """The ids of whoever wrote, reviewed, or was asked to read it."""
    found = set[int | None]()
    for own in Postmortem.objects.filter(incident=incident):
        found |= {own.created_by_id, own.reviewed_by_id}
        found.update(own.versions.order_by().values_list("user", flat=True).distinct())
        for asked in own.second_reviews.all():
            found |= {asked.reviewer_id, asked.asked_by_id}
    return found


def sections_of(postmortem: Postmortem) -> list[PostmortemSection]:
    """In the order of the document."""
    found = {one.key: one for one in postmortem.sections.all()}
    return [found[one.key] for one in postmortem.kinds]


def section_for(postmortem: Postmortem, key: str) -> PostmortemSection:
    return PostmortemSection.objects.get(postmortem=postmortem, key=key)


def kept_tables(postmortem: Postmortem) -> dict[str, tuple[LiveTable, ...]]:
    """Of one that is reviewed: its live tables as they were then."""
    return as_of(postmortem, postmortem.version).live


def versions_of(postmortem: Postmortem) -> QuerySet[PostmortemVersion]:
    """The newest first, without what they say."""
    return postmortem.versions.select_related("user").defer("text", "live")


def version_of(postmortem: Postmortem, number: int) -> PostmortemVersion:
    if not 0 < number <= postmortem.version:
        raise NotFound(NO_VERSION)
    return postmortem.versions.select_related("user").get(number=number)


def as_of(postmortem: Postmortem, number: int) -> AsOf:
    """Of version 0 everything is empty."""
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
        {one.key: texts.get(one.key, "") for one in postmortem.kinds},
        {key: tables_of(live[key]) for key in LIVE if key in live},
    )


def said_in(postmortem: Postmortem, key: str, number: int) -> dict[str, str]:
    """The `text` of a section in the version that wrote it; nothing where that version wrote something else."""
    wrote = PostmortemVersion.objects.filter(postmortem=postmortem, section=key, number=number)
    return {"text": texts[0]} if (texts := wrote.values_list("text", flat=True)[:1]) else {}
