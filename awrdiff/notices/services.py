"""Writes of notices. `notify` is called in the transaction of its event."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from copy import copy
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound, guest_roles
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.member_events import Happening
from awrdiff.accounts.models import Invitation, Membership, Role, Team, User
from awrdiff.audit.services import note, note_chore
from awrdiff.notices import queries, tasks, webhook_address_check
from awrdiff.notices.models import Delivery, Mail, Notice, NoticeChoice, Shape, TeamNotices, Way
from awrdiff.notices.notice_sentences import one_line
from awrdiff.notices.webhook_address_check import NoticeRefused
from awrdiff.processing.dispatch import send_on_commit
from awrdiff.processing.storable_values import storable_text

LONGEST_ABOUT = 200
MAIL_EVERY = timedelta(minutes=5)  # of a thread, however fast people write in it
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
    """Only team members, not `actor`.

    `guests`: caller knows it is shown to guests. `key` names the event: nobody is notified twice. `to_channel`: the
    webhook, too.
    """
    about = one_line(storable_text(about), LONGEST_ABOUT)
    row = Notice(
        team=team, what=what, kind=kind, thing=str(thing), place=place, actor=actor, about=about, thread=thread,
        change=change,
    )  # fmt: skip
    with transaction.atomic():
        notices = [
            notice
            for user in _on_the_team(team, users, actor, guests=guests)
            if (notice := _notify_one(row, user, key)) is not None
        ]
        _mail([notice for notice in notices if _by_mail(notice) == Mail.NOW])
        if notices and to_channel:
            _to_webhook(team, notices, actor, about)
    return notices


def tell_account(user: User, what: str, *, key: str) -> None:
    """On each team, one mail whatever they chose."""
    with transaction.atomic():
        memberships = Membership.objects.filter(user=user).select_related("team", "user__notice_choice").order_by("pk")
        rows = [(Notice(team=m.team, what=what, kind="account", thing=str(user.pk)), m.user) for m in memberships]
        notices = [_notify_one(row, reader, key) for row, reader in rows]
        _mail([notice for notice in notices if notice is not None and _by_mail(notice) == Mail.NOW][:1])


def take_back(team: Team, what: str, users: Iterable[User], *, key: str) -> None:
    """Delete unread notices that are no longer true."""
    once = [_once(team, user, what, key) for user in users]
    Notice.objects.filter(once__in=once, read_at=None).delete()


def take_from_guests(team: Team, thread: int) -> None:
    """Delete notices of a thread closed to guests."""
    guests = Membership.objects.filter(team=team, role__in=guest_roles())
    Notice.objects.filter(team=team, thread=thread, user__in=guests.values("user")).delete()


def forget(kind: str, things: Iterable[object]) -> None:
    """Delete deleted things' notices and unsent messages."""
    names = [str(thing) for thing in things]
    Delivery.objects.filter(kind=kind, thing__in=names).delete()
    Notice.objects.filter(kind=kind, thing__in=names).delete()


def withdraw(team: Team, user: User, kind: str = "", things: Iterable[object] = ()) -> None:
    """Delete notices of unreadable things; without `kind` all."""
    notices = Notice.objects.filter(team=team, user=user)
    (notices.filter(kind=kind, thing__in=[str(thing) for thing in things]) if kind else notices).delete()


def of_people(what: Happening) -> None:
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
    owners = User.objects.filter(membership__team=what.team, membership__role=Role.OWNER).exclude(pk=of.user_id)
    users = [*owners, what.opened_to] if what.opened_to else [*owners]
    about = f"{shown_name(of.user)}: {what.closed}"
    notify(what.team, "closed", users, kind="opened", thing=of.user_id, actor=what.user, about=about, to_channel=False)


