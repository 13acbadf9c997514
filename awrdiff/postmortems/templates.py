"""Sections of a team's new post-mortems: default or set by owners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.text import slugify

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Team
from awrdiff.audit.services import note
from awrdiff.postmortems import sections
from awrdiff.postmortems.errors import NotAsSeen, PostmortemRefused
from awrdiff.postmortems.models import Template
from awrdiff.postmortems.sections import (
    SectionKind,
    kinds_of,
    stored,
)
from awrdiff.processing.storable_values import one_line, storable_text
from awrdiff.whole_number_input import whole_number

MOST_SECTIONS = 20


@dataclass(frozen=True, slots=True)
class TypedSection:
    """`id` empty if new, `place` empty if omitted."""

    id: str
    title: str
    prompt: str
    place: str


def template_of(team: Team) -> Template | None:
    """None until owners set one."""
    return Template.objects.filter(team=team).first()


def kinds_in(template: Template | None) -> tuple[SectionKind, ...]:
    return kinds_of(template.sections if template else ())


def version_of(template: Template | None) -> int:
    """0 for the default."""
    return template.version if template else 0


def set_sections(access: AccessContext, rows: Iterable[TypedSection], *, seen_version: int) -> None:
    """Existing post-mortems stay. Raises PostmortemRefused, NotAsSeen."""
    check_may_set(access)
    kinds = _kinds(list(rows))
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=access.team.pk)
        template = template_of(access.team)
        if stored(kinds) == stored(kinds_in(template)):
            return
        if version_of(template) != seen_version:
            raise NotAsSeen("Another owner has changed the template since you opened it: look at it first.")
        if template is None:
            template = Template(team=access.team, version=0)
        template.sections, template.version = stored(kinds), template.version + 1
        template.save()
        note(access, "changed", "post-mortem template", access.team.pk)


def check_may_set(access: AccessContext) -> None:
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team sets the template of its post-mortems.")


def _kinds(rows: Sequence[TypedSection]) -> tuple[SectionKind, ...]:
    selected = sorted((row for row in rows if row.place.strip()), key=_place)
    if not selected:
        raise PostmortemRefused("A post-mortem has at least one section: give one a place.")
    if len(selected) > MOST_SECTIONS:
        raise PostmortemRefused(f"A post-mortem has at most {MOST_SECTIONS} sections.")
    if any(row.id and not is_id(row.id) for row in selected):
        raise PostmortemRefused("There is no such section.")
    existing_ids = {row.id for row in rows if row.id} | set(sections.BY_KEY)
    kinds: list[SectionKind] = []
    for typed_row in selected:
        title = one_line(typed_row.title)
        prompt = storable_text(typed_row.prompt).replace("\r\n", "\n").strip()
        if not title or len(title) > sections.LONGEST_TITLE or len(prompt) > sections.LONGEST_PROMPT:
            raise PostmortemRefused(
                f"A section has a title of at most {sections.LONGEST_TITLE} characters, and a prompt of at most "
                f"{sections.LONGEST_PROMPT:,}."
            )
        key = typed_row.id or _new_id(title, existing_ids)
        existing_ids.add(key)
        kinds.append(SectionKind(key, title, prompt))
    if len({kind.key for kind in kinds}) < len(kinds) or len({kind.title.casefold() for kind in kinds}) < len(kinds):
        raise PostmortemRefused("Two sections are the same, or have the same title.")
    return tuple(kinds)


def _place(row: TypedSection) -> int:
    if (place := whole_number(row.place.strip(), 999)) is None:
        raise PostmortemRefused("A place is a number: 1 stands first. Without one the section is left out.")
    return place


def is_id(text: str) -> bool:
    return 0 < len(text) <= sections.LONGEST_ID and slugify(text) == text


def _new_id(title: str, existing_ids: set[str]) -> str:
    """Permanent: links use it."""
    base = slugify(title)[: sections.LONGEST_ID - 3].strip("-_") or "section"
    return next(
        candidate for candidate in (base, *(f"{base}-{n}" for n in range(2, 99))) if candidate not in existing_ids
    )
