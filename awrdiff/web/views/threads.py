"""Threads of a comparison or an incident."""

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

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.accounts.display_names import both_names
from awrdiff.accounts.models import User
from awrdiff.comparisons import anchors
from awrdiff.comparisons.anchors import PairOrView
from awrdiff.comparisons.queries import comparison_for
from awrdiff.incidents.queries import incident_for
from awrdiff.reports.errors import UploadRefused
from awrdiff.sharing.access import PAGE, ask, shared
from awrdiff.sharing.names_to_redact import names_hidden_in
from awrdiff.threads import attachments, queries, services
from awrdiff.threads.models import LONGEST_NAME, LONGEST_TYPING, Comment, Thread
from awrdiff.threads.services import ThreadRefused
from awrdiff.web import idempotency_keys, links, query_options
from awrdiff.web.content_negotiation import (
    cached_response,
    form_fields,
    json_list,
    json_response,
    wants_json,
)
from awrdiff.web.presenters.threads import author_names, list_lines_and_marks
from awrdiff.web.presenters.threads import quote_and_comments as shown
from awrdiff.web.presenters.threads.subject_addresses import AboutComparison, AboutIncident, of_comparison, of_incident
from awrdiff.web.sign_in import share_link_cookies
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.sign_in.share_link_cookies import proof
from awrdiff.web.uploads import attached_files
from awrdiff.web.value_formatting import moment
from awrdiff.web.views import baselines
from awrdiff.web.views.visit import NOTHING

TYPING = re.compile(rf"[a-z0-9-]{{1,{LONGEST_TYPING}}}")
SOME_NAMES = 5
ASK_AGAIN = "X-Ask-Again"  # in so many seconds; of a 304 too
Subjects = AboutComparison | AboutIncident
COMPARISON = "comparison"


@require_http_methods(["GET", "HEAD", "POST"])
def threads(request: HttpRequest, **place: Any) -> HttpResponse:
    """All threads, or with `anchor` those about one place (of an incident a timeline line's, or `summary`). A POST
    begins one: `anchor`, `body`, `pair`, `for_guests`, `key`, `files` with `alt`. Below a link those begun there, and
    `name`, the writer's.
    """
    access, about = reader_and_subject(request, **place)
    return _answered(request, access, _threads(request, access, about))


def _threads(request: HttpRequest, access: AccessContext, about: Subjects) -> HttpResponse:
    refused: dict[str, Any] = {}
    if request.method == "POST":
        answered, refused = _saved(request, access, about, lambda: _start(request, access, about), 201)
        if answered:
            return answered
    at = (form_fields(request) if refused else request.GET).get("anchor", "")[: anchors.LONGEST]
    wanted = _wanted(request)
    threads_listed = _listed(access, about, at, wanted)
    if wants_json(request):
        return json_list(request, "threads", threads_listed)
    return _render(
        request,
        access,
        about,
        "list",
        {"lines": threads_listed, **_form(request, access, about, at), **_filters(access, about, wanted), **refused},
    )


def _listed(
    access: AccessContext, about: Subjects, anchor: str, wanted: dict[str, Any]
) -> list[list_lines_and_marks.ThreadLine]:
    """`anchor`: "" for all."""
    threads = queries.narrowed(access, queries.threads_for(access, about.record), **wanted)
    matching = [thread for thread in threads if not anchor or queries.anchor_for(access, thread) == anchor]
    ids = [thread.pk for thread in matching]
    return list_lines_and_marks.lines(access, about, matching, queries.turns_of(ids), queries.latest(ids))


def _sent_back(request: HttpRequest, refusal: UploadRefused) -> dict[str, Any]:
    if wants_json(request):
        raise refusal
    fields = form_fields(request)
    sentence = f"{refusal.sentence} Nothing was sent."
    return {"refused": sentence, "typed": fields.get("body", ""), "keeps_names": "names" in fields}


