"""The post-mortem of an incident: read, drafted, edited by section, compared, restored, reviewed, taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import Membership
from awrdiff.accounts.people import writers_of
from awrdiff.analysis.export.html import POLICY, STYLE
from awrdiff.audit import services as audit
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import events_of, incident_for
from awrdiff.postmortems import queries, services
from awrdiff.postmortems.errors import Frozen, PostmortemRefused, SavedMeanwhile
from awrdiff.postmortems.material import material_of
from awrdiff.postmortems.models import Postmortem, PostmortemSection
from awrdiff.postmortems.reading import Reading, reading_of
from awrdiff.postmortems.second import Stage
from awrdiff.sharing.models import Shows
from awrdiff.threads.attachments import of_timeline
from awrdiff.web import links, options
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.incident import lines
from awrdiff.web.presenters.page import share_links
from awrdiff.web.presenters.page.exports import file_name
from awrdiff.web.presenters.postmortem import history, page, written
from awrdiff.web.presenters.postmortem.reviews import Reviews, reviews_of
from awrdiff.web.presenters.threads.attachments import AttachmentLine, attachment_lines
from awrdiff.web.sign_in.members import member

EACH = 100  # versions on a page
DRAFT = "draft"  # what would be drafted now, where a version is named
NOT_YET = {Stage.DRAFT: "A draft: not reviewed yet", Stage.IN_REVIEW: "In review: not published yet"}


@require_http_methods(["GET", "HEAD", "POST"])
def postmortem(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The page, or the document; a POST drafts it, or drafts again what nobody has edited."""
    access = member(request)
    incident = incident_for(access, pk)
    if request.method == "POST":
        services.draft(access, incident)
        return _render(request, access, incident, status=201)
    return _render(request, access, incident)


def _render(request: HttpRequest, access: AccessContext, incident: Incident, status: int = 200) -> HttpResponse:
    if request.method == "POST" and not wants_json(request):
        return redirect("postmortem", incident.pk)
    found = queries.drafted_of(incident)
    if found is None:
        if wants_json(request):
            raise NotFound("The incident has no post-mortem yet: POST to this address drafts one.")
        return render(request, "postmortems/none.html", {"access": access, "incident": incident})
    read = reading_of(found)
    may_tick = access.can_write and not found.is_frozen and not wants_json(request)
    sections, reviewed = _sections(found, read, may_tick=may_tick), page.reviewed_line(found)
    reviews = reviews_of(found, read.digest, access)
    if wants_json(request):
        return JsonResponse(page.document(incident, found, sections, reviewed, reviews.as_dict()), status=status)
    context = {
        "access": access,
        "incident": incident,
        "postmortem": found,
        "sections": sections,
        "reviewed": reviewed,
        "ticked": page.ticked_line(sections),
        "reviews": reviews,
        "reviewers": _may_be_asked(access, reviews) if not found.is_frozen else [],
        "behind": [one for one in sections if one.behind],
        "changes": lines.changes(incident),
        "threads_url": links.incident_threads(access, incident),
        "share": share_links.dialog(request.get_host(), Shows.POSTMORTEM, incident.pk),
        "files": files_of(access, incident, read),
    }
    return render(request, "postmortems/page.html", context)


def _sections(
    found: Postmortem, read: Reading, address: page.Address = str, *, may_tick: bool = False
) -> list[page.SectionView]:
    drafts = services.drafts(found, read.material) if read.material else {}
    return page.section_views(found, read.sections, read.tables, drafts, address, may_tick=may_tick)


def sections_for_outsiders(found: Postmortem, read: Reading) -> list[page.SectionView]:
    """The same without the addresses of members."""
    return page.section_views(found, read.sections, read.tables, {}, lambda _: "")


def files_of(access: AccessContext, incident: Incident, read: Reading) -> tuple[AttachmentLine, ...]:
    """Of the timeline, as it is now."""
    return attachment_lines(access, of_timeline(read.material.events if read.material else events_of(incident)))


def _may_be_asked(access: AccessContext, reviews: Reviews) -> list[Membership]:
    """To review it: whoever writes in the team, but for oneself and those who have yet to answer."""
    waiting = {one.reviewer for one in reviews.lines if one.holds is None}
    return [one for one in writers_of(access) if one.user != access.user and one.user.get_username() not in waiting]


