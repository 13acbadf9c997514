"""Security keys, by one made of software: what it signs for this server, and what somebody else had it sign."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_encode

from tests.web.test_account_pages import PASSWORD, olivia, sign_in

__all__ = ["olivia"]
pytestmark = pytest.mark.django_db
HERE, ADD = "https://testserver", "/account/second-factor/keys/add/"
PRESENT, VERIFIED, ATTESTED = 1, 4, 64


class Key:
    """Signs whatever it is asked to: what a browser would keep from others is not kept here."""

    def __init__(self) -> None:
        self._private = ec.generate_private_key(ec.SECP256R1())
        self.id = b"a key of software"

    def _client_data(self, kind: str, challenge: str, origin: str, **more: Any) -> bytes:
        return json.dumps({"type": f"webauthn.{kind}", "challenge": challenge, "origin": origin, **more}).encode()

    def _authenticator(self, rp: str, flags: int, attested: bytes = b"") -> bytes:
        return hashlib.sha256(rp.encode()).digest() + bytes([flags]) + bytes(4) + attested

    def made(self, challenge: str, origin: str = HERE, rp: str = "testserver", **more: Any) -> dict[str, Any]:
        public = cbor.encode(dict(ES256.from_cryptography_key(self._private.public_key())))
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + public
        data = self._authenticator(rp, PRESENT | VERIFIED | ATTESTED, attested)
        answer = {"attestationObject": cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})}
        return self._credential(answer, self._client_data("create", challenge, origin, **more))

    def signed(self, challenge: str, origin: str = HERE, rp: str = "testserver", **more: Any) -> dict[str, Any]:
        data, said = self._authenticator(rp, PRESENT | VERIFIED), self._client_data("get", challenge, origin, **more)
        signature = self._private.sign(data + hashlib.sha256(said).digest(), ec.ECDSA(hashes.SHA256()))
        return self._credential({"authenticatorData": data, "signature": signature}, said)

    def _credential(self, answer: dict[str, bytes], said: bytes) -> dict[str, Any]:
        answer = {**answer, "clientDataJSON": said}
        return {
            "id": websafe_encode(self.id),
            "rawId": websafe_encode(self.id),
            "type": "public-key",
            "response": {name: websafe_encode(value) for name, value in answer.items()},
            "clientExtensionResults": {},
        }


def challenge_of(client: Client, path: str) -> str:
    """The newest: each look at the page makes another."""
    text = client.get(path, secure=True).content.decode()
    challenge = text.partition('"challenge": "')[2].partition('"')[0]
    assert challenge, text
    return challenge


def confirmed() -> Client:
    client = sign_in()
    client.post("/account/confirm/", {"password": PASSWORD})
    return client


def add(client: Client, credential: Any) -> bool:
    before = Authenticator.objects.count()
    answer = client.post(ADD, {"name": "x", "credential": json.dumps(credential)}, secure=True)
    assert answer.status_code < 500
    return Authenticator.objects.count() > before


def half_in() -> Client:
    """The password was right; a second factor is asked for."""
    client = Client(headers={"Accept": "text/html"})
    client.post("/login/", {"login": "olivia", "password": PASSWORD}, secure=True)
    return client


def second(client: Client, credential: Any) -> bool:
    answer = client.post("/login/second-factor/", {"credential": json.dumps(credential)}, secure=True)
    assert answer.status_code < 500
    return client.get("/", secure=True).status_code == 200


def confirmed_with(key: Key) -> Client:
    client = half_in()
    assert second(client, key.signed(challenge_of(client, "/login/second-factor/")))
    client.post("/account/confirm/", {"password": PASSWORD}, secure=True)
    return client


@pytest.fixture
def key(olivia, settings) -> Key:
    made = Key()
    client = confirmed()
    assert add(client, made.made(challenge_of(client, ADD)))
    return made


OTHERS: list[dict[str, Any]] = [
    {"origin": "https://evil.example"},
    {"origin": "https://testserver.evil.example"},
    {"origin": "https://x.testserver"},
    {"origin": "https://testserver:8443"},
    {"origin": "http://testserver"},
    {"origin": "HTTPS://testserver"},
    {"origin": "null"},
    {"origin": None},
    {"origin": HERE, "rp": "evil.example"},
    {"origin": HERE, "crossOrigin": True},
]


def test_behind_a_proxy_that_does_not_say_https_it_counts_all_the_same(key, settings):
    """Its pages are asked for by HTTP here, and by HTTPS by browsers: as with forms, the settings know."""
    settings.CSRF_TRUSTED_ORIGINS = ["https://testserver", "https://other.example"]
    for origin, is_in in (("https://other.example", False), ("https://testserver", True)):
        client, path = half_in(), "/login/second-factor/"
        signed = key.signed(challenge_of(client, path), origin)
        client.post(path, {"credential": json.dumps(signed)})
        assert (client.get("/").status_code == 200) is is_in, origin


def test_what_another_page_had_it_sign_is_refused(key):
    client = half_in()
    for other in OTHERS:
        assert not second(client, key.signed(challenge_of(client, "/login/second-factor/"), **other)), other
    assert second(client, key.signed(challenge_of(client, "/login/second-factor/")))


def test_what_was_made_for_another_page_is_not_added(olivia):
    client = confirmed()
    for other in OTHERS:
        assert not add(client, Key().made(challenge_of(client, ADD), **other)), other


def test_an_answer_counts_once_and_for_its_own_question(key):
    client = half_in()
    first = key.signed(challenge_of(client, "/login/second-factor/"))
    later = half_in()
    challenge_of(later, "/login/second-factor/")
    assert not second(later, first)
    assert not second(later, Key().signed(challenge_of(later, "/login/second-factor/")))
    assert second(client, first)
    assert not second(half_in(), first)


ODD: list[Any] = [None, [], {}, 7, "x", {"response": []}, {"response": {"clientDataJSON": "W10"}}]


def test_what_is_no_answer_of_a_key_is_refused_and_breaks_nothing(key):
    client, adding = half_in(), confirmed_with(key)
    for odd in ODD:
        whole = key.signed(challenge_of(client, "/login/second-factor/"))
        broken = [odd, *({**whole, name: odd} for name in ("id", "rawId", "type", "response"))]
        broken += [{**whole, "response": {**whole["response"], name: odd}} for name in whole["response"]]
        for credential in broken:
            assert not second(client, credential)
        made = Key().made(challenge_of(adding, ADD))
        for credential in (odd, whole, *({**made, name: odd} for name in ("id", "rawId", "type", "response"))):
            assert not add(adding, credential)
