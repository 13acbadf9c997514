"""Share links that were not revoked; addresses are shown only at creation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from awrdiff.accounts.access import AccessContext
from awrdiff.sharing.queries import links_for
from awrdiff.web.api.sharing import documents
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import ListQuery


def listed(request: HttpRequest, access: AccessContext, query: ListQuery) -> HttpResponse:
    return paging.newest(request, links_for(access), query.cursor, query.limit, documents)
