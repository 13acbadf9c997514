"""OpenID Connect sign-on, if a provider is set."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

import jwt
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.internal.jwtkit import verify_jti
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect import views
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe
from requests import RequestException

from awrdiff.accounts import identity_provider_groups, members_and_invitations
from awrdiff.accounts.access import NotFound
from awrdiff.accounts.display_names import fill_shown_name
from awrdiff.accounts.models import User
from awrdiff.web.sign_in import invitation_session
from awrdiff.web.sign_in.allauth_adapter import groups_of
from awrdiff.web.sign_in.password_sign_in_switch import instead
from awrdiff.web.sign_in.permission_helpers import look_at
from awrdiff.web.views.errors import answer

logger = logging.getLogger(__name__)
_BY_KEYS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_BY_SECRET = ("HS256", "HS384", "HS512")
_CLOCKS_S = 30  # that of the provider may differ


class SsoAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        return _WithNonce(request, app=super().get_provider(request, provider, client_id).app)

    def authenticate_by_email(self, sociallogin: Any) -> tuple[User, str] | None:
        """An unconfirmed address gets nobody's account."""
        address = (
            EmailAddress.objects.filter(email__in=_vouched(sociallogin), verified=True).select_related("user").first()
        )
        return (address.user, address.email) if address else None

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        """For the operator; users never see the answer."""
        logger.warning("signing in with the OpenID Connect provider failed: %.300s", exception or error)

    def new_user(self, request: HttpRequest, sociallogin: Any) -> User:
        return User()

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> User:
        """Drops addresses sent as user names."""
        name = str(data.get("username") or "").partition("@")[0]
        user: User = super().populate_user(request, sociallogin, {**data, "username": name})
        return user

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """For a vouched address, invited or in a team's group."""
        if invitation_session.held_invitation(request, _vouched(sociallogin)) is not None:
            return True
        return bool(_vouched(sociallogin)) and identity_provider_groups.open_a_team(
            groups_of(sociallogin), identity_provider_groups.Source.OIDC
        )

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """Uses up the invitation in the same transaction; groups follow at sign-in."""
        invitation = invitation_session.held_invitation(request, _vouched(sociallogin))
        with transaction.atomic():
            user: User = super().save_user(request, sociallogin, form)
            fill_shown_name(user, user.get_full_name())
            if invitation is not None:
                members_and_invitations.accept(user, invitation, signing_up=True)
            elif not identity_provider_groups.open_a_team(groups_of(sociallogin), identity_provider_groups.Source.OIDC):
                raise NotFound(members_and_invitations.GONE)
        if invitation is not None:
            look_at(request, invitation.team)
            invitation_session.let_go(request)
        return user


def _vouched(sociallogin: Any) -> set[str]:
    return {address.email.lower() for address in sociallogin.email_addresses if address.verified}


