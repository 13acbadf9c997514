"""Writes of the post-mortems app: drafting, editing, restoring, reviewing and opening it again.

Every write holds the incident's row, then the post-mortem's; each is a version, and no version is ever changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.words import listing
from awrdiff.audit.services import note
from awrdiff.incidents import services as incidents
from awrdiff.incidents.merging import merge
from awrdiff.incidents.models import Incident, Status
from awrdiff.postmortems import checklists, queries, second
from awrdiff.postmortems.draft import texts_of
from awrdiff.postmortems.errors import Frozen, NotAsSeen, PostmortemRefused, SavedMeanwhile
from awrdiff.postmortems.live import LiveTable, documents
from awrdiff.postmortems.material import Material, material_of
from awrdiff.postmortems.models import Change, Postmortem, PostmortemSection, PostmortemVersion
from awrdiff.postmortems.reading import reading_of
from awrdiff.postmortems.sections import stored
from awrdiff.postmortems.tables import tables_of
from awrdiff.postmortems.templates import kinds_in, template_of
from awrdiff.processing.rows import lock
from awrdiff.processing.storable import one_line, storable, storable_text

LONGEST_TEXT, MOST_LINES, LONGEST_REASON = 20_000, 1_000, 500
MOST_VERSIONS = 5_000


def draft(access: AccessContext, incident: Incident) -> Postmortem:
    """Make the post-mortem, or write anew what nobody has edited: the rest stays. Raises Frozen."""
    with incidents.locked_incident(access, incident) as found:
        material = material_of(found)
        begun = {"created_by": access.user, "template": stored(kinds_in(template_of(found.team)))}
        made, _ = Postmortem.objects.get_or_create(incident=found, defaults=begun)
        held = _lock_to_write(made)
        before, texts = held.version, drafts(held, material)
        existing = {one.key: one for one in PostmortemSection.objects.filter(postmortem=held)}
        for kind in held.kinds:
            section = existing.get(kind.key) or PostmortemSection.objects.create(postmortem=held, key=kind.key)
            section.drafted = texts.get(kind.key, "")
            section.save(update_fields=["drafted"])
            if not section.by_hand and (section.text != section.drafted or not section.number):
                _write(held, section, section.drafted, Change.DRAFTED, access)
        if held.version != before:
            _note_change(access, held)
        return held


def save(access: AccessContext, postmortem: Postmortem, key: str, text: str, *, seen: int) -> PostmortemSection:
    """`seen` is the number of the version that was edited. The same text again is the same version.

    Raises SavedMeanwhile where somebody else has changed the section since, Frozen, PostmortemRefused.
    """
    postmortem.kind_of(key)
    text = clean_text(text)
    with incidents.locked_incident(access, postmortem.incident):
        held, section = _held_section(postmortem, key)
        if section.text == text and (section.by_hand or seen == section.number):
            return section
        if section.number != seen:
            merged = merge(queries.said_in(held, key, seen), {"text": text}, {"text": section.text})
            if merged.conflicts:
                raise SavedMeanwhile(section, text)
            return section  # nothing was typed: what another saved stays
        _note_change(access, held)
        return _write(held, section, text, Change.EDITED, access, by_hand=True)


def restore(access: AccessContext, postmortem: Postmortem, number: int, *, seen: int) -> PostmortemSection:
    """What a section said in that version it says again. Raises NotAsSeen where it was changed since version `seen`
    of the document, Frozen."""
    wanted = queries.version_of(postmortem, number)
    if not wanted.section:
        raise PostmortemRefused("Only what a section said can be restored: choose a version of a section.")
    with incidents.locked_incident(access, postmortem.incident):
        held, section = _held_section(postmortem, wanted.section)
        if section.text == wanted.text and section.by_hand == wanted.by_hand:
            return section
        if section.number > seen:
            raise NotAsSeen("This section has been changed since you opened the list: look at the change first.")
        _note_change(access, held)
        return _write(held, section, wanted.text, Change.RESTORED, access, by_hand=wanted.by_hand, of=wanted.number)


ASKED = "should review it: publish it all the same (`anyway`), or wait."


def review(access: AccessContext, postmortem: Postmortem, *, seen: int, anyway: bool = False) -> Postmortem:
    """Freeze it, the tables of the incident as they are now; the incident is reviewed with it. `seen`: the version
    that was read; `anyway`: also where a second reviewer has not answered.

    Raises NotAsSeen where there is a newer one, or a section nobody has edited no longer says what the incident does;
    PostmortemRefused while the incident goes on, or somebody has yet to answer.
    """
    with incidents.locked_incident(access, postmortem.incident) as incident:
        held = _lock(postmortem)
        if held.is_frozen:
            return held
        _may_be_reviewed(held, incident, seen)
        if not anyway and (waiting := second.unanswered(held)):
            raise PostmortemRefused(f"Not answered yet by {listing(waiting)}, who {ASKED}")
        read = reading_of(held).digest
        live = tables_of(material_of(incidents.set_status(access, incident, Status.REVIEWED)))
        held.reviewed_at, held.reviewed_by = timezone.now(), access.user
        held.save(update_fields=["reviewed_at", "reviewed_by"])
        _note_change(access, held)
        _add(held, access, kind=Change.REVIEWED, live=_storable_tables(live))
        # that it is reviewed stands on its timeline, and is no change to what was signed off
        held.second_reviews.filter(is_current=True, digest=read).update(digest=reading_of(held).digest)
        return held


def reopen(access: AccessContext, postmortem: Postmortem, reason: str) -> Postmortem:
    """It can be edited again, its tables follow the incident again, which is resolved and no longer reviewed.

    Raises PostmortemRefused without a reason.
    """
    reason = one_line(reason)
    if not reason:
        raise PostmortemRefused("Say why it is opened again.")
    if len(reason) > LONGEST_REASON:
        raise PostmortemRefused(f"The reason is longer than {LONGEST_REASON} characters.")
    with incidents.locked_incident(access, postmortem.incident) as incident:
        held = _lock(postmortem)
        if not held.is_frozen:
            return held
        if incident.status == Status.REVIEWED:
            incidents.set_status(access, incident, Status.RESOLVED)
        held.reviewed_at = held.reviewed_by = None
        held.save(update_fields=["reviewed_at", "reviewed_by"])
        held.second_reviews.update(is_current=False)
        _note_change(access, held)
        _add(held, access, kind=Change.REOPENED, reason=reason)
        return held


def tick(access: AccessContext, postmortem: Postmortem, key: str, line: str, *, ticked: bool) -> PostmortemSection:
    """A line of the section's checklist, by what it says; whoever is second changes nothing. Raises NotAsSeen where no
    line says it any more, Frozen."""
    postmortem.kind_of(key)
    with incidents.locked_incident(access, postmortem.incident):
        held, section = _held_section(postmortem, key)
        text = checklists.tick(section.text, line, ticked=ticked)
        if text is None:
            raise NotAsSeen("This line has been changed since you opened the post-mortem: look at it again.")
        if text == section.text:
            return section
        _note_change(access, held)
        reason = f"{'ticked' if ticked else 'not ticked any more'}: {line}"[:LONGEST_REASON]
        return _write(held, section, text, Change.EDITED, access, by_hand=True, reason=reason)


def outdated_sections(postmortem: Postmortem, sections: Sequence[PostmortemSection], material: Material) -> list[str]:
    """The titles of the sections that would be drafted otherwise now."""
    texts = drafts(postmortem, material)
    return [one.title for one in sections if texts.get(one.key, "") != one.drafted]


def drafts(postmortem: Postmortem, material: Material) -> dict[str, str]:
    """By section, as they are stored, with the checklist of the template below; a section without either is empty."""
    texts = texts_of(material)
    both = {one.key: (texts.get(one.key, ""), checklists.begun_with(one.hint)) for one in postmortem.kinds}
    return {key: storable_text("\n\n".join(filter(None, each)))[:LONGEST_TEXT] for key, each in both.items()}


def _may_be_reviewed(held: Postmortem, incident: Incident, seen: int) -> None:
    if held.version != seen:
        raise NotAsSeen("The post-mortem has been changed since you opened it: read it again, then review it.")
    if incident.ends_at is None:
        raise PostmortemRefused("The incident has no end yet: resolve it, then review its post-mortem.")
    sections = [one for one in queries.sections_of(held) if not one.by_hand]
    behind = outdated_sections(held, sections, material_of(incident))
    if behind:
        raise NotAsSeen(f"The incident says otherwise now ({', '.join(behind)}): draft again, and read it first.")


def _note_change(access: AccessContext, held: Postmortem) -> None:
    """Once for what somebody does, however many versions it makes; by the incident's id, which its address has."""
    note(access, "changed", "post-mortem", held.incident_id)


