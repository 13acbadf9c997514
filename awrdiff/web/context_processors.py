from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def server(request: HttpRequest) -> dict[str, bool]:
    """`mails`: whether this server sends mail."""
    return {"mails": settings.AWRDIFF_MAILS}
