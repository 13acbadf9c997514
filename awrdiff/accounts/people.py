"""Who is on a team: inviting, joining, roles, removing. A team keeps at least one owner, whoever does what at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from awrdiff.accounts import addresses, opened, quotas
from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.capabilities import Can, roles_that
from awrdiff.accounts.disabling import hold
from awrdiff.accounts.errors import PeopleRefused, TooMuch
from awrdiff.accounts.happenings import notify
from awrdiff.accounts.models import Invitation, Membership, PeopleSignIn, Role, Team, User
from awrdiff.accounts.names import keep_apart
from awrdiff.accounts.opened import Closed
from awrdiff.accounts.services import join, lock_team
from awrdiff.accounts.teams import clean_name
from awrdiff.accounts.tokens import derived_token, hash_token, new_token
from awrdiff.processing.rows import row_or_none

RETRY_S = 600
VALID_FOR = timedelta(days=7)
MOST_PENDING = 300
MOST_AT_ONCE = 200
MOST_AN_HOUR = 400  # by one person
JUST_NOW = timedelta(minutes=1)
LONGEST_ADDRESS = 254
GONE = "This invitation does not exist, was used or revoked, or has expired. Ask for another."


def people_of(access: AccessContext) -> QuerySet[Membership]:
    """Everybody on the team: owners first. Guests see nobody."""
    if not access.can_read:
        return Membership.objects.none()
    return Membership.objects.filter(team=access.team).select_related("user").order_by("created_at", "pk")


def writers_of(access: AccessContext) -> QuerySet[Membership]:
    """Those of them to whom something may be given to do."""
    return people_of(access).filter(role__in=roles_that(Can.WRITE))


def membership_for(access: AccessContext, pk: int) -> Membership:
    """Somebody on the team; oneself is there for guests too."""
    own = Membership.objects.filter(team=access.team) if pk == access.membership else people_of(access)
    found = own.select_related("user").filter(pk=pk).first()
    if found is None:
        raise NotFound("There is no such person on your team.")
    return found


def pending(access: AccessContext) -> QuerySet[Invitation]:
    """Invitations that can still be used, newest first, for those who may make some."""
    if not access.can_invite:
        return Invitation.objects.none()
    return Invitation.objects.filter(_live(), team=access.team).order_by("-created_at")


def invitation_for(access: AccessContext, pk: UUID) -> Invitation:
    found = Invitation.objects.filter(team=access.team, pk=pk).first()
    if found is None or not access.can_read:
        raise NotFound("There is no such invitation.")
    return found


def invite(access: AccessContext, email: str, role: str, *, by_mail: bool) -> tuple[Invitation, str]:
    """An invitation of that address, and its token, which cannot be had again. `by_mail`: it is told to nobody else.

    An earlier one of the address is revoked. Raises PeopleRefused.
    """
    _may_invite(access)
    email, role = address(email), _role_to_give(access, role)
    with transaction.atomic():
        lock(access.team)
        hold(access.user, access.team)
        if _owners_of(email).filter(membership__team=access.team).exists():
            raise PeopleRefused(f"{email} is on the team already.")
        _check_room(access, [email])
        return _invite(access, email, role, by_mail=by_mail)


class Sent(StrEnum):
    """What became of an address that was to be invited."""

    NEW = "invited"
    AGAIN = "invited again"  # the earlier invitation opens nothing any more
    JUST_NOW = "invited a moment ago"  # by mail, and with this role: no other mail is sent
    HERE = "on the team already"
    NO_ADDRESS = "not an e-mail address"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`token`: of an invitation that is not mailed, told this once."""

    email: str
    sent: Sent
    token: str = ""


