"""The test client as a process of the user who runs the tests, unless a test says `Client(**{PEER_UID: other})`."""

from __future__ import annotations

import os
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from awrdiff.web.sign_in.local_user import PEER_UID


class SameUser:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.META.setdefault(PEER_UID, os.geteuid())
        return self.get_response(request)
