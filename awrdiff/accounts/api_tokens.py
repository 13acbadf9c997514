"""API tokens, shown once and stored as a hash. They belong to a person, and never do more than that person may, or, as
a service's, to a team.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import (
    SCOPES,
    AccessContext,
    Can,
    NotFound,
    SignInNeeded,
    check_token_factor,
    lapsed,
    require_row,
    roles_that,
)
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.member_events import notify
from awrdiff.accounts.models import ApiToken, Membership, Role, Team, User
from awrdiff.accounts.offboarding import CALENDAR, end_tokens, hold, live_tokens
from awrdiff.accounts.services import lock_team
from awrdiff.accounts.token_hashing import hash_token, new_token
from awrdiff.processing.row_locks import row_or_none
from awrdiff.processing.storable_values import one_line

PREFIX = "awr_"  # so that scanners for leaked secrets know it
LONGEST_NAME = 60
LONGEST_DAYS = 3650
MOST = 50  # that work, of one person or of a team's services
NOTED_EVERY = timedelta(minutes=1)  # that it was used
_OF_NOBODY = 0  # where people have the id of their membership


class BadToken(SignInNeeded):
    """Expired, revoked and unknown tokens are indistinguishable."""


def access_by(text: str, *, calendar: bool = False) -> AccessContext:
    """`calendar`: from a calendar's address. Raises BadToken, SecondFactorNeeded, TooMuch."""
    token = row_or_none(live_tokens().select_related("team", "user").filter(token_hash=hash_token(text)))
    role, membership = _standing(token) if token is not None else (None, None)
    fits = token is not None and (CALENDAR in token.scopes) == calendar
    if token is None or role is None or not fits or (calendar and role not in roles_that(Can.READ)):
        raise BadToken("This token does not exist, was revoked or has expired, or its person is not on the team.")
    refusal = "This token was used too often in one minute: it works again"
    rate_limits.spend_this_minute(f"token:{token.pk}", 1, settings.AWRDIFF_TOKEN_RATE, refusal)
    check_token_factor(token)
    now = timezone.now()
    rested = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - NOTED_EVERY:
        ApiToken.objects.filter(rested, pk=token.pk).update(last_used_at=now)
    may = frozenset().union(*(SCOPES[scope] for scope in token.scopes if scope in SCOPES))
    return AccessContext(token.team, token.user, role=role, membership=membership, scopes=may, token=token.pk)


def calendar_access(text: str) -> AccessContext:
    """Raises NotFound, SecondFactorNeeded, TooMuch."""
    try:
        return access_by(text, calendar=True)
    except BadToken:
        raise NotFound("This calendar does not exist, was revoked, or its person is not on the team.") from None


def _standing(token: ApiToken) -> tuple[str | None, int]:
    if token.is_service:
        return Role.OWNER, _OF_NOBODY
    members = Membership.objects.exclude(lapsed())
    member = members.filter(team=token.team_id, user=token.user_id, user__is_active=True).first()
    return (member.role, member.pk) if member else (None, _OF_NOBODY)


def own_tokens(access: AccessContext) -> QuerySet[ApiToken]:
    if access.user is None or access.is_shared or access.token is not None:
        return ApiToken.objects.none()
    return live_tokens().filter(team=access.team, user=access.user, is_service=False).order_by("-created_at")


def team_tokens(access: AccessContext) -> QuerySet[ApiToken]:
    if access.is_guest:
        raise NotFound("There is nothing at this address.")
    if not access.can_administer or access.token is not None:
        raise PermissionDenied("Only an owner of the team sees its tokens.")
    return (
        live_tokens().filter(team=access.team).select_related("user", "made_by").order_by("-is_service", "-created_at")
    )


def make_own(access: AccessContext, name: str, scopes: Collection[str], days: int | None) -> tuple[ApiToken, str]:
    """Own token and its text. Raises PeopleRefused."""
    user = _reader(access, "A token of one's own is made by whoever signs in.")
    return make(access.team, user, name, scopes, days, made_by=user, factor=access.provider_factor)


