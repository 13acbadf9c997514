"""Writes of the threads app. Each tells what it changed: whoever sends notices needs no more.

All that is written about a comparison, or an incident, happens one after the other, under the lock of its row: limits
are exact, and what was posted twice under one key is there once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from awrdiff.accounts import limits
from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.accounts.models import User
from awrdiff.analysis.baseline.against import Chosen
from awrdiff.audit.services import note
from awrdiff.comparisons import anchors, baseline_anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Incident
from awrdiff.processing.rows import row_or_none
from awrdiff.processing.storable import one_line, storable_text
from awrdiff.sharing.access import GONE
from awrdiff.sharing.models import ShareLink
from awrdiff.threads import queries, told
from awrdiff.threads.errors import ThreadRefused
from awrdiff.threads.models import LONGEST_NAME, Agreement, Comment, EarlierText, Talk, Thread, Turn, Why
from awrdiff.threads.subjects import Subject, answerers_of, of_thread, readers_of
from awrdiff.threads.texts import names_mentioned

LONGEST_COMMENT = 10_000
MOST_COMMENTS, MOST_THREADS, MOST_EDITS = 500, 1_000, 50
MOST_THREADS_OF_A_LINK = 100
MOST_A_MINUTE = 30  # comments and edits of one person, or below one link
LONGEST_GUEST_NAME = 60
DELETED = "This thread has been deleted with what it was about."


@dataclass(frozen=True, slots=True)
class Change:
    """What a write did. `turn`: whose turn it has become by it; `made`: False where it had been done before."""

    thread: Thread
    comment: Comment | None = None
    turn: tuple[User, ...] = ()
    made: bool = True


def start(
    access: AccessContext,
    comparison: Comparison,
    anchor: str,
    body: str,
    key: UUID,
    *,
    pair: int = 0,
    baseline: Chosen | None = None,
    for_guests: bool | None = None,
) -> Change:
    """A thread about what stands at `anchor` in the pair, or against several reports, with its first comment. Raises
    ThreadRefused, TooMuch.

    `for_guests`: whether guests of the team read it too; None: as the team has chosen. What a guest begins is for them,
    and what begins below a link is the team's until it says otherwise.
    """
    if not access.can_comment or comparison.team_id != access.team.pk:
        raise PermissionDenied
    author, text, anchor = _author(access), text_of(body), storable_text(anchor)
    fits = len(anchor) <= anchors.LONGEST and comparison.is_ready
    found = baseline_anchors.standing(comparison, anchor, pair, baseline) if fits else None
    if found is None:
        raise ThreadRefused("There is nothing to write about here: choose a row, a finding or a section.")
    values = {"anchor": anchor, "pair": pair, "for_guests": _for_guests(access, for_guests)}
    values["baseline"] = baseline_anchors.stored_view(baseline)
    return _begin(access, queries.source_of(access, comparison), values | _stood(found), author, text, key)


def start_on_incident(
    access: AccessContext, incident: Incident, found: anchors.Standing | None, body: str, key: UUID, *, anchor: str
) -> Change:
    """The same about a line of its timeline, which stands there as `found`. Raises ThreadRefused, TooMuch."""
    sees = access.is_shared or access.can_read  # a guest of the team sees no incident
    if not (sees and access.can_comment) or incident.team_id != access.team.pk:
        raise PermissionDenied
    author, text = _author(access), text_of(body)
    if found is None or len(anchor) > anchors.LONGEST:
        raise ThreadRefused("There is nothing to write about here: choose a line of the timeline.")
    return _begin(access, queries.subject_of(incident), {"anchor": anchor, **_stood(found)}, author, text, key)


def _for_guests(access: AccessContext, chosen: bool | None) -> bool:  # noqa: FBT001
    if access.is_shared or access.is_guest:
        return not access.is_shared
    return access.team.threads_for_guests if chosen is None else chosen


def _stood(found: anchors.Standing) -> dict[str, Any]:
    return {
        "title": storable_text(found.title),
        "place": storable_text(found.place),
        "figures": [[storable_text(label), storable_text(text)] for label, text in found.figures],
    }


def _begin(  # noqa: PLR0917 - where, what, who and what they say
    access: AccessContext, subject: Subject, values: dict[str, Any], author: dict[str, Any], text: str, key: UUID
) -> Change:
    with writing(subject):
        if before := _comment_of_key(access, key):
            return Change(before.thread, before, made=False)
        _not_too_much(access)
        _link_has_room(access)
        if Thread.objects.filter(**subject.where).count() >= MOST_THREADS:
            said = "A comparison" if subject.kind == "comparison" else "An incident"
            raise ThreadRefused(f"{said} has at most {MOST_THREADS:,} threads: answer in one of them.")
        thread = Thread.objects.create(
            team_id=access.team_pk,
            **subject.where,
            **values,
            link_id=access.link.pk if access.link else None,
            guest=author["guest"],
            pseudonyms=access.link is not None and access.link.redacted,
            started_by=access.user,
        )
        return _add_comment(access, thread, author, text, key)


def reply(access: AccessContext, thread: Thread, body: str, key: UUID) -> Change:
    """Whoever answers in one that is resolved has reopened it. Raises ThreadRefused, TooMuch."""
    may_comment(access, thread)
    author, text = _author(access), text_of(body)
    with writing(of_thread(thread)):
        thread = _still(thread)
        if before := _comment_of_key(access, key):
            return Change(before.thread, before, made=False)
        _not_too_much(access)
        if thread.comments.count() >= MOST_COMMENTS:
            raise ThreadRefused(f"A thread has at most {MOST_COMMENTS} comments: begin another.")
        turns = _open_again(access, thread, author) if thread.is_resolved else ()
        change = _add_comment(access, thread, author, text, key)
        return replace(change, turn=(*turns, *change.turn))


def _add_comment(access: AccessContext, thread: Thread, author: dict[str, Any], text: str, key: UUID) -> Change:
    """The comment is there; who wrote it has answered, and it is the turn of who is mentioned and of who had asked."""
    meant = _people_mentioned(access, thread, text)
    comment = _posting(team_id=thread.team_id, thread=thread, body=text, mentions=list(meant), client_key=key, **author)
    if access.user is not None:
        Turn.objects.filter(thread=thread, user=access.user).delete()
    turns = _give(thread, meant.values(), Why.MENTIONED, author)
    if not thread.is_resolved and thread.started_by is not None:
        turns += _give(thread, [thread.started_by], Why.ANSWERED, author)
    if access.link is not None:
        turns += _link_maker(access.link, comment)
    told.of_comment(access, comment, meant.values())
    announce_change(thread)
    return Change(thread, comment, turns)


def _posting(**values: Any) -> Comment:
    try:
        with transaction.atomic():
            return Comment.objects.create(**values)
    except IntegrityError as taken:  # under the same key, about another comparison, at the same moment
        raise ThreadRefused("This was posted elsewhere: load the page again.") from taken


def _link_maker(link: HeldLink, comment: Comment) -> tuple[User, ...]:
    """It is the turn of whoever made the link. Raises NotFound where it has been revoked meanwhile."""
    made = ShareLink.objects.filter(pk=link.pk, revoked_at=None)
    if not made.exists():
        raise NotFound(GONE)
    maker = readers_of(comment.thread).filter(pk__in=made.values("created_by"))
    turns = _give(comment.thread, maker, Why.OUTSIDE, {"author": None, "author_name": comment.author_name})
    told.of_outside(comment, turns)
    return turns


def edit(access: AccessContext, comment: Comment, body: str) -> Change:
    """One's own; what it said before is kept. Raises ThreadRefused, TooMuch."""
    may_comment(access, comment.thread)
    if not queries.is_own(access, comment):
        raise PermissionDenied("Only who wrote a comment changes it.")
    text = text_of(body)
    with writing(of_thread(comment.thread)):
        comment = still_said(comment)
        if text == comment.body:
            return Change(comment.thread, comment, made=False)
        _not_too_much(access)
        if comment.earlier.count() >= MOST_EDITS:
            raise ThreadRefused(f"A comment is changed at most {MOST_EDITS} times: write another.")
        EarlierText.objects.create(comment=comment, body=comment.body, mentions=comment.mentions)
        meant = _people_mentioned(access, comment.thread, text)
        new = [user for name, user in meant.items() if name not in comment.mentions]
        _mentioned_no_more(comment, set(comment.mentions) - set(meant))
        comment.body, comment.mentions, comment.edited_at = text, list(meant), timezone.now()
        comment.save(update_fields=["body", "mentions", "edited_at"])
        turns = _give(comment.thread, new, Why.MENTIONED, _author(access))
        told.of_comment(access, comment, new)
        announce_change(comment.thread)
    return Change(comment.thread, comment, turns)


