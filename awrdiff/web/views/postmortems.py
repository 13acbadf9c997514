"""An incident's post-mortem: drafting, edits, versions, review, export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from msgspec import structs

from awrdiff.accounts.access import AccessContext, Can, NotFound
from awrdiff.accounts.members_and_invitations import writers_of
from awrdiff.accounts.models import Membership
from awrdiff.analysis.export.html import POLICY, STYLE
from awrdiff.audit import services as audit
from awrdiff.comparisons.anchors import PairOrView
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import events_of, incident_for
from awrdiff.postmortems import queries, services, suggested_changes
from awrdiff.postmortems.errors import Frozen, PostmortemRefused, SavedMeanwhile
from awrdiff.postmortems.incident_material import material_of
from awrdiff.postmortems.live_tables import Reading, reading_of
from awrdiff.postmortems.models import Postmortem, PostmortemSection
from awrdiff.postmortems.second_reviews import Stage
from awrdiff.sharing.models import Shows
from awrdiff.threads import services as talk
from awrdiff.threads.attachments import of_timeline
from awrdiff.threads.models import Comment
from awrdiff.threads.queries import comment_for
from awrdiff.threads.services import ThreadRefused, start_on_incident
from awrdiff.web import links, query_options
from awrdiff.web.content_negotiation import form_fields, json_response, wants_json
from awrdiff.web.presenters.page import share_links
from awrdiff.web.presenters.postmortem import page
from awrdiff.web.presenters.postmortem.page import Reviews, reviews_of
from awrdiff.web.presenters.threads.attachments import AttachmentLine, attachment_lines
from awrdiff.web.presenters.threads.list_lines_and_marks import on_page
from awrdiff.web.presenters.threads.subject_addresses import SECTION, AboutIncident, of_incident
from awrdiff.web.sign_in.permission_helpers import member, no_guest
from awrdiff.web.streamed_downloads import file_name
from awrdiff.web.views.threads import answer_written
from awrdiff.whole_number_input import small_number

EACH = 100  # versions on a page
DRAFT = "draft"  # what would be drafted now, where a version is named
ANSWERS = {"accept": "Accepted", "reject": "Not accepted"}  # of a suggested change
NOT_YET = {Stage.DRAFT: "A draft: not reviewed yet", Stage.IN_REVIEW: "In review: not published yet"}


@require_http_methods(["GET", "HEAD", "POST"])
def postmortem(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The page or document; a POST drafts it, or drafts unedited sections again."""
    access = member(request)
    incident = incident_for(access, pk)
    if request.method == "POST":
        services.draft(access, incident)
        return _answered(request, access, incident, status=201)
    return _answered(request, access, incident)


def _answered(request: HttpRequest, access: AccessContext, incident: Incident, status: int = 200) -> HttpResponse:
    if request.method == "POST" and not wants_json(request):
        return redirect("postmortem", incident.pk)
    drafted = queries.drafted_of(incident)
    if drafted is None:
        if wants_json(request):
            raise NotFound("The incident has no post-mortem yet: POST to this address drafts one.")
        return render(request, "postmortems/none.html", {"access": access, "incident": incident})
    read = reading_of(drafted)
    may_tick = access.can_write and not drafted.is_frozen and not wants_json(request)
    sections, reviewed = _sections(drafted, read, may_tick=may_tick), page.reviewed_line(drafted)
    reviews = reviews_of(drafted, read.digest, access)
    if wants_json(request):
        return json_response(page.document(incident, drafted, sections, reviewed, reviews), status)
    context = {
        "access": access,
        "incident": incident,
        "postmortem": drafted,
        "sections": sections,
        "reviewed": reviewed,
        "ticked": page.ticked_line(sections),
        "reviews": reviews,
        "reviewers": _may_be_asked(access, reviews) if not drafted.is_frozen else [],
        "behind": [section_view for section_view in sections if section_view.behind],
        "threads_url": links.incident_threads(access, incident),
        "share": share_links.dialog(request.get_host(), Shows.POSTMORTEM, incident.pk),
        "files": files_of(access, incident, read),
    }
    return render(request, "postmortems/page.html", context)


def _sections(
    postmortem_row: Postmortem, read: Reading, address: page.Address = str, *, may_tick: bool = False
) -> list[page.SectionView]:
    drafts = services.drafts(postmortem_row, read.material) if read.material else {}
    return page.section_views(postmortem_row, read.sections, read.tables, drafts, address, may_tick=may_tick)