def invite_all(access: AccessContext, text: str, role: str, *, by_mail: bool) -> list[Outcome]:
    """Everybody whose address is in `text`, in its order, each once. Raises PeopleRefused or TooMuch, and then nobody
    is invited."""
    _may_invite(access)
    role, given = _role_to_give(access, role), addresses.found_in(text)
    if not given or len(given) > MOST_AT_ONCE:
        raise PeopleRefused(f"Give 1 to {MOST_AT_ONCE} e-mail addresses: these are {len(given)}.")
    with transaction.atomic():
        lock(access.team)
        hold(access.user, access.team)
        found: dict[str, Outcome] = {}
        here = _addresses_on(access.team)
        live = {one.email: one for one in Invitation.objects.filter(_live(), team=access.team)}
        for typed in given:
            try:
                email = address(typed)
            except PeopleRefused:
                found[typed] = Outcome(typed[:LONGEST_ADDRESS], Sent.NO_ADDRESS)
                continue
            found.setdefault(email, Outcome(email, _to_be_sent(email, role, here, live.get(email), by_mail=by_mail)))
        new = [one for one in found.values() if one.sent in (Sent.NEW, Sent.AGAIN)]
        _check_room(access, [one.email for one in new])
        for one in new:
            _, token = _invite(access, one.email, role, by_mail=by_mail)
            found[one.email] = replace(one, token="" if by_mail else token)
    return list(found.values())


def _to_be_sent(email: str, role: str, here: set[str], live: Invitation | None, *, by_mail: bool) -> Sent:
    if email in here:
        return Sent.HERE
    if live is None:
        return Sent.NEW
    same = by_mail and live.was_mailed and live.role == role
    return Sent.JUST_NOW if same and abs(timezone.now() - live.created_at) < JUST_NOW else Sent.AGAIN


def _addresses_on(team: Team) -> set[str]:
    """That those on it have verified."""
    owned = User.objects.filter(membership__team=team, emailaddress__verified=True)
    return {email.lower() for email in owned.values_list("emailaddress__email", flat=True)}


def _check_room(access: AccessContext, emails: Collection[str]) -> None:
    """For invitations of these besides those of others. Raises PeopleRefused, TooMuch."""
    others = Invitation.objects.filter(_live(), team=access.team).exclude(email__in=emails).count()
    if others + len(emails) > MOST_PENDING:
        raise PeopleRefused(f"No more than {MOST_PENDING} invitations are open at a time: revoke some first.")
    now, hour = timezone.now(), timedelta(hours=1)
    made = Invitation.objects.filter(invited_by=access.user, created_at__range=(now - hour, now + hour)).count()
    if access.user is not None and made + len(emails) > MOST_AN_HOUR:
        said = f"You have invited {made} people within an hour, and may invite {MOST_AN_HOUR}: try again later."
        raise TooMuch(said, RETRY_S)


def _invite(access: AccessContext, email: str, role: str, *, by_mail: bool) -> tuple[Invitation, str]:
    """Whoever asks has locked the team."""
    Invitation.objects.filter(_live(), team=access.team, email=email).update(revoked_at=timezone.now())
    made, token = _make_invitation(access.team, email, role, invited_by=access.user, was_mailed=by_mail)
    notify(access.team, access.user, "invited", made)
    return made, token


def invite_to_take_over(team: Team) -> tuple[Invitation, str]:
    """For whoever runs the server: to become the owner of what the local user has. Earlier ones are worth nothing."""
    with transaction.atomic():
        lock(team)
        Invitation.objects.filter(_live(), takes_over=True).update(revoked_at=timezone.now())
        return _make_invitation(team, "", Role.OWNER, takes_over=True)


def _make_invitation(team: Team, email: str, role: str, **values: object) -> tuple[Invitation, str]:
    made = Invitation(team=team, email=email, role=role, expires_at=timezone.now() + VALID_FOR, **values)
    token = _mailed_token(made) if made.was_mailed else new_token()
    made.token_hash = hash_token(token)
    made.save(force_insert=True)
    return made, token


def mailed_token(invitation: Invitation) -> str:
    """For whoever sends the mail: the token is kept nowhere. With another key of the server it is another."""
    token = _mailed_token(invitation)
    if hash_token(token) != invitation.token_hash:
        Invitation.objects.filter(pk=invitation.pk).update(token_hash=hash_token(token))
    return token


def _mailed_token(invitation: Invitation) -> str:
    return derived_token(f"invitation {invitation.pk}")


def revoke(access: AccessContext, invitation: Invitation) -> None:
    """Revoking twice is harmless."""
    _may_invite(access, invitation.team_id)
    with transaction.atomic():
        opened.end_invitations(access.team, [invitation], access.user)