def _wanted(request: HttpRequest) -> dict[str, Any]:
    by = request.GET.get("by", "")[:LONGEST_NAME].replace("\x00", "")
    return {"mine": request.GET.get("mine") == "1", "by": by, "newest": request.GET.get("newest") == "1"}


def _filters(access: AccessContext, about: Subjects, wanted: dict[str, Any]) -> dict[str, Any]:
    """For the team only: others see no names."""
    if not access.can_read:
        return {}

    def link(**change: Any) -> str:
        parameters = {name: "1" if value is True else value for name, value in {**wanted, **change}.items() if value}
        return f"{about.threads_url}?{urlencode(parameters)}" if parameters else about.threads_url

    flags = [("Mine", "mine"), ("Newest first", "newest")]
    people = queries.people_for(access, about.subject)
    return {
        "filters": [(label, link(**{name: not wanted[name]}), wanted[name]) for label, name in flags],
        "writers": [
            (
                both_names(person),
                link(by="" if (name := person.get_username()) == wanted["by"] else name),
                name == wanted["by"],
            )
            for person in people
        ],
        "by": wanted["by"],
        "is_narrowed": wanted["mine"] or wanted["by"],
    }


def _form(request: HttpRequest, access: AccessContext, about: Subjects, anchor: str) -> dict[str, Any]:
    if not anchor:
        return {"heading": "Threads"}
    standing = about.standing(anchor, _looked_at(request, about))
    if standing is None:
        raise NotFound(f"There is nothing to write about here: it is not in this {about.subject.kind}.")
    guests_choice = shown.chosen_audience(form_fields(request))  # in a form that is shown again
    for_guests = access.team.threads_for_guests if guests_choice is None else guests_choice
    return {
        "heading": standing.title,
        "beside": standing.place,
        "quote": shown.now_alone(standing),
        "anchor": anchor,
        **_people(queries.people_for(access, about.subject)),
        "key": uuid4(),
        "guests": {"checked": for_guests} if shown.audience_is_asked(access, about) else None,
    }


def _start(request: HttpRequest, access: AccessContext, about: Subjects) -> services.Change:
    anchor, body, key = form_fields(request).get("anchor", ""), form_fields(request).get("body", ""), _key_of(request)
    where = _looked_at(request, about)
    if isinstance(about, AboutIncident):
        standing = about.standing(anchor, where)
        return services.start_on_incident(access, about.record, standing, body, key, anchor=anchor)
    pair, baseline = where
    for_guests = shown.chosen_audience(form_fields(request))
    return services.start(access, about.record, anchor, body, key, pair=pair, baseline=baseline, for_guests=for_guests)


def _saved(
    request: HttpRequest, access: AccessContext, about: Subjects, save: Callable[[], services.Change], status: int = 200
) -> tuple[HttpResponse | None, dict[str, Any]]:
    try:
        if files := attached_files(request):
            services.text_of(form_fields(request).get("body", ""))  # beside no text none is looked at: that is work
        change = attachments.saved_with(access, files, save)
    except UploadRefused as refusal:
        return None, _sent_back(request, refusal)
    return answer_written(request, access, about, change, status), {}


def _looked_at(request: HttpRequest, about: Subjects) -> PairOrView:
    if isinstance(about, AboutIncident):
        return PairOrView()
    if (where := baselines.pair_or_view(request, about.record)) is None:
        raise ThreadRefused("There is nothing to write about here: the address chooses no reports.")
    return PairOrView(*where)


