"""Upload of files; the size limit applies while streaming."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpRequest

from awrdiff import disk_space
from awrdiff.comparisons.report_series import FROM as SERIES_FROM
from awrdiff.reports.errors import NoRoom, TooLarge, UploadRefused
from awrdiff.reports.received_files import AROUND_FILES_BYTES, ReceivedFile, body_limit_bytes, limit_bytes, too_large
from awrdiff.threads import attachment_types, attachments
from parsers.files.detect import ENDINGS, READ_IN_WORDS

DRAIN_TIMES = 8  # how much more than the cap is read and thrown away, so that the refusal reaches the client


def uploading() -> dict[str, Any]:
    accepts = ",".join(ENDINGS)
    return {"max_bytes": limit_bytes(), "reads": READ_IN_WORDS, "accepts": accepts, "series_from": SERIES_FROM}


class CappedUploadHandler(FileUploadHandler):
    """`refusal`: reason for storing none."""

    refusal: UploadRefused | None = None
    file: ReceivedFile

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],  # noqa: N803 - Django's signature
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        self.announced = content_length
        if content_length > self.most_bytes():
            self.refusal = self.too_large()

    def most_bytes(self) -> int:
        """Limit of the request's body."""
        return body_limit_bytes()

    def most_bytes_of_one(self) -> int:
        return limit_bytes()

    def too_large(self) -> UploadRefused:
        return too_large()

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self.announced > self.most_bytes() * DRAIN_TIMES:
            raise StopUpload(connection_reset=True)
        if self.refusal:
            raise SkipFile
        self.digest = hashlib.sha256()
        self.received_bytes = 0
        self.file = ReceivedFile(self.file_name or "")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received_bytes += len(raw_data)
        if self.received_bytes > self.most_bytes_of_one():
            self.refusal = self.too_large()
            self.file.close()
            raise SkipFile
        self.digest.update(raw_data)
        with self._room_needed():
            self.file.write(raw_data)

    @contextmanager
    def _room_needed(self) -> Iterator[None]:
        """A full disk ends this file with a refusal."""
        try:
            yield
        except OSError as error:
            if not disk_space.is_no_room(error):
                raise
            self.refusal = NoRoom(disk_space.SENTENCE)
            with suppress(OSError):  # closing writes what is left, once more in vain
                self.file.close()
            raise SkipFile from error

    def file_complete(self, file_size: int) -> ReceivedFile | None:
        try:
            with self._room_needed():
                self.file.seek(0)  # writes what is left
        except SkipFile:
            return None
        self.file.size = file_size
        self.file.sha256 = self.digest.hexdigest()
        return self.file

    def upload_interrupted(self) -> None:
        if hasattr(self, "file"):
            self.file.close()


class AttachmentsHandler(CappedUploadHandler):
    def most_bytes(self) -> int:
        return min(body_limit_bytes(), attachments.MOST * attachment_types.LARGEST + AROUND_FILES_BYTES)

    def most_bytes_of_one(self) -> int:
        return attachment_types.LARGEST

    def too_large(self) -> UploadRefused:
        if self.file_name is None:  # none has begun
            return TooLarge("All files together are larger than what is attached to one thing: send fewer at once.")
        return attachment_types.too_large(attachment_types.clean_name(self.file_name))


def attached_files(request: HttpRequest) -> list[attachments.ReceivedFile]:
    """Each with its `alt`. Raises UploadRefused."""
    if request.content_type != "multipart/form-data":
        return []  # asking for files would read the body again, over what a script's JSON was made of
    files, alts = request.FILES.getlist("files"), request.POST.getlist("alt")
    _raise_refusal(request)
    if len(files) > attachments.MOST:
        raise UploadRefused(attachments.TOO_MANY)
    texts = [*alts, *("" for _ in files)]
    return [
        attachments.ReceivedFile(upload.name or "", upload.read(), alt)
        for upload, alt in zip(files, texts, strict=False)
    ]


def _raise_refusal(request: HttpRequest) -> None:
    for handler in request.upload_handlers:
        if isinstance(handler, CappedUploadHandler) and handler.refusal:
            raise handler.refusal


def received_file(request: HttpRequest) -> ReceivedFile:
    """Raises UploadRefused unless exactly one."""
    files = request.FILES.getlist("file")
    _raise_refusal(request)
    if not files:
        raise UploadRefused("There is no file in the request: send one in the field “file”.")
    if len(files) > 1:
        raise UploadRefused("Send one file per request, so that each gets its own answer.")
    file = files[0]
    if not isinstance(file, ReceivedFile):
        raise UploadRefused("There is no file in the request: send one in the field “file”.")
    return file
