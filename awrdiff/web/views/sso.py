"""OpenID Connect sign-on; routed if a provider is set."""

from __future__ import annotations

from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect import views
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe
from requests import RequestException

from awrdiff.accounts.access import NotFound
from awrdiff.web.sign_in.passwords import instead
from awrdiff.web.sign_in.sso import Provider
from awrdiff.web.views.errors import answer

_NOTHING = "There is nothing at this address."


@require_safe
def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Redirects to the provider. Its accounts are matched by address, never connected by hand. Of the query only the
    next address counts; the rest is ours.
    """
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