def make_calendar(access: AccessContext) -> tuple[ApiToken, str]:
    """Calendar token, valid until revoked. Raises PeopleRefused."""
    user = _reader(access, "A calendar of one's own is made by whoever signs in.")
    if not access.can_read:
        raise NotFound("There is nothing at this address.")
    return _make(
        access.team, user, None, name="Calendar", scopes=[CALENDAR], made_by=user, factor=access.provider_factor
    )


def _reader(access: AccessContext, refusal: str) -> User:
    if access.user is None or access.is_shared or access.token is not None or access.is_local:
        raise PermissionDenied(refusal)
    return access.user


def make_of_team(access: AccessContext, name: str, scopes: Collection[str], days: int | None) -> tuple[ApiToken, str]:
    """Service token and its text. Raises PeopleRefused."""
    if not access.can_administer or access.token is not None:
        raise PermissionDenied("Only an owner of the team makes tokens for its services.")
    return make(access.team, None, name, scopes, days, made_by=access.user)


def make(
    team: Team,
    user: User | None,
    name: str,
    scopes: Collection[str],
    days: int | None,
    *,
    made_by: User | None,
    factor: bool = False,
) -> tuple[ApiToken, str]:
    """`user` None: for a service. Raises PeopleRefused."""
    name = one_line(name)
    if not name or len(name) > LONGEST_NAME:
        raise PeopleRefused(f"A token's name has 1 to {LONGEST_NAME} characters: what it is for.")
    valid_scopes = [scope for scope in SCOPES if scope in scopes]
    if not valid_scopes or len(valid_scopes) != len(set(scopes)):
        raise PeopleRefused(f"“scope” must be some of {', '.join(SCOPES)}.")
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise PeopleRefused(f"“days” must be 1 to {LONGEST_DAYS}.")
    return _make(team, user, days, name=name, scopes=valid_scopes, made_by=made_by, factor=factor)


def _make(
    team: Team,
    user: User | None,
    days: int | None,
    *,
    name: str,
    scopes: list[str],
    made_by: User | None,
    factor: bool,
) -> tuple[ApiToken, str]:
    is_service, text = user is None, PREFIX + new_token()
    with transaction.atomic():
        if user is None:
            lock_team(team.pk)
        elif not Membership.objects.filter(team=team, user=user).exists():
            raise PeopleRefused(f"{user} is not on the team “{team}”.")
        hold(user or made_by, team)
        live = live_tokens().filter(team=team, is_service=is_service)
        if (live.filter(user=user) if user else live).count() >= MOST:
            raise PeopleRefused(f"{MOST} tokens are in use: revoke one first.")
        token = ApiToken.objects.create(
            team=team,
            user=user or _service(name),
            is_service=is_service,
            name=name,
            made_by=made_by,
            token_hash=hash_token(text),
            expires_at=timezone.now() + timedelta(days=days) if days else None,
            scopes=scopes,
            provider_factor=factor,
        )
        notify(team, made_by, "made", token)
    return token, text


def _service(name: str) -> User:
    """User that nobody can sign in as."""
    for number in range(1, 1000):
        username = f"{name} (service)" if number == 1 else f"{name} (service {number})"
        try:
            with transaction.atomic():
                user = User(username=username, is_active=False)
                user.set_unusable_password()
                user.save(force_insert=True)
                return user
        except IntegrityError:
            continue
    raise PeopleRefused("There are too many services of this name: choose another.")


def revoke(access: AccessContext, pk: UUID, tokens: QuerySet[ApiToken]) -> None:
    """Idempotent. Raises NotFound."""
    with transaction.atomic():
        locked = tokens.select_for_update(of=("self",)).filter(pk=pk)
        end_tokens(access.team, [require_row(locked, "There is no such token.")], access.user)
