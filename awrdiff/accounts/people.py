"""Who is on a team: inviting, joining, roles, removing. A team keeps at least one owner, whoever does what at once."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.capabilities import Can, roles_that
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.happenings import notify
from awrdiff.accounts.models import ApiToken, Invitation, Membership, PeopleSignIn, Role, Team, User
from awrdiff.accounts.names import keep_apart
from awrdiff.accounts.services import join
from awrdiff.accounts.teams import clean_name
from awrdiff.accounts.tokens import derived_token, hash_token, new_token
from awrdiff.processing.rows import row_or_none

VALID_FOR = timedelta(days=7)
MOST_PENDING = 50
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
    email, role = address(email), _role(role)
    with transaction.atomic():
        _lock(access.team)
        if _owners_of(email).filter(membership__team=access.team).exists():
            raise PeopleRefused(f"{email} is on the team already.")
        live = Invitation.objects.filter(_live(), team=access.team)
        live.filter(email=email).update(revoked_at=timezone.now())
        if live.count() >= MOST_PENDING:
            raise PeopleRefused(f"{MOST_PENDING} invitations are open: revoke one first.")
        made, token = _make_invitation(access.team, email, role, invited_by=access.user, was_mailed=by_mail)
        notify(access.team, access.user, "invited", made)
        return made, token


def invite_to_take_over(team: Team) -> tuple[Invitation, str]:
    """For whoever runs the server: to become the owner of what the local user has. Earlier ones are worth nothing."""
    with transaction.atomic():
        _lock(team)
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
        live = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
        if live.update(revoked_at=timezone.now()):
            notify(access.team, access.user, "revoked", invitation)


def live_invitation(**which: object) -> Invitation:
    """The one of this `pk` or `token`, unless it has ended. Raises NotFound."""
    if "token" in which:
        which = {"token_hash": hash_token(str(which["token"]))}
    found = row_or_none(Invitation.objects.select_related("team", "invited_by").filter(_live(), **which))
    if found is None:
        raise NotFound(GONE)
    return found


def accept(user: User, invitation: Invitation, *, signing_up: bool = False) -> Membership:
    """Join the team; who is on it already stays what they are. Raises NotFound where it has ended meanwhile, and
    PeopleRefused where the invitation is for another address; who is `signing_up` has just been given it as theirs.

    Whoever `takes_over` is the local user under a name of their own: from then on people sign in.
    """
    if not signing_up and not is_for(user, invitation):
        raise PeopleRefused(f"This invitation is for {invitation.email}.")
    with transaction.atomic():
        used = Invitation.objects.filter(_live(), pk=invitation.pk)
        if not used.update(used_at=timezone.now(), used_by=user):
            raise NotFound(GONE)
        if invitation.takes_over:
            _begin_signing_in(invitation.team)
        defaults = {"role": invitation.role}
        found, _ = Membership.objects.get_or_create(team=invitation.team, user=user, defaults=defaults)
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
    role = _role(role)
    with transaction.atomic():
        _lock(access.team)
        found = _still(membership)
        if role != Role.OWNER:
            _refuse_last_owner(found)
        found.role = role
        found.save(update_fields=["role"])
        notify(access.team, access.user, "role", found, heir=_heir(access, found, ""))
    return found


def remove(access: AccessContext, membership: Membership, heir: str = "") -> None:
    """An owner removes anybody, everybody may go themselves. What they made stays with the team; what was given to them
    goes to `heir`, the id of somebody who stays and may write: else to whoever removes them, or to an owner."""
    if access.membership != membership.pk or access.is_local or access.token is not None:
        _may_invite(access, membership.team_id)
    with transaction.atomic():
        _lock(access.team)
        found = _still(membership)
        _refuse_last_owner(found)
        how = "left" if found.pk == access.membership else "removed"
        notify(access.team, access.user, how, found, heir=_heir(access, found, heir))
        theirs = ApiToken.objects.filter(team=found.team_id, user=found.user_id, is_service=False, revoked_at=None)
        theirs.update(revoked_at=timezone.now())  # they work no more if somebody lets them in again
        found.delete()


def _heir(access: AccessContext, leaves: Membership, text: str) -> User | None:
    """Raises PeopleRefused where `text` names nobody who could be."""
    stay = Membership.objects.filter(team=access.team, role__in=roles_that(Can.WRITE)).exclude(pk=leaves.pk)
    stay = stay.select_related("user").order_by("created_at", "pk")
    if text:
        found = stay.filter(user=int(text)).first() if text.isascii() and text.isdecimal() and len(text) < 19 else None
        if found is None:
            raise PeopleRefused("Who takes over must be on the team as a member or an owner.")
        return found.user
    found = stay.filter(pk=access.membership or 0).first() or stay.filter(role=Role.OWNER).first()
    return found.user if found else None


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
        _lock(was.team)
        before = _still(was)
        if role not in (None, Role.OWNER):
            _refuse_last_owner(before)
        found = join(user, team, role)
        if found.role != before.role:
            notify(found.team, None, "role", found)
        return found


def _refuse_last_owner(membership: Membership) -> None:
    owners = Membership.objects.filter(team=membership.team_id, role=Role.OWNER)
    if membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists():
        raise PeopleRefused("A team keeps at least one owner: make somebody else one first.")


def _still(membership: Membership) -> Membership:
    found = Membership.objects.filter(pk=membership.pk).first()
    if found is None:
        raise NotFound("There is no such person on your team.")
    return found


def _lock(team: Team) -> None:
    """Until the transaction ends nobody else changes who is on the team."""
    if not Team.objects.select_for_update().filter(pk=team.pk).exists():
        raise NotFound("There is no such team.")


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


def _role(text: str) -> str:
    if text not in Role.values:
        raise PeopleRefused("“role” must be owner, member, reader or guest.")
    return text


def _may_invite(access: AccessContext, team_id: int | None = None) -> None:
    if not access.can_invite or (team_id is not None and team_id != access.team.pk):
        raise PermissionDenied("Only an owner of the team says who is on it.")
