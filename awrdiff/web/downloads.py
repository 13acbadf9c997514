"""Streamed downloads with descriptive file names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.http import HttpRequest, HttpResponseBase
from django.utils.http import content_disposition_header

from awrdiff.web.presenters.page import exports
from awrdiff.web.streams import stream


def download(request: HttpRequest, title: str, ending: str, pieces: Callable[[], Iterable[str]]) -> HttpResponseBase:
    disposition = content_disposition_header(as_attachment=True, filename=exports.file_name(title, ending))
    headers = {"Content-Disposition": disposition or ""}
    return stream(request, pieces, exports.EXPORTS[ending].content_type, headers)
