"""Pseudonyms such as `host-7f3ak2`: one for each name under one key.

User, schema and module of one name get one tail, an HMAC: without the key nobody can try names.
"""

from __future__ import annotations

import hmac
from base64 import b32encode
from hashlib import sha256

_SQL_ID = "0123456789abcdfghjkmnpqrstuvwxyz"  # the 32 characters that Oracle writes SQL ids in
_LENGTH, _SQL_ID_LENGTH = 6, 13  # 30 bits: of 10,000 names two share one in a link out of 20
_FEWEST_DIGITS = 8  # of a hundred containers two share a number in a link out of 20,000
_MOST_KEPT = 200_000


class Pseudonyms:
    def __init__(self, key: str) -> None:
        self._key = bytes.fromhex(key)
        self._tails: dict[str, str] = {}

    def tail(self, name: str) -> str:
        """Ignores case and surrounding blanks."""
        plain = " ".join(name.split()).casefold()
        tail = self._tails.get(plain)
        if tail is None:
            tail = b32encode(self._mac("name", plain)).decode("ascii")[:_LENGTH].lower()
            if len(self._tails) < _MOST_KEPT:
                self._tails[plain] = tail
        return tail

    def name(self, kind: str, name: str) -> str:
        return f"{kind}-{self.tail(name)}"

    def sql_id(self, sql_id: str) -> str:
        """Looks like a SQL id or hash value."""
        if sql_id.isascii() and sql_id.isdecimal():
            return self.digits(sql_id)
        mac = self._mac("sql_id", sql_id.strip().casefold())
        return "".join(_SQL_ID[byte & 31] for byte in mac[:_SQL_ID_LENGTH])

    def digits(self, number: str) -> str:
        """Keeps the length, at least eight: two containers stay apart."""
        random_digits = str(int.from_bytes(self._mac("digits", number), "big"))
        size = min(max(len(number), _FEWEST_DIGITS), 20)
        return str(1 + int(random_digits[-size]) % 9) + random_digits[len(random_digits) - size + 1 :]

    def _mac(self, use: str, text: str) -> bytes:
        return hmac.digest(self._key, f"{use}\x00{text}".encode("utf-8", "surrogatepass"), sha256)
