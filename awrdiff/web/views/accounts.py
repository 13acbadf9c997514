"""The sign-in page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from awrdiff.accounts.sign_in_limits import TooManyFailures
from awrdiff.web.negotiate import wants_json
from awrdiff.web.sign_in.browsers import remember
from awrdiff.web.sign_in.forms import SignInForm
from awrdiff.web.views.errors import answer


class SignIn(LoginView):
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().post(request, *args, **kwargs)
        except TooManyFailures as refusal:
            return self._wait(request, refusal.wait_s)

    def _wait(self, request: HttpRequest, wait_s: int) -> HttpResponse:
        sentence = f"Too many failed sign-ins: try again in {_in_words(wait_s)}."
        response: HttpResponseBase
        if wants_json(request):
            response = answer(request, 429, sentence)
        else:
            form = self.get_form_class()(request)
            response = self.render_to_response(self.get_context_data(form=form, wait=sentence), status=429)
        response["Retry-After"] = str(wait_s)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        remember(response, form.get_user().get_username())
        return response


def _in_words(seconds: int) -> str:
    if seconds == 1:
        return "a second"
    return f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"