@require_safe
def live(request: HttpRequest, pk: UUID, kind: str = COMPARISON) -> HttpResponse:
    """Polled by open pages: 304 unless something was written, or somebody came or went. `typing`: the line being
    written in.
    """
    access = member(request)
    if kind != COMPARISON:
        _refuse_guests(access)
    subject = queries.comparison_by(access, pk) if kind == COMPARISON else queries.incident_by(access, pk)
    version, changes = queries.version_and_changes(access, subject)
    line_name = request.GET.get("typing", "")
    there = queries.looking(access, subject, line_name if TYPING.fullmatch(line_name) else "")
    whom = (access.user.pk if access.user else None, access.role)
    waiting = queries.your_turn(access).count()

    def answer() -> HttpResponse:
        live_state = {"version": version, "looking": [reader.name for reader in there], "your_turn": waiting}
        live_state["looking_shown"] = [reader.shown_name for reader in there]
        if changes is not None:
            live_state["changes"] = changes
            typing = [reader for reader in there if reader.typing]
            live_state["typing"] = [
                {"name": reader.name, "name_shown": reader.shown_name, "line": reader.typing} for reader in typing
            ]
        read = queries.threads_seen(access, subject)
        return json_response({**live_state, "threads": _news(access, read, author_names.known_names(access, subject))})

    answered = cached_response(request, (subject, version, changes, there, waiting, whom), answer)
    answered[ASK_AGAIN] = str(queries.ask_again_s(access, subject, there, changes))
    return answered


@require_safe
def live_below(request: HttpRequest, token: str) -> HttpResponse:
    """As for a member, with what is visible here; without other readers."""
    access = shared(token, 0, proof(request, token))
    link = _commenting(access)
    ask(link.pk)
    version = queries.version_below(link)

    def answer() -> HttpResponse:
        marks = _news(access, queries.threads_below(link), author_names.Names())
        live_state = {"version": version, "looking": [], "looking_shown": [], "your_turn": 0, "threads": marks}
        return links.outward(json_response(live_state))

    answered = cached_response(request, (link.pk, version), answer)
    answered[ASK_AGAIN] = str(queries.ask_again_below_s(version))
    return answered


def _news(
    access: AccessContext, threads: Iterable[Thread], known_names: author_names.Names
) -> list[list_lines_and_marks.ThreadMark]:
    thread_rows = list(threads)
    turns = {} if access.is_shared else queries.turns_of([thread.pk for thread in thread_rows])
    marks = [
        list_lines_and_marks.line(access, None, thread, turns.get(thread.pk, ()), None, known_names=known_names)
        for thread in thread_rows
    ]
    return convert(marks, list[list_lines_and_marks.ThreadMark], from_attributes=True)


@require_http_methods(["GET", "HEAD", "POST"])
def thread(request: HttpRequest, thread_pk: int, **place: Any) -> HttpResponse:
    """One thread; a POST answers in it: `body`, `key`, `names=1`, `files` with `alt`."""
    access, about = reader_and_subject(request, **place)
    return _answered(request, access, _thread(request, access, about, thread_pk))


def _thread(request: HttpRequest, access: AccessContext, about: Subjects, thread_pk: int) -> HttpResponse:
    thread_row = queries.thread_for(access, about.record, thread_pk)
    refused: dict[str, Any] = {}
    if request.method == "POST":
        body, key = form_fields(request).get("body", ""), _key_of(request)
        _tells_no_name(access, about, thread_row, body, keeps_names="names" in form_fields(request))
        answered, refused = _saved(request, access, about, lambda: services.reply(access, thread_row, body, key), 201)
        if answered:
            return answered
    view = _view(request, access, about, thread_row)
    if wants_json(request):
        return json_response(shown.thread_document(view))
    readers = queries.people_for(access, about.subject, guests=thread_row.for_guests)
    context = {"v": view, **_people(readers), "key": uuid4(), "heading": thread_row.title, "beside": thread_row.place}
    return _render(request, access, about, "thread", {**context, **refused})


def _people(users: Iterable[User]) -> dict[str, Any]:
    people = [(user.get_username(), user.shown_name) for user in users]
    return {
        "people": people,
        "to_mention": "\n".join(f"{name} {display_name}".strip() for name, display_name in people),
    }


