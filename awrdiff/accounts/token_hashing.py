"""Tokens of links and invitations: 256 random bits, stored hashed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from django.conf import settings


def new_token() -> str:
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def derived_token(purpose: str) -> str:
    """Derived from purpose and the server's key; never stored."""
    key = hmac.new(settings.SECRET_KEY.encode(), f"awrdiff {purpose}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(key).decode().rstrip("=")
