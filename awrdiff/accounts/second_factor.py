"""Second factors that a team requires of its people.

An authenticator app or a security key of this server counts where the session has shown it, and a sign-in whose
provider says that it asked for several factors. Whoever has neither can still enrol, so that no team locks itself out.
"""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet

from awrdiff.accounts.models import ApiToken, Team, User

_ALONE = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)  # recovery codes only stand in for one of these


class SecondFactorNeeded(PermissionDenied):
    """`teams`: that which requires it, then the person's others; none for a token. `enrolled`: the account has one,
    which the session has not shown.
    """

    def __init__(self, sentence: str, teams: tuple[Team, ...] = (), *, enrolled: bool = False) -> None:
        super().__init__(sentence)
        self.teams = teams
        self.enrolled = enrolled


def has_factor(user: User | None) -> bool:
    return user is not None and Authenticator.objects.filter(user_id=user.pk, type__in=_ALONE).exists()


def is_first(authenticator: Authenticator) -> bool:
    """True for the only app or key of its person."""
    own = Authenticator.objects.filter(user_id=authenticator.user_id, type__in=_ALONE)
    return authenticator.type in _ALONE and not own.exclude(pk=authenticator.pk).exists()


def check_person(user: User, teams: tuple[Team, ...], *, provider_factor: bool, session_factor: bool) -> None:
    """`teams`: that which they look at, then their others. `session_factor`: this sign-in has shown one of this server.
    Raises SecondFactorNeeded.
    """
    team = teams[0]
    if not team.second_factor_required or provider_factor:
        return
    if not has_factor(user):
        raise SecondFactorNeeded(f"The team “{team}” requires a second factor, and your account has none.", teams)
    if not session_factor:
        sentence = f"The team “{team}” requires a second factor, and this sign-in has shown none."
        raise SecondFactorNeeded(sentence, teams, enrolled=True)


def check_token(token: ApiToken) -> None:
    """A service's token is the team's own and passes. Raises SecondFactorNeeded."""
    if not token.team.second_factor_required or token.is_service or token.provider_factor:
        return
    if not has_factor(token.user):
        raise SecondFactorNeeded(f"The team “{token.team}” requires a second factor, which this token's person lacks.")


def people_without(team: Team) -> QuerySet[User]:
    """People on the team who have none here, by name."""
    own = Authenticator.objects.filter(user=OuterRef("pk"), type__in=_ALONE)
    return User.objects.filter(~Exists(own), membership__team=team, is_active=True).order_by("username")
