"""Passwords of share links: asking page and remembering cookie."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve

from awrdiff.accounts.sign_in_limits import TooManyFailures
from awrdiff.accounts.tokens import hash_token
from awrdiff.sharing import access
from awrdiff.sharing.errors import PasswordNeeded, WrongPassword
from awrdiff.sharing.models import ShareLink
from awrdiff.web import links
from awrdiff.web.negotiate import wants_json
from awrdiff.web.sign_in.browsers import client_address
from awrdiff.web.sign_in.cookies import of_link, set_of_link

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
