"""A server below a path: whatever its pages, answers and cookies name is there too, and nothing at the root."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest

from tests.harness.server import ROOT, Client, Server
from tests.processes.files import two_reports

pytestmark = [pytest.mark.processes]
BELOW = "/awr"
MOST = 150  # pages that are opened, one of each shape of address
NAMED = re.compile(r"""\s(?:href|src|action|formaction|hx-[a-z]+|data-[a-z-]+)=["'](/[^"']*)["']""")
LED_TO = re.compile(r"""<(?:a|link|script|img)\s[^>]*?\b(?:href|src)=["'](/[^"']*)["']""")
OPENED_ONCE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+|(?<=/docs/)[\w-]+|(?<=/static/).*")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("below") / "var", AWRDIFF_PATH=BELOW)
    made.start(120)
    yield made
    made.stop()


def opened(client: Client, first: list[str]) -> dict[str, str]:
    """By address the pages that can be got to from these, each shape of address once."""
    waiting, seen, pages = list(first), set(), {}
    while waiting and len(pages) < MOST:
        path = waiting.pop(0)
        shape = OPENED_ONCE.sub("*", path.partition("?")[0])
        if shape in seen:
            continue
        seen.add(shape)
        answer = client.get(path.removeprefix(BELOW), Accept="text/html")
        assert answer.status < 400, path
        if "text/html" in answer.headers["Content-Type"]:
            pages[path] = answer.body.decode()
            waiting += [urldefrag(urljoin(path, unescape(one)))[0] for one in LED_TO.findall(pages[path])]
    return pages


def test_every_address_on_its_pages_is_below_the_path(server: Server) -> None:
    assert f"awrdiff is at {server.url}{BELOW}/" in server.output()
    client = Client(server.url + BELOW)
    client.page("/")
    assert {one.path for one in client.cookies} == {f"{BELOW}/"}
    ids = [client.upload(name, data).json["id"] for name, data in zip("ab", two_reports(), strict=True)]
    comparison = client.compare(*ids)
    assert comparison.startswith(f"{BELOW}/comparisons/")
    client.settled(comparison.removeprefix(BELOW))
    pages = opened(client, [f"{BELOW}/", comparison])
    assert len(pages) > 30
    wrong = {
        (page, one) for page, html in pages.items() for one in NAMED.findall(html) if not one.startswith(f"{BELOW}/")
    }
    assert not wrong, sorted(wrong)
    assert not server.faults()


def test_a_proxy_may_take_the_path_away(server: Server) -> None:
    page = Client(server.url).page("/")
    assert (page.status, f'href="{BELOW}/' in page.body.decode()) == (200, True)
    assert Client(server.url + BELOW).get("/healthz").status == Client(server.url).get("/healthz").status == 200


def token(server: Server, scope: str) -> str:
    command = [sys.executable, "manage.py", "token", "--name", "push", "--scope", scope]
    made = subprocess.run(command, cwd=ROOT, env=server.env, capture_output=True, check=True, text=True)
    return made.stdout.split()[-1]


def test_scripts_are_led_below_it_too(server: Server, tmp_path: Path) -> None:
    (tmp_path / "c.html").write_bytes(two_reports()[0] + b"<!-- below -->")
    url = server.url + BELOW
    push = [sys.executable, "-m", "awrdiff.cli", "push", str(tmp_path), "--server", url]
    env = {**os.environ, "AWRDIFF_TOKEN": token(server, "upload")}
    pushed = subprocess.run(push, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    assert pushed.returncode == 0, pushed.stderr
    asks = Client(url)
    assert asks.get("/api/v1/openapi.json").json["servers"] == [{"url": BELOW}]
    listed = asks.get("/api/v1/reports?limit=1", Authorization=f"Bearer {token(server, 'read')}").json
    assert listed["next"].startswith(f"{BELOW}/api/v1/reports?")
    assert listed["items"][0]["url"].startswith(f"{BELOW}/reports/")
