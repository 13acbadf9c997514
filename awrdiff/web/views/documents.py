"""The project's documents, and the script that gets reports out of a database: for anyone, they hold nothing of a
team's."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import NotFound
from awrdiff.collecting.script import BadChoice, Wanted, script_of
from awrdiff.numbers import whole_number
from awrdiff.web.documents import INDEX, chapters, document, find
from awrdiff.web.views.errors import answer


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All of them by chapter, or with `q` what is found in them."""
    text = request.GET.get("q", "")[:_LONGEST].strip()
    found = find(text)
    told = {"text": text, "found": found[:_MOST_FOUND], "total": len(found), "document": document(INDEX)}
    return render(request, "web/documents.html", told)


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    shown = document(name) if name != INDEX else None
    if shown is None and (now := _MOVED.get(name, f"reference/{name}")) and document(now):
        return redirect("document", name=now, permanent=True)
    if shown is None:
        raise NotFound("There is no such document.")
    return render(request, "web/document.html", {"document": shown, "name": name, "chapters": chapters()})


@require_safe
def script(request: HttpRequest) -> HttpResponse:
    """`awrdiff script` for who has no command at hand: its options as parameters."""
    try:
        text = script_of(_wanted(request.GET))
    except BadChoice as bad:
        return answer(request, 400, str(bad))
    headers = {"Content-Disposition": 'attachment; filename="awrdiff_reports.sql"'}
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=headers)


def _wanted(asked: QueryDict) -> Wanted:
    chosen: dict[str, Any] = {name: asked[name] == "yes" for name in _YES if name in asked}
    for name in ("hours", "instance"):
        if given := asked.get(name):
            chosen[name] = whole_number(given, 999_999)
            if chosen[name] is None:
                raise BadChoice(f"“{name}” must be a number.")
    return Wanted(**chosen)


# Documents that were put together with others; what is looked up moved to reference/ under its own name.
_MOVED = {
    "team-reference": "reference/team",
    **dict.fromkeys(("notices", "sharing"), "reference/team"),
    **dict.fromkeys(("incidents", "people", "review", "threads"), "team"),
}
_MOST_FOUND = 40
_LONGEST = 200  # characters of what is looked for
_YES = ("statspack", "is_global", "text", "ash", "addm")
