"""Which sections the post-mortems of a team begin with: the default, or what its owners have set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.text import slugify

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Team
from awrdiff.audit.services import note
from awrdiff.numbers import whole_number
from awrdiff.postmortems.errors import NotAsSeen, PostmortemRefused
from awrdiff.postmortems.models import Template
from awrdiff.postmortems.sections import BY_KEY, SectionKind, kinds_of, stored
from awrdiff.processing.storable import one_line, storable_text

MOST_SECTIONS, LONGEST_ID, LONGEST_TITLE, LONGEST_PROMPT = 20, 20, 80, 1_000


@dataclass(frozen=True, slots=True)
class TypedSection:
    """A row of the form: `id` is empty of one that is new, `place` of one that is left out."""

    id: str
    title: str
    prompt: str
    place: str


def template_of(team: Team) -> Template | None:
    """None where its owners have set none."""
    return Template.objects.filter(team=team).first()


def kinds_in(found: Template | None) -> tuple[SectionKind, ...]:
    return kinds_of(found.sections if found else ())


def version_of(found: Template | None) -> int:
    """What a change is made over; 0 of the default."""
    return found.version if found else 0


def set_sections(access: AccessContext, rows: Iterable[TypedSection], *, seen: int) -> None:
    """Those with a place, in the order of their places. Post-mortems that are begun already stay as they are.

    Raises PostmortemRefused, and NotAsSeen where another owner has changed it since version `seen`.
    """
    check_may_set(access)
    kinds = _kinds(list(rows))
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=access.team.pk)
        found = template_of(access.team)
        if stored(kinds) == stored(kinds_in(found)):
            return
        if version_of(found) != seen:
            raise NotAsSeen("Another owner has changed the template since you opened it: look at it first.")
        if found is None:
            found = Template(team=access.team, version=0)
        found.sections, found.version = stored(kinds), found.version + 1
        found.save()
        note(access, "changed", "post-mortem template", access.team.pk)


def check_may_set(access: AccessContext) -> None:
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team sets the template of its post-mortems.")


def _kinds(rows: Sequence[TypedSection]) -> tuple[SectionKind, ...]:
    chosen = sorted((one for one in rows if one.place.strip()), key=_place)
    if not chosen:
        raise PostmortemRefused("A post-mortem has at least one section: give one a place.")
    if len(chosen) > MOST_SECTIONS:
        raise PostmortemRefused(f"A post-mortem has at most {MOST_SECTIONS} sections.")
    if any(one.id and not is_id(one.id) for one in chosen):
        raise PostmortemRefused("There is no such section.")
    known = {one.id for one in rows if one.id} | set(BY_KEY)
    made: list[SectionKind] = []
    for one in chosen:
        title = one_line(one.title)
        prompt = storable_text(one.prompt).replace("\r\n", "\n").strip()
        if not title or len(title) > LONGEST_TITLE or len(prompt) > LONGEST_PROMPT:
            raise PostmortemRefused(
                f"A section has a title of at most {LONGEST_TITLE} characters, and a prompt of at most "
                f"{LONGEST_PROMPT:,}."
            )
        key = one.id or _new_id(title, known)
        known.add(key)
        made.append(SectionKind(key, title, prompt))
    if len({one.key for one in made}) < len(made) or len({one.title.casefold() for one in made}) < len(made):
        raise PostmortemRefused("Two sections are the same, or have the same title.")
    return tuple(made)


def _place(one: TypedSection) -> int:
    if (place := whole_number(one.place.strip(), 999)) is None:
        raise PostmortemRefused("A place is a number: 1 stands first. Without one the section is left out.")
    return place


def is_id(text: str) -> bool:
    return 0 < len(text) <= LONGEST_ID and slugify(text) == text


def _new_id(title: str, known: set[str]) -> str:
    """Of its title; it stays when that changes, since links lead to it."""
    base = slugify(title)[: LONGEST_ID - 3].strip("-_") or "section"
    return next(one for one in (base, *(f"{base}-{n}" for n in range(2, 99))) if one not in known)
