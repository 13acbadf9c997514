"""Sending files to a server: each once, tried again while it is away, and known where it was sent before."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from awrdiff.cli.refusal import Refused
from parsers import UnsupportedReport
from parsers.inputs import files_in

AT_ONCE = 4
PAUSES_S = (1, 2, 4, 8, 16, 30, 30)  # before the second try, the third …
LONGEST_PAUSE_S = 120  # whatever the server asks for
PATIENCE_S = 120
AWAY = (429, 502, 503, 504)  # not now: the same is tried again
PUSHED = "reports/"


class Unreachable(Exception):
    """The server was not to be had, however often it was tried."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a file: the documents of its reports and whether they were there before, or why there is none."""

    name: str
    reports: tuple[dict[str, Any], ...] = ()
    known: bool = False
    refusals: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        said = "known" if self.known else "new"
        for one in self.reports:
            yield f"{one['id']} {said} {one.get('name') or self.name}"


class _NoRedirects(HTTPRedirectHandler):
    """A token is sent to nobody but the server it is for."""

    def redirect_request(  # noqa: PLR0917 - as the base class has it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


_open = build_opener(_NoRedirects).open


def token_of(file: Path | None) -> str:
    """Of the file, or of AWRDIFF_TOKEN: it stands in no command line, which everybody on the machine reads."""
    try:
        text = file.read_text(encoding="utf-8") if file else os.environ.get("AWRDIFF_TOKEN", "")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{file}: the token cannot be read ({error}).") from None
    token = text.strip()
    if not token:
        raise Refused("There is no token: set AWRDIFF_TOKEN, or give a file with --token-file.")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise Refused("The token is none: it is one word.")
    return token


def files_of(paths: Sequence[str]) -> list[Path]:
    """Files as they are, of folders all that is below, by name; hidden ones are left out."""
    found: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise Refused(f"{path}: there is no such file or folder.")
        try:
            found += files_in(path) if path.is_dir() else [path]
        except UnsupportedReport as empty:
            raise Refused(f"{path}: {empty}") from empty
    return found


def push(files: Sequence[Path], server: str, token: str, tell: Callable[[Sent], object]) -> None:
    """Each is told of in its order. Raises Refused where the token is not taken, Unreachable."""
    address = f"{_server(server)}{PUSHED}"
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for sent in pool.map(lambda path: send(path, address, token), files):
                tell(sent)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _server(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise Refused("--server is the address of the first page, such as https://awr.example.com/.")
    return f"{text.rstrip('/')}/"


def send(path: Path, address: str, token: str) -> Sent:
    try:
        data = path.read_bytes()
    except OSError as error:
        return Sent(str(path), refusals=(f"{path}: {error.strerror or error}.",))
    body, kind = _form(path.name, data)
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json", "Content-Type": kind}
    status, said = _tried(Request(address, body, headers))  # noqa: S310 - http or https, see _server
    if status in (401, 403):
        raise Refused(f"The server does not take the token: {_reason(said)}")
    if status not in (200, 201):
        return Sent(str(path), refusals=(f"{path}: {_reason(said) or f'the server answered {status}'}",))
    several = said.get("reports")
    refusals = tuple(f"{path}: {one.get('name')}: {one.get('error')}" for one in said.get("refused", ()))
    return Sent(str(path), tuple(several if several is not None else (said,)), status == 200, refusals)


def _tried(request: Request) -> tuple[int, dict[str, Any]]:
    """The same request is safe to send again: what was kept of the last try is known by its bytes."""
    why = ""
    for pause_s in (*PAUSES_S, None):
        try:
            with _open(request, timeout=PATIENCE_S) as answer:
                return answer.status, _document(answer)
        except HTTPError as refusal:
            if refusal.code not in AWAY:
                return refusal.code, _document(refusal)
            why, asked_s = f"it answers {refusal.code}", refusal.headers.get("Retry-After", "")
        except (OSError, HTTPException) as error:
            why, asked_s = str(getattr(error, "reason", "")) or str(error) or type(error).__name__, ""
        if pause_s is not None:
            asked = int(asked_s) if asked_s.isascii() and asked_s.isdecimal() else 0
            time.sleep(min(max(pause_s, asked), LONGEST_PAUSE_S))
    host = urlsplit(request.full_url).netloc
    raise Unreachable(f"{host} could not be reached, {len(PAUSES_S) + 1} times: {why}.")


def _document(answer: Any) -> dict[str, Any]:
    try:
        found = json.loads(answer.read())
    except (ValueError, OSError, HTTPException):
        return {}
    return found if isinstance(found, dict) else {}


def _reason(said: dict[str, Any]) -> str:
    return " ".join(str(said.get("error") or said.get("detail") or "").split())


def _form(name: str, data: bytes) -> tuple[bytes, str]:
    """The file and `same=reuse` as a browser's form sends them."""
    boundary = uuid.uuid4().hex
    quoted = name.replace("\\", "\\\\").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="same"\r\n\r\nreuse\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    body = head.encode("utf-8", "replace") + data + f"\r\n--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"