def sections_for_outsiders(postmortem_row: Postmortem, read: Reading) -> list[page.SectionView]:
    """Without members' addresses."""
    return page.section_views(postmortem_row, read.sections, read.tables, {}, lambda _: "")


def files_of(access: AccessContext, incident: Incident, read: Reading) -> tuple[AttachmentLine, ...]:
    """Current files of the timeline."""
    return attachment_lines(access, of_timeline(read.material.events if read.material else events_of(incident)))


def _may_be_asked(access: AccessContext, reviews: Reviews) -> list[Membership]:
    waiting = {review_line.reviewer for review_line in reviews.lines if review_line.holds is None}
    return [
        writer
        for writer in writers_of(access)
        if writer.user != access.user and writer.user.get_username() not in waiting
    ]


@require_http_methods(["GET", "HEAD", "POST"])
def section(request: HttpRequest, pk: UUID, section_id: str) -> HttpResponse:
    """One section to edit. A POST takes the fields `text` and `seen`, the version that was edited; with `preview` it is
    shown and not saved, with `suggest` it begins a thread that suggests the change.
    """
    access = member(request)
    postmortem_row = queries.postmortem_of(incident_for(access, pk))
    kind = postmortem_row.kind_of(section_id)
    own = queries.section_for(postmortem_row, section_id)
    context = {**_head(access, postmortem_row), "kind": kind, "prompt": page.html(kind.hint)}
    if request.method != "POST":
        is_script = wants_json(request)
        return JsonResponse(_document(own)) if is_script else _editor(request, context, own.text, own.number)
    text, version_read = form_fields(request).get("text", ""), small_number(form_fields(request).get("seen"))
    try:
        if "preview" in form_fields(request):
            return _editor(request, context, text, version_read, preview=page.html(services.clean_text(text)))
        if "suggest" in form_fields(request):
            return _suggest(request, access, own, services.clean_text(text), version_read)
        saved = services.save(access, postmortem_row, section_id, text, base=version_read)
    except SavedMeanwhile as conflict:
        return _conflict(request, context, postmortem_row, conflict)
    except (Frozen, PostmortemRefused, ThreadRefused) as refused:
        if wants_json(request):
            raise
        status = 409 if isinstance(refused, Frozen) else 400
        return _editor(request, context, text, version_read, status=status, refused=str(refused))
    return _saved(request, saved)


def _suggest(
    request: HttpRequest, access: AccessContext, own: PostmortemSection, text: str, version_read: int
) -> HttpResponse:
    """Suggested twice over one version is one thread."""
    incident, anchor = own.postmortem.incident, f"{SECTION}{own.key}"
    if own.postmortem.is_frozen:
        raise Frozen
    body = suggested_changes.comment_text(
        queries.text_in_version(own.postmortem, own.key, version_read).get("text", own.text), text
    )
    if not body:
        raise PostmortemRefused("Nothing differs from what the section says.")
    about = of_incident(access, incident)
    deleted = Comment.objects.filter(thread__incident=incident, thread__anchor=anchor, deleted_at__isnull=False).count()
    key = uuid5(NAMESPACE_URL, f"{access.user} {own.pk} {version_read} {deleted} {body}")
    standing = about.standing(anchor, PairOrView())
    thread = start_on_incident(access, incident, standing, body, key, anchor=anchor).thread
    url = on_page(about.page_of(thread), anchor, thread.pk)
    return JsonResponse({"thread": thread.pk, "url": url}, status=201) if wants_json(request) else redirect(url)


@require_POST
def suggestion(request: HttpRequest, pk: UUID, thread_pk: int, comment_pk: int) -> HttpResponse:
    """Answers a change suggested in a section: `answer` accept or reject, `seen` the suggestion's digest."""
    access = no_guest(request)
    about = of_incident(access, incident_for(access, pk))
    access.check(Can.WRITE)
    with talk.writing(about.subject):
        comment = comment_for(access, about.record, thread_pk, comment_pk)
        change = _answer_suggestion(
            access, about, comment, form_fields(request).get("answer", ""), form_fields(request).get("seen")
        )
    if wants_json(request):
        return answer_written(request, access, about, change)
    return redirect(about.place_url(comment.thread.anchor, PairOrView()))


