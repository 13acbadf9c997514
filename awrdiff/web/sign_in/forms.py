"""Sign-in and sign-up forms beyond django-allauth's."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import LoginForm, SignupForm
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as second_factor
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import CharField
from django.http import HttpRequest

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.models import Invitation, User
from awrdiff.accounts.teams import LONGEST, name_first
from awrdiff.web.sign_in.attempts import code_attempt

LAST = "last_counter"  # in what is kept of an app: the number of the half minute whose code was taken last


class SignInForm(LoginForm):  # type: ignore[misc]
    """By user name or e-mail address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "Name or e-mail address"
        self.fields["login"].widget.attrs = {"autocomplete": "username", "autofocus": True}
        self.fields["password"].widget.attrs.pop("placeholder", None)


class JoinForm(SignupForm):  # type: ignore[misc]
    """With an invitation, for its address only."""

    def __init__(self, *args: Any, invitation: Invitation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invitation = invitation
        name, email, password = (self.fields[key] for key in ("username", "email", "password1"))
        name.label, name.help_text = "Name", "What your colleagues see, and what you may sign in with."
        name.initial = invitation.email.partition("@")[0]
        email.label = "E-mail address"
        if invitation.email:
            email.initial, email.disabled = invitation.email, True
        else:
            email.label += " (optional)"
            email.help_text = "Without one nobody can send you a new password."
        password.label, password.help_text = "Password", "Twelve characters or more; several unrelated words are good."
        if invitation.takes_over:
            self.fields["team"] = CharField(
                label="Name of your team", max_length=LONGEST, required=False, help_text="An owner can change it later."
            )
        for field in (name, email, password):
            field.widget.attrs.pop("placeholder", None)

    def validate_unique_email(self, value: str) -> str:
        """Only confirmed addresses block others."""
        if EmailAddress.objects.filter(email__iexact=value, verified=True).exists():
            raise ValidationError("There is an account with this address: sign in with it to join.")
        return value

    def save(self, request: HttpRequest) -> User:
        """Uses up the invitation in the same transaction."""
        with transaction.atomic():
            user: User = super().save(request)
            members_and_invitations.accept(user, self.invitation, signing_up=True)
            if self.invitation.takes_over:
                name_first(user, self.invitation.team, self.cleaned_data["team"])
        return user


class _CountsAttempts:
    """Second-factor codes count as attempts. `was_last`: it ended the sign-in."""

    user: Any
    cleaned_data: dict[str, Any]
    was_last = False

    def clean_code(self) -> str:
        with code_attempt(context.request, self.user, self.cleaned_data["code"]) as begun:
            self.was_last = begun.ends_sign_in
            code: str = super().clean_code()  # type: ignore[misc]
            begun.is_right = True
        return code


def use_up(app: Authenticator, code: str) -> None:
    """Raises ValidationError if this or a later code was used, in any process.

    Codes are valid for 90 s; django-allauth remembers them for 30 s, without Redis per process.
    """
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().get(pk=app.pk)
        secret = totp.decrypt(row.data["secret"])
        near = totp.yield_hotp_counters_from_time()
        codes = ((n, totp.format_hotp_value(totp.hotp_value(secret, n))) for n in near)
        right = (n for n, text in codes if compare_user_code(actual=code, expected=text))
        counter = next(right, 0)  # 0: it has expired meanwhile
        if counter <= row.data.get(LAST, 0):
            raise get_adapter().validation_error("incorrect_code")
        row.data[LAST] = counter
        row.save(update_fields=["data"])


class _TakenOnce:
    authenticator: Authenticator

    def clean_code(self) -> str:
        code: str = super().clean_code()  # type: ignore[misc]
        if self.authenticator.type == Authenticator.Type.TOTP:
            use_up(self.authenticator, code)
        return code


class AuthenticateForm(_CountsAttempts, _TakenOnce, second_factor.AuthenticateForm):  # type: ignore[misc]
    pass


class ReauthenticateForm(_CountsAttempts, _TakenOnce, second_factor.ReauthenticateForm):  # type: ignore[misc]
    pass
