"""The first page: upload, demos, recent comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.comparisons.seen import seen_in
from awrdiff.reports.uploads import limit_bytes
from awrdiff.web import links
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.members import member
from parsers.files.detect import ENDINGS, READ_IN_WORDS

RECENT = 20


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    access = member(request)
    return page(request, access)


def page(
    request: HttpRequest, access: AccessContext, refusals: Sequence[dict[str, str]] = (), status: int = 200
) -> HttpResponse:
    """The first page; `refusals` are files a form without scripts sent in vain."""
    found = comparisons_for(access)
    demos = found.filter(is_demo=True).order_by("demo_slug")
    recent = found.filter(is_demo=False)[:RECENT]
    context = {
        "access": access,
        "max_bytes": limit_bytes(),
        "reads": READ_IN_WORDS,
        "accepts": ",".join(ENDINGS),
        "refusals": refusals,
        "demos": _lines(access, demos),
        "recent": _lines(access, recent),
    }
    return render(request, "web/home.html", context, status=status)


def _lines(access: AccessContext, found: Iterable[Comparison]) -> list[titles.ListLine]:
    comparisons = list(found)
    seen = seen_in(comparisons)
    return [titles.list_line(c, seen[c.pk], links.comparison(access, c)) for c in comparisons if c.pk in seen]
