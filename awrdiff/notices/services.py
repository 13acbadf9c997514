"""Writes of the notices app. `tell` is called in the transaction of what it tells of."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from copy import copy
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.capabilities import guest_roles
from awrdiff.accounts.happenings import Happening
from awrdiff.accounts.models import Invitation, Membership, Role, Team, User
from awrdiff.accounts.names import shown_name
from awrdiff.audit.services import note
from awrdiff.notices import gathered, guard, queries, tasks
from awrdiff.notices.errors import NoticeRefused
from awrdiff.notices.models import Delivery, Mail, Notice, NoticeChoice, Shape, TeamNotices, Way
from awrdiff.notices.words import one_line
from awrdiff.processing.dispatch import send_on_commit
from awrdiff.processing.storable import storable_text

LONGEST_ABOUT = 200
AT_ONCE = ("codes",)  # mailed whatever somebody chose


def notify(
    team: Team,
    what: str,
    users: Iterable[User],
    *,
    kind: str,
    thing: object,
    place: str = "",
    actor: User | None = None,
    about: str = "",
    change: str = "",
    key: str = "",
    guests: bool = False,
    thread: int | None = None,
    to_channel: bool = True,
) -> list[Notice]:
    """Those of `users` who are on the team, and did not do it themselves, are told; so is the team's webhook, unless
    it is nobody else's concern (`to_channel`). Guests are told of what whoever calls knows to be shown to them.

    `key` names what happened: told again with the same key, who was told is not told twice.
    """
    about = one_line(storable_text(about), LONGEST_ABOUT)
    row = Notice(
        team=team, what=what, kind=kind, thing=str(thing), place=place, actor=actor, about=about, thread=thread,
        change=change,
    )  # fmt: skip
    with transaction.atomic():
        told = [
            made
            for user in _on_the_team(team, users, actor, guests=guests)
            if (made := _notify_one(row, user, key)) is not None
        ]
        _mail([one for one in told if _by_mail(one) == Mail.NOW])
        if told and to_channel:
            _to_webhook(team, told, actor, about)
    return told


def tell_account(user: User, what: str, *, key: str) -> None:
    """What concerns somebody's account: whichever team they look at they are told, and mailed once, whatever they
    chose; nobody else is."""
    with transaction.atomic():
        theirs = Membership.objects.filter(user=user).select_related("team", "user__notice_choice").order_by("pk")
        rows = [(Notice(team=one.team, what=what, kind="account", thing=str(user.pk)), one.user) for one in theirs]
        told = [_notify_one(row, one, key) for row, one in rows]
        _mail([one for one in told if one is not None and _by_mail(one) == Mail.NOW][:1])


def take_back(team: Team, what: str, users: Iterable[User], *, key: str) -> None:
    """What was told with this key is not so any more: whoever has not read it has no notice of it, nor gets a mail."""
    once = [_once(team, user, what, key) for user in users]
    Notice.objects.filter(once__in=once, read_at=None).delete()


def take_from_guests(team: Team, thread: int) -> None:
    """Guests of the team may not see the thread any more: of it they have no notice, nor gets one out."""
    guests = Membership.objects.filter(team=team, role__in=guest_roles())
    Notice.objects.filter(team=team, thread=thread, user__in=guests.values("user")).delete()


def forget(kind: str, things: Iterable[object]) -> None:
    """The things are deleted: nobody is told of them any more, and nothing of them is sent (a mail without a notice is
    none)."""
    names = [str(thing) for thing in things]
    Delivery.objects.filter(kind=kind, thing__in=names).delete()
    Notice.objects.filter(kind=kind, thing__in=names).delete()


def withdraw(team: Team, user: User, kind: str = "", things: Iterable[object] = ()) -> None:
    """They may not see the things any more (all of the team without a kind): of these they have no notice, nor gets
    one out."""
    found = Notice.objects.filter(team=team, user=user)
    (found.filter(kind=kind, thing__in=[str(thing) for thing in things]) if kind else found).delete()


def of_people(what: Happening) -> None:
    """Listens to what happens to the people of a team."""
    if isinstance(what.subject, Membership):
        if what.action in ("left", "removed") or what.subject.role in guest_roles():
            withdraw(what.team, what.subject.user)
        if what.closed:
            _tell_owners(what, what.subject)
        return
    if not isinstance(what.subject, Invitation):
        return
    invitation = what.subject
    if what.action == "invited" and invitation.was_mailed:
        send(Delivery.objects.create(team=what.team, way=Way.MAIL, invitation=invitation, due_at=timezone.now()))
    elif what.action == "joined" and invitation.invited_by:
        notify(what.team, "accepted", [invitation.invited_by], kind="invitation", thing=invitation.pk, actor=what.user)


def _tell_owners(what: Happening, of: Membership) -> None:
    """What became of what somebody had opened; also whoever has it now."""
    owners = User.objects.filter(membership__team=what.team, membership__role=Role.OWNER).exclude(pk=of.user_id)
    users = [*owners, what.opened_to] if what.opened_to else [*owners]
    about = f"{shown_name(of.user)}: {what.closed}"
    notify(what.team, "closed", users, kind="opened", thing=of.user_id, actor=what.user, about=about, to_channel=False)


def read(access: AccessContext, pk: int) -> Notice:
    """One's own, read from now on with all that is told of its thread. Raises NotFound."""
    found = queries.notices_of(access).filter(pk=pk).first()
    if found is None:
        raise NotFound("There is no such notice.")
    own = queries.notices_of(access).filter(read_at=None)
    together = own.filter(pk=found.pk) if found.thread is None else own.filter(thread=found.thread)
    together.update(read_at=timezone.now())
    return found