@require_http_methods(["GET", "HEAD", "POST"])
def section(request: HttpRequest, pk: UUID, section_id: str) -> HttpResponse:
    """One section to be edited. A POST takes the fields `text` and `seen`, the number of the version that was edited;
    with `preview` it is shown and not saved."""
    access = member(request)
    incident = incident_for(access, pk)
    found = queries.postmortem_of(incident)
    kind = found.kind_of(section_id)
    own = queries.section_for(found, section_id)
    context = {
        "access": access,
        "incident": incident,
        "postmortem": found,
        "kind": kind,
        "prompt": page.html(kind.hint),
    }
    if request.method != "POST":
        if wants_json(request):
            return JsonResponse(_section_document(own))
        return _editor(request, access, context, own.text, own.number)
    text, seen = request.POST.get("text", ""), options.number(request.POST.get("seen"))
    try:
        if "preview" in request.POST:
            return _editor(request, access, {**context, "preview": page.html(services.clean_text(text))}, text, seen)
        saved = services.save(access, found, section_id, text, seen=seen)
    except SavedMeanwhile as conflict:
        return _conflict(request, access, context, found, conflict)
    except (Frozen, PostmortemRefused) as refused:
        if wants_json(request):
            raise
        status = 409 if isinstance(refused, Frozen) else 400
        return _editor(request, access, {**context, "refused": str(refused)}, text, seen, status=status)
    return JsonResponse(_section_document(saved)) if wants_json(request) else _back(incident, section_id)


@require_POST
def tick(request: HttpRequest, pk: UUID, section_id: str) -> HttpResponse:
    """Field `tick`, or `untick`: what a line of the section's checklist says."""
    access = member(request)
    incident = incident_for(access, pk)
    name = "tick" if "tick" in request.POST else "untick"
    found, line = queries.postmortem_of(incident), request.POST.get(name, "")
    saved = services.tick(access, found, section_id, line, ticked=name == "tick")
    return JsonResponse(_section_document(saved)) if wants_json(request) else _back(incident, section_id)


def _back(incident: Incident, key: str) -> HttpResponse:
    return redirect(f"{page.address(incident)}#{key}")


def _section_document(found: PostmortemSection) -> dict[str, object]:
    return {"id": found.key, "text": found.text, "number": found.number, "by_hand": found.by_hand}


def _editor(
    request: HttpRequest, access: AccessContext, context: dict[str, Any], text: str, seen: int, *, status: int = 200
) -> HttpResponse:
    """`seen` is the number of the version that the text is to be saved over."""
    if not access.can_write:
        raise PermissionDenied
    incident = context["incident"]
    context["threads_url"] = links.incident_threads(access, incident)
    shown = {**context, "text": text, "seen": seen, "longest": services.LONGEST_TEXT}
    return render(request, "postmortems/edit.html", shown, status=status)


def _conflict(
    request: HttpRequest, access: AccessContext, context: dict[str, object], found: Postmortem, conflict: SavedMeanwhile
) -> HttpResponse:
    """409 with both texts; what was typed can be saved over the other's once that has been seen."""
    now, typed = conflict.section, conflict.typed
    if wants_json(request):
        return JsonResponse({"error": str(conflict), "now": _section_document(now), "typed": typed}, status=409)
    both = {
        "said": str(conflict),
        "version": history.line(found, queries.version_of(found, now.number), can_restore=False),
        "theirs": now.text,
        "diff": history.of_texts(found.kind_of(now.key), now.text, typed),
    }
    return _editor(request, access, {**context, **both}, typed, now.number, status=409)