def _answer_suggestion(
    access: AccessContext, about: AboutIncident, comment: Comment, answer: str, digest_read: str | None
) -> talk.Change:
    """Caller holds the incident's lock: the first answer decides. Raises ThreadRefused for later ones."""
    thread, digest = comment.thread, suggested_changes.digest_of(comment.body)
    if answer not in ANSWERS or not thread.anchor.startswith(SECTION) or not digest:
        raise ThreadRefused("“answer” must be accept or reject, of a comment that suggests a change of a section.")
    if digest != digest_read or thread.is_resolved:
        raise ThreadRefused("This suggestion has been changed or answered since you opened it: read it again.")
    to = f", @{comment.author}" if comment.author and comment.author != access.user else ""
    if answer == "accept":
        services.accept(access, queries.postmortem_of(about.record), thread.anchor.removeprefix(SECTION), comment)
    talk.reply(access, thread, f"{ANSWERS[answer]}{to}.", uuid4())
    return talk.resolve(access, thread)


@require_POST
def tick(request: HttpRequest, pk: UUID, section_id: str) -> HttpResponse:
    """Field `tick`, or `untick`: text of a line in the section's checklist."""
    access = member(request)
    postmortem_row = queries.postmortem_of(incident_for(access, pk))
    name = "tick" if "tick" in form_fields(request) else "untick"
    line = form_fields(request).get(name, "")
    return _saved(request, services.tick(access, postmortem_row, section_id, line, ticked=name == "tick"))


def _head(access: AccessContext, postmortem_row: Postmortem) -> dict[str, Any]:
    return {"access": access, "incident": postmortem_row.incident, "postmortem": postmortem_row}


def _saved(request: HttpRequest, section_row: PostmortemSection) -> HttpResponse:
    if wants_json(request):
        return JsonResponse(_document(section_row))
    return redirect(f"{page.address(section_row.postmortem.incident)}#{section_row.key}")


def _document(section_row: PostmortemSection) -> dict[str, object]:
    return {"id": section_row.key, **{name: getattr(section_row, name) for name in ("text", "number", "by_hand")}}


def _editor(
    request: HttpRequest, context: dict[str, Any], text: str, version_read: int, *, status: int = 200, **more: object
) -> HttpResponse:
    access = context["access"]
    access.check(Can.WRITE)
    own = {"text": text, "seen": version_read, "longest": services.LONGEST_TEXT}
    own["threads_url"] = links.incident_threads(access, context["incident"])
    return render(request, "postmortems/edit.html", {**context, **own, **more}, status=status)


def _conflict(
    request: HttpRequest, context: dict[str, Any], postmortem_row: Postmortem, conflict: SavedMeanwhile
) -> HttpResponse:
    if wants_json(request):
        now = _document(conflict.section)
        return JsonResponse({"error": str(conflict), "now": now, "typed": conflict.typed}, status=409)
    section_row, typed = conflict.section, conflict.typed
    newest = queries.version_of(postmortem_row, section_row.number)
    more = {
        "conflict": str(conflict),
        "version": page.version_line(postmortem_row, newest, can_restore=False),
        "theirs": section_row.text,
        "diff": page.diff_of_texts(postmortem_row.kind_of(section_row.key), section_row.text, typed),
    }
    return _editor(request, context, typed, section_row.number, status=409, **more)