class Provider(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Both its answers must be about one person and this sign-in."""

    def get_access_token_data(
        self, request: HttpRequest, app: Any, client: Any, pkce_code_verifier: str | None = None
    ) -> Any:
        self.nonce = _nonce(pkce_code_verifier or "")
        return super().get_access_token_data(request, app, client, pkce_code_verifier=pkce_code_verifier)

    @property
    def openid_config(self) -> dict[str, Any]:
        try:
            config: dict[str, Any] = super().openid_config
        except AttributeError as error:  # a list or a text takes no overrides
            raise OAuth2Error("what it says of itself is no JSON object") from error
        issuer, wanted = config.get("issuer"), settings.AWRDIFF_OIDC.partition("/.well-known/")[0]
        if str(issuer).rstrip("/") != wanted.rstrip("/"):
            raise OAuth2Error(f"it calls itself {issuer!r}, and AWRDIFF_OIDC_ISSUER is {wanted!r}")
        for needed in ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"):
            if not isinstance(config.get(needed), str):
                raise OAuth2Error(f"it names no {needed}")
        return config

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **answers: Any) -> Any:
        """The ID token identifies; other claims must agree."""
        signed = answers["response"].get("id_token")
        if not isinstance(signed, str):
            raise OAuth2Error("it sent no ID token")
        claims, info = self._decode_id_token(app, signed), self._fetch_user_info(token.token)
        if not isinstance(info, dict) or not claims.get("sub") or info.get("sub") != claims["sub"]:
            raise OAuth2Error("its ID token and its userinfo are of two people")
        if not constant_time_compare(str(claims.get("nonce")), self.nonce):
            raise OAuth2Error("its ID token is of another sign-in")
        # Some write it as a text, of which "false" is one too; some say nothing, and are trusted or not.
        info["email_verified"] = info.get("email_verified", settings.AWRDIFF_OIDC_TRUST_ADDRESSES) in (True, "true")
        return self.get_provider().sociallogin_from_response(request, {"userinfo": info, "id_token": claims})

    def _decode_id_token(self, app: Any, id_token: str) -> dict[str, Any]:
        """Signed, for this server, currently valid. Raises OAuth2Error."""
        try:
            head = jwt.get_unverified_header(id_token)
            algorithm = str(head.get("alg"))
            if algorithm not in (*_BY_KEYS, *_BY_SECRET):
                raise OAuth2Error(f"its ID token is signed by {algorithm!r}")
            key = app.secret if algorithm in _BY_SECRET else self._key(head.get("kid"))
            options = {"require": ["exp", "iat", "iss", "aud", "sub"]}
            claims: dict[str, Any] = jwt.decode(
                id_token,
                key,
                algorithms=[algorithm],
                audience=app.client_id,
                issuer=self.openid_config["issuer"],
                leeway=_CLOCKS_S,
                options=options,  # type: ignore[arg-type] # a plain dict of what it asks for
            )
        except (jwt.PyJWTError, TypeError, ValueError) as error:
            raise OAuth2Error(f"its ID token does not hold: {error}") from error
        verify_jti(claims)
        return claims

    def _key(self, name: object) -> Any:
        """Without a name the provider's only key."""
        with get_adapter().get_requests_session() as session:
            answer = session.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
        keys = jwt.PyJWKSet.from_dict(answer.json()).keys
        fitting = [key for key in keys if name is None or key.key_id == name]
        if len(fitting) != 1:
            raise OAuth2Error(f"its ID token is signed by the key {name!r}, of which it has {len(fitting)}")
        return fitting[0].key


class _WithNonce(OpenIDConnectProvider):  # type: ignore[misc]
    """Sends a nonce that the ID token repeats."""

    oauth2_adapter_class = Provider

    def get_pkce_params(self) -> dict[str, str]:
        params: dict[str, str] = super().get_pkce_params()
        return {**params, "nonce": _nonce(params["code_verifier"])}


def _nonce(verifier: str) -> str:
    """Derived from the session's verifier, without revealing it."""
    return hashlib.sha256(f"nonce {verifier}".encode()).hexdigest()


_NOTHING = "There is nothing at this address."


@require_safe
def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Accounts are matched by address. Of the query only the next address counts."""
    if request.GET.get("process", "login") != "login":
        raise NotFound(_NOTHING)
    query = QueryDict(mutable=True)
    if "next" in request.GET:
        query["next"] = request.GET["next"]
    request.GET = query  # type: ignore[assignment] # as immutable as it has to be: nobody else sees it
    try:
        led: HttpResponse = views.login(request, provider_id)
    except RequestException:
        return answer(request, 503, f"The sign-on service does not answer: {instead()}")
    except OAuth2Error as error:
        led = render_authentication_error(request, Provider(request, provider_id).get_provider(), exception=error)
    return led


@require_safe
def back(request: HttpRequest, provider_id: str) -> HttpResponse:
    adapter = Provider(request, provider_id)
    try:
        answered: HttpResponse = OAuth2CallbackView.adapter_view(adapter)(request)
    except SocialApp.DoesNotExist:
        raise NotFound(_NOTHING) from None
    except (OAuth2Error, RequestException) as error:  # before there was a code to ask with
        answered = render_authentication_error(request, adapter.get_provider(), exception=error)
    return answered
