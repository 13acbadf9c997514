"""A file that somebody attached: shown where it is a picture, taken away where it is anything else."""

from __future__ import annotations

from uuid import UUID

from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.sharing.access import shared
from awrdiff.sharing.rate import SECTION
from awrdiff.threads import attachments
from awrdiff.threads.models import Attachment, FileKind
from awrdiff.web.sign_in.link_passwords import proof
from awrdiff.web.sign_in.members import member
from awrdiff.web.views.incident_forms import go_back

TYPES = {
    FileKind.PNG: "image/png",
    FileKind.JPEG: "image/jpeg",
    FileKind.WEBP: "image/webp",
    FileKind.PDF: "application/pdf",
    FileKind.TEXT: "text/plain",  # without a character set: of many nobody says which
}
# Opened by itself it is a document of no site: it runs nothing, loads nothing and sends nothing.
POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"


@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def attachment(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The file; a POST or DELETE takes it away."""
    access = member(request)
    found = attachments.attachment_for(access, pk)
    if request.method in ("POST", "DELETE"):
        back = _place_of(access, found)
        attachments.remove(access, found)
        return go_back(request, back)
    return _served(found)


@require_safe
def shared_attachment(request: HttpRequest, token: str, pk: UUID) -> HttpResponse:
    """Below a link that is not redacted; a page may show many."""
    access = shared(token, SECTION, proof(request, token))
    return _served(attachments.attachment_for(access, pk))


def _served(found: Attachment) -> HttpResponse:
    try:
        with default_storage.open(found.file) as kept:
            data = kept.read()
    except FileNotFoundError as error:
        raise NotFound("The file has been taken away.") from error
    answer = HttpResponse(data, content_type=TYPES[FileKind(found.kind)])
    named = content_disposition_header(as_attachment=not found.is_picture, filename=found.name)
    answer["Content-Disposition"] = named or "attachment"
    answer["Content-Security-Policy"] = POLICY
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cross-Origin-Resource-Policy"] = "same-origin"
    return answer


def _place_of(access: AccessContext, found: Attachment) -> str:
    """The page of what it is attached to."""
    if found.event is not None:
        return reverse("incident-event", args=[found.event.incident_id, found.event_id])
    thread = found.comment.thread if found.comment else None
    if thread is None:
        return reverse("home")
    if thread.incident_id is not None:
        return reverse("incident-thread", args=[thread.incident_id, thread.pk])
    return reverse("thread", args=[thread.comparison_id, thread.pk])
