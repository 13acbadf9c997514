"""The team as a zip, for its owners."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from awrdiff.transfer.exporting import export, may_export, size_of
from awrdiff.web.sign_in.members import member
from awrdiff.web.views.errors import answer

ZIP = "application/zip"
TOO_LARGE = (
    "The files of this team are more than this server sends at once (AWRDIFF_SPOOL_MB): have whoever runs it use "
    "“manage.py export_team”."
)


@require_safe
def team(request: HttpRequest) -> HttpResponseBase:
    """The team as a zip for `manage.py import_team`, for owners."""
    access = member(request)
    may_export(access)
    if size_of(access.team) > settings.AWRDIFF_SPOOL_MB * 1024 * 1024 // 2:
        return answer(request, 409, TOO_LARGE)
    name = f"awrdiff-{slugify(access.team.name) or 'team'}.zip"
    headers = {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}
    if request.method == "HEAD":
        return HttpResponse(content_type=ZIP, headers=headers)
    return StreamingHttpResponse(filter(None, export(access)), content_type=ZIP, headers=headers)
