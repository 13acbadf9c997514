"""Display names of people. Stored data and scripts use sign-in names, which are never reassigned."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import chain

from django.db import transaction
from django.db.models import Q

from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import LONGEST_SHOWN_NAME, Membership, Team, User
from awrdiff.processing.storable_values import one_line

GONE = "somebody who left"
MOST_EARLIER = 50  # that are remembered, so that redacted links know them
# By which pages name what is nobody, or nobody in particular.
_NOBODYS = frozenset((
    "anybody", "everybody", "guest", "local", "nobody", "server", "share links", "somebody", "system", "team",
    "the server", "the system", "the team", "whoever runs the server", "you",
))  # fmt: skip


def shown_name(user: User | None) -> str:
    return user.shown_name or user.get_username() if user else GONE


def sign_in_name(user: User | None) -> str:
    return user.get_username() if user else GONE


def both_names(user: User) -> str:
    """`Olivia Berg (olivia)`, to tell people apart."""
    return f"{user.shown_name} ({user.get_username()})" if user.shown_name else user.get_username()


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """Chosen names by sign-in name, where chosen."""
    users = User.objects.filter(username__in=set(names)).exclude(shown_name="")
    return dict(users.values_list("username", "shown_name"))


def shown_names_of(team: int, user_ids: Iterable[int]) -> dict[str, str]:
    """Chosen names by sign-in name: the team's and `user_ids`."""
    users = User.objects.filter(Q(membership__team=team) | Q(pk__in=user_ids)).exclude(shown_name="")
    return dict(users.values_list("username", "shown_name"))


def every_name(user: User) -> set[str]:
    """Past and present names; single words of chosen ones."""
    display_names = [user.shown_name, *user.earlier_names]
    words = {word for name in display_names for word in re.findall(r"[^\W_]{2,}", name)}
    own = {user.get_username(), user.first_name, user.last_name, user.email, user.get_full_name()}
    return {text for text in (*own, *display_names, *words) if text}


def choose_shown_name(user: User, text: str) -> User:
    """Empty: the sign-in name again. Raises PeopleRefused."""
    name = clean_shown_name(text)
    with transaction.atomic():
        own = Membership.objects.filter(user=user).values("team")
        teams = list(Team.objects.select_for_update(no_key=True).filter(pk__in=own).order_by("pk"))
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if name and any(_same(name) in _names_in(team, but=user) for team in teams):
            raise PeopleRefused(f"Somebody on your team is called “{name}” already: choose another name.")
        _rename(user, name)
    return user


def clean_shown_name(text: str) -> str:
    """Normalised as stored. Raises PeopleRefused."""
    name = one_line(unicodedata.normalize("NFC", text))
    if len(name) > LONGEST_SHOWN_NAME:
        raise PeopleRefused(f"A name has at most {LONGEST_SHOWN_NAME} characters; this has {len(name)}.")
    if not name.isprintable():
        raise PeopleRefused("This name has a sign that cannot be seen: type it anew.")
    if name and ("@" in name or not any(c.isalpha() for c in name)):
        raise PeopleRefused("A name has letters, and no @.")
    if _same(name) in _NOBODYS:
        raise PeopleRefused(f"“{name}” is nobody's name here: choose another.")
    return name


def fill_shown_name(user: User, text: str) -> None:
    """Take the sign-on service's name, if valid; joining a team checks uniqueness."""
    try:
        name = clean_shown_name(text)
    except PeopleRefused:
        return
    if name and not user.shown_name and _same(name) != _same(user.get_username()):
        _rename(user, name)


def keep_apart(team: Team, newcomer: User) -> None:
    """Drop chosen names that collide on the team."""
    newcomer.refresh_from_db(fields=["shown_name", "earlier_names"])
    if newcomer.shown_name and _same(newcomer.shown_name) in _names_in(team, but=newcomer):
        _rename(newcomer, "")
    own = _same(newcomer.get_username())
    for user in User.objects.filter(membership__team=team).exclude(pk=newcomer.pk).exclude(shown_name=""):
        if _same(user.shown_name) == own:
            _rename(user, "")


def _rename(user: User, name: str) -> None:
    if user.shown_name == name:
        return
    earlier = [n for n in (*user.earlier_names, user.shown_name) if n]
    if name and len(set(earlier)) > MOST_EARLIER:
        raise PeopleRefused(f"You have had {MOST_EARLIER} names, and each is remembered: keep the one you have.")
    user.earlier_names, user.shown_name = list(dict.fromkeys(earlier)), name
    user.save(update_fields=["shown_name", "earlier_names"])


def _names_in(team: Team, but: User) -> set[str]:
    members = Membership.objects.filter(team=team).exclude(user=but)
    names = members.values_list("user__username", "user__shown_name")
    return {_same(name) for name in chain.from_iterable(names) if name}


def _same(name: str) -> str:
    """Key under which lookalike names are equal."""
    return unicodedata.normalize("NFKC", name).casefold()
