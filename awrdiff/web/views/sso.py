"""The way to an OpenID Connect provider and back; routed where one is set."""

from __future__ import annotations

from allauth.socialaccount.providers.openid_connect import views
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from requests import RequestException

from awrdiff.accounts.access import NotFound
from awrdiff.web.views.errors import answer


@require_safe
def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Off to the provider. Its accounts are found by address, never connected by hand."""
    if request.GET.get("process", "login") != "login":
        raise NotFound("There is nothing at this address.")
    try:
        led: HttpResponse = views.login(request, provider_id)
    except RequestException:
        said = (
            "The sign-on service does not answer: try again later, or sign in with your password if you have one here."
        )
        return answer(request, 503, said)
    return led


@require_safe
def back(request: HttpRequest, provider_id: str) -> HttpResponse:
    answered: HttpResponse = views.callback(request, provider_id)
    return answered