def remove(access: AccessContext, comment: Comment) -> Change:
    """One's own, or as an owner of the team anybody's: what was written is gone, that it was there is not.

    Removing twice is harmless. A thread of which nothing is left is resolved.
    """
    may_comment(access, comment.thread)
    if not (queries.is_own(access, comment) or access.can_administer):
        raise PermissionDenied("Only who wrote a comment, or an owner of the team, deletes it.")
    with writing(of_thread(comment.thread)):
        comment = Comment.objects.select_related("thread").get(pk=comment.pk)
        if comment.is_deleted:
            return Change(comment.thread, comment, made=False)
        _mentioned_no_more(comment, comment.mentions)
        comment.earlier.all().delete()
        comment.agreements.all().delete()
        comment.attachments.all().delete()
        note(access, "deleted", "comment", comment.pk)
        comment.body, comment.mentions, comment.edited_at = "", [], None
        name = access.user.get_username() if access.user else comment.author_name
        comment.deleted_at, comment.deleted_name = timezone.now(), name
        comment.save(update_fields=["body", "mentions", "edited_at", "deleted_at", "deleted_name"])
        if not comment.thread.comments.filter(deleted_at=None).exists():
            _close(comment.thread, access.user, name)
        if comment.guest is not None:
            _asked_no_more(comment.thread)
        announce_change(comment.thread)
    return Change(comment.thread, comment)


