"""/api/v1 as its description says: sent once, compared once, listed a page at a time, refused in a sentence."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.reports.models import Report
from awrdiff.web.api.v1.openapi import described
from tests.web.conftest import context_of, store_report
from tests.web.test_api_tokens import machine, own

pytestmark = pytest.mark.django_db
SCOPES = ("read", "upload", "write")


@pytest.fixture
def client(accounts, owner) -> Client:
    return machine(own(owner, *SCOPES))


def is_as_described(path: str, method: str, answer: Any, whole: bytes | None = None) -> dict[str, Any]:
    """The document, which is what the description of the address says of this status."""
    document = described()
    said = document["paths"][f"/api/v1/{path}"][method]["responses"]
    content = said.get(str(answer.status_code), said["default"])["content"]
    kind = answer["Content-Type"].split(";")[0]
    whole_schema = {**content[kind]["schema"], "components": document["components"]}
    schema = closed(whole_schema) if answer.status_code < 300 else whole_schema
    found = json.loads(whole if whole is not None else answer.content)
    jsonschema.validate(found, schema)
    return found


def closed(schema: Any) -> Any:
    """The schema, by which a field that it does not describe is a mistake, and a value of no type too."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(part) for name, part in schema.items()}
    return made | {"additionalProperties": False} if isinstance(made.get("properties"), dict) else made


def send(client: Client, data: bytes, name: str = "a.html", *, key: str = "") -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/api/v1/reports", {"file": SimpleUploadedFile(name, data)}, headers=headers)


def compare(client: Client, *reports: Report, key: str = "", **more: Any) -> Any:
    body = {"reports": [str(one.pk) for one in reports], **more}
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/api/v1/comparisons", body, content_type="application/json", headers=headers)


def test_every_field_has_a_type():
    """No object without its fields, and nothing that may be anything."""
    schemas = described()["components"]["schemas"]
    assert not [
        (name, field)
        for name, schema in schemas.items()
        for field, type_ in schema.get("properties", {}).items()
        for part in parts_of(type_)
        if not part.keys() & {"$ref", "enum", "const", "type", "anyOf"}
        or (part.get("type") == "object" and not part.keys() & {"properties", "additionalProperties"})
        or (part.get("type") == "array" and not part.keys() & {"items", "prefixItems"})
    ]


