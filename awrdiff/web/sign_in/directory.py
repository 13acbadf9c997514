"""Whose account it is that somebody of a directory signs in with: theirs by what stays the same of them there, never by
a name or an address that somebody else may have here."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from awrdiff.accounts import groups, people
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Invitation, User
from awrdiff.accounts.names import fill_shown_name
from awrdiff.accounts.sign_in_limits import name_key
from awrdiff.web.sign_in import invited
from awrdiff.web.sign_in.members import look_at

logger = logging.getLogger(__name__)
IDS = ("entryuuid", "objectguid", "nsuniqueid", "ipauniqueid")  # what directories call what stays the same of an entry


class NotSignedIn(Exception):
    """Whatever the password: a sentence for whoever tries, and the status of the answer."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class Away(NotSignedIn):
    def __init__(self) -> None:
        own = ", or sign in with your password if you have one here" if settings.AWRDIFF_PASSWORD_SIGN_IN else ""
        super().__init__(f"The directory that knows your password does not answer: try again later{own}.", 503)


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody of the directory. `groups`: those of AWRDIFF_LDAP_TEAMS, None where there are none."""

    id: str
    name: str
    shown_name: str = ""
    email: str = ""
    groups: frozenset[str] | None = None


def is_elsewhere(name: str) -> bool:
    """Whether the name is that of somebody who does not come by the directory: it is not told their password."""
    return User.objects.filter(username__iexact=name.strip(), directory_id=None).exists()


def entry_of(typed: str, dn: str, values: Mapping[str, list[Any]]) -> Entry | None:
    """None where it is not called what was typed, though the directory finds it by that: some take letters with and
    without accents for the same, and each way to write a name would have attempts of its own."""
    given = {name.lower(): found for name, found in values.items()}
    names = [one for key in settings.AWRDIFF_LDAP_NAMES for one in given.get(key, ()) if isinstance(one, str)]
    name = next((one for one in names if name_key(one) == name_key(typed)), None)
    if name is None:
        return None
    text = {key: found[0].strip() for key, found in given.items() if found and isinstance(found[0], str)}
    shown = text.get("displayname") or text.get("cn", "")
    own = name.strip().lower().partition("@")[0]
    return Entry(_id_of(dn, given), own, shown, _address(text.get("mail", "")))


def _id_of(dn: str, given: Mapping[str, list[Any]]) -> str:
    for key in IDS:
        if found := given.get(key):
            raw = found[0] if isinstance(found[0], bytes) else found[0].encode()
            readable = raw.isascii() and raw.decode("ascii", "replace").isprintable() and len(raw) < 100
            return f"{key}:{raw.decode() if readable else hashlib.sha256(raw).hexdigest()}"
    return f"dn:{hashlib.sha256(dn.lower().encode()).hexdigest()}"


def _address(text: str) -> str:
    try:
        return people.address(text)
    except PeopleRefused:
        return ""


def with_groups(entry: Entry, names: Callable[[], Iterable[str]]) -> Entry:
    """Of the names and DNs of their groups those that AWRDIFF_LDAP_TEAMS has, as it writes them; without it the
    directory is not asked."""
    if not settings.AWRDIFF_LDAP_TEAMS:
        return entry
    found = {_same(one) for one in names()}
    known = (one.group for one in settings.AWRDIFF_LDAP_TEAMS if _same(one.group) in found)
    return replace(entry, groups=frozenset(known))


def _same(name: str) -> str:
    return ",".join(part.strip() for part in name.casefold().split(","))


def account_of(request: HttpRequest, entry: Entry) -> User:
    """Made at the first sign-in, by groups that are of a team or an invitation; on the teams of the groups at each.
    Raises NotSignedIn."""
    found = _known(entry) or _made(request, entry)
    if found.is_active:
        groups.follow(found, entry.groups, groups.Source.LDAP)
    return found


def _known(entry: Entry) -> User | None:
    return User.objects.filter(directory_id=entry.id).first()


def _made(request: HttpRequest, entry: Entry) -> User:
    invitation = _invitation_for(request, entry)
    if invitation is None and not groups.open_a_team(entry.groups, groups.Source.LDAP):
        raise NotSignedIn(
            "The directory knows you, but no group of yours is on a team here: ask an owner of the team to invite the "
            "e-mail address that you have in the directory.",
            403,
        )
    try:
        name = get_adapter().clean_username(entry.name)
    except ValidationError:
        if made := _known(entry):  # they came twice at the same moment
            return made
        logger.warning("somebody of the directory is not let in: their name is taken here, or none that is taken")
        raise NotSignedIn(
            "Somebody else has your name here, or it is none that this server takes: tell whoever runs it.", 403
        ) from None
    try:
        with transaction.atomic():
            return _saved(request, User(username=name, email=entry.email, directory_id=entry.id), entry, invitation)
    except IntegrityError:
        if made := _known(entry):
            return made
        raise


def _saved(request: HttpRequest, user: User, entry: Entry, invitation: Invitation | None) -> User:
    """The address is theirs once they have confirmed it here: others' mails, and accounts of a sign-on service, go by
    it. Who came by a mail has."""
    user.set_unusable_password()
    user.save(force_insert=True)
    if entry.email:
        by_mail = invitation is not None and invitation.was_mailed
        taken = EmailAddress.objects.filter(email__iexact=entry.email, verified=True).exists()
        EmailAddress.objects.create(user=user, email=entry.email, primary=True, verified=by_mail and not taken)
    fill_shown_name(user, entry.shown_name)
    if invitation is not None:
        people.accept(user, invitation, signing_up=True)
        look_at(request, invitation.team)
        invited.let_go(request)
    return user


def _invitation_for(request: HttpRequest, entry: Entry) -> Invitation | None:
    """The one that the browser came with, if it is of their address."""
    found = invited.held_invitation(request)
    return found if found is not None and entry.email and found.email == entry.email else None
