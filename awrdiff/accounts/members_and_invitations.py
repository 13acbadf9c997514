"""Inviting, joining, roles, removing. A team always keeps an owner, also under concurrent changes."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.accounts import offboarding, quotas
from awrdiff.accounts.access import AccessContext, Can, NotFound, require_row, roles_that
from awrdiff.accounts.display_names import keep_apart
from awrdiff.accounts.errors import PeopleRefused, TooMuch
from awrdiff.accounts.member_events import notify
from awrdiff.accounts.models import Invitation, Membership, PeopleSignIn, Role, Team, User
from awrdiff.accounts.offboarding import Closed, hold, live_invitations
from awrdiff.accounts.services import join, lock_team
from awrdiff.accounts.teams import clean_name
from awrdiff.accounts.token_hashing import derived_token, hash_token, new_token
from awrdiff.whole_number_input import whole_number

RETRY_S = 600
VALID_FOR = timedelta(days=7)
MOST_PENDING = 300
MOST_AT_ONCE = 200
MOST_AN_HOUR = 400  # by one person
JUST_NOW = timedelta(minutes=1)
LONGEST_ADDRESS = 254
LONGEST_SHOWN = 80  # of what is none
_QUOTED = re.compile(r'"[^"\n]*"')
_IN_BRACKETS = re.compile(r"<([^<>]*)>")
_BETWEEN = re.compile(r"[\s,;]+")
_AROUND = "[](){}\"'"  # a list's, as programs write it
NOBODY = "There is no such person on your team."
GONE = "This invitation does not exist, was used or revoked, or has expired. Ask for another."


def people_of(access: AccessContext) -> QuerySet[Membership]:
    """In order of joining. Guests see nobody."""
    if not access.can_read:
        return Membership.objects.none()
    return Membership.objects.filter(team=access.team).select_related("user").order_by("created_at", "pk")


def writers_of(access: AccessContext) -> QuerySet[Membership]:
    """People who can be assigned something."""
    return people_of(access).filter(role__in=roles_that(Can.WRITE))


def membership_for(access: AccessContext, pk: int) -> Membership:
    """Guests find only themselves. Raises NotFound."""
    own = Membership.objects.filter(team=access.team) if pk == access.membership else people_of(access)
    return require_row(own.select_related("user").filter(pk=pk), NOBODY)


def pending(access: AccessContext) -> QuerySet[Invitation]:
    """Usable invitations, newest first."""
    if not access.can_invite:
        return Invitation.objects.none()
    return live_invitations().filter(team=access.team).order_by("-created_at")


def invitation_for(access: AccessContext, pk: UUID) -> Invitation:
    invitations = Invitation.objects.filter(team=access.team, pk=pk)
    return require_row(invitations, "There is no such invitation.", may=access.can_read)


def invite(access: AccessContext, email: str, role: str, *, by_mail: bool) -> tuple[Invitation, str]:
    """Invitation and its token, superseding earlier ones. Raises PeopleRefused."""
    _may_invite(access)
    email, role = address(email), _role_to_give(access, role)
    with transaction.atomic():
        lock(access.team)
        hold(access.user, access.team)
        if _owners_of(email).filter(membership__team=access.team).exists():
            raise PeopleRefused(f"{email} is on the team already.")
        _check_room(access, [email])
        return _invite(access, email, role, by_mail=by_mail)


class InviteStatus(StrEnum):
    """Result of inviting an address."""

    NEW = "invited"
    AGAIN = "invited again"  # the earlier invitation opens nothing any more
    JUST_NOW = "invited a moment ago"  # by mail, and with this role: no other mail is sent
    HERE = "on the team already"
    NO_ADDRESS = "not an e-mail address"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`token`: of an unmailed invitation, shown once."""

    email: str
    sent: InviteStatus
    token: str = ""


