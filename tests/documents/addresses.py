"""The tables of docs/reference/http.md: /api/v1 as its description has it, the pages as urls.py and the views have them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.urls import URLPattern

from awrdiff.web import urls
from awrdiff.web.api.v1.openapi import described

PAGES = {
    "reports": urls.REPORTS,
    "comparisons": urls.COMPARISONS,
    "databases": urls.DATABASES,
    "links": urls.SHARING,
    "threads": [*urls.THREADS, *urls.ATTACHMENTS],
    "threads of an incident": urls.INCIDENT_THREADS,
    "threads below a link": urls.SHARED_THREADS,
    "incidents": urls.INCIDENTS,
    "post-mortems": urls.POSTMORTEMS,
    "people": urls.PEOPLE,
    "audit and notices": [*urls.AUDIT, *urls.NOTICES, *urls.HOOKS],
}
_PLACE = re.compile(r"<(?:\w+:)?(\w+?)(?:_pk|_id)?>")
_SHORT = {"pk": "id", "uid": "id"}


def api() -> str:
    return "\n".join(_operations())


def pages(room: str) -> str:
    patterns: Sequence[URLPattern] = PAGES[room]
    return "\n".join(["| address | methods | |", "|---|---|---|", *map(_page, patterns)])


def _page(pattern: URLPattern) -> str:
    address = "/" + _PLACE.sub(lambda found: f"<{_SHORT.get(found[1], found[1])}>", str(pattern.pattern))
    said = (inspect.getdoc(pattern.callback) or "").split("\n\n", maxsplit=1)[0]
    text = " ".join(said.split()).replace("|", r"\|")
    return f"| `{address}` | {', '.join(methods_of(pattern.callback))} | {text} |"


def methods_of(view: Callable[..., Any]) -> list[str]:
    """As its decorator takes them, HEAD aside."""
    for layer in _layers(view):
        if (methods := inspect.getclosurevars(layer).nonlocals.get("request_method_list")) is not None:
            return [method for method in methods if method != "HEAD"]
    raise LookupError(f"{view} says nowhere which methods it takes.")


def _layers(view: Callable[..., Any]) -> Iterator[Any]:
    layer: Any = view
    while layer is not None:
        yield layer
        layer = getattr(layer, "__wrapped__", None)


def _operations() -> Iterator[str]:
    document = described()
    yield "| address | scope | what | query or body | answers |"
    yield "|---|---|---|---|---|"
    for path, by in document["paths"].items():
        for method, one in by.items():
            if method != "parameters":
                scope = one["description"].split("`")[1]
                answers = ", ".join(status for status in one["responses"] if status != "default")
                asked = "; ".join(_asked(document, one))
                yield f"| `{method.upper()} {path}` | {scope} | {one['summary']} | {asked} | {answers} |"


def _asked(document: dict[str, Any], one: dict[str, Any]) -> Iterator[str]:
    for parameter in one.get("parameters", ()):
        if parameter["name"] != "Idempotency-Key":  # every POST takes it
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
