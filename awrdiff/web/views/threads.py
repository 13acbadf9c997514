"""Threads of a comparison: the list, one thread, writing in it, and what is new, for a page that is open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from msgspec import UNSET, convert, structs

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import User
from awrdiff.accounts.names import both_names
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons import anchors
from awrdiff.comparisons.baseline_anchors import Shown, shown_of
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.placed_reports import placed_reports_in
from awrdiff.comparisons.queries import comparison_for, comparisons_for
from awrdiff.reports.errors import UploadRefused
from awrdiff.sharing.names import names_hidden_in
from awrdiff.threads import attachments, queries, services
from awrdiff.threads.errors import ThreadRefused
from awrdiff.threads.models import LONGEST_NAME, LONGEST_TYPING, Comment, Thread
from awrdiff.threads.subjects import Subject, of_thread
from awrdiff.web import links, options, posted
from awrdiff.web.negotiate import cached_response, json_response, wants_json
from awrdiff.web.presenters.page import titles
from awrdiff.web.presenters.threads import audience, lines, names
from awrdiff.web.presenters.threads import thread as shown
from awrdiff.web.presenters.threads.about import AboutComparison, AboutIncident, of_comparison, of_incident, query_of
from awrdiff.web.sign_in.members import member
from awrdiff.web.uploads import attached_files
from awrdiff.web.views import baselines

TYPING = re.compile(rf"[a-z0-9-]{{1,{LONGEST_TYPING}}}")
TURNS = 12  # on the first page
SOME_NAMES = 5
ASK_AGAIN = "X-Ask-Again"  # in so many seconds; of a 304 too
Subjects = AboutComparison | AboutIncident


@require_http_methods(["GET", "HEAD", "POST"])
def threads(request: HttpRequest, pk: UUID) -> HttpResponse:
    """All threads, or with `anchor` those about one place. A POST begins one: `anchor`, `body`, `pair`, `for_guests`,
    `key`, `files` with `alt`.
    """
    access = member(request)
    return threads_of(request, access, _comparison(access, pk))


def threads_of(request: HttpRequest, access: AccessContext, about: Subjects) -> HttpResponse:
    refused: dict[str, Any] = {}
    if request.method == "POST":
        answered, refused = _saved(request, access, about, lambda: _start(request, access, about), 201)
        if answered:
            return answered
    at = (request.POST if refused else request.GET).get("anchor", "")[: anchors.LONGEST]
    wanted = _wanted(request)
    made = listed(access, about, at, **wanted)
    if wants_json(request):
        return json_response({"threads": made})
    return _render(
        request,
        access,
        about,
        "list",
        {"lines": made, **_form(request, access, about, at), **_filters(access, about, wanted), **refused},
    )


def listed(
    access: AccessContext,
    about: Subjects,
    anchor: str = "",
    *,
    mine: bool = False,
    by: str = "",
    newest: bool = False,
) -> list[lines.ThreadLine]:
    """Those about one place, or with "" about all, narrowed as `queries.narrowed` does."""
    every = queries.threads_for(access, about.found)
    threads = queries.narrowed(access, every, mine=mine, by=by, newest=newest)
    known = [one for one in threads if not anchor or queries.anchor_for(access, one) == anchor]
    ids = [one.pk for one in known]
    return lines.lines(access, about, known, queries.turns_of(ids), queries.latest(ids))


def _sent_back(request: HttpRequest, refusal: UploadRefused) -> dict[str, Any]:
    """For a form that is shown again, with what was typed and ticked: the file of it is not kept."""
    if wants_json(request):
        raise refusal
    given = request.POST
    sentence = f"{refusal.sentence} Nothing was sent."
    return {"refused": sentence, "typed": given.get("body", ""), "keeps_names": "names" in given}


def _wanted(request: HttpRequest) -> dict[str, Any]:
    """`?mine=1`, `?by=carl`, `?newest=1`"""
    by = request.GET.get("by", "")[:LONGEST_NAME].replace("\x00", "")
    return {"mine": request.GET.get("mine") == "1", "by": by, "newest": request.GET.get("newest") == "1"}


def _filters(access: AccessContext, about: Subjects, wanted: dict[str, Any]) -> dict[str, Any]:
    """Each a link that sets it or takes it away; for the team alone: others are told no names."""
    if not access.can_read:
        return {}

    def link(**change: Any) -> str:
        chosen = {name: "1" if value is True else value for name, value in {**wanted, **change}.items() if value}
        return f"{about.threads_url}?{urlencode(chosen)}" if chosen else about.threads_url

    flags = [("Mine", "mine"), ("Newest first", "newest")]
    people = queries.people_for(access, about.subject)
    return {
        "filters": [(said, link(**{name: not wanted[name]}), wanted[name]) for said, name in flags],
        "writers": [
            (
                both_names(one),
                link(by="" if (name := one.get_username()) == wanted["by"] else name),
                name == wanted["by"],
            )
            for one in people
        ],
        "by": wanted["by"],
        "is_narrowed": wanted["mine"] or wanted["by"],
    }


def _form(request: HttpRequest, access: AccessContext, about: Subjects, anchor: str) -> dict[str, Any]:
    """What the form of a new thread needs."""
    if not anchor:
        return {"heading": "Threads"}
    standing = about.standing(anchor, _looked_at(request, about))
    if standing is None:
        raise NotFound(f"There is nothing to write about here: it is not in this {about.subject.kind}.")
    chosen = audience.chosen(request.POST)  # in a form that is shown again
    for_guests = access.team.threads_for_guests if chosen is None else chosen
    return {
        "heading": standing.title,
        "beside": standing.place,
        "quote": shown.now_alone(standing),
        "anchor": anchor,
        **_people(queries.people_for(access, about.subject)),
        "key": uuid4(),
        "guests": {"checked": for_guests} if audience.is_asked(access, about) else None,
    }


def _start(request: HttpRequest, access: AccessContext, about: Subjects) -> services.Change:
    given, key = request.POST, key_of(request)
    anchor, body = given.get("anchor", ""), given.get("body", "")
    if isinstance(about, AboutIncident):
        standing = about.standing(anchor, Shown())
        return services.start_on_incident(access, about.found, standing, body, key, anchor=anchor)
    pair, chosen = _looked_at(request, about)
    return services.start(
        access, about.found, anchor, body, key, pair=pair, baseline=chosen, for_guests=audience.chosen(given)
    )


def _saved(
    request: HttpRequest, access: AccessContext, about: Subjects, save: Callable[[], services.Change], status: int = 200
) -> tuple[HttpResponse | None, dict[str, Any]]:
    """The answer to what is saved with its files; or none, and what the form says that is shown again without them."""
    try:
        if given := attached_files(request):
            services.text_of(request.POST.get("body", ""))  # beside no text none is looked at: that is work
        change = attachments.saved_with(access, given, save)
    except UploadRefused as refusal:
        return None, _sent_back(request, refusal)
    return _written(request, access, about, change, status), {}


def _looked_at(request: HttpRequest, about: Subjects) -> Shown:
    """What the page shows from which it is asked: a pair, or a view against several reports."""
    if isinstance(about, AboutIncident):
        return Shown()
    if (where := baselines.pair_or_view(request, about.found)) is None:
        raise ThreadRefused("There is nothing to write about here: the address chooses no reports.")
    return Shown(*where)


@require_safe
def live(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What an open page asks for again and again: 304 unless something was written, or somebody came or went."""
    access = member(request)
    return live_of(request, access, queries.comparison_by(access, pk))


