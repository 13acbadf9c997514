"""The user's display name in teams."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from awrdiff.accounts.access import AccessContext, SignInNeeded
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import LONGEST_SHOWN_NAME, User
from awrdiff.accounts.names import choose_shown_name
from awrdiff.web.negotiate import wants_json
from awrdiff.web.sign_in.members import account_pages, signed_in_person


@require_http_methods(["GET", "HEAD", "POST"])
def own_name(request: HttpRequest) -> HttpResponse:
    """A POST takes the field `name`; empty: the user name."""
    access = signed_in_person(request)
    if access.user is None or access.is_local:
        raise SignInNeeded
    if request.method == "POST":
        return _choose(request, access, access.user)
    return _document(access.user) if wants_json(request) else _page(request, access, access.user.shown_name)


def _choose(request: HttpRequest, access: AccessContext, user: User) -> HttpResponse:
    typed = request.POST.get("name", "")
    try:
        shown_name = choose_shown_name(user, typed)
    except PeopleRefused as refusal:
        if wants_json(request):
            raise
        return _page(request, access, typed, str(refusal))
    if wants_json(request):
        return _document(shown_name)
    messages.success(request, "Your name is saved.")
    return redirect("account_name")


def _document(user: User) -> HttpResponse:
    return JsonResponse({"name": user.get_username(), "shown_name": user.shown_name or None})


def _page(request: HttpRequest, access: AccessContext, typed: str, refused: str = "") -> HttpResponse:
    context = {"access": access, "account_pages": account_pages(request.user), "typed": typed, "refused": refused}
    context["longest"] = LONGEST_SHOWN_NAME
    return render(request, "people/own_name.html", context, status=400 if refused else 200)
