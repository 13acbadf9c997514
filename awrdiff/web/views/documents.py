"""The project's documents and the export script, open to anyone: they contain no team's data."""

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
    """All documents by chapter, or with `q` a search."""
    text = request.GET.get("q", "")[:_LONGEST].strip()
    matches = find(text)
    context = {"text": text, "found": matches[:_MOST_FOUND], "total": len(matches), "document": document(INDEX)}
    return render(request, "web/documents.html", context)


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    shown_document = document(name) if name != INDEX else None
    if shown_document is None and (now := _NEW_ADDRESSES.get(name, f"reference/{name}")) and document(now):
        return redirect("document", name=now, permanent=True)
    if shown_document is None:
        raise NotFound("There is no such document.")
    return render(request, "web/document.html", {"document": shown_document, "name": name, "chapters": chapters()})


@require_safe
def script(request: HttpRequest) -> HttpResponse:
    """`awrdiff script` without the command line: its options as parameters."""
    try:
        text = script_of(_wanted(request.GET))
    except BadChoice as bad:
        return answer(request, 400, str(bad))
    headers = {"Content-Disposition": 'attachment; filename="awrdiff_reports.sql"'}
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=headers)


def _wanted(parameters: QueryDict) -> Wanted:
    options: dict[str, Any] = {name: parameters[name] == "yes" for name in _YES if name in parameters}
    for name in ("hours", "instance"):
        if parameter := parameters.get(name):
            options[name] = whole_number(parameter, 999_999)
            if options[name] is None:
                raise BadChoice(f"“{name}” must be a number.")
    return Wanted(**options)


# Documents that were put together with others; what is looked up moved to reference/ under its own name.
_NEW_ADDRESSES = {
    "team-reference": "reference/team",
    **dict.fromkeys(("notices", "sharing"), "reference/team"),
    **dict.fromkeys(("incidents", "people", "review", "threads"), "team"),
}
_MOST_FOUND = 40
_LONGEST = 200  # characters of what is looked for
_YES = ("statspack", "is_global", "text", "ash", "addm")
