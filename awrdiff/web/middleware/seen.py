"""Extends sign-ins on activity, if they end after inactivity."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from awrdiff.web.sign_in.sessions import SessionStore

_OF_ITSELF = "-live"  # ends of names of addresses that an open page asks for while nobody does anything


class Seen:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        session, match = request.session, request.resolver_match
        of_itself = match is not None and (match.url_name or "").endswith(_OF_ITSELF)
        if session.accessed and isinstance(session, SessionStore) and not of_itself:
            session.touch()
        return answer