def invite_all(access: AccessContext, text: str, role: str, *, by_mail: bool) -> list[Outcome]:
    """Raises PeopleRefused or TooMuch before anybody is invited."""
    _may_invite(access)
    role, entries = _role_to_give(access, role), extract_addresses(text)
    if not entries or len(entries) > MOST_AT_ONCE:
        raise PeopleRefused(f"Give 1 to {MOST_AT_ONCE} e-mail addresses: these are {len(entries)}.")
    with transaction.atomic():
        lock(access.team)
        hold(access.user, access.team)
        outcomes: dict[str, Outcome] = {}
        verified = User.objects.filter(membership__team=access.team, emailaddress__verified=True)
        here = {email.lower() for email in verified.values_list("emailaddress__email", flat=True)}
        live = {invitation.email: invitation for invitation in live_invitations().filter(team=access.team)}
        for typed in entries:
            try:
                email = address(typed)
            except PeopleRefused:
                outcomes[typed] = Outcome(typed[:LONGEST_ADDRESS], InviteStatus.NO_ADDRESS)
                continue
            outcomes.setdefault(email, Outcome(email, _to_be_sent(email, role, here, live.get(email), by_mail=by_mail)))
        new = [outcome for outcome in outcomes.values() if outcome.sent in (InviteStatus.NEW, InviteStatus.AGAIN)]
        _check_room(access, [outcome.email for outcome in new])
        for outcome in new:
            _, token = _invite(access, outcome.email, role, by_mail=by_mail)
            outcomes[outcome.email] = replace(outcome, token="" if by_mail else token)
    return list(outcomes.values())


def extract_addresses(text: str) -> list[str]:
    """Unique addresses or attempts; quoted text needs an @."""
    addresses: list[str] = []
    for entry in re.split(r"[,;\n]+", _QUOTED.sub(_unquoted, text)):
        inside = [_bare(word) for word in _IN_BRACKETS.findall(entry)]
        beside = [_bare(word) for word in _IN_BRACKETS.sub(" ", entry).split()]
        addresses += [word for word in beside if "@" in word or not any(inside)] + inside
    return list(dict.fromkeys(word if "@" in word else word[:LONGEST_SHOWN] for word in addresses if word))


def _unquoted(quoted: re.Match[str]) -> str:
    """Quoted names are dropped; spreadsheets quote addresses too."""
    words = _BETWEEN.split(quoted[0].strip('"'))
    return f" {' '.join(word for word in words if '@' in word)} "


def _bare(text: str) -> str:
    return text.strip().strip(_AROUND).strip()


def _to_be_sent(email: str, role: str, here: set[str], live: Invitation | None, *, by_mail: bool) -> InviteStatus:
    if email in here:
        return InviteStatus.HERE
    if live is None:
        return InviteStatus.NEW
    same = by_mail and live.was_mailed and live.role == role
    return InviteStatus.JUST_NOW if same and abs(timezone.now() - live.created_at) < JUST_NOW else InviteStatus.AGAIN


def _check_room(access: AccessContext, emails: Collection[str]) -> None:
    open_now = live_invitations().filter(team=access.team).exclude(email__in=emails).count()
    if open_now + len(emails) > MOST_PENDING:
        raise PeopleRefused(f"No more than {MOST_PENDING} invitations are open at a time: revoke some first.")
    now, hour = timezone.now(), timedelta(hours=1)
    recent = Invitation.objects.filter(invited_by=access.user, created_at__range=(now - hour, now + hour)).count()
    if access.user is not None and recent + len(emails) > MOST_AN_HOUR:
        refusal = f"You have invited {recent} people within an hour, and may invite {MOST_AN_HOUR}: try again later."
        raise TooMuch(refusal, RETRY_S)


def _invite(access: AccessContext, email: str, role: str, *, by_mail: bool) -> tuple[Invitation, str]:
    """Caller holds the team's lock."""
    live_invitations().filter(team=access.team, email=email).update(revoked_at=timezone.now())
    invitation, token = _make_invitation(access.team, email, role, invited_by=access.user, was_mailed=by_mail)
    notify(access.team, access.user, "invited", invitation)
    return invitation, token


def invite_to_take_over(team: Team) -> tuple[Invitation, str]:
    """Invite the server's operator; revokes earlier invitations."""
    with transaction.atomic():
        lock(team)
        live_invitations().filter(takes_over=True).update(revoked_at=timezone.now())
        return _make_invitation(team, "", Role.OWNER, takes_over=True)


