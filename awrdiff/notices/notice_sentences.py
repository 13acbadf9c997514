"""Sentences of notices, and their addresses."""

from __future__ import annotations

from django.conf import settings

from awrdiff.accounts.display_names import shown_name
from awrdiff.notices.models import Notice

# To whom it is told, and to everybody (a webhook): {actor} did it, {to} are told.
SENTENCES = {
    "accepted": ("{actor} has joined the team.", "{actor} has joined the team."),
    "closed": (
        "What somebody opened here has ended, or somebody else has it: they are off the team, disabled, may do less, "
        "or no sign-in confirms their groups.",
        "",  # told to nobody else
    ),
    "ready": ("Your comparison is ready.", "A comparison is ready."),
    "arrived": (
        "A new report lies outside the median of its hour.",
        "A new report lies outside the median of its hour.",
    ),
    "mentioned": ("{actor} mentioned you in {where}.", "{actor} mentioned {to}."),
    "answered": ("{actor} answered in a thread of yours.", "{actor} answered in a thread of {to}."),
    "asked": ("{actor} asks you to answer in a thread.", "{actor} asks {to} to answer in a thread."),
    "reopened": (
        "{actor} reopened a thread that you had resolved.",
        "{actor} reopened a thread that {to} had resolved.",
    ),
    "outside": ("Somebody writes to you by a link of yours.", "Somebody writes to {to} by a link."),
    "assigned": ("{actor} gave you an action item.", "{actor} gave {to} an action item."),
    "due": (
        "An action item of yours is due within three days.",
        "An action item of {to} is due within three days.",
    ),
    "overdue": ("An action item of yours is overdue.", "An action item of {to} is overdue."),
    "review": ("{actor} asks you to review a post-mortem.", "{actor} asks {to} to review a post-mortem."),
    "signed": ("{actor} has signed off the post-mortem.", "{actor} has signed off a post-mortem."),
    "changes": ("{actor} asks for changes in the post-mortem.", "{actor} asks for changes in a post-mortem."),
    "week": ("The week of your team's incidents.", ""),
    "ticket.wanted": ("", "{actor} asks for a ticket for an action item."),  # told to nobody but a webhook
    "night": ("What changed most in your databases last night.", "What changed most in the databases last night."),
    "status": (
        "{actor} changed the status of an incident{change}.",
        "{actor} changed the status of an incident{change}.",
    ),
    "contradicted": (
        "{actor} says otherwise of a finding that you judged{change}.",
        "{actor} says otherwise of a finding that {to} judged{change}.",
    ),
    "codes": (
        "Wrong codes of your second factor were entered, as many as are taken in an hour. Whoever did it knows your "
        "password: if it was not you, change it.",
        "",  # told to nobody else
    ),
    "codes elsewhere": (  # the same where passwords of this server let nobody in
        "Wrong codes of your second factor were entered, as many as are taken in an hour. Whoever did it signs in as "
        "you with {sso}: if it was not you, change your password there.",
        "",
    ),
    "test": ("This is a test.", "This is a test of the notices of this team."),
}
# By kind of thing: where its page is. tests/web/test_notices.py holds these against the addresses that are served.
PATHS = {
    "comparison": "/comparisons/{}/",
    "incident": "/incidents/{}/",
    "invitation": "/people/",
    "team": "/people/",
    "opened": "/people/",
    "databases": "/databases/",
    "week": "/incidents/?week=1&team={}",
    "account": "/account/password/",
    "sessions": "/account/sessions/",
    "join": "/join/{}/",
    "notices": "/notices/",
}
SOMEBODY = "Somebody"


def sentence(notice: Notice, more: int = 0, *, contents: bool = True) -> str:
    """`more`: others in its thread. `contents`: may quote reports and people."""
    actor = shown_name(notice.actor) if notice.actor else SOMEBODY
    where = f"“{notice.about}”" if contents and notice.about else "a thread"
    what, sso = notice.what, ""
    if what == "codes" and not settings.AWRDIFF_PASSWORD_SIGN_IN:
        what, sso = "codes elsewhere", settings.AWRDIFF_OTHER_WAYS_IN
    text = SENTENCES[what][0].format(actor=actor, to="you", where=where, sso=sso, change=_changed(notice.change))
    return f"{text} {more} more in this thread." if more else text


def names_where(notice: Notice) -> bool:
    return "{where}" in SENTENCES[notice.what][0]


def text_to_all(what: str, actor: str, to: list[str], change: str = "") -> str:
    names = " and ".join(to) or "somebody"
    return SENTENCES[what][1].format(actor=actor or SOMEBODY, to=names, change=_changed(change))


def _changed(change: str) -> str:
    return f": {change}" if change else ""


def path_of(kind: str, thing: str = "", place: str = "") -> str:
    if kind == "account" and not settings.AWRDIFF_PASSWORD_SIGN_IN:  # there is no password to change
        kind = "sessions"
    return settings.AWRDIFF_PATH + PATHS[kind].format(thing) + place


def address_of(path: str) -> str:
    """Absolute, by AWRDIFF_ADDRESS."""
    return f"{settings.AWRDIFF_NOTICES_ADDRESS}{path}"


def one_line(text: str, longest: int) -> str:
    """Header-safe: no line ends."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