def live_invitation(**which: object) -> Invitation:
    """The one of this `pk` or `token`, unless it has ended. Raises NotFound."""
    if "token" in which:
        which = {"token_hash": hash_token(str(which["token"]))}
    found = row_or_none(Invitation.objects.select_related("team", "invited_by").filter(_live(), **which))
    if found is None:
        raise NotFound(GONE)
    return found


def accept(user: User, invitation: Invitation, *, signing_up: bool = False) -> Membership:
    """Join the team; who is on it already stays what they are, whatever their groups. Raises NotFound where it has
    ended meanwhile, and PeopleRefused where the invitation is for another address or the team is full; who is
    `signing_up` has just been given it as theirs.

    Whoever `takes_over` is the local user under a name of their own: from then on people sign in.
    """
    if not signing_up and not is_for(user, invitation):
        raise PeopleRefused(f"This invitation is for {invitation.email}.")
    with transaction.atomic():
        if not Membership.objects.filter(team=invitation.team_id, user=user).exists():
            quotas.check_people(invitation.team_id)
        used = Invitation.objects.filter(_live(), pk=invitation.pk)
        if not used.update(used_at=timezone.now(), used_by=user):
            raise NotFound(GONE)
        if invitation.takes_over:
            _begin_signing_in(invitation.team)
        defaults = {"role": invitation.role}
        found, _ = Membership.objects.get_or_create(team=invitation.team, user=user, defaults=defaults)
        _by_hand(found)
        keep_apart(invitation.team, user)
        notify(invitation.team, user, "joined", invitation)
        return found


def _begin_signing_in(team: Team) -> None:
    """There is one local user to take over, once."""
    if PeopleSignIn.objects.exists():
        raise NotFound(GONE)
    PeopleSignIn.objects.create(team=team)


def is_for(user: User, invitation: Invitation) -> bool:
    """Whether they have verified that the address is theirs."""
    return _owners_of(invitation.email).filter(pk=user.pk).exists()


def change_role(access: AccessContext, membership: Membership, role: str) -> Membership:
    """Raises PeopleRefused where the team would have no owner."""
    _may_invite(access, membership.team_id)
    with transaction.atomic():
        lock(access.team)
        found = _still(membership)
        role = _role_to_give(access, role, found.role)
        if role != Role.OWNER:
            _refuse_last_owner(found)
        found.by_groups = False
        give_role(found, role, by=access.user, heir=heir_of(found, before_others=access.membership))
    return found


def give_role(membership: Membership, role: str, *, by: User | None, heir: User | None = None) -> None:
    """What they opened and may not by this role ends. Whoever asks has locked the team, and looked whether it keeps an
    owner."""
    membership.role = role
    membership.save(update_fields=["role", "by_groups", "confirmed_at"])
    closed = opened.close(membership.team, membership.user, by, role=role)
    notify(membership.team, by, "role", membership, heir=heir, closed=str(closed))


