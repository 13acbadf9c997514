"""Choices of a redacted link."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Sql = Literal["off", "shape"]


@dataclass(frozen=True, slots=True)
class Redaction:
    """`key`: 256 bits in hex, of this link alone.

    `sql`: no statement texts, or their shape (keywords, pseudonyms, `?` for literals). `undeclared`: show undeclared
    tables, all texts as pseudonyms.
    """

    key: str
    sql: Sql = "off"
    undeclared: bool = False

    @classmethod
    def new(cls, *, sql: Sql = "off", undeclared: bool = False) -> Redaction:
        return cls(secrets.token_hex(32), sql, undeclared)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Redaction:
        sql: Sql = "shape" if document.get("sql") == "shape" else "off"
        return cls(str(document["key"]), sql, document.get("undeclared") is True)

    def as_dict(self) -> dict[str, Any]:
        return {"key": self.key, "sql": self.sql, "undeclared": self.undeclared}