def live_of(request: HttpRequest, access: AccessContext, subject: Subject) -> HttpResponse:
    """`typing` in the query: the line in which the reader writes right now."""
    version, changes = queries.version_and_changes(access, subject)
    there = queries.looking(access, subject, _typing(request))
    whom = (access.user.pk if access.user else None, access.role)
    waiting = queries.your_turn(access).count()

    def answer() -> HttpResponse:
        seen = {"version": version, "looking": [one.name for one in there], "your_turn": waiting}
        seen["looking_shown"] = [one.shown_name for one in there]
        if changes is not None:
            seen["changes"] = changes
            typing = [one for one in there if one.typing]
            seen["typing"] = [{"name": one.name, "name_shown": one.shown_name, "line": one.typing} for one in typing]
        read = queries.threads_seen(access, subject)
        return json_response({**seen, "threads": news(access, read, names.known_names(access, subject))})

    answered = cached_response(request, (subject, version, changes, there, waiting, whom), answer)
    answered[ASK_AGAIN] = str(queries.ask_again_s(access, subject, there, changes))
    return answered


def _typing(request: HttpRequest) -> str:
    found = request.GET.get("typing", "")
    return found if TYPING.fullmatch(found) else ""


def news(access: AccessContext, threads: Iterable[Thread], told: names.Known) -> list[lines.ThreadMark]:
    """What the marks of an open page are made of."""
    known = list(threads)
    turns = {} if access.is_shared else queries.turns_of([one.pk for one in known])
    made = [lines.line(access, None, one, turns.get(one.pk, ()), None, known=told) for one in known]
    return convert(made, list[lines.ThreadMark], from_attributes=True)


