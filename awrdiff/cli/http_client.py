"""Client of an awrdiff server with a token; retries while it is away."""

from __future__ import annotations

import gc
import json
import os
import signal
import ssl
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from threading import Event
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from awrdiff.cli.exit_statuses import Refused
from awrdiff.whole_number_input import whole_number

PAUSES_S = (1, 2, 4, 8, 16, 30, 30)  # before the second try, the third …
LONGEST_PAUSE_S = 120  # whatever the server asks for
PATIENCE_S = 120
TOO_MUCH = 429  # it is there, and says when: that is waited for
NOT_NOW = (502, 503, 504)  # the same is tried again
LOOK_AGAIN_S = (0.2, 0.5, 1, 2, 5)  # whether it is done, the last for good
FINAL_STATES = ("ready", "failed")


class Unreachable(Exception):
    """No answer, after all retries."""


class Stopped(Exception):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes
    location: str = ""

    @property
    def is_fine(self) -> bool:
        return self.status in (200, 201)

    @property
    def is_final(self) -> bool:
        """False from a proxy, another site, or a failing server."""
        return self.is_fine or (400 <= self.status < 500 and self.status != 404 and "error" in self.document)

    @property
    def document(self) -> dict[str, Any]:
        try:
            document = json.loads(self.body)
        except ValueError:
            return {}
        return document if isinstance(document, dict) else {}

    @property
    def reason(self) -> str:
        if 300 <= self.status < 400:
            return f"the server leads on to {self.location}: give the address that it is really at with --server"
        message = " ".join(str(self.document.get("error") or self.document.get("detail") or "").split())
        return message or f"the server answered {self.status}"


class _NoRedirects(HTTPRedirectHandler):
    """Sends the token to no other server."""

    def redirect_request(  # noqa: PLR0917 - as the base class has it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


_open = build_opener(_NoRedirects).open


def outlive_closed_connections() -> None:
    """Closed connections raise errors; cycles are collected, unlike in main.py."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    gc.enable()


def token_of(file: Path | None) -> str:
    """AWRDIFF_TOKEN without a file; everyone can read command lines."""
    try:
        text = file.read_text(encoding="utf-8") if file else os.environ.get("AWRDIFF_TOKEN", "")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{file}: the token cannot be read ({error}).") from None
    token = text.strip()
    if not token:
        raise Refused("There is no token: set AWRDIFF_TOKEN, or give a file with --token-file.")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise Refused("That is not a token: a token is one word of ASCII characters.")
    return token


class Server:
    """Requests are safe to repeat: files are known by their bytes.

    Raises Refused for a rejected token, Unreachable, Stopped.
    """

    def __init__(self, url: str, token: str, *, pauses_s: Sequence[float] = PAUSES_S) -> None:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and parts.hostname
        if not is_whole or parts.username or parts.query or parts.fragment:
            raise Refused("--server is the address of the first page, such as https://awr.example.com/.")
        self.url = f"{url.rstrip('/')}/"
        self.stopped = Event()
        self._pauses_s = pauses_s
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def get(self, path: str) -> Answer:
        return self._tried(Request(f"{self.url}{path}", None, self._headers))  # noqa: S310 - http or https, see above

    def post(self, path: str, fields: Sequence[tuple[str, str]]) -> Answer:
        return self._posted(path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def post_json(self, path: str, document: Any) -> Answer:
        return self._posted(path, json.dumps(document).encode(), "application/json")

    def send(self, path: str, name: str, data: bytes, *, in_bulk: bool = False) -> Answer:
        fields = {"same": "reuse", **({"bulk": "yes"} if in_bulk else {})}
        boundary = uuid.uuid4().hex
        quoted = name.replace("\\", "\\\\").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        plain = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
            for field, value in fields.items()
        )
        head = (
            f'{plain}--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = head.encode("utf-8", "replace") + data + f"\r\n--{boundary}--\r\n".encode()
        return self._posted(path, body, f"multipart/form-data; boundary={boundary}")

    def wait_until_settled(self, path: str) -> dict[str, Any]:
        """Has no time limit. Raises Refused."""
        pauses = iter(LOOK_AGAIN_S)
        while True:
            answer = self.get(path)
            if not answer.is_fine:
                raise Refused(f"{path}: {answer.reason}")
            if answer.document.get("state") in FINAL_STATES:
                return answer.document
            self._pause(next(pauses, LOOK_AGAIN_S[-1]))

    def _posted(self, path: str, body: bytes, kind: str) -> Answer:
        headers = {**self._headers, "Content-Type": kind}
        return self._tried(Request(f"{self.url}{path}", body, headers))  # noqa: S310

    def _tried(self, request: Request) -> Answer:
        pauses, why = iter((*self._pauses_s, None)), ""
        while True:
            if self.stopped.is_set():
                raise Stopped
            asked_s, is_there = 0, False
            try:
                with _open(request, timeout=PATIENCE_S) as answer:
                    return Answer(answer.status, answer.read())
            except HTTPError as refusal:
                with refusal:
                    if refusal.code not in (*NOT_NOW, TOO_MUCH):
                        return _refused(refusal)
                    why, is_there = f"it answers {refusal.code}", refusal.code == TOO_MUCH
                    asked_s = whole_number(refusal.headers.get("Retry-After", "")) or 0
            except (OSError, HTTPException) as error:
                why = str(getattr(error, "reason", "")) or str(error) or type(error).__name__
                if isinstance(error, URLError) and isinstance(error.reason, ssl.SSLCertVerificationError):
                    raise Unreachable(f"The certificate of {_host(request)} is not to be trusted: {why}.") from None
            pause_s = next(pauses) if not (is_there and asked_s) else 0
            if pause_s is None:
                raise Unreachable(f"{_host(request)} could not be reached, {len(self._pauses_s) + 1} times: {why}.")
            self._pause(min(max(pause_s, asked_s), LONGEST_PAUSE_S))

    def _pause(self, seconds: float) -> None:
        if self.stopped.wait(seconds):
            raise Stopped


def server_of(url: str, token_file: Path | None) -> Server:
    """Raises Refused."""
    outlive_closed_connections()
    return Server(url, token_of(token_file))


def _refused(refusal: HTTPError) -> Answer:
    try:
        body = refusal.read()
    except (OSError, HTTPException):
        body = b""
    answer = Answer(refusal.code, body, refusal.headers.get("Location", ""))
    if answer.status in (401, 403):
        raise Refused(f"The server does not take the token: {answer.reason}")
    return answer


def _host(request: Request) -> str:
    return urlsplit(request.full_url).netloc