def read(access: AccessContext, pk: int) -> Notice:
    """Marks all of its thread. Raises NotFound."""
    notice = queries.notices_of(access).filter(pk=pk).first()
    if notice is None:
        raise NotFound("There is no such notice.")
    own = queries.notices_of(access).filter(read_at=None)
    together = own.filter(pk=notice.pk) if notice.thread is None else own.filter(thread=notice.thread)
    together.update(read_at=timezone.now())
    return notice


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
    if access.user is None or access.is_shared:
        raise PermissionDenied
    values = {"weekly": weekly, "last_week_at": timezone.now()}
    NoticeChoice.objects.update_or_create(user=access.user, defaults=values)


def set_team(access: AccessContext, *, url: str, shape: str, contents: bool, tickets: bool = False) -> TeamNotices:
    """Without `url` there is no webhook. Raises NoticeRefused."""
    _may_set(access)
    url = storable_text(url.strip())
    if shape not in Shape.values:
        raise NoticeRefused(f"“shape” must be one of {', '.join(Shape.values)}.")
    if url:
        webhook_address_check.refuse_odd(url)
    if tickets and shape != Shape.GENERIC:
        raise NoticeRefused("A channel makes no tickets: they are asked of a webhook that reads JSON.")
    with transaction.atomic():
        values = {"url": url, "shape": shape, "contents": contents, "tickets": tickets, "last_error": ""}
        target, _ = TeamNotices.objects.update_or_create(team=access.team, defaults=values)
        waiting = Delivery.objects.filter(team=access.team, way=Way.WEBHOOK)
        if not url:
            waiting.delete()
        elif not tickets:
            waiting.filter(event__has_key="wanted").delete()
        note(access, "changed", "webhook", access.team.pk)
    return target


def new_secret(access: AccessContext) -> None:
    """Invalidates signatures by the old one."""
    _may_set(access)
    with transaction.atomic():
        TeamNotices.objects.filter(team=access.team).update(nonce=uuid.uuid4())
        note(access, "changed", "webhook", access.team.pk)


def choose_tracker(access: AccessContext, wanted: str) -> TeamNotices:
    """`on`, `new` (another secret) or `off`. Raises NoticeRefused."""
    _may_set(access)
    if wanted not in ("on", "new", "off"):
        raise NoticeRefused("“tracker” must be on, new or off.")
    with transaction.atomic():
        target, _ = TeamNotices.objects.select_for_update().get_or_create(team=access.team)
        was_open = target.tracker_nonce is not None
        if was_open if wanted == "on" else wanted == "off" and not was_open:
            return target
        is_off = wanted == "off"
        target.tracker_nonce, target.tracker_by = (None, None) if is_off else (uuid.uuid4(), access.user)
        target.save(update_fields=["tracker_nonce", "tracker_by"])
        action = "tracker closed" if is_off else "tracker renewed" if was_open else "tracker opened"
        note(access, action, "tracker", access.team.pk)
    return target


def close_tracker(team: Team, targets: list[TeamNotices], by: User | None) -> None:
    """`by` None: the server."""
    TeamNotices.objects.filter(pk__in=[target.pk for target in targets]).update(tracker_nonce=None, tracker_by=None)
    note_chore(team.pk, "tracker closed", "tracker", [team.pk], by)


def try_out(access: AccessContext) -> None:
    _may_set(access)
    with transaction.atomic():
        if not _queue_webhook(access.team, {"what": "test", "kind": "team", "thing": str(access.team.pk)}):
            raise NoticeRefused("Give the address of a webhook first.")


def ask_webhook(team: Team, event: dict[str, Any], kind: str, thing: object, by: User | None) -> bool:
    """False while pending or off. Failed ones keep their id, for receivers that took it."""
    if not takes_tickets(team):
        return False
    about = Delivery.objects.filter(team=team, way=Way.WEBHOOK, kind=kind, thing=str(thing))
    delivery = about.first() or Delivery(team=team, way=Way.WEBHOOK, kind=kind, thing=str(thing))
    if not delivery._state.adding and delivery.due_at is not None:
        return False
    delivery.event, delivery.user, delivery.attempts, delivery.error = event, by, 0, ""
    delivery.created_at = delivery.due_at = timezone.now()
    delivery.save()
    send(delivery)
    return True


