"""Team webhooks: payloads, signatures, connections."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import SplitResult

from awrdiff.notices import webhook_address_check
from awrdiff.notices.models import Delivery, Shape, TeamNotices
from awrdiff.notices.notice_sentences import address_of, path_of, text_to_all

SIGNATURE_HEADER = "X-Awrdiff-Signature"
WINDOW_S = 300  # that the sender's clock may differ, and that a message may be on its way
_SIGNATURE = re.compile(r"t=(0|[1-9]\d{0,11}),v1=([0-9a-f]{64})", re.ASCII)


class BadSignature(Exception):
    """Unsigned, wrong secret, or wrong time; the message is a sentence."""


def sign(secret: str, body: bytes, at_s: int) -> str:
    return f"t={at_s},v1={_digest(secret, body, at_s)}"


def check_signature(secret: str, body: bytes, header: str, now_s: float) -> str:
    """Message's digest. Raises BadSignature; secrets are checked first."""
    form = _SIGNATURE.fullmatch(header)
    at_s, signed = (int(form[1]), form[2]) if form else (0, "")
    if not hmac.compare_digest(_digest(secret, body, at_s), signed):
        raise BadSignature("This message is not signed by the secret of this address.")
    if abs(now_s - at_s) > WINDOW_S:
        raise BadSignature(f"This message was not signed within {WINDOW_S} seconds of this server's time.")
    return signed


def _digest(secret: str, body: bytes, at_s: int) -> str:
    return hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()


CONNECT_S, ALL_S = 5, 10
MOST_ADDRESSES = 3  # of a name that has many
MOST_READ = 16 * 1024  # of an answer: beside its status at most a ticket matters
GONE = 410


class NotTaken(Exception):
    """Rejected by the other side; `final`: for ever."""

    def __init__(self, sentence: str, *, final: bool = False) -> None:
        super().__init__(sentence)
        self.final = final


class Silent(OSError):
    """No HTTP there; the message is a sentence."""


def deliver(delivery: Delivery, to: TeamNotices) -> bytes:
    """Answer, of any content. Raises NotTaken, NoticeRefused."""
    body = json.dumps(message(delivery, to), ensure_ascii=False).encode()
    try:
        status, answer = post(to.url, body, headers_of(delivery, to, body))
    except OSError as error:
        raise NotTaken(_error_text(error)) from error
    if not 200 <= status < 300:
        raise NotTaken(f"The webhook answered {status}.", final=status == GONE)
    return answer


def _error_text(error: OSError) -> str:
    if isinstance(error, Silent):
        return str(error)
    if isinstance(error, socket.gaierror):
        return "Nobody knows the name in the webhook's address."
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The webhook's certificate is refused: {error.verify_message}."
    if isinstance(error, ssl.SSLError):
        return "The webhook's address speaks no TLS that this server takes."
    return "The webhook took the connection and gave no answer."


def headers_of(delivery: Delivery, to: TeamNotices, body: bytes) -> dict[str, str]:
    """Signature covers time and body; id is stable."""
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "awrdiff",
        "X-Awrdiff-Delivery": str(delivery.pk),
        SIGNATURE_HEADER: sign(to.secret, body, int(time.time())),
    }


def message(delivery: Delivery, to: TeamNotices) -> dict[str, Any]:
    """In the receiver's shape; names and texts are inert."""
    event = delivery.event
    sentence = text_to_all(event["what"], event.get("actor", ""), event.get("to", []), event.get("change", ""))
    about = event.get("about", "") if to.contents else ""
    url = address_of(path_of(event["kind"], event["thing"], event.get("place", "")))
    text = f"{sentence} {about}".strip()
    if to.shape == Shape.SLACK:
        return {
            "text": f"{text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}\n{url}",
            "unfurl_links": False,
        }
    if to.shape == Shape.MATTERMOST:
        return {"text": f"{_in_markdown(text)}\n{url}"}
    if to.shape == Shape.TEAMS:
        # Adaptive Card: plain text runs read no Markdown.
        run = {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text}]}
        card = {
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
            "type": "AdaptiveCard",
            "version": "1.4",
            "body": [run],
            "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": url}],
        }
        attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
        return {"type": "message", "attachments": [attachment]}
    return {
        "id": str(delivery.pk),
        "event": event["what"],
        "team": to.team.name,
        "said": sentence,
        "about": about or None,
        "url": url,
        "at": delivery.created_at.isoformat(),
        **({"wanted": event["wanted"]} if "wanted" in event else {}),
    }


def _in_markdown(text: str) -> str:
    """No link, picture, or channel mention."""
    marked = "".join(f"\\{c}" if c in "\\`*_{}[]()#+!|~<>" else c for c in text)
    return marked.replace("@", "@\u200b")


def post(url: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    """Status, start of answer. No redirects, no proxy, only checked IPs. Raises NoticeRefused, OSError."""
    parts = webhook_address_check.refuse_odd(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    with _connected(parts, port) as connection:
        try:
            path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
            connection.request("POST", path, body, {**headers, "Connection": "close"})
            answer = connection.getresponse()
            return answer.status, answer.read(MOST_READ)
        except http.client.HTTPException as error:
            raise Silent(f"The webhook's answer is none: {type(error).__name__}.") from error


@contextmanager
def _connected(parts: SplitResult, port: int) -> Iterator[http.client.HTTPConnection]:
    host = parts.hostname or ""
    addresses, until = webhook_address_check.resolve(host, port), time.monotonic() + ALL_S
    connection = http.client.HTTPConnection(host, port, timeout=CONNECT_S)
    connection.sock = _socket(addresses, port, until)
    if parts.scheme == "https":
        tls = ssl.create_default_context()
        connection.sock = tls.wrap_socket(connection.sock, server_hostname=host, do_handshake_on_connect=False)
    # A byte now and then is no reason to wait.
    ended = threading.Timer(until - time.monotonic(), _shut, [connection.sock])
    ended.daemon = True
    ended.start()
    try:
        if isinstance(connection.sock, ssl.SSLSocket):
            connection.sock.do_handshake()
        yield connection
    finally:
        ended.cancel()
        connection.close()


def _socket(addresses: list[str], port: int, until: float) -> socket.socket:
    for address in addresses[:MOST_ADDRESSES]:
        rest_s = until - time.monotonic()
        with suppress(OSError):
            if rest_s > 0:
                return socket.create_connection((address, port), timeout=min(CONNECT_S, rest_s))
    raise Silent("Nobody answers at the webhook's address.")


def _shut(connection: socket.socket) -> None:
    """Skips TLS's closing handshake."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
