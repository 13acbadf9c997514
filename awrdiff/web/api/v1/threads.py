"""Threads of comparisons and incidents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons.queries import comparison_for
from awrdiff.incidents.models import Incident
from awrdiff.threads import queries, services
from awrdiff.web.api.v1 import incidents, paging, request_and_response_types
from awrdiff.web.api.v1.bodies import NewComment, NewThread, ThreadState
from awrdiff.web.api.v1.operation import Operation, form_key, reads, writes
from awrdiff.web.presenters.threads import subject_addresses as subjects
from awrdiff.web.presenters.threads.quote_and_comments import ChangedThread, ThreadDocument
from awrdiff.web.views import threads as views
from awrdiff.web.views.threads import Subjects, answer_written

CHANGED, BEGUN = {200: ChangedThread}, {201: ChangedThread}


def of_comparison(operation: Operation) -> Operation:
    def does(request: HttpRequest, access: AccessContext, body: Any, pk: UUID, **ids: Any) -> HttpResponseBase:
        comparison = comparison_for(access, pk)
        if not access.sees_threads:
            raise NotFound("There is no such comparison.")
        return operation.does(request, access, body, subjects.of_comparison(access, comparison), **ids)

    return replace(operation, does=does)


def of_incident(operation: Operation, summary: str = "") -> Operation:
    @incidents.of_incident
    def does(
        request: HttpRequest, access: AccessContext, body: Any, incident: Incident, **ids: Any
    ) -> HttpResponseBase:
        return operation.does(request, access, body, subjects.of_incident(access, incident), **ids)

    return replace(operation, does=does, summary=summary or operation.summary)


@reads("What is talked about it", request_and_response_types.Threads, request_and_response_types.ThreadsQuery)
def narrowed(
    request: HttpRequest, access: AccessContext, query: request_and_response_types.ThreadsQuery, about: Subjects
) -> HttpResponse:
    return paging.listed(request, views.listed(access, about, query.anchor))


@reads("What is talked about it", request_and_response_types.Threads)
def listed(request: HttpRequest, access: AccessContext, _query: None, about: Subjects) -> HttpResponse:
    return paging.listed(request, views.listed(access, about))


@writes("Begins a thread about a row, section or finding", BEGUN, NewThread)
def begin(request: HttpRequest, access: AccessContext, body: NewThread, about: Subjects) -> HttpResponse:
    key, where = form_key(request, access) or uuid4(), views.looked_at(request, about, body.pair)
    change = views.start(access, about, body.anchor, body.body, key, where)
    return answer_written(request, access, about, change, 201)


@reads("What was said in a thread", ThreadDocument)
def one(request: HttpRequest, access: AccessContext, _query: None, about: Subjects, thread_pk: int) -> HttpResponse:
    return views.thread_of(request, access, about, thread_pk)


@writes("Answers in a thread", BEGUN, NewComment)
def reply(
    request: HttpRequest, access: AccessContext, body: NewComment, about: Subjects, thread_pk: int
) -> HttpResponse:
    thread = queries.thread_for(access, about.found, thread_pk)
    views.tells_no_name(access, about, thread, body.body, keeps_names=body.names)
    change = services.reply(access, thread, body.body, form_key(request, access) or uuid4())
    return answer_written(request, access, about, change, 201)


@writes("Resolves a thread, or opens it again", CHANGED, ThreadState)
def set_state(
    request: HttpRequest, access: AccessContext, body: ThreadState, about: Subjects, thread_pk: int
) -> HttpResponse:
    return views.state_of(request, access, about, thread_pk, body.state)


@writes("Changes what one wrote", CHANGED, NewComment)
def change_comment(
    request: HttpRequest, access: AccessContext, body: NewComment, about: Subjects, *, thread_pk: int, comment_pk: int
) -> HttpResponse:
    comment = queries.comment_for(access, about.found, thread_pk, comment_pk)
    views.tells_no_name(access, about, comment.thread, body.body, keeps_names=body.names)
    return answer_written(request, access, about, services.edit(access, comment, body.body))


@writes("Deletes what was written", CHANGED)
def remove_comment(
    request: HttpRequest, access: AccessContext, _body: None, about: Subjects, *, thread_pk: int, comment_pk: int
) -> HttpResponse:
    comment = queries.comment_for(access, about.found, thread_pk, comment_pk)
    return answer_written(request, access, about, services.remove(access, comment))
