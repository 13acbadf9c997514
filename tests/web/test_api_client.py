"""A client that is generated from the description of /api/v1 compiles, and reads all that the server answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import msgspec
import pytest

from awrdiff.accounts.access import SCOPES
from awrdiff.web.api.v1.endpoint_table import ADDRESSES
from awrdiff.web.api.v1.openapi import described
from awrdiff.web.api.v1.operation import PLACES
from tests.harness.client import client_of
from tests.web.addresses import ROWS
from tests.web.asking import body
from tests.web.cast import cast_of
from tests.web.conftest import context_of
from tests.web.test_api_tokens import machine, own

pytestmark = pytest.mark.django_db


def generated(monkeypatch: pytest.MonkeyPatch, description: dict[str, object]) -> ModuleType:
    module = ModuleType("generated_client")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(client_of(json.loads(json.dumps(description))), "generated_client.py", "exec"), module.__dict__)
    return module


def test_it_reads_every_address(accounts, settings, monkeypatch):
    settings.AWRDIFF_TOKEN_RATE = 100_000
    cast = cast_of(context_of("olivia", "Payments"))
    module, client = generated(monkeypatch, described()), machine(own(cast.access, *SCOPES))

    def send(method: str, path: str, _: bytes | None) -> bytes:
        answer = client.generic(method, path)
        assert answer.status_code == 200, (path, answer.content)
        return body(answer)

    cast = replace(cast, report=cast.comparison.places.get(position=0).report)
    read = 0
    for address in ADDRESSES:
        if "GET" in address.by:
            ids = {PLACES[name].partition(":")[2]: name for name in PLACES}
            places = {ids[name]: value for name, value in ROWS[address.name].place(cast).items()}
            ask: Callable[..., object] = getattr(module, f"get_{address.name.removeprefix('api-').replace('-', '_')}")
            answered = ask(send, **places)
            assert isinstance(answered, msgspec.Struct), address.name
            read += 1
    assert read >= 30


def test_a_field_of_another_type_is_noticed(monkeypatch):
    module = generated(monkeypatch, described())
    with pytest.raises(msgspec.ValidationError, match="email"):
        module.get_people(
            lambda *_: b'{"items": [{"id": 1, "name": "", "shown_name": "", "email": 1, "role": ""}], "next": null}'
        )
    with pytest.raises(msgspec.ValidationError, match="more"):
        module.get_people(lambda *_: b'{"items": [], "next": null, "more": 1}')
