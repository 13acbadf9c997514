"""docs/api.md does what it says: its commands fit the description, and its Python runs."""

from __future__ import annotations

import io
import json
import re
import shlex
from contextlib import redirect_stdout
from types import SimpleNamespace
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec
import pytest
from django.urls import reverse

from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.web.api.v1.endpoint_table import ADDRESSES
from awrdiff.web.views.documentation import FOLDER
from tests.web.conftest import store_report
from tests.web.test_api_tokens import machine, own

TEXT = (FOLDER / "api.md").read_text(encoding="utf-8")
BLOCKS = [
    "\n".join(line[4:] for line in found.split("\n")) for found in re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", TEXT, re.M)
]
PYTHON = "\n".join(block for block in BLOCKS if "ask(" in block)
CURLS = [line for block in BLOCKS for line in block.replace("\\\n", " ").split("\n") if line.strip().startswith("curl")]
IDS = {name: str(uuid4()) for name in ("FIRST", "SECOND", "COMPARISON", "ID")}


@pytest.mark.parametrize("line", CURLS)
def test_a_command_is_as_described(line):
    words = shlex.split(line)
    path = urlsplit(words[-1].replace("$AWRDIFF_URL", "")).path.removeprefix("/api/v1/")
    wanted = re.sub(r"\bID\b", "{id}", path)
    (address,) = (one for one in ADDRESSES if one.path == wanted)
    body = words[words.index("-d") + 1] if "-d" in words else None
    operation = address.by["POST" if body or "-F" in words else "GET"]
    if body:
        for name, pk in IDS.items():
            body = re.sub(rf"\b{name}\b", pk, body)
        assert operation.takes is not None
        msgspec.json.decode(body, type=operation.takes)
    assert operation.file == ("-F" in words)


def test_there_are_commands():
    assert len(CURLS) >= 7


@pytest.mark.django_db
def test_the_python_runs(accounts, owner, monkeypatch):
    made = [store_report(owner, f"{n}.html", waits=100.0 * (n + 1)) for n in range(2)]
    client = machine(own(owner, "write"))

    def urlopen(request):
        path = request.full_url.removeprefix("https://awr.example.com")
        if request.data is None:
            answer = client.get(path)
        else:
            answer = client.post(path, json.loads(request.data), content_type="application/json")
            compute_now(Comparison.objects.get().pk)
        assert answer.status_code in (200, 201), answer.content
        return io.BytesIO(answer.content)

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    monkeypatch.setattr("time.sleep", lambda _: SimpleNamespace())
    monkeypatch.setenv("AWRDIFF_URL", "https://awr.example.com")
    monkeypatch.setenv("AWRDIFF_TOKEN", "awr_abc")
    with redirect_stdout(io.StringIO()) as said:
        exec(compile(PYTHON, "docs/api.md", "exec"), {})
    assert all(str(one.pk) in said.getvalue() for one in made)


@pytest.mark.django_db
def test_the_page_of_tokens_leads_to_it(sign_in, owner):
    for name in ("tokens", "team-tokens"):
        page = sign_in(owner).get(reverse(name)).content.decode()
        assert reverse("document", args=["api"]) in page
    assert sign_in(owner).get(reverse("document", args=["api"])).status_code == 200
