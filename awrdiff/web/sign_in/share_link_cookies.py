"""Holders of a share link, in cookies: proof of its password, and a guest's name and id."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.utils.crypto import salted_hmac

from awrdiff.accounts.access import AccessContext, HeldLink, LinkGuest
from awrdiff.accounts.sign_in_limits import TooManyFailures
from awrdiff.accounts.token_hashing import hash_token
from awrdiff.sharing import access
from awrdiff.sharing.errors import PasswordNeeded, WrongPassword
from awrdiff.sharing.models import ShareLink
from awrdiff.threads.services import guest_name
from awrdiff.web import links
from awrdiff.web.content_negotiation import wants_json
from awrdiff.web.sign_in.cookies import of_link, set_of_link
from awrdiff.web.sign_in.known_browsers import client_address

LONGEST_ADDRESS = 2_000


def proof(request: HttpRequest, token: str) -> str:
    """Cookie proving knowledge of the password, or ""."""
    return request.COOKIES.get(of_link(request, _cookie(token)), "")


def _cookie(token: str) -> str:
    return f"link-{hash_token(token)[:16]}"


def ask(request: HttpRequest, needed: PasswordNeeded) -> HttpResponse:
    """401, with a form for people."""
    if wants_json(request):
        return JsonResponse({"error": str(needed)}, status=401)
    token = str(request.resolver_match.kwargs["token"]) if request.resolver_match else ""
    return _page(request, token, "", request.get_full_path() if request.method == "GET" else "")


def open_link(request: HttpRequest, token: str, link: ShareLink) -> HttpResponseBase:
    """The requested page, or the password page again."""
    wanted = _address_below(token, request.POST.get("to", ""))
    try:
        if link.password:
            access.unlock(link, request.POST.get("password", ""), client_address(request))
    except WrongPassword as wrong:
        if wants_json(request):
            return JsonResponse({"error": str(wrong)}, status=401)
        return _page(request, token, str(wrong), wanted)
    except TooManyFailures as many:
        if wants_json(request):
            raise
        page = _page(request, token, f"Too many tries. Try again in {many.retry_s} s.", wanted, status=429)
        page["Retry-After"] = str(many.retry_s)
        return page
    response = HttpResponse(status=204) if wants_json(request) else redirect(wanted)
    if link.password:
        keep_open(request, response, token, link)
    return response


def keep_open(request: HttpRequest, response: HttpResponse, token: str, link: ShareLink) -> None:
    if link.password:
        set_of_link(request, response, token, _cookie(token), access.proof_of(link), max_age_s=access.OPEN_FOR_S)


def _page(request: HttpRequest, token: str, wrong: str, to: str, status: int = 401) -> HttpResponse:
    context = {"token": token, "wrong": wrong, "to": to[:LONGEST_ADDRESS]}
    page = render(request, "sharing/password.html", context, status=status)
    page["Referrer-Policy"] = "same-origin"  # without it a browser sends no origin with the form, and Django refuses it
    return page


def _address_below(token: str, wanted: str) -> str:
    own = links.shared(token)
    path = wanted.partition("?")[0]
    if not path.startswith(own) or "\\" in wanted or len(wanted) > LONGEST_ADDRESS:
        return own
    try:
        match = resolve(path.removeprefix(settings.AWRDIFF_PATH))
    except Resolver404:
        return own
    return wanted if match.url_name != "shared-password" else own


KEPT_S = 400 * 86_400  # no browser keeps a cookie longer
_GUEST_SALT = "awrdiff.link.guest"


def with_known_name(request: HttpRequest, access: AccessContext) -> AccessContext:
    """A form may change the name; its first one creates the id."""
    link = access.link
    if link is None:
        return access
    older = request.COOKIES.get(_guest_cookie(link), "")  # of before names said that HTTPS is needed
    try:
        pk, earlier_name = signing.loads(
            request.COOKIES.get(of_link(request, _guest_cookie(link)), older), salt=_salt(link)
        )
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
    set_of_link(request, response, link.token, _guest_cookie(link), value, max_age_s=KEPT_S)
    return response


def _guest_cookie(link: HeldLink) -> str:
    return f"guest-{hash_token(link.token)[:16]}"


def _salt(link: HeldLink) -> str:
    return f"{_GUEST_SALT}.{link.pk}"