def remove(
    access: AccessContext, membership: Membership, heir: str = "", *, opened_to: str = "", services: bool = False
) -> Closed:
    """An owner removes anybody, everybody may go themselves. What they made stays with the team; what was given to them
    goes to `heir`, the id of somebody who stays and may write: else to whoever removes them, or to an owner.

    What they opened ends, unless an owner who removes somebody else hands it to `opened_to`, an id as well; `services`:
    tokens of services that they made end, too. Raises PeopleRefused.
    """
    if access.membership != membership.pk or access.is_local or access.token is not None:
        _may_invite(access, membership.team_id)
    with transaction.atomic():
        lock(access.team)
        found = _still(membership)
        _refuse_last_owner(found)
        how = "left" if found.pk == access.membership else "removed"
        if opened_to and how == "left":
            raise PeopleRefused("What you opened ends as you leave: an owner who removes you can hand it to somebody.")
        return take_off(
            found,
            how,
            by=access.user,
            heir=heir_of(found, heir, before_others=access.membership),
            opened_to=_heir_named(found, opened_to) if opened_to else None,
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
    """Every way off a team. Whoever asks has locked the team, and looked whether it keeps an owner."""
    team, user = membership.team, membership.user
    closed = opened.close(team, user, by, heir=opened_to, services=services)
    notify(team, by, how, membership, heir=heir, closed=str(closed), opened_to=closed.heir)
    membership.delete()
    return closed


def heir_of(leaves: Membership, text: str = "", *, before_others: int | None = None) -> User | None:
    """Who has what was given to somebody: whom `text` names, else the membership `before_others`, else an owner. Raises
    PeopleRefused where `text` names nobody who could be."""
    if text:
        return _heir_named(leaves, text).user
    stay = _who_stay(leaves)
    found = stay.filter(pk=before_others or 0).first() or stay.filter(role=Role.OWNER).first()
    return found.user if found else None


def _who_stay(leaves: Membership) -> QuerySet[Membership]:
    stay = Membership.objects.filter(team=leaves.team_id, role__in=roles_that(Can.WRITE)).exclude(pk=leaves.pk)
    return stay.select_related("user").order_by("created_at", "pk")


def _heir_named(leaves: Membership, text: str) -> Membership:
    is_id = text.isascii() and text.isdecimal() and len(text) < 19
    found = _who_stay(leaves).filter(user=int(text)).first() if is_id else None
    if found is None:
        raise PeopleRefused("Who takes over must be on the team as a member or an owner.")
    return found


def put_on_team(user: User, team: str, role: str | None = None) -> Membership:
    """By whoever runs the server: on the team of that name, which is made when there is none, or in another role.

    Raises PeopleRefused where the team would have no owner, or the name is none of a team.
    """
    with transaction.atomic():
        was = Membership.objects.select_related("team").filter(user=user, team__name=team).first()
        if was is None:
            found = join(user, clean_name(team), role)
            keep_apart(found.team, user)
            notify(found.team, None, "added", found)
            return found
        lock(was.team)
        before = _still(was)
        if role not in (None, Role.OWNER):
            _refuse_last_owner(before)
        _by_hand(before)
        if role is not None and role != before.role:
            give_role(before, role, by=None)
        return before


def _by_hand(membership: Membership) -> None:
    """It stays from now on, whatever groups are told at a sign-in."""
    if membership.by_groups:
        membership.by_groups = False
        membership.save(update_fields=["by_groups"])


def is_last_owner(membership: Membership) -> bool:
    """Of those who can sign in."""
    owners = Membership.objects.filter(team=membership.team_id, role=Role.OWNER, user__is_active=True)
    return membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists()


def _refuse_last_owner(membership: Membership) -> None:
    if is_last_owner(membership):
        raise PeopleRefused("A team keeps at least one owner: make somebody else one first.")


def _still(membership: Membership) -> Membership:
    found = Membership.objects.filter(pk=membership.pk).first()
    if found is None:
        raise NotFound("There is no such person on your team.")
    return found


def lock(team: Team) -> None:
    """Until the transaction ends nobody else changes who is on the team."""
    try:
        lock_team(team.pk)
    except Team.DoesNotExist:
        raise NotFound("There is no such team.") from None


def _live() -> Q:
    return Q(used_at=None, revoked_at=None, expires_at__gt=timezone.now())


def _owners_of(email: str) -> QuerySet[User]:
    """Who has verified that the address is theirs."""
    return User.objects.filter(emailaddress__email__iexact=email, emailaddress__verified=True)


def address(text: str) -> str:
    """As it is kept and compared. Raises PeopleRefused."""
    email = text.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise PeopleRefused("Give an e-mail address, such as olivia@example.com.") from None
    if len(email) > LONGEST_ADDRESS:
        raise PeopleRefused("This e-mail address is too long.")
    return email


def _role_to_give(access: AccessContext, text: str, instead_of: str | None = None) -> str:
    """Raises PeopleRefused where it is no role, PermissionDenied where it may do more than the token that gives it."""
    if text not in Role.values:
        raise PeopleRefused("“role” must be owner, member, reader or guest.")
    if not access.may_give(text, instead_of):
        raise PermissionDenied(f"The role “{text}” may do more than the scopes of this token: it cannot give it.")
    return text


def _may_invite(access: AccessContext, team_id: int | None = None) -> None:
    if not access.can_invite or (team_id is not None and team_id != access.team.pk):
        raise PermissionDenied("Only an owner of the team says who is on it.")
