"""Page forms as JSON operations, with the form's fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponseBase, QueryDict

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import Membership
from awrdiff.web.api.v1.once import form_key


def form(view: Callable[..., HttpResponseBase], people: Sequence[str] = ()) -> Callable[..., HttpResponseBase]:
    """The page's view, which checks permissions itself. `people`: fields with a member's name, which the form has as
    id.
    """

    def does(request: HttpRequest, access: AccessContext, body: msgspec.Struct | None, **ids: Any) -> HttpResponseBase:
        if request.method == "POST":
            fields = QueryDict(mutable=True)
            for name, value in _form_fields(body):
                fields[name] = _id_of(access, value) if name in people and value else value
            if key := form_key(request, access):
                fields["key"] = str(key)
            request.POST = fields  # type: ignore[assignment] # which nobody changes any more
        return view(request, **ids)

    return does


def _id_of(access: AccessContext, name: str) -> str:
    if not access.can_read:  # or it would tell others whom the team has
        raise NotFound("There is nothing at this address.")
    user_id = Membership.objects.filter(team=access.team, user__username=name).values_list("user", flat=True).first()
    if user_id is None:
        raise NotFound(f"There is nobody called “{name}” on your team.")
    return str(user_id)


def _form_fields(body: msgspec.Struct | None) -> Iterator[tuple[str, str]]:
    """Form fields; missing ones and unticked boxes are left out."""
    for name, value in msgspec.structs.asdict(body).items() if body is not None else ():
        if value is msgspec.UNSET:
            continue
        if value is None:
            yield name, "never" if name == "days" else ""
        elif isinstance(value, bool):
            if value:
                yield name, "yes"
        elif isinstance(value, list):
            yield name, ", ".join(value)
        else:
            yield name, value.isoformat() if isinstance(value, date | datetime) else str(value)
