"""What the fields of an incident and of its action items said before: kept with every change, shown, and what a form
that is sent late was filled with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from awrdiff.accounts.models import User
from awrdiff.accounts.names import shown_name
from awrdiff.incidents.errors import ChangedMeanwhile, IncidentRefused
from awrdiff.incidents.merging import Merged, merge
from awrdiff.incidents.models import ActionItem, Incident, Revision, TimelineEvent

MOST_REVISIONS = 500
Texts = Mapping[str, str]


def keep(
    found: Incident | ActionItem,
    version: int | None,
    before: Texts,
    after: Texts,
    user: User | None,
    *,
    by_tracker: bool = False,
) -> None:
    """That `user`, or the tracker, changed the fields from `before` to `after`; nothing where they say the same."""
    changes = {name: [before.get(name, ""), text] for name, text in after.items() if text != before.get(name, "")}
    if changes:
        own = {"action": found, "incident": found.incident} if isinstance(found, ActionItem) else {"incident": found}
        Revision.objects.create(**own, version=version, changes=changes, user=user, by_tracker=by_tracker)


def of(found: Incident | ActionItem) -> list[Revision]:
    """The latest first."""
    own = Revision.objects.filter(**_own(found)).select_related("user")
    return list(own.order_by("-at", "-pk"))


def put_together(found: Incident | ActionItem, version: int, typed: Texts, now: Texts) -> dict[str, str]:
    """What a form filled with `version` asks for, put together with what others saved since. Raises ChangedMeanwhile
    where both changed the same field."""
    known = [one for one in of(found) if one.version is not None]
    if len(known) >= MOST_REVISIONS:
        raise IncidentRefused(f"This was changed {MOST_REVISIONS} times, and each is kept: it cannot be changed again.")
    since = [one for one in known if one.version is not None and one.version >= version]
    base = dict(now)
    for one in since:
        base |= {name: before for name, (before, _) in one.changes.items()}
    if len(since) != found.version - version:  # what was saved before changes were kept, or no version there is
        base = {}

    def who(fields: Collection[str]) -> tuple[User | None, datetime]:
        last = next((one for one in since if any(name in one.changes for name in fields)), None)
        return (last.user, last.at) if last else (found.updated_by, found.updated_at)

    return settled(merge(base, typed, now), who)


def put_event_together(
    event: TimelineEvent, version: int, typed: Texts, now: Texts, then: Sequence[Texts]
) -> dict[str, str]:
    """The same of an event; `then` is what it said in each version before."""
    known = [*then, now] if len(then) == event.version - 1 else []
    base = known[version - 1] if 0 < version <= len(known) else now if version == event.version else {}

    def who(_: Collection[str]) -> tuple[User | None, datetime]:
        last = event.edits.select_related("edited_by").last()
        return (last.edited_by, last.edited_at) if last else (None, event.at)

    return settled(merge(base, typed, now), who)


def settled(merged: Merged, who: Callable[[Collection[str]], tuple[User | None, datetime]]) -> dict[str, str]:
    if merged.conflicts:
        raise ChangedMeanwhile(changed_by(*who(merged.conflicts)), merged)
    return merged.texts


def changed_by(user: User | None, at: datetime) -> str:
    """Of what somebody saved while another was writing."""
    who = shown_name(user) if user else "Somebody"
    when = f"{at.astimezone(UTC):%H:%M} UTC"
    return f"{who} changed this at {when}, while you were writing. Nothing of yours is saved yet."


def _own(found: Incident | ActionItem) -> dict[str, object]:
    return {"action": found} if isinstance(found, ActionItem) else {"incident": found, "action": None}
