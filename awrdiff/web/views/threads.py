"""Threads of a comparison: the list, one thread, writing in it, and what is new, for a page that is open."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import comparison_for, comparisons_for
from awrdiff.comparisons.seen import seen_in, seen_of
from awrdiff.threads import queries, services
from awrdiff.threads.errors import ThreadRefused
from awrdiff.threads.models import Comment, Thread
from awrdiff.web import links, options, posted
from awrdiff.web.negotiate import remembered, wants_json
from awrdiff.web.presenters.page import titles
from awrdiff.web.presenters.threads import lines
from awrdiff.web.presenters.threads import thread as shown
from awrdiff.web.sign_in.members import member

TURNS = 12  # on the first page


@require_http_methods(["GET", "HEAD", "POST"])
def threads(request: HttpRequest, pk: UUID) -> HttpResponse:
    """All threads, or with `anchor` those about one place and the form of a new one; a POST begins one."""
    access = member(request)
    found = _comparison(access, pk)
    if request.method == "POST":
        return _start(request, access, found)
    at = request.GET.get("anchor", "")[: anchors.LONGEST]
    threads = queries.threads_of(found)
    known = list(threads.filter(anchor=at) if at else threads)
    ids = [one.pk for one in known]
    made = lines.lines(access, found, known, queries.turns_of(ids), queries.latest(ids))
    if wants_json(request):
        return JsonResponse({"threads": [one.as_dict() for one in made]})
    return _render(request, access, found, "list", {"lines": made, **_about(request, access, found, at)})


def _about(request: HttpRequest, access: AccessContext, found: Comparison, anchor: str) -> dict[str, Any]:
    """What the form of a new thread needs."""
    standing = anchors.standing(found, anchor, options.pair(request)) if anchor and found.is_ready else None
    if anchor and standing is None:
        raise NotFound("There is nothing to write about here: it is not in this comparison.")
    if standing is None:
        return {"heading": "Threads"}
    people = list(queries.people_for(access, queries.original_of(found)).values_list("username", flat=True))
    return {
        "heading": standing.title,
        "beside": standing.place,
        "quote": shown.now_alone(standing),
        "anchor": anchor,
        "people": people,
        "key": uuid4(),
    }


def _start(request: HttpRequest, access: AccessContext, found: Comparison) -> HttpResponse:
    given = request.POST
    body, pair = given.get("body", ""), options.number(given.get("pair"))
    change = services.start(access, found, given.get("anchor", ""), body, _key(request), pair=pair)
    return _written(request, access, found, change, 201)


@require_safe
def live(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What an open page asks for every two seconds: 304 unless something was written, or somebody came or went."""
    access = member(request)
    original = queries.original_for(access, pk)
    version, there = queries.version_of(original), queries.looking(access, original)
    whom = (access.user.pk if access.user else None, access.role)
    waiting = queries.your_turn(access).count()

    def answer() -> HttpResponse:
        known = list(queries.threads_at(original))
        turns = queries.turns_of([one.pk for one in known])
        made = [lines.line(access, None, one, turns.get(one.pk, ()), None) for one in known]
        left_out = ("last", "last_by", "last_at", "url", "own_url", "resolved_by")
        threads = [{k: v for k, v in one.as_dict().items() if k not in left_out} for one in made]
        return JsonResponse({"version": version, "looking": there, "your_turn": waiting, "threads": threads})

    return remembered(request, (pk, original, version, there, waiting, whom), answer)