def _mentioned_no_more(comment: Comment, names: Collection[str]) -> None:
    """Who is not told of it yet is not told, and it is not their turn because of it: unless the author mentions them in
    another comment."""
    if not names:
        return
    told.taken_back(comment, User.objects.filter(username__in=names))
    own = comment.thread.comments.filter(author=comment.author_id, deleted_at=None).exclude(pk=comment.pk)
    gone = set(names) - {name for mentions in own.values_list("mentions", flat=True) for name in mentions}
    turns = comment.thread.turns.filter(why=Why.MENTIONED, by_name=comment.author_name)
    turns.filter(user__username__in=gone).delete()


def _asked_no_more(thread: Thread) -> None:
    """Of all that was written from outside nothing is left."""
    if not thread.comments.filter(deleted_at=None).exclude(guest=None).exists():
        thread.turns.filter(why=Why.OUTSIDE).delete()


def agree(access: AccessContext, comment: Comment, *, agrees: bool = True) -> Change:
    """Or do so no more; twice is once. Raises ThreadRefused."""
    may_comment(access, comment.thread)
    if access.user is None:
        raise PermissionDenied("Sign in to agree.")
    if comment.author_id == access.user.pk:
        raise ThreadRefused("This is your own comment.")
    with writing(of_thread(comment.thread)):
        comment = still_said(comment)
        if agrees:
            made = Agreement.objects.get_or_create(comment=comment, user=access.user)[1]
        else:
            made = Agreement.objects.filter(comment=comment, user=access.user).delete()[0] > 0
        if made:
            announce_change(comment.thread)
    return Change(comment.thread, comment, made=made)


def resolve(access: AccessContext, thread: Thread) -> Change:
    """It is nobody's turn any more. A guest resolves what they began."""
    user = _may_settle(access, thread)
    with writing(of_thread(thread)):
        thread = _still(thread)
        if thread.is_resolved:
            return Change(thread, made=False)
        _close(thread, user, user.get_username())
        note(access, "resolved", "thread", thread.pk)
        announce_change(thread)
    return Change(thread)


