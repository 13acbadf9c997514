"""Second factors that a team requires: this server's, or a provider's. People without one can still enrol."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet

from awrdiff.accounts.models import ApiToken, Team, User

_ALONE = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)  # recovery codes only stand in for one of these


class SecondFactorNeeded(PermissionDenied):
    """`teams`: the requiring one, then the person's others; none for a token. `enrolled`: has one, not shown in this
    session.
    """

    def __init__(self, sentence: str, teams: tuple[Team, ...] = (), *, enrolled: bool = False) -> None:
        super().__init__(sentence)
        self.teams = teams
        self.enrolled = enrolled


def has_factor(user: User | None) -> bool:
    return user is not None and Authenticator.objects.filter(user_id=user.pk, type__in=_ALONE).exists()


def is_first(authenticator: Authenticator) -> bool:
    """True for their only app or key."""
    own = Authenticator.objects.filter(user_id=authenticator.user_id, type__in=_ALONE)
    return authenticator.type in _ALONE and not own.exclude(pk=authenticator.pk).exists()


def check_person(user: User, teams: tuple[Team, ...], *, provider_factor: bool, session_factor: bool) -> None:
    """`teams`: the viewed one first; `session_factor`: shown in this sign-in. Raises SecondFactorNeeded."""
    team = teams[0]
    if not team.second_factor_required or provider_factor:
        return
    if not has_factor(user):
        raise SecondFactorNeeded(f"The team “{team}” requires a second factor, and your account has none.", teams)
    if not session_factor:
        sentence = f"The team “{team}” requires a second factor, and this sign-in has shown none."
        raise SecondFactorNeeded(sentence, teams, enrolled=True)


def check_token(token: ApiToken) -> None:
    """Service tokens pass. Raises SecondFactorNeeded."""
    if not token.team.second_factor_required or token.is_service or token.provider_factor:
        return
    if not has_factor(token.user):
        raise SecondFactorNeeded(f"The team “{token.team}” requires a second factor, which this token's person lacks.")


def people_without(team: Team) -> QuerySet[User]:
    """Active people without one here, by name."""
    own = Authenticator.objects.filter(user=OuterRef("pk"), type__in=_ALONE)
    return User.objects.filter(~Exists(own), membership__team=team, is_active=True).order_by("username")