def parts_of(schema: Any) -> list[dict[str, Any]]:
    """The schema of a field and those of what is inside it."""
    inside = [*schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    inside += [part for name in ("items", "additionalProperties") if isinstance(part := schema.get(name), dict)]
    return [schema, *(found for part in inside for found in parts_of(part))]


def test_a_file_is_kept_once(client):
    first, again = send(client, b"<html>an AWR report"), send(client, b"<html>an AWR report", "b.html")
    assert (first.status_code, again.status_code) == (201, 200)
    sent = is_as_described("reports", "post", first)
    assert sent["id"] == is_as_described("reports", "post", again)["id"]
    assert first["Location"] == f"/api/v1/reports/{sent['id']}"
    assert is_as_described("reports/{id}", "get", client.get(first["Location"]))["state"] == sent["state"]
    assert Report.objects.count() == 1


def test_a_key_tells_no_files_apart(client):
    assert [send(client, b"<html>an AWR report %d" % n, key="k").status_code for n in (1, 1, 2)] == [201, 200, 201]
    assert compare(client, *Report.objects.all(), key="k").status_code == 409


def test_a_comparison_is_made_and_read(client, owner):
    one, other = (store_report(owner, f"{n}.html", waits=100.0 * (n + 1)) for n in (0, 1))
    answer = compare(client, one, other)
    assert answer.status_code == 201
    made = is_as_described("comparisons", "post", answer)
    waiting = is_as_described("comparisons/{id}", "get", client.get(answer["Location"]))
    assert [waiting[name] for name in ("state", "headers", "summary", "findings")] == ["pending", None, None, None]
    compute_now(made["id"])
    read = client.get(answer["Location"])
    said = is_as_described("comparisons/{id}", "get", read)
    assert said["state"] == "ready"
    assert [header["file"] for header in said["headers"]] == ["0.html", "1.html"]
    assert said["summary"]
    assert isinstance(said["findings"], list)
    assert client.get(answer["Location"], headers={"If-None-Match": read["ETag"]}).status_code == 304
    assert client.get(f"{answer['Location']}?pair=7").status_code == 404
    listed = is_as_described("comparisons", "get", client.get("/api/v1/comparisons"))["items"]
    assert [(line["id"], line["reports"]) for line in listed] == [(made["id"], [str(one.pk), str(other.pk)])]


def test_a_key_is_for_one_request(client, owner):
    one, other = (store_report(owner, f"{n}.html", waits=100.0 * (n + 1)) for n in (0, 1))
    first, again = (compare(client, one, other, key="nightly-1") for _ in "12")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["id"] == again.json()["id"]
    refused = compare(client, other, one, key="nightly-1")
    assert refused.status_code == 409
    assert "Idempotency-Key" in is_as_described("comparisons", "post", refused)["detail"]
    assert Comparison.objects.count() == 1
    assert compare(client, other, one, key="x" * 256).status_code == 400


def test_a_list_leads_on_to_its_end_whatever_comes_in(client, owner):
    made = [store_report(owner, f"{n}.html", waits=100.0 + n) for n in range(5)]
    address, found = "/api/v1/reports?limit=2", []
    while address:
        page = is_as_described("reports", "get", client.get(address))
        assert len(page["items"]) <= 2
        found += [line["id"] for line in page["items"]]
        address = page["next"]
        if len(found) == 2:
            store_report(owner, "late.html", waits=7.0)
    assert found == [str(one.pk) for one in reversed(made)]


def test_the_reports_of_one_database(client, owner):
    for name in ("PAY", "LEDGER", "PAY"):
        Report.objects.filter(pk=store_report(owner, f"{name}.html").pk).update(db_name=name)
    Report.objects.filter(pk=store_report(owner, "none.html").pk).update(db_name="", instance_name="")
    listed = [is_as_described("databases", "get", client.get("/api/v1/databases?limit=1"))]
    listed.append(is_as_described("databases", "get", client.get(listed[0]["next"])))
    assert listed[1]["next"] is None
    found = {one["name"]: one for page in listed for one in page["items"]}
    assert {name: one["reports"] for name, one in found.items()} == {"PAY": 2, "LEDGER": 1}
    reports = client.get(f"/api/v1/reports?database={found['PAY']['id']}").json()["items"]
    assert [one["database"] for one in reports] == ["PAY", "PAY"]
    elsewhere = machine(own(context_of("stella", "Elsewhere"), "read"))
    assert elsewhere.get(f"/api/v1/reports?database={found['PAY']['id']}").status_code == 404
    assert elsewhere.get("/api/v1/databases").json()["items"] == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("limit=0", "limit"),
        ("limit=9999", "limit"),
        ("limit=two", "limit"),
        ("databse=1", "databse"),
        ("database=PAY", "database"),
        ("cursor=1", "cursor"),
        ("cursor=99999999999999999999999.1", "cursor"),
        ("cursor=\u0663.1", "cursor"),
        ("sha256=0", "sha256"),
    ],
)
def test_what_is_not_described_is_refused_by_name(client, query, said):
    answer = client.get(f"/api/v1/reports?{query}")
    assert answer.status_code == 400
    assert said in is_as_described("reports", "get", answer)["detail"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"reports": 1}', b'{"reports": ["1"]}', b'{"x": 1}'])
def test_neither_is_another_body(client, body):
    answer = client.post("/api/v1/comparisons", body, content_type="application/json")
    assert answer.status_code == 400
    assert is_as_described("comparisons", "post", answer)["detail"].endswith(".")


def test_every_refusal_is_a_problem_also_without_a_token(sign_in, owner):
    client = sign_in(owner)
    for answer, status in (
        (Client().get("/api/v1/reports"), 401),
        (client.get("/api/v1/nothing", headers={"Accept": "text/html"}), 404),
        (client.delete("/api/v1/reports"), 405),
        (client.post("/api/v1/reports"), 400),
    ):
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
        assert answer.json()["status"] == status
    assert client.delete("/api/v1/reports")["Allow"] == "GET, POST, HEAD"
    assert "Access-Control-Allow-Origin" not in Client().get("/api/v1/openapi.json", headers={"Origin": "https://x"})


def test_a_file_that_nobody_may_send_is_not_kept(accounts, owner):
    assert send(machine(own(owner, "read")), b"<html>").status_code == 403
    upload = send(machine(own(owner, "upload")), b"<html>")
    assert (upload.status_code, upload.json()["url"]) == (201, None)


def test_the_description_is_one_and_leads_to_what_is_served(client):
    answer = Client().get("/api/v1/openapi.json")
    document = answer.json()
    assert document["openapi"].startswith("3.1")
    assert {urlsplit(path).path for path in document["paths"]} >= {"/api/v1/reports", "/api/v1/comparisons/{id}"}
    assert Client().get("/api/v1/openapi.json", headers={"If-None-Match": answer["ETag"]}).status_code == 304