def read_all(access: AccessContext) -> None:
    queries.notices_of(access).filter(read_at=None).update(read_at=timezone.now())


def choose(access: AccessContext, mail: str) -> None:
    if access.user is None or access.is_shared:
        raise PermissionDenied
    if mail not in Mail.values:
        raise NoticeRefused("“mail” must be now, digest or none.")
    with transaction.atomic():
        NoticeChoice.objects.update_or_create(user=access.user, defaults={"mail": mail})
        if mail == Mail.NONE:
            Notice.objects.filter(user=access.user, for_digest=True).update(for_digest=False)
            Delivery.objects.filter(user=access.user, way=Way.MAIL).delete()  # what waits for the mail server


def choose_weekly(access: AccessContext, *, weekly: bool) -> None:
    """Of the next week on."""
    if access.user is None or access.is_shared:
        raise PermissionDenied
    values = {"weekly": weekly, "last_week_at": timezone.now()}
    NoticeChoice.objects.update_or_create(user=access.user, defaults=values)


def set_team(access: AccessContext, *, url: str, shape: str, contents: bool, tickets: bool = False) -> TeamNotices:
    """Where the team's notices go; without an address nowhere. Raises NoticeRefused."""
    _may_set(access)
    url = storable_text(url.strip())
    if shape not in Shape.values:
        raise NoticeRefused(f"“shape” must be one of {', '.join(Shape.values)}.")
    if url:
        guard.refuse_odd(url)
    if tickets and shape != Shape.GENERIC:
        raise NoticeRefused("A channel makes no tickets: they are asked of a webhook that reads JSON.")
    with transaction.atomic():
        values = {"url": url, "shape": shape, "contents": contents, "tickets": tickets, "last_error": ""}
        found, _ = TeamNotices.objects.update_or_create(team=access.team, defaults=values)
        waiting = Delivery.objects.filter(team=access.team, way=Way.WEBHOOK)
        if not url:
            waiting.delete()
        elif not tickets:
            waiting.filter(event__has_key="wanted").delete()
        note(access, "changed", "webhook", access.team.pk)
    return found


def new_secret(access: AccessContext) -> None:
    """What was signed with the old one is told from a stranger's no more."""
    _may_set(access)
    with transaction.atomic():
        TeamNotices.objects.filter(team=access.team).update(nonce=uuid.uuid4())
        note(access, "changed", "webhook", access.team.pk)