@require_safe
def versions(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The versions; `?from=3&to=5`: changes between two, `to=draft`: from the text to a new draft."""
    access = member(request)
    postmortem_row = queries.postmortem_of(incident_for(access, pk))
    versions_page = query_options.page_of(request, queries.versions_of(postmortem_row), EACH)
    can_restore = access.can_write and not postmortem_row.is_frozen
    lines = [page.version_line(postmortem_row, v, can_restore=can_restore) for v in versions_page.object_list]
    first, second = _compared_versions(request, postmortem_row)
    diffs = page.section_diffs(postmortem_row, first, second)
    if wants_json(request):
        to = request.GET.get("to") if second.number is None else second.number
        return json_response({"versions": lines, "from": first.number, "to": to, "sections": diffs})
    context = {
        **_head(access, postmortem_row),
        "lines": lines,
        "diffs": diffs,
        "first": first.number,
        "second": second.number,
        "page": versions_page,
    }
    return render(request, "postmortems/versions.html", context)


def _compared_versions(request: HttpRequest, postmortem_row: Postmortem) -> tuple[queries.AsOf, queries.AsOf]:
    if request.GET.get("to") == DRAFT:
        now = queries.as_of(postmortem_row, postmortem_row.version)
        return now, queries.AsOf(None, services.drafts(postmortem_row, material_of(postmortem_row.incident)), {})
    second = small_number(request.GET.get("to", str(postmortem_row.version)))
    first = small_number(request.GET.get("from", str(max(0, second - 1))))
    return queries.as_of(postmortem_row, first), queries.as_of(postmortem_row, second)


@require_safe
def version(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """The whole document as it was after that version."""
    access = member(request)
    postmortem_row = queries.postmortem_of(incident_for(access, pk))
    was, own = queries.as_of(postmortem_row, number), queries.version_of(postmortem_row, number)
    line = page.version_line(postmortem_row, own, can_restore=access.can_write and not postmortem_row.is_frozen)
    section_rows = [PostmortemSection(key=key, text=text) for key, text in was.texts.items()]
    sections = page.section_views(postmortem_row, section_rows, was.live, {})
    if wants_json(request):
        return json_response({**structs.asdict(line), "sections": was.texts})
    context = {**_head(access, postmortem_row), "line": line, "sections": sections}
    return render(request, "postmortems/version.html", context)


@require_POST
def restore(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """Field `seen`: the version of the document that was read."""
    access = member(request)
    postmortem_row, version_read = queries.postmortem_of(incident_for(access, pk)), form_fields(request).get("seen")
    return _saved(request, services.restore(access, postmortem_row, number, seen_version=small_number(version_read)))


@require_POST
def review(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Marks it as reviewed, which locks it. Fields `seen`: the version that was read; `anyway=1`: despite a pending
    second review, which scripts need not send.
    """
    access = member(request)
    incident = incident_for(access, pk)
    version_read = small_number(form_fields(request).get("seen"))
    anyway = form_fields(request).get("anyway") == "1" or wants_json(request)
    services.review(access, queries.postmortem_of(incident), seen_version=version_read, anyway=anyway)
    return _answered(request, access, incident)


@require_POST
def reopen(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `reason`."""
    access = member(request)
    incident = incident_for(access, pk)
    services.reopen(access, queries.postmortem_of(incident), form_fields(request).get("reason", ""))
    return _answered(request, access, incident)


@require_safe
def export(request: HttpRequest, pk: UUID, ending: str) -> HttpResponse:
    """As Markdown, or as one self-contained HTML file."""
    access = member(request)
    incident = incident_for(access, pk)
    postmortem_row = queries.postmortem_of(incident)
    read, url = reading_of(postmortem_row), request.build_absolute_uri(page.address(incident))
    sections = _sections(postmortem_row, read, request.build_absolute_uri)
    return file_of(request, access, postmortem_row, read, ending=ending, sections=sections, url=url)


def file_of(
    request: HttpRequest,
    access: AccessContext,
    postmortem_row: Postmortem,
    read: Reading,
    *,
    ending: str,
    sections: list[page.SectionView],
    url: str = "",
) -> HttpResponse:
    """`url`: for readers with access; never below a share link."""
    incident, state_text = (
        postmortem_row.incident,
        sentence_of_state(postmortem_row, reviews_of(postmortem_row, read.digest, access)),
    )
    timeline_files = files_of(access, incident, read)
    files = [
        (timeline_file.name, "" if access.is_shared else request.build_absolute_uri(timeline_file.url))
        for timeline_file in timeline_files
    ]
    response = file_saying(
        request, ending=ending, title=incident.title, state_text=state_text, sections=sections, url=url, files=files
    )
    if request.method == "GET":
        audit.note(access, "exported", "incident", incident.pk)
    return response


def sentence_of_state(postmortem_row: Postmortem, reviews: Reviews) -> str:
    """`Reviewed on 11 Jan 2018 by olivia. Signed off by carl on 10 Jan 2018.`"""
    state = page.reviewed_line(postmortem_row) or NOT_YET[reviews.stage]
    return " ".join(f"{sentence}." for sentence in (state, *reviews.signed))


def file_saying(
    request: HttpRequest,
    *,
    ending: str,
    title: str,
    state_text: str,
    sections: list[page.SectionView],
    url: str = "",
    files: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    """`files`: names, and addresses if known."""
    if ticked := page.ticked_line(sections):
        state_text = f"{state_text} Checklists: {ticked}."
    if ending not in ("md", "html"):
        raise NotFound("There is no such file: a post-mortem comes as md or html.")
    if ending == "md":
        text = "".join(page.markdown(title, state_text, url, sections, files))
        response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    else:
        context = {"incident": {"title": title}, "state": state_text, "url": url, "sections": sections, "files": files}
        style = mark_safe(STYLE)  # noqa: S308 - no text of others is in it
        response = render(request, "postmortems/export.html", {**context, "style": style, "policy": POLICY})
    name = file_name(f"post-mortem {title}", ending)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