def takes_tickets(team: Team) -> bool:
    return TeamNotices.objects.filter(team=team, tickets=True).exclude(url="").exists()


def send(delivery: Delivery) -> None:
    send_on_commit(tasks.deliver, delivery.pk)


def _on_the_team(team: Team, users: Iterable[User], actor: User | None, *, guests: bool) -> list[User]:
    pks = {user.pk for user in users} - {actor.pk if actor else None}
    members = Membership.objects.filter(team=team, user__in=pks).select_related("user__notice_choice")
    return [member.user for member in members.order_by("user") if guests or member.role not in guest_roles()]


def _notify_one(row: Notice, user: User, key: str) -> Notice | None:
    """None: notified already."""
    once = _once(row.team, user, row.what, key) if key else None
    if once and Notice.objects.filter(once=once).exists():
        return None
    notice = copy(row)
    notice.user, notice.once = user, once
    notice.for_digest = _by_mail(notice) == Mail.DIGEST
    notice.save()
    return notice


def _once(team: Team, user: User, what: str, key: str) -> str:
    return hashlib.sha256(f"{team.pk} {user.pk} {what} {key}".encode()).hexdigest()


def _by_mail(notice: Notice) -> str:
    if not settings.AWRDIFF_MAILS:
        return Mail.NONE
    if notice.what in AT_ONCE:
        return Mail.NOW
    choice = getattr(notice.user, "notice_choice", None)
    return choice.mail if choice else Mail.NOW


def _mail(notices: list[Notice]) -> None:
    for notice in notices:
        due = _due_at(notice)
        mail = _waiting_mail(notice)
        if mail is None:
            mail = Delivery.objects.create(team=notice.team, way=Way.MAIL, user=notice.user, due_at=due)
            send(mail)  # before it is due nobody sends it, and the sweeper comes back to it
        Notice.objects.filter(pk=notice.pk).update(mail=mail, mail_at=mail.due_at)


def _waiting_mail(notice: Notice) -> Delivery | None:
    """Locked mail of the same thread, not due yet."""
    if notice.thread is None:
        return None
    now = timezone.now()  # of a clock that was put back there is one that is due much later: that is let be
    mine = Notice.objects.filter(user=notice.user, thread=notice.thread).exclude(mail=None)
    waiting = Delivery.objects.select_for_update().filter(way=Way.MAIL, attempts=0, pk__in=mine.values("mail"))
    return waiting.filter(due_at__gt=now, due_at__lte=now + MAIL_EVERY).order_by("due_at").first()


def _due_at(notice: Notice) -> datetime:
    """A while after the thread's last mail."""
    now = timezone.now()
    if notice.thread is None:
        return now
    mailed = Notice.objects.filter(user=notice.user, thread=notice.thread).exclude(mail_at=None).order_by("-mail_at")
    last = mailed.values_list("mail_at", flat=True).first()
    return min(max(now, last + MAIL_EVERY), now + MAIL_EVERY) if last else now


def _to_webhook(team: Team, notices: list[Notice], actor: User | None, about: str) -> None:
    first = notices[0]
    event: dict[str, Any] = {name: getattr(first, name) for name in ("what", "kind", "thing", "place", "change")}
    event |= {
        "about": about,
        "actor": shown_name(actor) if actor else "",
        "to": [shown_name(notice.user) for notice in notices],
    }
    _queue_webhook(team, event)


def _queue_webhook(team: Team, event: dict[str, Any]) -> bool:
    if not TeamNotices.objects.filter(team=team).exclude(url="").exists():
        return False
    delivery = Delivery.objects.create(
        team=team, way=Way.WEBHOOK, event=event, kind=event["kind"], thing=event["thing"], due_at=timezone.now()
    )
    send(delivery)
    return True


def _may_set(access: AccessContext) -> None:
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team says where its notices go.")
