"""Attached files' kinds by their bytes; pictures are re-encoded from pixels alone (animations: first frame)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from threading import Lock
from typing import Any

from PIL import Image, ImageOps

from awrdiff.processing.storable_values import one_line
from awrdiff.reports.errors import TookTooLong, TooLarge, UploadRefused, WrongKind
from awrdiff.threads.models import LONGEST_FILE_NAME, FileKind

MEBIBYTE = 1024 * 1024
LARGEST = 5 * MEBIBYTE
LARGEST_WRITTEN = 3 * LARGEST  # a picture written anew may need more
MOST_PIXELS = 25_000_000  # 100 MB in memory, twice while it is turned
MOST_SCANS = 100  # of a JPEG, each of which is a walk over all pixels; cameras and editors write about ten
Image.MAX_IMAGE_PIXELS = MOST_PIXELS

PATIENCE_S = 10  # a page that waits for longer keeps others from a thread of the server
_ONE_AT_A_TIME = Lock()  # of a process: so much memory is taken once
_READ = ("PNG", "JPEG", "WEBP", "GIF")
_SIGNS: tuple[tuple[Callable[[bytes], bool], FileKind], ...] = (
    (lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"), FileKind.PNG),
    (lambda data: data.startswith(b"\xff\xd8\xff"), FileKind.JPEG),
    (lambda data: data.startswith(b"RIFF") and data[8:12] == b"WEBP", FileKind.WEBP),
    (lambda data: data.startswith((b"GIF87a", b"GIF89a")), FileKind.PNG),  # what becomes of it
    (lambda data: data.startswith(b"%PDF-"), FileKind.PDF),
)
# By kind: the endings that say so, the first of which is given to a name that has none of them.
ENDINGS = {
    FileKind.PNG: ("png",),
    FileKind.JPEG: ("jpg", "jpeg"),
    FileKind.WEBP: ("webp",),
    FileKind.PDF: ("pdf",),
    FileKind.TEXT: ("txt", "log", "csv", "trc", "sql", "lst", "out"),
}
_PICTURES = (FileKind.PNG, FileKind.JPEG, FileKind.WEBP)
_PICTURE_ENDINGS = ("gif", *(ending for kind in _PICTURES for ending in ENDINGS[kind]))
_NOT_IN_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # before text in UTF-16, as PowerShell writes it
_MARKUP = re.compile(r"\ufeff?\s*<[!?a-z]", re.IGNORECASE)
ACCEPTED = ",".join(f".{ending}" for ending in (*_PICTURE_ENDINGS, "pdf", *ENDINGS[FileKind.TEXT]))
ACCEPTED = "PNG, JPEG, WebP and GIF pictures, PDF, and plain text such as logs and CSV"


@dataclass(frozen=True, slots=True)
class Contents:
    """`width` and `height` in pixels."""

    name: str
    kind: FileKind
    data: bytes
    width: int = 0
    height: int = 0


def examined(data: bytes, sent_name: str, most_of_picture: int = LARGEST) -> Contents:
    """Raises UploadRefused."""
    name = clean_name(sent_name)
    if not data:
        raise UploadRefused(f"“{name}” is empty.")
    kind = next((kind for is_one, kind in _SIGNS if is_one(data)), None)
    if len(data) > (most_of_picture if kind in _PICTURES else LARGEST):
        raise too_large(name)
    if kind in _PICTURES:
        return _picture(data, name, kind)
    if name.lower().endswith(tuple(f".{ending}" for ending in _PICTURE_ENDINGS)):
        raise WrongKind(f"“{name}” is no picture, whatever its name says. Attached are {ACCEPTED}.")
    if kind is None:
        _refuse_all_but_text(data, name)
        kind = FileKind.TEXT
    return Contents(_ending_as(name, kind), kind, data)


def too_large(name: str) -> TooLarge:
    return TooLarge(f"“{name}” is larger than {LARGEST // MEBIBYTE} MB, the most that is attached.")


def clean_name(sent_name: str) -> str:
    """Without folders or hidden characters."""
    line = one_line(sent_name).replace("\\", "/").rpartition("/")[2]
    name = "".join(c for c in line if c.isprintable()).strip(". ")
    stem, dot, ending = name.rpartition(".")
    if dot and len(name) > LONGEST_FILE_NAME:
        name = f"{stem[: LONGEST_FILE_NAME - 9]}.{ending[:8]}"
    return name[:LONGEST_FILE_NAME] or "file"


def _ending_as(name: str, kind: FileKind) -> str:
    endings = ENDINGS[kind]
    if name.lower().endswith(tuple(f".{ending}" for ending in endings)):
        return name
    stem, _, ending = name.rpartition(".")
    stem = stem if stem and ending.lower() in _PICTURE_ENDINGS else name
    return f"{stem[: LONGEST_FILE_NAME - 5]}.{endings[0]}"


def _refuse_all_but_text(data: bytes, name: str) -> None:
    if data.startswith(_MARKS):
        text = data.decode("utf-16", "replace")
        binary = "\x00" in text or "\ufffd" in text
    else:
        text = data[:4096].decode("utf-8", "replace")
        binary = _NOT_IN_TEXT.search(data) is not None
    if binary:
        raise WrongKind(f"“{name}” is none of what is attached: {ACCEPTED}.")
    if _MARKUP.match(text):
        raise WrongKind(
            f"“{name}” is HTML, SVG or XML, which is not attached: take a picture of it. Reports are uploaded on the "
            "first page."
        )


def _picture(data: bytes, name: str, kind: FileKind) -> Contents:
    if kind == FileKind.JPEG and data.count(b"\xff\xda") > MOST_SCANS:
        raise UploadRefused(f"“{name}” is a JPEG of more than {MOST_SCANS} scans: save it anew, and attach that.")
    if not _ONE_AT_A_TIME.acquire(timeout=PATIENCE_S):
        raise TookTooLong(f"The server is busy with other pictures, and “{name}” was not looked at: send it again.")
    try:
        picture = _upright(data)
        encoded = BytesIO()
        picture.save(encoded, **_how(kind))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        most = MOST_PIXELS // 1_000_000
        raise TooLarge(
            f"“{name}” has more than {most} million pixels, the most of a picture: make it smaller."
        ) from error
    except Exception as error:  # decoders raise whatever a broken file makes them
        raise UploadRefused(f"“{name}” is damaged: it cannot be read as a picture.") from error
    finally:
        _ONE_AT_A_TIME.release()
    if encoded.tell() > LARGEST_WRITTEN:
        raise TooLarge(f"“{name}” is too large once it is written anew: make it smaller, or save it as JPEG.")
    return Contents(_ending_as(name, kind), kind, encoded.getvalue(), picture.width, picture.height)


def _upright(data: bytes) -> Image.Image:
    """Pixels as seen, after EXIF rotation."""
    source = Image.open(BytesIO(data), formats=_READ)
    if source.width * source.height > MOST_PIXELS:  # before any is decoded
        raise Image.DecompressionBombError
    source.load()
    upright = ImageOps.exif_transpose(source)
    if upright.mode.startswith("I"):  # 16 bits of grey, all but black of which `convert` would make white
        upright = upright.point(lambda grey: grey / 256).convert("L")
        upright.info = {}
    if upright.mode not in ("1", "L", "LA", "P", "RGB", "RGBA"):
        upright = upright.convert("RGB")
    upright.info = {name: upright.info[name] for name in ("transparency",) if name in upright.info}
    return upright


def _how(kind: FileKind) -> dict[str, Any]:
    if kind == FileKind.PNG:
        return {"format": "PNG"}
    return {"format": str(kind.value), "quality": 88}
