"""django-allauth adapter: sign-up, passwords, addresses, mails."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.stagekit import clear_login
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.contrib.auth import authenticate
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme

from awrdiff.accounts import identity_provider_groups
from awrdiff.accounts.models import Team, User
from awrdiff.accounts.services import local_membership
from awrdiff.audit.services import note_person
from awrdiff.web.sign_in.attempts import attempt
from awrdiff.web.sign_in.invitation_session import held_invitation
from awrdiff.web.sign_in.known_browsers import client_address, remember
from awrdiff.web.sign_in.permission_helpers import PROVIDER_FACTOR

UNKNOWN_ADDRESS = "0.0.0.0"  # noqa: S104 - kept in a list of sessions, not bound


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "duplicate_email": "This is your address already.",
        "email_taken": "This is the address of another account.",
        "enter_current_password": "This is not your current password. Nothing was changed.",
        "incorrect_password": "This is not your password.",
        "invalid_password_reset": "The address in the mail has expired or was used already: ask for another mail.",
        "rate_limited": "Too many mails were asked for: try again in some minutes.",
        "same_as_current": "This is your address already.",
        "username_blacklisted": "This name is taken: choose another.",
        "username_taken": "This name is taken: choose another.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return held_invitation(request) is not None

    def new_user(self, request: HttpRequest) -> User:
        """Taking over the local user's data means becoming that user."""
        invitation = held_invitation(request)
        return local_membership().user if invitation and invitation.takes_over else User()

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """By name or verified address. Raises TooManyFailures before checking, NotSignedIn if the directory cannot
        answer.
        """
        name = credentials.get("username") or credentials.get("email") or ""
        password = credentials.get("password") or ""
        if "@" in name and not User.objects.filter(username=name).exists():
            owner = EmailAddress.objects.filter(email__iexact=name, verified=True).select_related("user").first()
            name = owner.user.get_username() if owner else name
        with attempt(request, name) as begun:
            user = None
            if settings.AWRDIFF_PASSWORD_SIGN_IN:
                user = authenticate(request, username=name, password=password)
            if user is None and settings.AWRDIFF_LDAP_URI:
                from awrdiff.web.sign_in import directory_ldap  # noqa: PLC0415 - an extra

                user = directory_ldap.person(request, name, password)
            begun.is_right = user is not None
        return user if isinstance(user, User) else None

    def set_password(self, user: Any, password: str) -> None:
        """Refuse directory users: shutting out there must shut out here."""
        if user.directory_id:
            raise PermissionDenied("Your password is the one that you have in the directory: change it there.")
        super().set_password(user, password)

    def send_password_reset_mail(self, user: Any, email: str, context: dict[str, Any]) -> None:
        if not user.directory_id:
            super().send_password_reset_mail(user, email, context)

    def clean_username(self, username: str, **how: Any) -> str:
        if "@" in username:
            raise ValidationError("A name has no @: an address is what somebody else may sign in with.")
        name: str = super().clean_username(username, **how)
        return name

    def pre_login(self, request: HttpRequest, user: Any, **details: Any) -> HttpResponse | None:
        """Applies the provider's groups first: removed members see nothing."""
        refused: HttpResponse | None = super().pre_login(request, user, **details)
        by_provider = (details["signal_kwargs"] or {}).get("sociallogin")
        if refused is None and by_provider is not None:
            identity_provider_groups.follow(user, groups_of(by_provider), identity_provider_groups.Source.OIDC)
        return refused

    def login(self, request: HttpRequest, user: Any) -> None:
        """Refuses accounts disabled between password and second factor."""
        if not user.is_active:
            clear_login(request)
            raise ImmediateHttpResponse(self.respond_user_inactive(request, user))
        super().login(request, user)
        request.session.begin()  # type: ignore[attr-defined] # cookies.py

    def post_login(self, request: HttpRequest, user: Any, **details: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **details)
        by_provider = (details["signal_kwargs"] or {}).get("sociallogin")
        request.session[PROVIDER_FACTOR] = by_provider is not None and has_several_factors(by_provider)
        remember(response, user.get_username())
        for team in Team.objects.filter(members=user):
            note_person(team, user, "signed in")
        return response

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request) or UNKNOWN_ADDRESS

    def is_safe_url(self, url: str | None) -> bool:
        """True for addresses here, not for the machine's other servers."""
        request = context.request
        is_safe: bool = url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure())
        return is_safe

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """The configured address, if any: a forged Host header could lead a password link elsewhere."""
        if own := settings.AWRDIFF_ADDRESS:
            site = SimpleNamespace(domain=urlsplit(own).netloc, name=urlsplit(own).netloc)
            urls = {name: urlsplit(url) for name, url in context.items() if name.endswith("_url")}
            paths = {name: url._replace(scheme="", netloc="").geturl() for name, url in urls.items()}
            context = {**context, "current_site": site, **{name: f"{own}{path}" for name, path in paths.items()}}
        super().send_mail(template_prefix, email, context)

    def is_ajax(self, request: HttpRequest) -> bool:
        """Scripts get the same pages; web/exception_responses.py answers JSON."""
        return False


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "add_email_blocked": "While there is a second factor the address stays: remove it, and add it again later.",
        "incorrect_code": "This code is not right. One of an app lasts half a minute and counts once: take the next.",
        "unverified_email": "Confirm your e-mail address first: until then it may be somebody else's.",
    }


def groups_of(by_provider: Any) -> frozenset[str] | None:
    """From a sign-in's answers, signed or unsigned."""
    answers = by_provider.account.extra_data
    return identity_provider_groups.groups_in([answers.get("id_token"), answers.get("userinfo")])


def has_several_factors(by_provider: Any) -> bool:
    """By the signed ID token's `amr` (RFC 8176)."""
    claims = by_provider.account.extra_data.get("id_token")
    methods = claims.get("amr") if isinstance(claims, dict) else None
    return isinstance(methods, list) and "mfa" in methods
