"""A client in Python, generated from the description of /api/v1 alone: a class per schema, a function per operation."""

from __future__ import annotations

import keyword
import re
from typing import Any

_HEAD = '''"""Generated from openapi.json."""
from __future__ import annotations
import json
from collections.abc import Callable
from typing import Any, Literal, Union
from urllib.parse import quote, urlencode
import msgspec

Send = Callable[[str, str, "bytes | None"], bytes]  # method, path with query, JSON: the body of the answer

def _read(answer: bytes, *kinds: Any) -> Any:
    for kind in kinds[:-1]:
        try:
            return msgspec.json.decode(answer, type=kind)
        except msgspec.ValidationError:
            pass
    return msgspec.json.decode(answer, type=kinds[-1])
'''
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def client_of(description: dict[str, Any]) -> str:
    """Source of a module."""
    schemas = description["components"]["schemas"]
    parts = [_HEAD, *(_class(name, schema) for name, schema in schemas.items())]
    for path, operations in description["paths"].items():
        parts += [_function(path, method, one) for method, one in operations.items() if method != "parameters"]
    return "\n\n".join(parts)


def _name(text: str) -> str:
    return re.sub(r"\W", "_", text)


def _class(name: str, schema: dict[str, Any]) -> str:
    needed = schema.get("required", ())
    lines = [f"class {_name(name)}(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):"]
    for at, (field, kind) in enumerate(schema["properties"].items()):
        optional = "" if field in needed else " | msgspec.UnsetType"
        default = [] if field in needed else ["default=msgspec.UNSET"]
        own = f"f{at}" if keyword.iskeyword(field) else field
        said = ", ".join([*default, *([f"name={field!r}"] if own != field else [])])
        lines.append(f"    {own}: {_type(kind)}{optional}{f' = msgspec.field({said})' if said else ''}")
    return "\n".join(lines if len(lines) > 1 else [*lines, "    pass"])


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return _name(schema["$ref"].rsplit("/", 1)[1])
    if "enum" in schema or "const" in schema:
        return f"Literal[{', '.join(map(repr, schema.get('enum', [schema.get('const')])))}]"
    if "anyOf" in schema:
        return f"Union[{', '.join(map(_type, schema['anyOf']))}]"
    match schema["type"]:
        case "array" if "prefixItems" in schema:
            return f"tuple[{', '.join(map(_type, schema['prefixItems']))}]"
        case "array":
            return f"list[{_type(schema['items'])}]"
        case "object":
            return f"dict[str, {_type(schema['additionalProperties'])}]"
        case kind:
            return _PLAIN[kind]


def _function(path: str, method: str, operation: dict[str, Any]) -> str:
    """What it answers is of the type that the description gives for success."""
    places = re.findall(r"{(\w+)}", path)
    body = operation.get("requestBody", {}).get("content", {})
    takes = [f"body: {_type(body['application/json']['schema'])}"] if "application/json" in body else []
    takes += ["query: dict[str, Any] | None = None"]
    answers = [a for status, a in operation["responses"].items() if status.startswith("2")]
    told = answers[0].get("content", {}).get("application/json", {}).get("schema")
    kind = _type(told) if told else "None"
    address = re.sub(r"{(\w+)}", r"{quote(str(\1), safe='')}", path)
    sent = "msgspec.json.encode(body)" if len(takes) > 1 else "None"
    lines = [
        f"def {_name(operation['operationId'])}({', '.join(['send: Send', *places, *takes])}) -> {kind}:",
        f'    path = f"{address}" + (f"?{{urlencode(query)}}" if query else "")',
        f'    answer = send("{method.upper()}", path, {sent})',
        f"    return _read(answer, {', '.join(map(_type, told.get('anyOf', [told])))})" if told else "    return None",
    ]
    return "\n".join(lines)