def _tells_no_name(access: AccessContext, about: Subjects, thread_row: Thread, text: str, *, keeps_names: bool) -> None:
    """Link holders get no warning: it would reveal names. Raises ThreadRefused."""
    if access.is_shared or not shown.is_read_under_pseudonyms(thread_row) or keeps_names:
        return
    if not isinstance(about, AboutComparison):
        return
    if names := names_hidden_in(text, about.record, thread_row.team):
        more = f" and {len(names) - SOME_NAMES} more" if len(names) > SOME_NAMES else ""
        names_text = ", ".join(names[:SOME_NAMES]) + more
        remedy = "tick “Keep names that the link hides” (scripts: send `names`)"
        raise ThreadRefused(f"The link hides {names_text}: write it otherwise, or {remedy}.")


def _view(request: HttpRequest, access: AccessContext, about: Subjects, thread_row: Thread) -> dict[str, Any]:
    turns = queries.turns_of([thread_row.pk]).get(thread_row.pk, [])
    known_names = author_names.known_names(access, about.subject)
    line = list_lines_and_marks.line(access, about, thread_row, turns, None, known_names=known_names)
    here = _looked_at(request, about)
    foreign = thread_row.pseudonyms and not access.is_shared  # what stands in a link's copy is not here
    now = None if foreign else about.standing(thread_row.anchor, here)
    comments = queries.comments_of(thread_row)
    return shown.present(
        access,
        about,
        thread_row,
        line,
        now=now,
        comments=comments,
        turns=turns,
        view=here,
        known_names=known_names,
    )


@require_POST
def state(request: HttpRequest, pk: UUID, thread_pk: int, kind: str = COMPARISON) -> HttpResponse:
    """Field `state`: `resolved` or `open`; or its readers, `guests` (too) or `team` (only)."""
    access = member(request)
    about, wanted = _about(access, kind, pk), form_fields(request).get("state", "")
    thread_row = queries.thread_for(access, about.record, thread_pk)
    if wanted in ("guests", "team"):
        change = services.open_to_guests(access, thread_row, for_guests=wanted == "guests")
        return answer_written(request, access, about, change)
    if wanted not in ("resolved", "open"):
        raise ThreadRefused("“state” must be resolved or open, guests or team.")
    change = (services.resolve if wanted == "resolved" else services.reopen)(access, thread_row)
    return answer_written(request, access, about, change)


@require_POST
def turn(request: HttpRequest, pk: UUID, thread_pk: int, kind: str = COMPARISON) -> HttpResponse:
    """Field `person`: user name of the next to answer."""
    access = member(request)
    about = _about(access, kind, pk)
    thread_row = queries.thread_for(access, about.record, thread_pk)
    return answer_written(
        request, access, about, services.assign(access, thread_row, form_fields(request).get("person", ""))
    )


@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def comment(request: HttpRequest, thread_pk: int, comment_pk: int, **place: Any) -> HttpResponse:
    """Former texts, and the form to change it; a POST changes it, a DELETE deletes it."""
    access, about = reader_and_subject(request, **place)
    comment_row = queries.comment_for(access, about.record, thread_pk, comment_pk)
    return _answered(request, access, _comment(request, access, about, comment_row))


def _comment(request: HttpRequest, access: AccessContext, about: Subjects, comment_row: Comment) -> HttpResponse:
    if request.method == "DELETE" or "remove" in form_fields(request):
        return answer_written(request, access, about, services.remove(access, comment_row))
    refused: dict[str, Any] = {}
    if request.method == "POST":
        body = form_fields(request).get("body", "")
        _tells_no_name(access, about, comment_row.thread, body, keeps_names="names" in form_fields(request))
        answered, refused = _saved(request, access, about, lambda: services.edit(access, comment_row, body))
        if answered:
            return answered
    known_names = author_names.known_names(access, about.subject)
    comment_line = shown.comment_line(access, about, comment_row, known_names)
    # What the team has put otherwise is for nobody outside.
    earlier = [] if access.is_shared else list(comment_row.earlier.all())
    if wants_json(request):
        texts = [{"body": text.body, "until": moment(text.replaced_at)} for text in earlier]
        return json_response({**structs.asdict(shown.comment_document(comment_line)), "earlier": texts})
    context = {
        "c": comment_line,
        "earlier": [(moment(e.replaced_at), shown.body_html(e.body, e.mentions, known_names)) for e in earlier],
        "heading": comment_row.thread.title,
        "beside": comment_row.thread.place,
    }
    context["names_asked"] = not access.is_shared and shown.is_read_under_pseudonyms(comment_row.thread)
    return _render(request, access, about, "comment", {**context, "thread": comment_row.thread, **refused})


