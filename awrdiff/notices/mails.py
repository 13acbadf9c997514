"""Plain text mails: one line per notice with its address, no more unless the team allows contents."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage

from awrdiff.accounts.access import has_factor
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.members_and_invitations import mailed_token
from awrdiff.accounts.models import Invitation, Membership, Team, User
from awrdiff.notices import queries
from awrdiff.notices.models import Delivery, Notice, TeamNotices
from awrdiff.notices.notice_sentences import address_of, names_where, one_line, path_of, sentence

LONGEST_SUBJECT = 150
# By sort of notice, what its mail says beyond counts, where contents go out: apps that build on this one.
MORE: dict[str, Callable[[Notice], Iterable[str]]] = {}
_FOOT = "\nWhich of these you get by mail: {url}\n"


def message_of(delivery: Delivery) -> EmailMessage | None:
    """None: nothing left to send. Message-ID is stable."""
    if delivery.invitation is not None:
        message = _of_invitation(delivery.invitation)
    else:
        # Unread, and of teams that its reader is still on.
        teams = Membership.objects.filter(user=delivery.user_id).values("team")
        unread = delivery.notices.filter(read_at=None, team__in=teams)
        notices = list(unread.select_related("actor", "team").order_by("id"))
        message = _of_notices(delivery, notices) if notices else None
    if message is not None:
        domain = address_of("").partition("://")[2].partition(":")[0] or "localhost"
        message.extra_headers = {"Message-ID": f"<{delivery.pk}@{domain}>", "Auto-Submitted": "auto-generated"}
    return message


def _of_invitation(invitation: Invitation) -> EmailMessage | None:
    if not invitation.is_live:
        return None
    team = one_line(invitation.team.name, LONGEST_SUBJECT)
    by = invitation.invited_by
    invites = f"{one_line(shown_name(by), 150)} invites you" if by else "You are invited"
    body = (
        f'{invites} to the team "{team}" on awrdiff, where it compares Oracle AWR reports.\n\n'
        f"To join, open this address. It works once, until {invitation.expires_at:%d %B %Y, %H:%M} UTC:\n\n"
        f"{address_of(path_of('join', mailed_token(invitation)))}\n\n"
        "If you do not know what this is about, do nothing.\n"
    )
    return EmailMessage(_subject(f"Invitation to the team {team}"), body, to=[invitation.email])


def _of_notices(delivery: Delivery, notices: list[Notice]) -> EmailMessage | None:
    to = confirmed_address(delivery.user)
    if not to:
        return None
    # Teams requiring a second factor that `user` lacks: sentence and address only.
    strict = set(Team.objects.filter(second_factor_required=True, members=delivery.user).values_list("pk", flat=True))
    withheld = set() if not strict or has_factor(delivery.user) else strict
    contents = set(TeamNotices.objects.filter(contents=True).values_list("team", flat=True)) - withheld
    lines = queries.lines(notices)
    texts = [_line(line, contents=line.last.team_id in contents, bare=line.last.team_id in withheld) for line in lines]
    only = lines[0] if len(lines) == 1 else None
    subject = _sentence(only, contents=only.last.team_id in contents) if only else f"{len(lines)} notices"
    body = "\n".join(texts) + _FOOT.format(url=address_of(path_of("notices")))
    return EmailMessage(_subject(subject), body, to=[to])


def _sentence(line: queries.Gathered, *, contents: bool) -> str:
    """With the thread's title, where the team allows contents."""
    text = sentence(line.says, line.more, contents=contents)
    titled = contents and line.says.thread is not None and line.says.about and not names_where(line.says)
    return f"{line.says.about}: {text}" if titled else text


def _line(line: queries.Gathered, *, contents: bool, bare: bool) -> str:
    notice = line.says
    names_it = names_where(notice) or notice.thread is not None
    more = MORE.get(notice.what)
    about = f"  {notice.about}\n" if (contents or more) and notice.about and not (names_it or bare) else ""
    about += "".join(f"  {one_line(more_line, 300)}\n" for more_line in more(notice)) if contents and more else ""
    team = one_line(notice.team.name, 100)
    url = address_of(path_of(notice.kind, notice.thing, notice.place))
    return f"{team}: {one_line(_sentence(line, contents=contents), 300)}\n{about}{url}\n"


def confirmed_address(user: User | None) -> str:
    """Mail address; "" where none is confirmed."""
    if user is None or not user.is_active:
        return ""
    addresses = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary")
    email: str | None = addresses.values_list("email", flat=True).first()
    return email or ""


def _subject(text: str) -> str:
    return f"[awrdiff] {one_line(text, LONGEST_SUBJECT)}"