def reopen(access: AccessContext, thread: Thread) -> Change:
    """It is the turn of whoever had resolved it."""
    user = _may_settle(access, thread)
    with writing(of_thread(thread)):
        thread = _still(thread)
        if not thread.is_resolved:
            return Change(thread, made=False)
        turns = _open_again(access, thread, {"author": user, "author_name": user.get_username()})
        announce_change(thread)
    return Change(thread, turn=turns)


def _open_again(access: AccessContext, thread: Thread, author: dict[str, Any]) -> tuple[User, ...]:
    by = [thread.resolved_by] if thread.resolved_by else []
    thread.resolved_at, thread.resolved_by, thread.resolved_name = None, None, ""
    thread.save(update_fields=["resolved_at", "resolved_by", "resolved_name"])
    turns = _give(thread, by, Why.REOPENED, author)
    told.of_reopening(access, thread, turns)
    note(access, "reopened", "thread", thread.pk)
    return turns


def open_to_guests(access: AccessContext, thread: Thread, *, for_guests: bool) -> Change:
    """Guests to whom the comparison is shown read all of it from now on, or nothing of it any more. For the team."""
    if not access.can_write:
        raise PermissionDenied("Only the team says who reads a thread.")
    may_comment(access, thread)
    if thread.comparison_id is None:
        raise ThreadRefused("Guests see no incidents: nobody but the team reads this.")
    with writing(of_thread(thread)):
        thread = _still(thread)
        if thread.for_guests == for_guests:
            return Change(thread, made=False)
        thread.for_guests = for_guests
        thread.save(update_fields=["for_guests"])
        if not for_guests:
            Turn.objects.filter(thread=thread).exclude(user__in=readers_of(thread).values("pk")).delete()
            told.kept_from_guests(thread)
        note(access, "opened to guests" if for_guests else "closed to guests", "thread", thread.pk)
        announce_change(thread)
    return Change(thread)


def assign(access: AccessContext, thread: Thread, name: str) -> Change:
    """Make it somebody's turn, one's own too. Raises ThreadRefused."""
    user = _may_settle(access, thread)
    with writing(of_thread(thread)):
        thread = _still(thread)
        readers = queries.people_for(access, of_thread(thread), guests=thread.for_guests)
        may = readers.filter(pk__in=answerers_of(thread).values("pk"))
        chosen = may.filter(username=storable_text(name)[:LONGEST_NAME]).first()
        if chosen is None:
            raise ThreadRefused("Nobody of this name may answer in it.")
        if thread.is_resolved:
            raise ThreadRefused("The thread is resolved: reopen it first.")
        values = {"why": Why.ASSIGNED, "by_name": user.get_username(), "since": timezone.now()}
        Turn.objects.update_or_create(thread=thread, user=chosen, defaults=values)
        told.of_turn(access, thread, [chosen])
        announce_change(thread)
    return Change(thread, turn=(chosen,) if chosen.pk != user.pk else ())


def _close(thread: Thread, user: User | None, name: str) -> None:
    thread.resolved_at, thread.resolved_by, thread.resolved_name = timezone.now(), user, name
    thread.save(update_fields=["resolved_at", "resolved_by", "resolved_name"])
    thread.turns.all().delete()


def _give(thread: Thread, users: Iterable[User], why: Why, author: dict[str, Any]) -> tuple[User, ...]:
    """Those whose turn it was not yet; nobody makes it their own by writing."""
    own = author["author"].pk if author["author"] else None
    others = [user for user in users if user.pk != own]
    if others:  # a guest who began it may not read it any more, and who but reads does not answer
        others = list(answerers_of(thread).filter(pk__in=[user.pk for user in others]))
    made = [
        Turn.objects.get_or_create(thread=thread, user=u, defaults={"why": why, "by_name": author["author_name"]})
        for u in others
    ]
    return tuple(turn.user for turn, new in made if new)


def _people_mentioned(access: AccessContext, thread: Thread, text: str) -> dict[str, User]:
    """By name, whom the text mentions; who holds a link reaches nobody so."""
    if access.is_shared or "@" not in text:
        return {}
    readers = queries.people_for(access, of_thread(thread), guests=thread.for_guests)
    people = {user.get_username(): user for user in readers}
    return {name: people[name] for name in names_mentioned(text, people)}


