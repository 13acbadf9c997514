"""Turns `SignInNeeded` into the login page, or into 401 where a script asked."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase, JsonResponse

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
