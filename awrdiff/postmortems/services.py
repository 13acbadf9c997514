"""Writes of post-mortems. Each locks incident, then post-mortem, and makes an immutable version."""

from __future__ import annotations

from collections.abc import Callable

from django.utils import timezone
from msgspec import to_builtins

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.figures_in_words import listing
from awrdiff.audit.services import note
from awrdiff.incidents import services as incidents
from awrdiff.incidents.models import Incident, Status
from awrdiff.incidents.services import merge
from awrdiff.postmortems import markdown, queries, second_reviews, suggested_changes
from awrdiff.postmortems.draft import texts_of
from awrdiff.postmortems.errors import NotAsSeen, PostmortemRefused, SavedMeanwhile
from awrdiff.postmortems.incident_material import Material, material_of
from awrdiff.postmortems.live_tables import reading_of, tables_of
from awrdiff.postmortems.models import Change, Postmortem, PostmortemSection, PostmortemVersion
from awrdiff.postmortems.sections import stored
from awrdiff.postmortems.templates import kinds_in, template_of
from awrdiff.processing.storable_values import one_line, storable, storable_text
from awrdiff.threads.models import Comment

LONGEST_TEXT, MOST_LINES, LONGEST_REASON = 20_000, 1_000, 500
MOST_VERSIONS = 5_000


def draft(access: AccessContext, incident: Incident) -> Postmortem:
    """Create it or redraft unedited sections. Raises Frozen."""
    with incidents.locked_incident(access, incident) as locked_row:
        material = material_of(locked_row)
        begun = {"created_by": access.user, "template": stored(kinds_in(template_of(locked_row.team)))}
        postmortem, _ = Postmortem.objects.get_or_create(incident=locked_row, defaults=begun)
        locked = second_reviews.locked_draft(postmortem)
        before, texts = locked.version, drafts(locked, material)
        existing = {section.key: section for section in PostmortemSection.objects.filter(postmortem=locked)}
        for kind in locked.kinds:
            section = existing.get(kind.key) or PostmortemSection.objects.create(postmortem=locked, key=kind.key)
            section.drafted = texts.get(kind.key, "")
            section.save(update_fields=["drafted"])
            if not section.by_hand and (section.text != section.drafted or not section.number):
                _write(locked, section, section.drafted, Change.DRAFTED, access)
        if locked.version != before:
            _note_change(access, locked)
        return locked


def save(access: AccessContext, postmortem: Postmortem, key: str, text: str, *, base: int) -> PostmortemSection:
    """`base`: the section's `number` as read. Equal text makes no version. Raises SavedMeanwhile, Frozen,
    PostmortemRefused.
    """
    postmortem.kind_of(key)
    text = clean_text(text)
    with incidents.locked_incident(access, postmortem.incident):
        locked, section = _held_section(postmortem, key)
        if section.text == text and (section.by_hand or base == section.number):
            return section
        if section.number != base:
            merged = merge(queries.text_in_version(locked, key, base), {"text": text}, {"text": section.text})
            if merged.conflicts:
                raise SavedMeanwhile(section, text)
            return section  # nothing was typed: what another saved stays
        _note_change(access, locked)
        return _write(locked, section, text, Change.EDITED, access, by_hand=True)


def restore(access: AccessContext, postmortem: Postmortem, number: int, *, seen_version: int) -> PostmortemSection:
    """Raises NotAsSeen, Frozen, PostmortemRefused."""
    wanted = queries.version_of(postmortem, number)
    if not wanted.section:
        raise PostmortemRefused("Only what a section said can be restored: choose a version of a section.")
    with incidents.locked_incident(access, postmortem.incident):
        locked, section = _held_section(postmortem, wanted.section)
        if section.text == wanted.text and section.by_hand == wanted.by_hand:
            return section
        if section.number > seen_version:
            raise NotAsSeen("This section has been changed since you opened the list: look at the change first.")
        _note_change(access, locked)
        return _write(locked, section, wanted.text, Change.RESTORED, access, by_hand=wanted.by_hand, of=wanted.number)


ANSWER_DUE = "should review it: publish it all the same (`anyway`), or wait."


def review(access: AccessContext, postmortem: Postmortem, *, seen_version: int, anyway: bool = False) -> Postmortem:
    """Freezes it with its tables; the incident becomes reviewed. `anyway`: without second reviewers' answers. Raises
    NotAsSeen, PostmortemRefused.
    """
    with incidents.locked_incident(access, postmortem.incident) as incident:
        locked = second_reviews.locked_postmortem(postmortem)
        if locked.is_frozen:
            return locked
        if locked.version != seen_version:
            raise NotAsSeen("The post-mortem has been changed since you opened it: read it again, then review it.")
        if incident.ends_at is None:
            raise PostmortemRefused("The incident has no end yet: resolve it, then review its post-mortem.")
        sections = [section for section in queries.sections_of(locked) if not section.by_hand]
        texts = drafts(locked, material_of(incident))
        behind = [section.title for section in sections if texts.get(section.key, "") != section.drafted]
        if behind:
            raise NotAsSeen(f"The incident says otherwise now ({', '.join(behind)}): draft again, and read it first.")
        if not anyway and (waiting := second_reviews.unanswered(locked)):
            raise PostmortemRefused(f"Not answered yet by {listing(waiting)}, who {ANSWER_DUE}")
        read = reading_of(locked).digest
        live = tables_of(material_of(incidents.set_status(access, incident, Status.REVIEWED)))
        locked.reviewed_at, locked.reviewed_by = timezone.now(), access.user
        locked.save(update_fields=["reviewed_at", "reviewed_by"])
        _note_change(access, locked)
        _add(
            locked,
            access,
            kind=Change.REVIEWED,
            live={key: storable(to_builtins(tables)) for key, tables in live.items()},
        )
        # that it is reviewed stands on its timeline, and is no change to what was signed off
        locked.second_reviews.filter(is_current=True, digest=read).update(digest=reading_of(locked).digest)
        return locked


