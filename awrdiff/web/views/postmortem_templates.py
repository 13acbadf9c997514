"""A team's post-mortem template."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from awrdiff.accounts.access import AccessContext
from awrdiff.postmortems import templates
from awrdiff.postmortems.errors import NotAsSeen, PostmortemRefused
from awrdiff.postmortems.models import Template
from awrdiff.postmortems.sections import LIVE, LONGEST_PROMPT, LONGEST_TITLE, OFFERED, stored
from awrdiff.postmortems.templates import TypedSection
from awrdiff.web.content_negotiation import wants_json
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.whole_number_input import small_number

_FIELDS = ("id", "title", "prompt", "place")
_OWN = TypedSection("", "", "", "")


@require_http_methods(["GET", "HEAD", "POST"])
def template(request: HttpRequest) -> HttpResponse:
    """A POST takes `id`, `title`, `prompt` and `place` of each section, all in the same order, and `seen`, the version
    that was changed.
    """
    access = member(request)
    templates.check_may_set(access)
    if request.method != "POST":
        return _answer(request, access)
    rows, version_read = _typed(request), small_number(request.POST.get("seen"))
    try:
        templates.set_sections(access, rows, seen_version=version_read)
    except (PostmortemRefused, NotAsSeen) as refused:
        if wants_json(request):
            raise
        status = 400 if isinstance(refused, PostmortemRefused) else 409
        return _page(request, access, templates.template_of(access.team), rows, refused=str(refused), status=status)
    return _answer(request, access) if wants_json(request) else redirect("team-postmortems")


def _typed(request: HttpRequest) -> list[TypedSection]:
    columns = [request.POST.getlist(name)[: 2 * templates.MOST_SECTIONS] for name in _FIELDS]
    return [TypedSection(*row) for row in zip_longest(*columns, fillvalue="")]


def _answer(request: HttpRequest, access: AccessContext) -> HttpResponse:
    current_template = templates.template_of(access.team)
    kinds = templates.kinds_in(current_template)
    if wants_json(request):
        return JsonResponse({"version": templates.version_of(current_template), "sections": stored(kinds)})
    rows = [TypedSection(kind.key, kind.title, kind.hint, str(at)) for at, kind in enumerate(kinds, 1)]
    kind_keys = {kind.key for kind in kinds}
    rows += [TypedSection(kind.key, kind.title, kind.hint, "") for kind in OFFERED if kind.key not in kind_keys]
    return _page(request, access, current_template, [*rows, _OWN])


def _page(
    request: HttpRequest,
    access: AccessContext,
    current_template: Template | None,
    rows: Sequence[TypedSection],
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "access": access,
        "rows": [(typed_section, typed_section.id in LIVE) for typed_section in rows],
        "seen": templates.version_of(current_template),
        "refused": refused,
        "longest_title": LONGEST_TITLE,
        "longest_prompt": LONGEST_PROMPT,
    }
    return render(request, "postmortems/template.html", context, status=status)