def _comment_of_key(access: AccessContext, key: UUID) -> Comment | None:
    """What was posted under this key before."""
    found = row_or_none(Comment.objects.select_related("thread").filter(team=access.team_pk, client_key=key))
    if found and not queries.is_own(access, found):
        raise ThreadRefused("This was posted by somebody else: load the page again.")
    return found


def _author(access: AccessContext) -> dict[str, Any]:
    if access.user is not None:
        return {"author": access.user, "author_name": access.user.get_username(), "guest": None}
    if access.guest is None or not access.guest.name:
        raise ThreadRefused("Say who you are: give a name.")
    return {"author": None, "author_name": access.guest.name, "guest": access.guest.id}


def guest_name(given: str) -> str:
    """As it is shown: in one line, and without what could hide in it."""
    line = one_line(given)
    return "".join(c for c in line if c.isprintable())[:LONGEST_GUEST_NAME].strip()


def text_of(body: str) -> str:
    """As it is kept. Raises ThreadRefused."""
    text = storable_text(body).replace("\r\n", "\n").strip()
    if not text:
        raise ThreadRefused("Write something first.")
    if len(text) > LONGEST_COMMENT:
        raise ThreadRefused(f"A comment has at most {LONGEST_COMMENT:,} characters; this has {len(text):,}.")
    return text


def _not_too_much(access: AccessContext) -> None:
    """Of a link all who hold it together."""
    said, edited = Comment.objects.filter(author=access.user), EarlierText.objects.filter(comment__author=access.user)
    if access.link is not None:
        said, edited = said.filter(thread__link=access.link.pk), edited.filter(comment__thread__link=access.link.pk)
    many = f"{MOST_A_MINUTE} comments"
    sentence = f"By this link, {many} have been written" if access.link else f"You have written {many}"
    limits.check_stored(MOST_A_MINUTE, sentence, (said, "created_at"), (edited, "replaced_at"))


def _link_has_room(access: AccessContext) -> None:
    """Who is outside does not use up what the team may begin."""
    if access.link and Thread.objects.filter(link=access.link.pk).count() >= MOST_THREADS_OF_A_LINK:
        raise ThreadRefused(f"By one link at most {MOST_THREADS_OF_A_LINK} threads are begun: answer in one of them.")


def may_comment(access: AccessContext, thread: Thread) -> None:
    below = access.link is None or thread.link_id == access.link.pk
    hidden = access.is_guest and not thread.for_guests
    if not access.can_comment or thread.team_id != access.team_pk or not below or hidden:
        raise PermissionDenied


def _may_settle(access: AccessContext, thread: Thread) -> User:
    may_comment(access, thread)
    if access.user is None or not (access.can_write or thread.started_by_id == access.user.pk):
        raise PermissionDenied("A guest settles the threads that they began.")
    return access.user


@contextmanager
def writing(subject: Subject) -> Iterator[None]:
    """Until the end nobody else writes about it. Raises NotFound where it is gone."""
    with transaction.atomic():
        if not subject.locked():
            raise NotFound(f"The {subject.kind} has been deleted.")
        yield


def announce_change(thread: Thread) -> None:
    """Whoever has the page open is to hear of it."""
    thread.save(update_fields=["changed_at"])
    talk, _ = Talk.objects.get_or_create(**of_thread(thread).where)
    Talk.objects.filter(pk=talk.pk).update(version=F("version") + 1)


def _still(thread: Thread) -> Thread:
    found = row_or_none(Thread.objects.select_related("started_by", "resolved_by").filter(pk=thread.pk))
    if found is None:
        raise NotFound(DELETED)
    return found


def still_said(comment: Comment) -> Comment:
    found = row_or_none(Comment.objects.select_related("thread").filter(pk=comment.pk))
    if found is None:
        raise NotFound(DELETED)
    if found.is_deleted:
        raise ThreadRefused("This comment has been deleted.")
    return found
