"""Former texts of incidents and action items, to show and to merge late forms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from awrdiff.accounts.models import User
from awrdiff.accounts.names import shown_name
from awrdiff.incidents.fields import IncidentRefused
from awrdiff.incidents.models import ActionItem, Incident, Revision, TimelineEvent


@dataclass(frozen=True, slots=True)
class Merged:
    """`conflicts`: current texts; `mine`: fields with typed text."""

    texts: dict[str, str]
    mine: frozenset[str]
    conflicts: dict[str, str]


class ChangedMeanwhile(Exception):
    """Conflict, nothing saved. The message names the author."""

    def __init__(self, message: str, merged: Merged) -> None:
        super().__init__(message)
        self.merged = merged

    @property
    def fields(self) -> dict[str, dict[str, str]]:
        """Conflicting fields: current and typed."""
        conflicts = self.merged.conflicts.items()
        return {name: {"now": now, "typed": self.merged.texts[name]} for name, now in conflicts}


def merge(base: Mapping[str, str], typed: Mapping[str, str], now: Mapping[str, str]) -> Merged:
    """`base` filled the form; fields missing there conflict."""
    differ = {name for name, text in typed.items() if text != now.get(name)}
    mine = frozenset(name for name in differ if typed[name] != base.get(name))
    conflicts = {name: now.get(name, "") for name in sorted(mine) if base.get(name) != now.get(name)}
    return Merged({**now, **{name: typed[name] for name in mine}}, mine, conflicts)


MOST_REVISIONS = 500
Texts = Mapping[str, str]


def keep(
    subject: Incident | ActionItem,
    version: int | None,
    before: Texts,
    after: Texts,
    user: User | None,
    *,
    by_tracker: bool = False,
) -> None:
    """Record changed fields, if any."""
    changes = {name: [before.get(name, ""), text] for name, text in after.items() if text != before.get(name, "")}
    if changes:
        own = (
            {"action": subject, "incident": subject.incident}
            if isinstance(subject, ActionItem)
            else {"incident": subject}
        )
        Revision.objects.create(**own, version=version, changes=changes, user=user, by_tracker=by_tracker)


def of(subject: Incident | ActionItem) -> list[Revision]:
    """Latest first."""
    of_action = isinstance(subject, ActionItem)
    own = Revision.objects.filter(**({"action": subject} if of_action else {"incident": subject, "action": None}))
    return list(own.select_related("user").order_by("-at", "-pk"))


def put_together(subject: Incident | ActionItem, version: int, typed: Texts, now: Texts) -> dict[str, str]:
    """Merge a form with later changes. Raises ChangedMeanwhile."""
    revisions = [revision for revision in of(subject) if revision.version is not None]
    if len(revisions) >= MOST_REVISIONS:
        raise IncidentRefused(f"This was changed {MOST_REVISIONS} times, and each is kept: it cannot be changed again.")
    since = [revision for revision in revisions if revision.version is not None and revision.version >= version]
    base = dict(now)
    for later in since:
        base |= {name: before for name, (before, _) in later.changes.items()}
    if len(since) != subject.version - version:  # what was saved before changes were kept, or no version there is
        base = {}

    def who(fields: Collection[str]) -> tuple[User | None, datetime]:
        last = next((revision for revision in since if any(name in revision.changes for name in fields)), None)
        return (last.user, last.at) if last else (subject.updated_by, subject.updated_at)

    return merged_texts(merge(base, typed, now), who)


def put_event_together(
    event: TimelineEvent, version: int, typed: Texts, now: Texts, then: Sequence[Texts]
) -> dict[str, str]:
    """`put_together` for an event; `then`: its former texts."""
    versions = [*then, now] if len(then) == event.version - 1 else []
    base = versions[version - 1] if 0 < version <= len(versions) else now if version == event.version else {}

    def who(_: Collection[str]) -> tuple[User | None, datetime]:
        last = event.edits.select_related("edited_by").last()
        return (last.edited_by, last.edited_at) if last else (None, event.at)

    return merged_texts(merge(base, typed, now), who)


def merged_texts(merged: Merged, who: Callable[[Collection[str]], tuple[User | None, datetime]]) -> dict[str, str]:
    if merged.conflicts:
        raise ChangedMeanwhile(changed_by(*who(merged.conflicts)), merged)
    return merged.texts


def changed_by(user: User | None, at: datetime) -> str:
    who = shown_name(user) if user else "Somebody"
    when = f"{at.astimezone(UTC):%H:%M} UTC"
    return f"{who} changed this at {when}, while you were writing. Nothing of yours is saved yet."