def _lock(postmortem: Postmortem) -> Postmortem:
    found = lock(Postmortem, [postmortem.pk])
    if not found:
        raise NotFound("The incident has been deleted.")
    return found[0]


def _lock_to_write(postmortem: Postmortem) -> Postmortem:
    """Locked, to be written in."""
    held = _lock(postmortem)
    if held.is_frozen:
        raise Frozen
    return held


def _held_section(postmortem: Postmortem, key: str) -> tuple[Postmortem, PostmortemSection]:
    held = _lock_to_write(postmortem)
    return held, PostmortemSection.objects.get(postmortem=held, key=key)


def _write(
    held: Postmortem,
    section: PostmortemSection,
    text: str,
    kind: Change,
    access: AccessContext,
    *,
    by_hand: bool = False,
    of: int | None = None,
    reason: str = "",
) -> PostmortemSection:
    made = _add(held, access, kind=kind, section=section.key, text=text, by_hand=by_hand, of=of, reason=reason)
    section.say(text, made.number, made.user_id, made.at, by_hand=by_hand)
    section.save(update_fields=["text", "number", "by_hand", "ticks"])
    return section


def _add(held: Postmortem, access: AccessContext, **more: object) -> PostmortemVersion:
    if held.version >= MOST_VERSIONS:
        raise PostmortemRefused(f"A post-mortem has at most {MOST_VERSIONS:,} versions.")
    held.version += 1
    held.save(update_fields=["version"])
    return PostmortemVersion.objects.create(postmortem=held, number=held.version, user=access.user, **more)


def clean_text(text: str) -> str:
    """As it is stored: lines end in one character, and nothing white stands at the end. Raises PostmortemRefused."""
    text = storable_text(text).replace("\r\n", "\n").replace("\r", "\n").rstrip()
    if len(text) > LONGEST_TEXT:
        raise PostmortemRefused(f"A section has at most {LONGEST_TEXT:,} characters; this one has {len(text):,}.")
    if text.count("\n") >= MOST_LINES:
        raise PostmortemRefused(f"A section has at most {MOST_LINES:,} lines.")
    return text


def _storable_tables(live: Mapping[str, Sequence[LiveTable]]) -> dict[str, object]:
    return {key: storable(documents(tables)) for key, tables in live.items()}


__all__ = ["draft", "outdated_sections", "reopen", "restore", "review", "save", "tick"]
