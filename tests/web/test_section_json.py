"""The JSON of one section is what the whole document holds of it: of the pair that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from awrdiff.comparisons import services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from parsers.storage import compressed_blocks
from tests.web.conftest import store_report
from tests.web.pages import body
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
NAME = "foreground_wait_events"


@pytest.fixture
def three(owner, reports) -> Comparison:
    third = store_report(owner, "third.html", begin="2024-01-01T12:00:00", waits=900.0)
    made = services.create_comparison(owner, [*reports, third], order_by_time=False)
    compute_now(made.pk)
    return made


def loaded(client: Client, path: str):
    answer = client.get(path, headers=JSON)
    assert answer.status_code == 200, path
    return json.loads(body(answer))


@pytest.mark.parametrize("pair", [0, 1])
def test_it_stands_so_in_the_document(sign_in, owner, three, pair):
    client, base = sign_in(owner), f"/comparisons/{three.pk}/"
    document = loaded(client, f"{base}export.json")["pairs"][pair]
    assert len(document["sections"]) > 1
    for section in document["sections"]:
        assert loaded(client, f"{base}sections/{section['id']}/?pair={pair}") == section


def test_the_pairs_differ(sign_in, owner, three):
    """Or the test above could not tell them apart."""
    client, path = sign_in(owner), f"/comparisons/{three.pk}/sections/{NAME}/"
    waits = [loaded(client, f"{path}?pair={n}")["rows"][0]["values"]["waits"] for n in (0, 1)]
    assert [(w["first"], w["second"]) for w in waits] == [(100, 250), (100, 900)]
    assert loaded(client, path) == loaded(client, f"{path}?pair=0")


@pytest.mark.parametrize("pair", ["3", "99"])
def test_a_pair_that_is_not_there(sign_in, owner, three, pair):
    path = f"/comparisons/{three.pk}/sections/{NAME}/?pair={pair}"
    assert sign_in(owner).get(path, headers=JSON).status_code == 404


def test_under_a_link_it_is_the_same(sign_in, owner, three):
    member = loaded(sign_in(owner), f"/comparisons/{three.pk}/sections/{NAME}/?pair=1")
    guest = loaded(Client(), f"{create_link(owner, three, days=1)[1]}sections/{NAME}/?pair=1")
    assert guest == member


def test_the_schema_describes_it(sign_in, owner, three):
    schema = json.loads((SCHEMAS / "comparison.schema.json").read_text())
    section = Draft202012Validator({"$defs": schema["$defs"], "$ref": "#/$defs/section"})
    section.validate(loaded(sign_in(owner), f"/comparisons/{three.pk}/sections/{NAME}/"))


def test_in_blocks_it_is_the_same(sign_in, owner, reports, monkeypatch):
    client = sign_in(owner)
    long = [store_report(owner, f"{n}.html", waits=n, extra_rows=400) for n in (10.0, 20.0)]
    answers = []
    for size in (compressed_blocks.BLOCK_BYTES, 3_000):
        monkeypatch.setattr(compressed_blocks, "BLOCK_BYTES", size)
        made = services.create_comparison(owner, long, order_by_time=False)
        compute_now(made.pk)
        answers.append(loaded(client, f"/comparisons/{made.pk}/sections/{NAME}/"))
        services.delete(owner, made) if size > 3_000 else None
        long = [store_report(owner, f"{n}.html", waits=n, extra_rows=400) for n in (10.0, 20.0)]
    assert answers[0] == answers[1]
    assert len(answers[0]["rows"]) == 402
