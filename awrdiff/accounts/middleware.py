"""Sign-in on the way to a view: the login page where it is needed, and the local user's token in an address."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, JsonResponse

from awrdiff.accounts import local, local_token
from awrdiff.accounts.access import SignInNeeded
from awrdiff.web.negotiate import wants_json


class SignInWhereNeeded:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        if not isinstance(exception, SignInNeeded):
            return None
        if wants_json(request):
            return JsonResponse({"error": "Sign in first."}, status=401)
        return redirect_to_login(request.get_full_path() if request.method == "GET" else "/")


class LocalToken:
    """`/?token=…`, as bin/serve prints it, becomes a cookie and `/`: the token stays in no history and no Referer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.GET.get(local_token.PARAMETER, "") if request.path == "/" else ""
        if not (given and settings.AWRDIFF_LOCAL_USER and local_token.is_current(settings.VAR, given)):
            return self.get_response(request)
        response = HttpResponseRedirect("/")
        response["Referrer-Policy"] = "no-referrer"
        local.set_cookie(request, response)
        return response
