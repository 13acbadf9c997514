"""Name and id of a link's holder, in a signed cookie."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from awrdiff.accounts.access import AccessContext, HeldLink, LinkGuest
from awrdiff.accounts.tokens import hash_token
from awrdiff.threads.services import guest_name
from awrdiff.web.sign_in.cookies import of_link, set_of_link

KEPT_S = 400 * 86_400  # no browser keeps a cookie longer
_SALT = "awrdiff.link.guest"


def with_known_name(request: HttpRequest, access: AccessContext) -> AccessContext:
    """A form may change the name; its first one creates the id."""
    link = access.link
    if link is None:
        return access
    older = request.COOKIES.get(_cookie(link), "")  # of before names said that HTTPS is needed
    try:
        pk, earlier_name = signing.loads(request.COOKIES.get(of_link(request, _cookie(link)), older), salt=_salt(link))
        guest = LinkGuest(UUID(pk), earlier_name)
    except signing.BadSignature:
        guest = None
    if name := guest_name(request.POST.get("name", "")):
        # From the post's secret key: a repeated post gets the same id.
        digest = salted_hmac(_salt(link), request.POST.get("key") or uuid4().hex, algorithm="sha256").digest()
        guest = LinkGuest(guest.id if guest else UUID(bytes=digest[:16]), name)
    return replace(access, link=replace(link, guest=guest))


def keep_name(request: HttpRequest, access: AccessContext, response: HttpResponse) -> HttpResponse:
    link = access.link
    if request.method != "POST" or link is None or link.guest is None:
        return response
    value = signing.dumps([link.guest.id.hex, link.guest.name], salt=_salt(link))
    set_of_link(request, response, link.token, _cookie(link), value, max_age_s=KEPT_S)
    return response


def _cookie(link: HeldLink) -> str:
    return f"guest-{hash_token(link.token)[:16]}"


def _salt(link: HeldLink) -> str:
    return f"{_SALT}.{link.pk}"