@require_http_methods(["GET", "HEAD", "POST"])
def thread(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """One thread; a POST answers in it: `body`, `key`, `names=1`, `files` with `alt`."""
    access = member(request)
    return thread_of(request, access, _comparison(access, pk), thread_pk)


def thread_of(request: HttpRequest, access: AccessContext, about: Subjects, thread_pk: int) -> HttpResponse:
    one = queries.thread_for(access, about.found, thread_pk)
    refused: dict[str, Any] = {}
    if request.method == "POST":
        _tells_no_name(request, access, about, one)
        body, key = request.POST.get("body", ""), key_of(request)
        answered, refused = _saved(request, access, about, lambda: services.reply(access, one, body, key), 201)
        if answered:
            return answered
    view = _view(request, access, about, one)
    if wants_json(request):
        return json_response(shown.thread_document(view))
    readers = queries.people_for(access, about.subject, guests=one.for_guests)
    context = {"v": view, **_people(readers), "key": uuid4(), "heading": one.title, "beside": one.place}
    return _render(request, access, about, "thread", {**context, **refused})


def _people(found: Iterable[User]) -> dict[str, Any]:
    """Whom one may ask, and mention: as they sign in, and as they are called where that is another name."""
    people = [(one.get_username(), one.shown_name) for one in found]
    return {"people": people, "to_mention": "\n".join(f"{name} {shown}".strip() for name, shown in people)}


def _tells_no_name(request: HttpRequest, access: AccessContext, about: Subjects, one: Thread) -> None:
    """What the team writes where whoever holds a redacted link reads it: with a name only where `names` is ticked. They
    are not warned themselves: it would tell them which names there are."""
    if access.is_shared or not shown.is_read_under_pseudonyms(one) or "names" in request.POST:
        return
    if not isinstance(about, AboutComparison):
        return
    if names := names_hidden_in(request.POST.get("body", ""), about.found, one.team):
        more = f" and {len(names) - SOME_NAMES} more" if len(names) > SOME_NAMES else ""
        named = ", ".join(names[:SOME_NAMES]) + more
        meant = "tick “Keep names that the link hides” (scripts: send `names`)"
        raise ThreadRefused(f"The link hides {named}: write it otherwise, or {meant}.")


def _view(request: HttpRequest, access: AccessContext, about: Subjects, one: Thread) -> shown.ThreadView:
    turns = queries.turns_of([one.pk]).get(one.pk, [])
    known = names.known_names(access, about.subject)
    line = lines.line(access, about, one, turns, None, known=known)
    here = _looked_at(request, about)
    foreign = one.pseudonyms and not access.is_shared  # what stands in a link's copy is not here
    now = None if foreign else about.standing(one.anchor, here)
    quoted, comments = queries.quote(one, now), queries.comments_of(one)
    return shown.present(
        access, about, one, line, quoted=quoted, comments=comments, turns=turns, shown=here, known=known
    )


@require_POST
def state(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """Field `state`: `resolved` or `open`; or who reads it, `guests` (too) or `team` (only)."""
    access = member(request)
    return state_of(request, access, _comparison(access, pk), thread_pk)


def state_of(request: HttpRequest, access: AccessContext, about: Subjects, thread_pk: int) -> HttpResponse:
    one = queries.thread_for(access, about.found, thread_pk)
    wanted = request.POST.get("state")
    if wanted in ("guests", "team"):
        change = services.open_to_guests(access, one, for_guests=wanted == "guests")
        return _written(request, access, about, change)
    if wanted not in ("resolved", "open"):
        raise ThreadRefused("“state” must be resolved or open, guests or team.")
    change = (services.resolve if wanted == "resolved" else services.reopen)(access, one)
    return _written(request, access, about, change)


@require_POST
def turn(request: HttpRequest, pk: UUID, thread_pk: int) -> HttpResponse:
    """Field `person`: by name, whose turn it is to be."""
    access = member(request)
    return turn_of(request, access, _comparison(access, pk), thread_pk)


def turn_of(request: HttpRequest, access: AccessContext, about: Subjects, thread_pk: int) -> HttpResponse:
    one = queries.thread_for(access, about.found, thread_pk)
    return _written(request, access, about, services.assign(access, one, request.POST.get("person", "")))


@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def comment(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int) -> HttpResponse:
    """What it said before, and the form to change it; a POST changes it, a DELETE deletes what was written."""
    access = member(request)
    return comment_of(request, access, _comparison(access, pk), (thread_pk, comment_pk))


def comment_of(request: HttpRequest, access: AccessContext, about: Subjects, pks: tuple[int, int]) -> HttpResponse:
    one = queries.comment_for(access, about.found, *pks)
    if request.method == "DELETE" or "remove" in request.POST:
        return _written(request, access, about, services.remove(access, one))
    refused: dict[str, Any] = {}
    if request.method == "POST":
        _tells_no_name(request, access, about, one.thread)
        body = request.POST.get("body", "")
        answered, refused = _saved(request, access, about, lambda: services.edit(access, one, body))
        if answered:
            return answered
    known = names.known_names(access, about.subject)
    said = shown.comment_line(access, about, one, known)
    # What the team has put otherwise is for nobody outside.
    earlier = [] if access.is_shared else [shown.earlier_line(text, known) for text in one.earlier.all()]
    if wants_json(request):
        texts = [shown.EarlierBody(text["body"], text["until"]) for text in earlier]
        return json_response(shown.CommentHistory(**structs.asdict(shown.comment_document(said)), earlier=texts))
    context = {"c": said, "earlier": earlier, "heading": one.thread.title, "beside": one.thread.place}
    context["names_asked"] = not access.is_shared and shown.is_read_under_pseudonyms(one.thread)
    return _render(request, access, about, "comment", {**context, "thread": one.thread, **refused})


@require_http_methods(["POST", "DELETE"])
def agree(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int) -> HttpResponse:
    """Agrees; a DELETE, or a POST with `no`: not any more."""
    access = member(request)
    return agree_of(request, access, _comparison(access, pk), (thread_pk, comment_pk))


def agree_of(request: HttpRequest, access: AccessContext, about: Subjects, pks: tuple[int, int]) -> HttpResponse:
    one: Comment = queries.comment_for(access, about.found, *pks)
    agrees = request.method == "POST" and "no" not in request.POST
    return _written(request, access, about, services.agree(access, one, agrees=agrees))


def _comparison(access: AccessContext, pk: UUID) -> AboutComparison:
    found = comparison_for(access, pk)
    if not access.sees_threads:
        raise NotFound("There is no such comparison.")
    return of_comparison(access, found)


def key_of(request: HttpRequest) -> UUID:
    """Without one, posting twice makes two."""
    return posted.key(request) or uuid4()


def _written(
    request: HttpRequest, access: AccessContext, about: Subjects, change: services.Change, status: int = 200
) -> HttpResponse:
    """The thread as it is now, for a script; a form goes back to its page."""
    if not wants_json(request):
        return redirect(about.thread_url(change.thread.pk))
    one = queries.thread_for(access, about.found, change.thread.pk)
    turns = queries.turns_of([one.pk]).get(one.pk, [])
    known = names.known_names(access, about.subject)
    line = lines.line(access, about, one, turns, None, known=known)
    comment = change.comment.pk if change.comment else UNSET
    return json_response(shown.ChangedThread(**structs.asdict(line), comment=comment), status if change.made else 200)


def _render(
    request: HttpRequest, access: AccessContext, about: Subjects, what: str, context: dict[str, Any]
) -> HttpResponse:
    """The panel's content, or a page of its own around it."""
    in_panel = bool(getattr(request, "htmx", False))
    context |= {
        "access": access,
        "in_panel": in_panel,
        "what": f"threads/_{what}.html",
        "page_url": about.page_url,
        "rows_at": "" if in_panel else about.page_url,
        "threads_url": about.threads_url,
        **_chosen(request),
        "kind": about.subject.kind,
        "longest": services.LONGEST_COMMENT,
        "longest_name": services.LONGEST_GUEST_NAME,
    }
    if in_panel:
        return render(request, "threads/_panel.html", context)
    context["title"] = about.title
    page = render(request, "threads/page.html", context, status=400 if context.get("refused") else 200)
    if access.is_shared:
        page["Referrer-Policy"] = "same-origin"  # or its forms come without an origin, and Django refuses them
    return page


def _chosen(request: HttpRequest) -> dict[str, Any]:
    """What an address says of what the page shows, for the forms."""
    view = {name: request.GET[name] for name in ("baseline", "second") if name in request.GET}
    return {"pair": options.pair(request), "view_query": f"?{urlencode(view)}" if view else ""}


def your_turns(access: AccessContext) -> dict[str, Any] | None:
    """Threads in which the reader is expected to say something, for the first page."""
    mine = queries.your_turn(access)
    first = list(mine.select_related("thread__incident")[:TURNS])
    if not first:
        return None
    shown_as, called = _comparisons_of(access, {pk for turn in first if (pk := turn.thread.comparison_id)})
    told = names.names_in_turns(access, first, {of_thread(turn.thread) for turn in first})
    made = []
    for one in first:
        thread, known = one.thread, told[of_thread(one.thread)]
        if thread.incident is not None:
            about = of_incident(access, thread.incident)
            made.append(lines.turn_line(access, one, about.page_of(one.thread), about.title, known))
        elif (comparison := shown_as.get(thread.comparison_id)) and comparison.pk in called:
            here = query_of(shown_of(thread.pair, thread.baseline), 3)  # named in any case
            page_url = f"{links.comparison(access, comparison)}{here}"
            made.append(lines.turn_line(access, one, page_url, called[comparison.pk], known))
    total = mine.count() if len(first) == TURNS else len(first)
    return {"total": total, "lines": made, "more": total - len(first)}


def _comparisons_of(access: AccessContext, ids: set[UUID]) -> tuple[dict[UUID | None, Comparison], dict[UUID, str]]:
    """The comparisons as far as the reader sees them, and what they are called."""
    there = comparisons_for(access, views=True).filter(pk__in=ids)
    comparisons: dict[UUID | None, Comparison] = {c.pk: c for c in there}
    called = {
        pk: titles.comparison_title(comparisons[pk], split_traces(s)[0]) for pk, s in placed_reports_in(there).items()
    }
    return comparisons, called