def reopen(access: AccessContext, postmortem: Postmortem, reason: str) -> Postmortem:
    """The incident becomes resolved. Raises PostmortemRefused."""
    reason = one_line(reason)
    if not reason:
        raise PostmortemRefused("Say why it is opened again.")
    if len(reason) > LONGEST_REASON:
        raise PostmortemRefused(f"The reason is longer than {LONGEST_REASON} characters.")
    with incidents.locked_incident(access, postmortem.incident) as incident:
        locked = second_reviews.locked_postmortem(postmortem)
        if not locked.is_frozen:
            return locked
        if incident.status == Status.REVIEWED:
            incidents.set_status(access, incident, Status.RESOLVED)
        locked.reviewed_at = locked.reviewed_by = None
        locked.save(update_fields=["reviewed_at", "reviewed_by"])
        locked.second_reviews.update(is_current=False)
        _note_change(access, locked)
        _add(locked, access, kind=Change.REOPENED, reason=reason)
        return locked


def tick(access: AccessContext, postmortem: Postmortem, key: str, line: str, *, ticked: bool) -> PostmortemSection:
    """Idempotent. Raises NotAsSeen if the line is gone, Frozen."""
    reason = f"{'ticked' if ticked else 'not ticked any more'}: {line}"[:LONGEST_REASON]
    return _change(access, postmortem, key, lambda text: markdown.tick(text, line, ticked=ticked), reason)


def accept(access: AccessContext, postmortem: Postmortem, key: str, comment: Comment) -> PostmortemSection:
    """Apply a comment's suggestion. Raises NotAsSeen, Frozen, PostmortemRefused."""

    def apply(text: str) -> str | None:
        changed = suggested_changes.applied(text, comment.body)
        return None if changed is None else clean_text(changed)

    return _change(access, postmortem, key, apply, f"suggested by {comment.author_name}")


def _change(
    access: AccessContext, postmortem: Postmortem, key: str, change: Callable[[str], str | None], reason: str
) -> PostmortemSection:
    postmortem.kind_of(key)
    with incidents.locked_incident(access, postmortem.incident):
        locked, section = _held_section(postmortem, key)
        text = change(section.text)
        if text is None:
            raise NotAsSeen("This line has been changed since you opened the post-mortem: look at it again.")
        if text == section.text:
            return section
        _note_change(access, locked)
        return _write(locked, section, text, Change.EDITED, access, by_hand=True, reason=reason)


def drafts(postmortem: Postmortem, material: Material) -> dict[str, str]:
    """By section, with the template's checklist."""
    texts = texts_of(material)
    parts = {kind.key: (texts.get(kind.key, ""), markdown.begun_with(kind.hint)) for kind in postmortem.kinds}
    return {key: storable_text("\n\n".join(filter(None, each)))[:LONGEST_TEXT] for key, each in parts.items()}


def _note_change(access: AccessContext, locked: Postmortem) -> None:
    """Audited under the incident's id."""
    note(access, "changed", "post-mortem", locked.incident_id)


def _held_section(postmortem: Postmortem, key: str) -> tuple[Postmortem, PostmortemSection]:
    locked = second_reviews.locked_draft(postmortem)
    return locked, PostmortemSection.objects.get(postmortem=locked, key=key)


def _write(
    locked: Postmortem,
    section: PostmortemSection,
    text: str,
    kind: Change,
    access: AccessContext,
    *,
    by_hand: bool = False,
    of: int | None = None,
    reason: str = "",
) -> PostmortemSection:
    version = _add(locked, access, kind=kind, section=section.key, text=text, by_hand=by_hand, of=of, reason=reason)
    section.say(text, version.number, version.user_id, version.at, by_hand=by_hand)
    section.save(update_fields=["text", "number", "by_hand", "ticks"])
    return section


def _add(locked: Postmortem, access: AccessContext, **more: object) -> PostmortemVersion:
    if locked.version >= MOST_VERSIONS:
        raise PostmortemRefused(f"A post-mortem has at most {MOST_VERSIONS:,} versions.")
    locked.version += 1
    locked.save(update_fields=["version"])
    return PostmortemVersion.objects.create(postmortem=locked, number=locked.version, user=access.user, **more)


def clean_text(text: str) -> str:
    r"""Unix line ends, no trailing space. Raises PostmortemRefused."""
    text = storable_text(text).replace("\r\n", "\n").replace("\r", "\n").rstrip()
    if len(text) > LONGEST_TEXT:
        raise PostmortemRefused(f"A section has at most {LONGEST_TEXT:,} characters; this one has {len(text):,}.")
    if text.count("\n") >= MOST_LINES:
        raise PostmortemRefused(f"A section has at most {MOST_LINES:,} lines.")
    return text
