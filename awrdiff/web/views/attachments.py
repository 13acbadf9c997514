"""Attached files: pictures inline, others as downloads."""

from __future__ import annotations

from uuid import UUID

from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.sharing.access import SECTION, shared
from awrdiff.threads import attachments
from awrdiff.threads.models import Attachment, FileKind
from awrdiff.web.content_negotiation import done
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.sign_in.share_link_cookies import proof

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
    attached = attachments.attachment_for(access, pk)
    if request.method in ("POST", "DELETE"):
        back = _place_of(access, attached)
        attachments.remove(access, attached)
        return done(request, back)
    return _served(attached)


@require_safe
def shared_attachment(request: HttpRequest, token: str, pk: UUID) -> HttpResponse:
    """Below an unredacted link; a page may show many."""
    access = shared(token, SECTION, proof(request, token))
    return _served(attachments.attachment_for(access, pk))


def _served(attached: Attachment) -> HttpResponse:
    try:
        with default_storage.open(attached.file) as stored_file:
            data = stored_file.read()
    except FileNotFoundError as error:
        raise NotFound("The file has been taken away.") from error
    answer = HttpResponse(data, content_type=TYPES[FileKind(attached.kind)])
    disposition = content_disposition_header(as_attachment=not attached.is_picture, filename=attached.name)
    answer["Content-Disposition"] = disposition or "attachment"
    answer["Content-Security-Policy"] = POLICY
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cross-Origin-Resource-Policy"] = "same-origin"
    return answer


def _place_of(access: AccessContext, attached: Attachment) -> str:
    if attached.event is not None:
        return reverse("incident-event", args=[attached.event.incident_id, attached.event_id])
    thread = attached.comment.thread if attached.comment else None
    if thread is None:
        return reverse("home")
    if thread.incident_id is not None:
        return reverse("incident-thread", args=[thread.incident_id, thread.pk])
    return reverse("thread", args=[thread.comparison_id, thread.pk])