@require_http_methods(["GET", "HEAD", "POST"])
def thread(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """One thread; a POST answers in it."""
    access = member(request)
    found = _comparison(access, pk)
    one = queries.thread_for(access, found, thread_pk)
    if request.method == "POST":
        change = services.reply(access, one, request.POST.get("body", ""), _key(request))
        return _written(request, access, found, change, 201)
    view = _view(request, access, found, one)
    if wants_json(request):
        return JsonResponse(view.as_dict())
    people = list(queries.people_for(access, one.comparison_id).values_list("username", flat=True))
    heading = {"heading": one.title, "beside": one.place}
    return _render(request, access, found, "thread", {"v": view, "people": people, "key": uuid4(), **heading})


def _view(request: HttpRequest, access: AccessContext, found: Comparison, one: Thread) -> shown.ThreadView:
    turns = queries.turns_of([one.pk]).get(one.pk, [])
    line = lines.line(access, found, one, turns, None)
    pair = options.pair(request)
    quoted, comments = queries.quoted(one, found, pair), queries.comments_of(one)
    return shown.present(access, found, one, line, quoted=quoted, comments=comments, turns=turns, pair=pair)


@require_POST
def state(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """`state`: resolved or open."""
    access = member(request)
    found = _comparison(access, pk)
    one = queries.thread_for(access, found, thread_pk)
    wanted = request.POST.get("state")
    if wanted not in ("resolved", "open"):
        raise ThreadRefused("“state” must be resolved or open.")
    return _written(
        request, access, found, (services.resolve if wanted == "resolved" else services.reopen)(access, one)
    )


@require_POST
def turn(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """Make it the turn of the person of the name `person`."""
    access = member(request)
    found = _comparison(access, pk)
    one = queries.thread_for(access, found, thread_pk)
    return _written(request, access, found, services.assign(access, one, request.POST.get("person", "")))


@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def comment(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int) -> HttpResponse:
    """What it said before, and the form to change it; a POST changes it, a DELETE deletes what was written."""
    access = member(request)
    found = _comparison(access, pk)
    one = queries.comment_for(access, found, thread_pk, comment_pk)
    if request.method == "DELETE" or "remove" in request.POST:
        return _written(request, access, found, services.remove(access, one))
    if request.method == "POST":
        return _written(request, access, found, services.edit(access, one, request.POST.get("body", "")))
    said = shown.comment_line(access, found, one)
    earlier = [shown.earlier_line(text) for text in one.earlier.all()]
    if wants_json(request):
        texts = [{"body": text["body"], "until": text["until"]} for text in earlier]
        return JsonResponse({**said.as_dict(), "earlier": texts})
    context = {"c": said, "earlier": earlier, "heading": one.thread.title, "beside": one.thread.place}
    return _render(request, access, found, "comment", {**context, "thread": one.thread})


@require_http_methods(["POST", "DELETE"])
def agree(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int) -> HttpResponse:
    """DELETE, or a POST with `no`: not any more."""
    access = member(request)
    found = _comparison(access, pk)
    one: Comment = queries.comment_for(access, found, thread_pk, comment_pk)
    agrees = request.method == "POST" and "no" not in request.POST
    return _written(request, access, found, services.agree(access, one, agrees=agrees))


def _comparison(access: AccessContext, pk: UUID) -> Comparison:
    found = comparison_for(access, pk)
    if not access.can_comment:
        raise NotFound("There is no such comparison.")
    return found


def _key(request: HttpRequest) -> UUID:
    """Without one, posting twice makes two."""
    return posted.key(request) or uuid4()


def _written(
    request: HttpRequest, access: AccessContext, found: Comparison, change: services.Change, status: int = 200
) -> HttpResponse:
    """The thread as it is now, for a script; a form goes back to its page."""
    if not wants_json(request):
        return redirect("thread", found.pk, change.thread.pk)
    one = queries.thread_for(access, found, change.thread.pk)
    turns = queries.turns_of([one.pk]).get(one.pk, [])
    made = {**lines.line(access, found, one, turns, None).as_dict()}
    if change.comment:
        made["comment"] = change.comment.pk
    return JsonResponse(made, status=status if change.made else 200)


def _render(
    request: HttpRequest, access: AccessContext, found: Comparison, what: str, context: dict[str, Any]
) -> HttpResponse:
    """The panel's content, or a page of its own around it."""
    in_panel = bool(getattr(request, "htmx", False))
    page_url = links.comparison(access, found)
    context |= {
        "access": access,
        "in_panel": in_panel,
        "what": f"threads/_{what}.html",
        "page_url": page_url,
        "rows_at": "" if in_panel else page_url,
        "threads_url": reverse("threads", args=[found.pk]),
        "pair": options.pair(request),
        "longest": services.LONGEST_COMMENT,
    }
    if in_panel:
        return render(request, "threads/_panel.html", context)
    context["title"] = titles.comparison_title(found, split_traces(seen_of(found))[0])
    return render(request, "threads/page.html", context)


def your_turns(access: AccessContext) -> dict[str, Any] | None:
    """Threads in which the reader is expected to say something, for the first page."""
    mine = queries.your_turn(access)
    first = list(mine.select_related("thread")[:TURNS])
    if not first:
        return None
    ids = {turn.thread.comparison_id for turn in first}
    there = comparisons_for(access, mirrors=True).filter(Q(pk__in=ids) | Q(mirror_of__in=ids))
    comparisons = {c.pk: c for c in there}
    seen = seen_in(comparisons.values())
    # A guest may see it the other way round only.
    shown_as = {c.mirror_of_id: c for c in comparisons.values()} | comparisons
    made = []
    for one in first:
        comparison = shown_as.get(one.thread.comparison_id)
        if comparison and comparison.pk in seen:
            title = titles.comparison_title(comparison, split_traces(seen[comparison.pk])[0])
            made.append(lines.turn_line(one, comparison, title))
    total = mine.count() if len(first) == TURNS else len(first)
    return {"total": total, "lines": made, "more": total - len(first)}
