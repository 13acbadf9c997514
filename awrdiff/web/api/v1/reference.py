"""The table of addresses in docs/reference/http.md, which is this text (tests/unit/test_http_docs.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from awrdiff.web.api.v1.openapi import described


def reference() -> str:
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    document = described()
    yield "| address | scope | what | query or body |"
    yield "|---|---|---|---|"
    for path, by in document["paths"].items():
        for method, one in by.items():
            if method != "parameters":
                scope = one["description"].split("`")[1]
                yield f"| `{method.upper()} {path}` | {scope} | {one['summary']} | {'; '.join(_asked(document, one))} |"


def _asked(document: dict[str, Any], one: dict[str, Any]) -> Iterator[str]:
    for parameter in one.get("parameters", ()):
        yield _named(parameter["name"], parameter["schema"])
    for kind, content in one.get("requestBody", {}).get("content", {}).items():
        schema = content["schema"]
        found = document["components"]["schemas"][schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
        for name, field in found["properties"].items():
            yield _named(name, field) if kind == "application/json" else f"`{name}`: the file, as a form sends it"


def _named(name: str, schema: dict[str, Any]) -> str:
    choices = " or ".join(f"`{one}`" for one in schema.get("enum", ()) if one)
    said = schema.get("description") or choices
    return f"`{name}`: {said}" if said else f"`{name}`"
