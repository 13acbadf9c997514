"""Second factors that a session has shown: at its sign-in, when it was asked again, or by enrolling."""

from __future__ import annotations

from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from allauth.usersessions.models import UserSession
from django.dispatch import receiver
from django.http import HttpRequest

from awrdiff.accounts.models import User
from awrdiff.accounts.second_factor import is_first


def is_shown(request: HttpRequest) -> bool:
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" for record in records)


@receiver(authenticator_added)
def follow_enrolment(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    """The session that enrols a first factor has it; the person's others, which never showed one, end. With a later
    factor a session proves no more than it did.
    """
    if not is_first(authenticator):
        return
    record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)
    for session in UserSession.objects.filter(user=user).exclude(session_key=request.session.session_key):
        session.end()