@require_safe
def versions(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The versions; `?from=3&to=5` what changed between two, `to=draft` from what it says to what would be drafted."""
    access = member(request)
    incident = incident_for(access, pk)
    found = queries.postmortem_of(incident)
    shown = Paginator(queries.versions_of(found), EACH).get_page(request.GET.get("page", "1")[:6])
    lines = [history.line(found, v, can_restore=access.can_write and not found.is_frozen) for v in shown.object_list]
    first, second = _chosen(request, found)
    diffs = history.section_diffs(found, first, second)
    if wants_json(request):
        chosen = {"from": first.number, "to": request.GET.get("to") if second.number is None else second.number}
        return JsonResponse(
            {"versions": [one.as_dict() for one in lines], **chosen, "sections": [one.as_dict() for one in diffs]}
        )
    context = {
        "access": access,
        "incident": incident,
        "postmortem": found,
        "lines": lines,
        "diffs": diffs,
        "first": first.number,
        "second": second.number,
        "newer": f"?page={shown.number - 1}" if shown.has_previous() else "",
        "older": f"?page={shown.number + 1}" if shown.has_next() else "",
    }
    return render(request, "postmortems/versions.html", context)


def _chosen(request: HttpRequest, found: Postmortem) -> tuple[queries.AsOf, queries.AsOf]:
    """Without a choice the last change."""
    if request.GET.get("to") == DRAFT:
        now = queries.as_of(found, found.version)
        return now, queries.AsOf(None, services.drafts(found, material_of(found.incident)), {})
    second = options.number(request.GET.get("to", str(found.version)))
    first = options.number(request.GET.get("from", str(max(0, second - 1))))
    return queries.as_of(found, first), queries.as_of(found, second)


@require_safe
def version(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """The whole document as it was after that version."""
    access = member(request)
    incident = incident_for(access, pk)
    found = queries.postmortem_of(incident)
    was = queries.as_of(found, number)
    line = history.line(found, queries.version_of(found, number), can_restore=access.can_write and not found.is_frozen)
    shown = [PostmortemSection(key=key, text=text) for key, text in was.texts.items()]
    sections = page.section_views(found, shown, was.live, {})
    if wants_json(request):
        return JsonResponse({**line.as_dict(), "sections": was.texts})
    context = {"access": access, "incident": incident, "postmortem": found, "line": line, "sections": sections}
    return render(request, "postmortems/version.html", context)


@require_POST
def restore(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """Field `seen`: the version of the document that was looked at."""
    access = member(request)
    incident = incident_for(access, pk)
    found = queries.postmortem_of(incident)
    restored = services.restore(access, found, number, seen=options.number(request.POST.get("seen")))
    if wants_json(request):
        return JsonResponse(_section_document(restored))
    return _back(incident, restored.key)


@require_POST
def review(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Freezes it. Fields `seen`: the version that was read; `anyway=1`: past a reviewer who has not answered,
    of which a page asks first; a script means it."""
    access = member(request)
    incident = incident_for(access, pk)
    seen = options.number(request.POST.get("seen"))
    anyway = request.POST.get("anyway") == "1" or wants_json(request)
    services.review(access, queries.postmortem_of(incident), seen=seen, anyway=anyway)
    return _render(request, access, incident)


@require_POST
def reopen(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `reason`."""
    access = member(request)
    incident = incident_for(access, pk)
    services.reopen(access, queries.postmortem_of(incident), request.POST.get("reason", ""))
    return _render(request, access, incident)


@require_safe
def export(request: HttpRequest, pk: UUID, ending: str) -> HttpResponse:
    """As Markdown, or as one HTML file that needs nothing else."""
    access = member(request)
    incident = incident_for(access, pk)
    found = queries.postmortem_of(incident)
    read, url = reading_of(found), request.build_absolute_uri(page.address(incident))
    sections = _sections(found, read, request.build_absolute_uri)
    return file_of(request, access, found, read, ending=ending, sections=sections, url=url)


def file_of(
    request: HttpRequest,
    access: AccessContext,
    found: Postmortem,
    read: Reading,
    *,
    ending: str,
    sections: list[page.SectionView],
    url: str = "",
) -> HttpResponse:
    """`url`: where the document itself is, for whoever may open it. Fetched by a share link it holds no address below
    that link: whoever has the file has not the link."""
    incident, said = found.incident, state_said(found, reviews_of(found, read.digest, access))
    told = files_of(access, incident, read)
    files = [(one.name, "" if access.is_shared else request.build_absolute_uri(one.url)) for one in told]
    made = file_saying(request, ending=ending, title=incident.title, said=said, sections=sections, url=url, files=files)
    if request.method == "GET":
        audit.note(access, "exported", "incident", incident.pk)
    return made


def state_said(found: Postmortem, reviews: Reviews) -> str:
    """`Reviewed on 11 Jan 2018 by olivia. Signed off by carl on 10 Jan 2018.`"""
    state = page.reviewed_line(found) or NOT_YET[reviews.stage]
    return " ".join(f"{one}." for one in (state, *reviews.signed))


def file_saying(
    request: HttpRequest,
    *,
    ending: str,
    title: str,
    said: str,
    sections: list[page.SectionView],
    url: str = "",
    files: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    """`files`: names, and addresses where they are told."""
    if ticked := page.ticked_line(sections):
        said = f"{said} Checklists: {ticked}."
    if ending not in ("md", "html"):
        raise NotFound("There is no such file: a post-mortem comes as md or html.")
    if ending == "md":
        text = "".join(written.markdown(title, said, url, sections, files))
        made = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    else:
        context = {"incident": {"title": title}, "said": said, "url": url, "sections": sections, "files": files}
        made = render(request, "postmortems/export.html", {**context, "style": page.style(STYLE), "policy": POLICY})
    name = file_name(f"post-mortem {title}", ending)
    made["Content-Disposition"] = f'attachment; filename="{name}"'
    return made