def _make_invitation(team: Team, email: str, role: str, **values: object) -> tuple[Invitation, str]:
    invitation = Invitation(team=team, email=email, role=role, expires_at=timezone.now() + VALID_FOR, **values)
    token = _mailed_token(invitation) if invitation.was_mailed else new_token()
    invitation.token_hash = hash_token(token)
    invitation.save(force_insert=True)
    return invitation, token


def mailed_token(invitation: Invitation) -> str:
    """Derived token; re-hashed if the server's key has changed."""
    token = _mailed_token(invitation)
    if hash_token(token) != invitation.token_hash:
        Invitation.objects.filter(pk=invitation.pk).update(token_hash=hash_token(token))
    return token


def _mailed_token(invitation: Invitation) -> str:
    return derived_token(f"invitation {invitation.pk}")


def revoke(access: AccessContext, invitation: Invitation) -> None:
    """Idempotent."""
    _may_invite(access, invitation.team_id)
    with transaction.atomic():
        offboarding.end_invitations(access.team, [invitation], access.user)


def live_invitation(**which: object) -> Invitation:
    """By `pk` or `token`. Raises NotFound."""
    if "token" in which:
        which = {"token_hash": hash_token(str(which["token"]))}
    return require_row(live_invitations().select_related("team", "invited_by").filter(**which), GONE)


def accept(user: User, invitation: Invitation, *, signing_up: bool = False) -> Membership:
    """Existing members keep their role. `signing_up`: the account was just made for it, its address is not checked.
    Raises NotFound, PeopleRefused.
    """
    if not signing_up and not is_for(user, invitation):
        raise PeopleRefused(f"This invitation is for {invitation.email}.")
    with transaction.atomic():
        if not Membership.objects.filter(team=invitation.team_id, user=user).exists():
            quotas.check_people(invitation.team_id)
        used = live_invitations().filter(pk=invitation.pk)
        if not used.update(used_at=timezone.now(), used_by=user):
            raise NotFound(GONE)
        if invitation.takes_over:
            if PeopleSignIn.objects.exists():  # there is one local user to take over
                raise NotFound(GONE)
            PeopleSignIn.objects.create(team=invitation.team)
        defaults = {"role": invitation.role}
        membership, _ = Membership.objects.get_or_create(team=invitation.team, user=user, defaults=defaults)
        _by_hand(membership)
        keep_apart(invitation.team, user)
        notify(invitation.team, user, "joined", invitation)
        return membership


def is_for(user: User, invitation: Invitation) -> bool:
    """True if `user` has verified the address."""
    return _owners_of(invitation.email).filter(pk=user.pk).exists()


def change_role(access: AccessContext, membership: Membership, role: str) -> Membership:
    """Raises PeopleRefused for the last owner."""
    _may_invite(access, membership.team_id)
    with transaction.atomic():
        lock(access.team)
        current = _current(membership)
        role = _role_to_give(access, role, current.role)
        if role != Role.OWNER:
            _refuse_last_owner(current)
        current.by_groups = False
        give_role(current, role, by=access.user, heir=heir_of(current, before_others=access.membership))
    return current


def give_role(membership: Membership, role: str, *, by: User | None, heir: User | None = None) -> None:
    """Ends access beyond it. Caller locks the team and checks its last owner."""
    membership.role = role
    membership.save(update_fields=["role", "by_groups", "confirmed_at"])
    closed = offboarding.close(membership.team, membership.user, by, role=role)
    notify(membership.team, by, "role", membership, heir=heir, closed=str(closed))


def remove(
    access: AccessContext, membership: Membership, heir: str = "", *, opened_to: str = "", services: bool = False
) -> Closed:
    """`heir` gets assigned work, by default the remover or an owner; `opened_to` the access, which ends otherwise (user
    ids). Raises PeopleRefused.
    """
    if access.membership != membership.pk or access.is_local or access.token is not None:
        _may_invite(access, membership.team_id)
    with transaction.atomic():
        lock(access.team)
        current = _current(membership)
        _refuse_last_owner(current)
        how = "left" if current.pk == access.membership else "removed"
        if opened_to and how == "left":
            raise PeopleRefused("What you opened ends as you leave: an owner who removes you can hand it to somebody.")
        return take_off(
            current,
            how,
            by=access.user,
            heir=heir_of(current, heir, before_others=access.membership),
            opened_to=_heir_named(current, opened_to) if opened_to else None,
            services=services,
        )


