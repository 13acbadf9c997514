"""Signatures of webhooks, sent and received: `t=<seconds>,v1=<hex>`, the HMAC-SHA256 of `<seconds>.<body>`."""

from __future__ import annotations

import hashlib
import hmac
import re

HEADER = "X-Awrdiff-Signature"
WINDOW_S = 300  # that the sender's clock may differ, and that a message may be on its way
_FORM = re.compile(r"t=(0|[1-9]\d{0,11}),v1=([0-9a-f]{64})", re.ASCII)


class BadSignature(Exception):
    """A message that is not signed, or not by this secret, or not now; the message is a sentence."""


def sign(secret: str, body: bytes, at_s: int) -> str:
    return f"t={at_s},v1={_digest(secret, body, at_s)}"


def check(secret: str, body: bytes, header: str, now_s: float) -> str:
    """The digest, by which a message is known again. Raises BadSignature; only who knows the secret is told of a wrong
    time.
    """
    form = _FORM.fullmatch(header)
    at_s, signed = (int(form[1]), form[2]) if form else (0, "")
    if not hmac.compare_digest(_digest(secret, body, at_s), signed):
        raise BadSignature("This message is not signed by the secret of this address.")
    if abs(now_s - at_s) > WINDOW_S:
        raise BadSignature(f"This message was not signed within {WINDOW_S} seconds of this server's time.")
    return signed


def _digest(secret: str, body: bytes, at_s: int) -> str:
    return hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
