"""Directory accounts, by stable id: names and addresses may be another's here."""

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

from awrdiff.accounts import identity_provider_groups, members_and_invitations
from awrdiff.accounts.display_names import fill_shown_name
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Invitation, User
from awrdiff.accounts.sign_in_limits import name_key
from awrdiff.web.sign_in import invitation_session
from awrdiff.web.sign_in.permission_helpers import look_at

logger = logging.getLogger(__name__)
IDS = ("entryuuid", "objectguid", "nsuniqueid", "ipauniqueid")  # what directories call what stays the same of an entry


class NotSignedIn(Exception):
    """For any password: a sentence, and the answer's status."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class Away(NotSignedIn):
    def __init__(self) -> None:
        own = ", or sign in with your password if you have one here" if settings.AWRDIFF_PASSWORD_SIGN_IN else ""
        super().__init__(f"The directory that knows your password does not answer: try again later{own}.", 503)


@dataclass(frozen=True, slots=True)
class Entry:
    """`groups`: those in AWRDIFF_LDAP_TEAMS, None if unset."""

    id: str
    name: str
    shown_name: str = ""
    email: str = ""
    groups: frozenset[str] | None = None


def is_elsewhere(name: str) -> bool:
    """True for accounts outside the directory, which must not get their password."""
    return User.objects.filter(username__iexact=name.strip(), directory_id=None).exists()


def entry_of(typed: str, dn: str, values: Mapping[str, list[Any]]) -> Entry | None:
    """None unless named exactly as typed: spellings would have separate attempts."""
    attributes = {name.lower(): answers for name, answers in values.items()}
    names = [name for key in settings.AWRDIFF_LDAP_NAMES for name in attributes.get(key, ()) if isinstance(name, str)]
    name = next((name for name in names if name_key(name) == name_key(typed)), None)
    if name is None:
        return None
    text = {key: answers[0].strip() for key, answers in attributes.items() if answers and isinstance(answers[0], str)}
    display_name = text.get("displayname") or text.get("cn", "")
    own = name.strip().lower().partition("@")[0]
    try:
        email = members_and_invitations.address(text.get("mail", ""))
    except PeopleRefused:
        email = ""
    return Entry(_id_of(dn, attributes), own, display_name, email)


def _id_of(dn: str, attributes: Mapping[str, list[Any]]) -> str:
    for key in IDS:
        if answers := attributes.get(key):
            raw = answers[0] if isinstance(answers[0], bytes) else answers[0].encode()
            readable = raw.isascii() and raw.decode("ascii", "replace").isprintable() and len(raw) < 100
            return f"{key}:{raw.decode() if readable else hashlib.sha256(raw).hexdigest()}"
    return f"dn:{hashlib.sha256(dn.lower().encode()).hexdigest()}"


def with_groups(entry: Entry, names: Callable[[], Iterable[str]]) -> Entry:
    """Spelled as in AWRDIFF_LDAP_TEAMS; no query if unset."""
    if not settings.AWRDIFF_LDAP_TEAMS:
        return entry
    own = {_same(name) for name in names()}
    groups_here = (place.group for place in settings.AWRDIFF_LDAP_TEAMS if _same(place.group) in own)
    return replace(entry, groups=frozenset(groups_here))


def _same(name: str) -> str:
    return ",".join(part.strip() for part in name.casefold().split(","))


def account_of(request: HttpRequest, entry: Entry) -> User:
    """Creates it by a team's group or an invitation; updates teams at each sign-in. Raises NotSignedIn."""
    user = _account(entry) or _new_account(request, entry)
    if user.is_active:
        identity_provider_groups.follow(user, entry.groups, identity_provider_groups.Source.LDAP)
    return user


def _account(entry: Entry) -> User | None:
    return User.objects.filter(directory_id=entry.id).first()


def _new_account(request: HttpRequest, entry: Entry) -> User:
    invitation = invitation_session.held_invitation(request, {entry.email} - {""})
    if invitation is None and not identity_provider_groups.open_a_team(
        entry.groups, identity_provider_groups.Source.LDAP
    ):
        raise NotSignedIn(
            "The directory knows you, but no group of yours is on a team here: ask an owner of the team to invite the "
            "e-mail address that you have in the directory.",
            403,
        )
    try:
        name = get_adapter().clean_username(entry.name)
    except ValidationError:
        if user := _account(entry):  # they came twice at the same moment
            return user
        logger.warning("somebody of the directory is not let in: their name is taken here, or none that is taken")
        raise NotSignedIn(
            "Somebody else has your name here, or it is none that this server takes: tell whoever runs it.", 403
        ) from None
    try:
        with transaction.atomic():
            return _save(request, User(username=name, email=entry.email, directory_id=entry.id), entry, invitation)
    except IntegrityError:
        if user := _account(entry):
            return user
        raise


def _save(request: HttpRequest, user: User, entry: Entry, invitation: Invitation | None) -> User:
    """Addresses count once confirmed, here or by a mailed invitation."""
    user.set_unusable_password()
    user.save(force_insert=True)
    if entry.email:
        by_mail = invitation is not None and invitation.was_mailed
        is_taken = EmailAddress.objects.filter(email__iexact=entry.email, verified=True).exists()
        EmailAddress.objects.create(user=user, email=entry.email, primary=True, verified=by_mail and not is_taken)
    fill_shown_name(user, entry.shown_name)
    if invitation is not None:
        members_and_invitations.accept(user, invitation, signing_up=True)
        look_at(request, invitation.team)
        invitation_session.let_go(request)
    return user
