"""Signing in, and joining a team."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.utils import perform_login
from allauth.account.views import LoginView, SignupView
from allauth.mfa.base.views import AuthenticateView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.access import AccessContext, NotFound, SignInNeeded
from awrdiff.accounts.display_names import choose_shown_name
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import LONGEST_SHOWN_NAME, Invitation, User
from awrdiff.accounts.sign_in_limits import SignInEnded, TooManyFailures
from awrdiff.web import exception_responses
from awrdiff.web.content_negotiation import wants_json
from awrdiff.web.sign_in import invitation_session, password_sign_in_switch
from awrdiff.web.sign_in.directory_accounts import NotSignedIn
from awrdiff.web.sign_in.forms import JoinForm, SignInForm
from awrdiff.web.sign_in.local_user import refuse_others
from awrdiff.web.sign_in.one_time_sign_in_address import GONE, use_up, user_of
from awrdiff.web.sign_in.permission_helpers import account_pages, is_local, look_at, signed_in_person


class SignIn(LoginView):  # type: ignore[misc]
    form_class = SignInForm
    http_method_names = ["get", "head", "post"]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), **_ways(), "passwords": password_sign_in_switch.are_asked_for()}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not password_sign_in_switch.are_asked_for():
            password_sign_in_switch.refuse_unless_taken()
        try:
            answer: HttpResponse = super().post(request, *args, **kwargs)
        except NotSignedIn as refusal:
            return self._refused(request, str(refusal), refusal.status)
        except TooManyFailures as refusal:
            if wants_json(request):
                return exception_responses.wait(request, refusal)
            return self._refused(request, str(refusal), 429, refusal.retry_s)
        return answer

    def get_success_url(self) -> str:
        """The joined team, after an invitation."""
        url: str = super().get_success_url()
        has_joined = url == reverse("account_signup") and invitation_session.held_invitation(self.request) is None
        return reverse("home") if has_joined else url

    def _refused(self, request: HttpRequest, sentence: str, status: int, retry_s: int = 60) -> HttpResponse:
        if wants_json(request):
            answer: HttpResponse = JsonResponse({"error": sentence}, status=status)
        else:
            self._cached_form = SignInForm(request=request)
            answer = self.render_to_response(self.get_context_data(form=self._cached_form, refused=sentence))
            answer.status_code = status
        if status in (429, 503):
            answer["Retry-After"] = str(retry_s)
        return answer


class SecondFactor(AuthenticateView):  # type: ignore[misc]
    """Five wrong codes end the sign-in; the form stays for a recovery code or key."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            answer: HttpResponse = super().post(request, *args, **kwargs)
        except SignInEnded as ended:
            return self._over(ended)
        except TooManyFailures as refusal:
            return self._wait(refusal)
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = self._over(SignInEnded()) if self.auth_form.was_last else super().form_invalid(form)
        return answer

    def _over(self, ended: SignInEnded) -> HttpResponse:
        answer: HttpResponse = self.stage.abort()
        if wants_json(self.request):
            return JsonResponse({"error": str(ended)}, status=401)
        messages.error(self.request, str(ended))
        return answer

    def _wait(self, refusal: TooManyFailures) -> HttpResponse:
        if wants_json(self.request):
            return exception_responses.wait(self.request, refusal)
        self.form.add_error(None, str(refusal))
        response: HttpResponse = self.render_to_response(self.get_context_data())
        response.status_code = 429
        response["Retry-After"] = str(refusal.retry_s)
        return response


class SignOut(LogoutView):
    """Field `join` keeps the browser's invitation for another account."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        invitation_token = invitation_session.held_invitation(request) if "join" in request.POST else None
        answer: HttpResponse = super().post(request, *args, **kwargs)
        if invitation_token is None:
            return answer
        invitation_session.hold(request, invitation_token)
        return redirect("account_signup")


@require_safe
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation's address; its token moves into the session."""
    live_invitation = members_and_invitations.live_invitation(token=token)
    invitation_session.hold(request, live_invitation)
    return redirect("account_signup")


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """Joins a team: by signing up, or by confirming with an existing account."""
    held_invitation = invitation_session.held_invitation(request)
    if held_invitation is None:
        raise NotFound(members_and_invitations.GONE)
    if is_local():  # others on the machine may have seen the cookie, which browsers send to every port
        refuse_others(request)
    if not isinstance(request.user, User) or is_local():
        answer: HttpResponse = SignUp.as_view(invitation=held_invitation)(request)
        return answer
    if request.method == "POST":
        return _join_team(request, request.user, held_invitation)
    theirs = members_and_invitations.is_for(request.user, held_invitation)
    context = {
        "invitation": held_invitation,
        "theirs": theirs,
        "may_sign_out": theirs,
    }  # else the page has a form for it
    return render(request, "people/join.html", context)


def _join_team(request: HttpRequest, user: User, held_invitation: Invitation) -> HttpResponse:
    membership = members_and_invitations.accept(user, held_invitation)
    invitation_session.let_go(request)
    look_at(request, membership.team)
    messages.success(request, f"You are on the team “{membership.team}” now.")
    return redirect("home")


class SignUp(SignupView):  # type: ignore[misc]
    form_class = JoinForm
    template_name = "people/sign_up.html"
    invitation: Invitation = None  # type: ignore[assignment] # as_view() takes what is there

    def get_form_class(self) -> type[JoinForm]:
        return JoinForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "invitation": self.invitation}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "invitation": self.invitation, **_ways()}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        password_sign_in_switch.refuse_unless_taken()
        answer: HttpResponse = super().post(request, *args, **kwargs)
        return answer

    def form_valid(self, form: JoinForm) -> HttpResponse:
        if self.invitation.was_mailed:
            get_adapter().stash_verified_email(self.request, self.invitation.email)
        look_at(self.request, self.invitation.team)
        answer: HttpResponse = super().form_valid(form)
        invitation_session.let_go(self.request)
        return answer


@require_http_methods(["GET", "HEAD", "POST"])
def once(request: HttpRequest, token: str) -> HttpResponse:
    """A one-time address from the operator: a click signs in, so that link scanners do not use it up. A second factor
    is still required.
    """
    if is_local():
        raise NotFound(GONE)
    user = user_of(token)
    if request.method != "POST":
        return render(request, "account/once.html", {"name": user.get_username()})
    use_up(user)
    answer: HttpResponse = perform_login(request, user, email_verification="none")
    return answer


def _ways() -> dict[str, object]:
    sso, own = settings.AWRDIFF_OIDC_NAME if settings.AWRDIFF_OIDC else "", settings.AWRDIFF_PASSWORD_SIGN_IN
    return {"sso": sso, "passwords": own, "own_passwords": own, "directory": bool(settings.AWRDIFF_LDAP_URI)}


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