@require_http_methods(["POST", "DELETE"])
def agree(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int, kind: str = COMPARISON) -> HttpResponse:
    """Agrees; a DELETE, or a POST with `no`, withdraws it."""
    access = member(request)
    about = _about(access, kind, pk)
    comment_row: Comment = queries.comment_for(access, about.record, thread_pk, comment_pk)
    agrees = request.method == "POST" and "no" not in form_fields(request)
    return answer_written(request, access, about, services.agree(access, comment_row, agrees=agrees))


def reader_and_subject(
    request: HttpRequest, *, pk: UUID | None = None, kind: str = COMPARISON, token: str = ""
) -> tuple[AccessContext, Subjects]:
    """By the arguments of an address; below a link under its holder's chosen name."""
    if pk is not None:
        access = member(request)
        return access, _about(access, kind, pk)
    access = shared(token, PAGE, proof(request, token))
    link, access = _commenting(access), share_link_cookies.with_known_name(request, access)
    if link.comparison_id is not None:
        query_options.begin_with(request, link.pair)
        return access, of_comparison(access, comparison_for(access, link.comparison_id))
    if link.incident_id is not None:
        return access, of_incident(access, incident_for(access, link.incident_id))
    raise NotFound(NOTHING)


def _commenting(access: AccessContext) -> HeldLink:
    if access.link is None or not access.can_comment:
        raise NotFound(NOTHING)
    return access.link


def _answered(request: HttpRequest, access: AccessContext, response: HttpResponse) -> HttpResponse:
    return share_link_cookies.keep_name(request, access, links.outward(response)) if access.link else response


def _about(access: AccessContext, kind: str, pk: UUID) -> Subjects:
    if kind != COMPARISON:
        _refuse_guests(access)
        return of_incident(access, incident_for(access, pk))
    comparison_row = comparison_for(access, pk)
    if not access.sees_threads:
        raise NotFound("There is no such comparison.")
    return of_comparison(access, comparison_row)


def _refuse_guests(access: AccessContext) -> None:
    if not access.can_read:
        raise NotFound("There is nothing at this address.")


def _key_of(request: HttpRequest) -> UUID:
    """Without one, posting twice makes two."""
    return idempotency_keys.key(request) or uuid4()


def answer_written(
    request: HttpRequest, access: AccessContext, about: Subjects, change: services.Change, status: int = 200
) -> HttpResponse:
    if not wants_json(request):
        return redirect(about.thread_url(change.thread.pk))
    thread_row = queries.thread_for(access, about.record, change.thread.pk)
    turns = queries.turns_of([thread_row.pk]).get(thread_row.pk, [])
    known_names = author_names.known_names(access, about.subject)
    line = list_lines_and_marks.line(access, about, thread_row, turns, None, known_names=known_names)
    comment = change.comment.pk if change.comment else UNSET
    return json_response(shown.ChangedThread(**structs.asdict(line), comment=comment), status if change.is_new else 200)


def _render(
    request: HttpRequest, access: AccessContext, about: Subjects, what: str, context: dict[str, Any]
) -> HttpResponse:
    in_panel = bool(getattr(request, "htmx", False))
    context |= {
        "access": access,
        "in_panel": in_panel,
        "what": f"threads/_{what}.html",
        "page_url": about.page_url,
        "rows_at": "" if in_panel else about.page_url,
        "threads_url": about.threads_url,
        **_view_parameters(request),
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


def _view_parameters(request: HttpRequest) -> dict[str, Any]:
    view = {name: request.GET[name] for name in ("baseline", "second") if name in request.GET}
    return {"pair": query_options.pair(request), "view_query": f"?{urlencode(view)}" if view else ""}