def take_off(
    membership: Membership,
    how: str,
    *,
    by: User | None,
    heir: User | None,
    opened_to: Membership | None = None,
    services: bool = False,
) -> Closed:
    """The one way off a team. Caller locks the team and checks its last owner."""
    team, user = membership.team, membership.user
    closed = offboarding.close(team, user, by, heir=opened_to, services=services)
    notify(team, by, how, membership, heir=heir, closed=str(closed), opened_to=closed.heir)
    membership.delete()
    return closed


def heir_of(leaves: Membership, text: str = "", *, before_others: int | None = None) -> User | None:
    """Default: membership `before_others`, else an owner. Raises PeopleRefused."""
    if text:
        return _heir_named(leaves, text).user
    stay = _who_stay(leaves)
    heir = stay.filter(pk=before_others or 0).first() or stay.filter(role=Role.OWNER).first()
    return heir.user if heir else None


def _who_stay(leaves: Membership) -> QuerySet[Membership]:
    stay = Membership.objects.filter(team=leaves.team_id, role__in=roles_that(Can.WRITE)).exclude(pk=leaves.pk)
    return stay.select_related("user").order_by("created_at", "pk")


def _heir_named(leaves: Membership, text: str) -> Membership:
    heir = _who_stay(leaves).filter(user=whole_number(text) or 0).first()
    if heir is None:
        raise PeopleRefused("Who takes over must be on the team as a member or an owner.")
    return heir


def put_on_team(user: User, team: str, role: str | None = None) -> Membership:
    """Add `user` or change their role, by hand from now on; make the team if missing. Raises PeopleRefused."""
    with transaction.atomic():
        was = Membership.objects.select_related("team").filter(user=user, team__name=team).first()
        if was is None:
            joined = join(user, clean_name(team), role)
            keep_apart(joined.team, user)
            notify(joined.team, None, "added", joined)
            return joined
        lock(was.team)
        current = _current(was)
        if role not in (None, Role.OWNER):
            _refuse_last_owner(current)
        _by_hand(current)
        if role is not None and role != current.role:
            give_role(current, role, by=None)
        return current


def _by_hand(membership: Membership) -> None:
    if membership.by_groups:
        membership.by_groups = False
        membership.save(update_fields=["by_groups"])


def is_last_owner(membership: Membership) -> bool:
    """True for the only owner who can sign in."""
    owners = Membership.objects.filter(team=membership.team_id, role=Role.OWNER, user__is_active=True)
    return membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists()


def _refuse_last_owner(membership: Membership) -> None:
    if is_last_owner(membership):
        raise PeopleRefused("A team keeps at least one owner: make somebody else one first.")


def _current(membership: Membership) -> Membership:
    return require_row(Membership.objects.filter(pk=membership.pk), NOBODY)


def lock(team: Team) -> None:
    """Lock the team's people. Raises NotFound."""
    try:
        lock_team(team.pk)
    except Team.DoesNotExist:
        raise NotFound("There is no such team.") from None


def _owners_of(email: str) -> QuerySet[User]:
    return User.objects.filter(emailaddress__email__iexact=email, emailaddress__verified=True)


def address(text: str) -> str:
    """Normalised as stored. Raises PeopleRefused."""
    email = text.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise PeopleRefused("Give an e-mail address, such as olivia@example.com.") from None
    if len(email) > LONGEST_ADDRESS:
        raise PeopleRefused("This e-mail address is too long.")
    return email


def _role_to_give(access: AccessContext, text: str, instead_of: str | None = None) -> str:
    if text not in Role.values:
        raise PeopleRefused("“role” must be owner, member, reader or guest.")
    if not access.may_give(text, instead_of):
        raise PermissionDenied(f"The role “{text}” may do more than the scopes of this token: it cannot give it.")
    return text


def _may_invite(access: AccessContext, team_id: int | None = None) -> None:
    if not access.can_invite or (team_id is not None and team_id != access.team.pk):
        raise PermissionDenied("Only an owner of the team says who is on it.")
