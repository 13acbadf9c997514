"""What a link shows of the names in its reports."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Sql = Literal["off", "shape"]


@dataclass(frozen=True, slots=True)
class Redaction:
    """`key`: 256 bits in hex, of one link alone. `sql`: no text of statements, or its shape: keywords with pseudonyms
    for names and `?` for literals. `undeclared`: tables that nobody declared are shown, all their texts as
    pseudonyms."""

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
