"""Threads of comparisons and incidents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons.queries import comparison_for
from awrdiff.threads import queries, services
from awrdiff.web.api.v1 import incidents, paging
from awrdiff.web.api.v1.bodies import NewComment, NewThread, ThreadState
from awrdiff.web.api.v1.kinds import ThreadsQuery
from awrdiff.web.api.v1.operation import form_key
from awrdiff.web.presenters.threads import about as subjects
from awrdiff.web.views import threads as views
from awrdiff.web.views.threads import Subjects, answer_written

Answered = Callable[..., HttpResponse]


def of_comparison(answered: Answered) -> Answered:
    def does(request: HttpRequest, access: AccessContext, body: Any, pk: UUID, **ids: Any) -> HttpResponse:
        comparison = comparison_for(access, pk)
        if not access.sees_threads:
            raise NotFound("There is no such comparison.")
        return answered(request, access, body, subjects.of_comparison(access, comparison), **ids)

    return does


def of_incident(answered: Answered) -> Answered:
    return incidents.of_incident(
        lambda request, access, body, incident, **ids: answered(
            request, access, body, subjects.of_incident(access, incident), **ids
        )
    )


def listed(request: HttpRequest, access: AccessContext, query: ThreadsQuery | None, about: Subjects) -> HttpResponse:
    return paging.listed(request, views.listed(access, about, query.anchor if query else ""))


def begin(request: HttpRequest, access: AccessContext, body: NewThread, about: Subjects) -> HttpResponse:
    key, where = form_key(request, access) or uuid4(), views.looked_at(request, about, body.pair)
    change = views.start(access, about, body.anchor, body.body, key, where)
    return answer_written(request, access, about, change, 201)


def one(request: HttpRequest, access: AccessContext, _query: None, about: Subjects, thread_pk: int) -> HttpResponse:
    return views.thread_of(request, access, about, thread_pk)


def reply(
    request: HttpRequest, access: AccessContext, body: NewComment, about: Subjects, thread_pk: int
) -> HttpResponse:
    thread = queries.thread_for(access, about.found, thread_pk)
    views.tells_no_name(access, about, thread, body.body, keeps_names=body.names)
    change = services.reply(access, thread, body.body, form_key(request, access) or uuid4())
    return answer_written(request, access, about, change, 201)


def set_state(
    request: HttpRequest, access: AccessContext, body: ThreadState, about: Subjects, thread_pk: int
) -> HttpResponse:
    return views.state_of(request, access, about, thread_pk, body.state)


def change_comment(
    request: HttpRequest, access: AccessContext, body: NewComment, about: Subjects, *, thread_pk: int, comment_pk: int
) -> HttpResponse:
    comment = queries.comment_for(access, about.found, thread_pk, comment_pk)
    views.tells_no_name(access, about, comment.thread, body.body, keeps_names=body.names)
    return answer_written(request, access, about, services.edit(access, comment, body.body))


def remove_comment(
    request: HttpRequest, access: AccessContext, _body: None, about: Subjects, *, thread_pk: int, comment_pk: int
) -> HttpResponse:
    comment = queries.comment_for(access, about.found, thread_pk, comment_pk)
    return answer_written(request, access, about, services.remove(access, comment))
