"""`/?token=…`, as printed by bin/serve, becomes a cookie and `/`: the token stays out of history and Referer."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse

from awrdiff.accounts import local_token
from awrdiff.web.sign_in import local_user


class LocalToken:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token_text = request.GET.get(local_token.PARAMETER, "") if request.path_info == "/" else ""
        if not (token_text and settings.AWRDIFF_LOCAL_USER and local_token.is_current(settings.VAR, token_text)):
            return self.get_response(request)
        response = HttpResponseRedirect(reverse("home"))
        response["Referrer-Policy"] = "no-referrer"
        local_user.set_cookie(request, response)
        return response
