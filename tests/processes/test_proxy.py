"""deploy/nginx.conf in front of a server in accounts mode: it serves, over HTTPS as far as Django can tell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.harness import tools
from tests.harness.server import ROOT, Client, Server
from tests.harness.services import free_port, wait_for_port

pytestmark = [pytest.mark.processes]
CERTIFICATE = re.compile(r"\s*ssl_certificate(_key)? .*;")


def configuration(folder: Path, server: Server, port: int) -> str:
    """The sample, on free ports and without a certificate; $scheme is what the proxy of a real one would see."""
    sample = (ROOT / "deploy" / "nginx.conf").read_text()
    text = CERTIFICATE.sub("", sample).replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}").replace("$scheme", "https")
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root; " if os.geteuid() == 0 else ""  # who may use the test's folders
    return f"{user}daemon off; pid {folder}/pid; error_log {folder}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n{places}{text}}}\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    made = Server(
        tmp_path_factory.mktemp("proxied"),
        AWRDIFF_LOCAL_USER="False",
        AWRDIFF_ALLOWED_HOSTS="awr.example.com",
        AWRDIFF_BEHIND_PROXY="True",
    )
    made.start()
    yield made
    made.stop()


@pytest.fixture
def proxy(server, tmp_path_factory: pytest.TempPathFactory):
    tools.need("nginx")
    folder = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    port = free_port()
    (folder / "nginx.conf").write_text(configuration(folder, server, port))
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    process = subprocess.Popen([nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    wait_for_port(port)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(timeout=10)


def test_the_sample_configuration_serves(server, proxy):
    client = Client(proxy, json_wanted=False)
    page = client.get("/login/", Host="awr.example.com")
    assert page.status == 200
    assert "Secure" in page.headers["Set-Cookie"]
    assert page.headers["Strict-Transport-Security"]
    assert client.get("/", Host="other.example").status == 400
    assert client.get("/healthz", Host="other.example").status == 200
    assert "awrdiff is at https://awr.example.com/, by the proxy" in server.output()


def test_a_form_is_taken_at_another_port_than_443(proxy):
    """CSRF's check holds the address of the page against Host, which therefore needs its port."""
    client = Client(proxy, json_wanted=False)
    host = "awr.example.com:8443"
    page = client.get("/login/", Host=host)
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    token = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page.body)
    assert token is not None
    form = b"login=olivia&password=wrong&csrfmiddlewaretoken=" + token[1]
    sent = {"Content_Type": "application/x-www-form-urlencoded", "Host": host, "Cookie": cookie}
    for origin, status in ((f"https://{host}", 200), ("https://elsewhere.example:8443", 403)):
        assert client.request("POST", "/login/", form, Origin=origin, **sent).status == status


def test_what_is_too_large_is_refused_behind_it_too(proxy):
    client = Client(proxy)
    answer = client.request("POST", "/reports/", b"x" * (64 << 20), Host="awr.example.com", Content_Type="text/plain")
    assert answer.status in (401, 413)
