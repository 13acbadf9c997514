"""Share links that were not revoked. Their addresses are told when they are made, and never again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from awrdiff.accounts.access import AccessContext
from awrdiff.sharing.queries import links_for
from awrdiff.web.api.sharing import documents
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import ListQuery


def listed(request: HttpRequest, access: AccessContext, asked: ListQuery) -> HttpResponse:
    return paging.newest(request, links_for(access), asked.cursor, asked.limit, documents)