def try_out(access: AccessContext) -> None:
    """Send a message that says it is a test."""
    _may_set(access)
    with transaction.atomic():
        if not _queue_webhook(access.team, {"what": "test", "kind": "team", "thing": str(access.team.pk)}):
            raise NoticeRefused("Give the address of a webhook first.")


def ask_webhook(team: Team, event: dict[str, Any], kind: str, thing: object, by: User | None) -> bool:
    """Asks once: False while what was asked of the thing is on its way, and where nobody may be asked. What was given
    up is asked again under its number, so that whoever took it the first time knows it."""
    if not takes_tickets(team):
        return False
    about = Delivery.objects.filter(team=team, way=Way.WEBHOOK, kind=kind, thing=str(thing))
    found = about.first() or Delivery(team=team, way=Way.WEBHOOK, kind=kind, thing=str(thing))
    if not found._state.adding and found.due_at is not None:
        return False
    found.event, found.user, found.attempts, found.error = event, by, 0, ""
    found.created_at = found.due_at = timezone.now()
    found.save()
    send(found)
    return True


def takes_tickets(team: Team) -> bool:
    return TeamNotices.objects.filter(team=team, tickets=True).exclude(url="").exists()


def send(delivery: Delivery) -> None:
    send_on_commit(tasks.deliver, delivery.pk)


def _on_the_team(team: Team, users: Iterable[User], actor: User | None, *, guests: bool) -> list[User]:
    pks = {user.pk for user in users} - {actor.pk if actor else None}
    found = Membership.objects.filter(team=team, user__in=pks).select_related("user__notice_choice")
    return [one.user for one in found.order_by("user") if guests or one.role not in guest_roles()]


def _notify_one(row: Notice, user: User, key: str) -> Notice | None:
    """A copy of the row, for them; None: they were told already."""
    once = _once(row.team, user, row.what, key) if key else None
    if once and Notice.objects.filter(once=once).exists():
        return None
    made = copy(row)
    made.user, made.once = user, once
    made.for_digest = _by_mail(made) == Mail.DIGEST
    made.save()
    return made


def _once(team: Team, user: User, what: str, key: str) -> str:
    return hashlib.sha256(f"{team.pk} {user.pk} {what} {key}".encode()).hexdigest()


def _by_mail(notice: Notice) -> str:
    if not settings.AWRDIFF_MAILS:
        return Mail.NONE
    if notice.what in AT_ONCE:
        return Mail.NOW
    chosen = getattr(notice.user, "notice_choice", None)
    return chosen.mail if chosen else Mail.NOW


def _mail(notices: list[Notice]) -> None:
    for notice in notices:
        due = gathered.due_at(notice)
        mail = gathered.waiting_mail(notice)
        if mail is None:
            mail = Delivery.objects.create(team=notice.team, way=Way.MAIL, user=notice.user, due_at=due)
            send(mail)  # before it is due nobody sends it, and the sweeper comes back to it
        Notice.objects.filter(pk=notice.pk).update(mail=mail, mail_at=mail.due_at)


def _to_webhook(team: Team, told: list[Notice], actor: User | None, about: str) -> None:
    first = told[0]
    event: dict[str, Any] = {name: getattr(first, name) for name in ("what", "kind", "thing", "place", "change")}
    event |= {
        "about": about,
        "actor": shown_name(actor) if actor else "",
        "to": [shown_name(one.user) for one in told],
    }
    _queue_webhook(team, event)


def _queue_webhook(team: Team, event: dict[str, Any]) -> bool:
    if not TeamNotices.objects.filter(team=team).exclude(url="").exists():
        return False
    made = Delivery.objects.create(
        team=team, way=Way.WEBHOOK, event=event, kind=event["kind"], thing=event["thing"], due_at=timezone.now()
    )
    send(made)
    return True


def _may_set(access: AccessContext) -> None:
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team says where its notices go.")
