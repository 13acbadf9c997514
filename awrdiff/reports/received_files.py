"""Incoming files, hashed and capped while written, deleted unless a storage takes them."""

from __future__ import annotations

import fcntl
import hashlib
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile

from awrdiff.reports.errors import TooLarge

AROUND_FILES_BYTES = 1 << 16  # what multipart adds: boundaries, headers, the form's token
JUST_MADE_S = 1  # a new file's lock follows a moment later


class ReceivedFile(TemporaryUploadedFile):
    """Hashed while streaming; vanishes unless stored."""

    sha256: str = ""

    def __init__(self, name: str) -> None:
        settings.AWRDIFF_UPLOAD_DIR.mkdir(parents=True, exist_ok=True)
        file = tempfile.NamedTemporaryFile(dir=settings.AWRDIFF_UPLOAD_DIR, suffix=".upload")  # noqa: SIM115
        fcntl.flock(file, fcntl.LOCK_EX)  # until this process closes it or dies: see drop_unfinished
        UploadedFile.__init__(self, file, name, "application/octet-stream", 0)


def drop_unfinished() -> None:
    """Remove killed processes' files; live ones are locked."""
    for path in settings.AWRDIFF_UPLOAD_DIR.glob("*.upload"):
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() - path.stat().st_mtime > JUST_MADE_S:
                path.unlink()


def limit_bytes() -> int:
    return settings.AWRDIFF_MAX_UPLOAD_MB * 1024 * 1024


def body_limit_bytes() -> int:
    return limit_bytes() + AROUND_FILES_BYTES


def too_large() -> TooLarge:
    return TooLarge(
        f"The file is larger than {settings.AWRDIFF_MAX_UPLOAD_MB} MiB, the limit of this server "
        "(AWRDIFF_MAX_UPLOAD_MB)."
    )


def receive_chunks(chunks: Iterable[bytes], name: str) -> ReceivedFile:
    """Serves archives, workers and the demo."""
    file = ReceivedFile(name)
    digest = hashlib.sha256()
    try:
        for chunk in _cap(chunks):
            digest.update(chunk)
            file.write(chunk)
    except BaseException:
        file.close()
        raise
    file.size = file.tell()
    file.seek(0)
    file.sha256 = digest.hexdigest()
    return file


def _cap(chunks: Iterable[bytes]) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > limit_bytes():
            raise too_large()
        yield chunk
