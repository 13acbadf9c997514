"""Headers of answers, also of those below links."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase

from awrdiff.web.middleware import Middleware


class NoStore(Middleware):
    """Caches no page: after sign-out, Back shows nothing. Polled answers set their own (`negotiate.conditional`)."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.setdefault("Cache-Control", "private, no-store")
        return response


class SharedPageHeaders(Middleware):
    """Below /s/ and calendars: not indexed or stored, no Referer."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path_info.startswith(("/s/", "/calendar/")):
            response.setdefault("Referrer-Policy", "no-referrer")  # the page with a password says otherwise
            response["X-Robots-Tag"] = "noindex, nofollow"
            response["Cache-Control"] = "private, no-store"
        return response
