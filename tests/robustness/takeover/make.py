"""`python -m tests.robustness.takeover.make COMMIT`: a `var/` of this commit, as a kill leaves it, kept for later ones.

Made with the product itself: bin/serve with accounts, uploads, comparisons, a swap, a trace, a share link, a session.
Two reports and their comparison are left behind: one pending, one as a worker that was killed had begun it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
from pathlib import Path
from typing import Any

from tests.harness.server import ROOT, Client, Server
from tests.harness.services import Postgres

HERE = Path(__file__).resolve().parent
CASES = ROOT / "fixtures" / "cases"
NAME, PASSWORD = "olivia", "only-of-this-fixture-7"
ACCOUNTS = {"AWRDIFF_LOCAL_USER": "False", "AWRDIFF_HTTPS": "False", "AWRDIFF_ALLOWED_HOSTS": "localhost"}
ENDINGS = ("json", "md", "csv")
LEFT_OUT = {"static", "uploads", "serve.lock", "serve.log"}  # made anew by every start
_CLAIM = """
from awrdiff.processing.work_claims import claim
from awrdiff.reports.models import Report
claim(Report, "{pk}", "reading")
"""


def sign_in(client: Client, name: str = NAME, password: str = PASSWORD) -> None:
    client.page("/login/")
    body = urllib.parse.urlencode({"login": name, "password": password}).encode()
    answer = client.request("POST", "/login/", body, Accept="text/html", Referer=f"{client.base}/login/")
    assert b'name="password"' not in answer.body, answer.body


def cookie(client: Client, name: str) -> str:
    return next(c.value or "" for c in client.cookies if c.name == name)


def manage(server: Server, *arguments: str, **env: str) -> bytes:
    command = [sys.executable, "manage.py", *arguments]
    settings = {"DJANGO_SETTINGS_MODULE": "awrdiff.settings", **server.env, **env}
    return subprocess.run(command, cwd=ROOT, env=settings, check=True, capture_output=True).stdout


def uploaded(client: Client, *path: str) -> str:
    """The id of a settled report of fixtures/cases/, or of one that is none."""
    name = path[-1]
    data = CASES.joinpath(*path).read_bytes() if len(path) > 1 else b"<html><body><h1>No report</h1></body></html>"
    made = client.upload(name, data).json
    client.settled(made["url"])
    return str(made["id"])


def fill(client: Client) -> dict[str, Any]:
    """Reports, comparisons and a link; what they show is in the answer."""
    reports = {
        "before": uploaded(client, "adaptive-switch", "before.html"),
        "after": uploaded(client, "adaptive-switch", "after.html"),
        "trace": uploaded(client, "adaptive-switch", "lgwr.trc"),
        "run-2": uploaded(client, "lgwr-starved", "run-2.txt"),
        "run-1": uploaded(client, "lgwr-starved", "run-1.txt"),
        "failed": uploaded(client, "letter.html"),
    }
    traced = client.compare(reports["before"], reports["after"])
    client.settled(traced)
    client.post(f"{traced}traces/", [("report", reports["trace"])])
    plain = client.compare(reports["run-2"], reports["run-1"])
    client.settled(plain)
    swapped = client.post(f"{plain}swap/", []).json["url"]
    refused = client.compare(reports["before"], reports["failed"])
    comparisons = {"traced": traced, "plain": plain, "swapped": swapped, "refused": refused}
    states = {name: client.settled(url)["state"] for name, url in comparisons.items()}
    assert states == {"traced": "ready", "plain": "ready", "swapped": "ready", "refused": "failed"}, states
    link = client.post(f"{traced}links/", [("days", "never")]).json["path"]
    return {"reports": {k: f"/reports/{v}/" for k, v in reports.items()}, "comparisons": comparisons, "link": link}


def shown(client: Client, made: dict[str, Any]) -> dict[str, Any]:
    """What every address answers: documents of reports and comparisons, exports, the search."""
    answers = {url: client.get(url).json for url in (*made["reports"].values(), *made["comparisons"].values())}
    ready = [url for name, url in made["comparisons"].items() if name != "refused"]
    exports = {p: client.get(p).body.decode() for url in ready for e in ENDINGS for p in [f"{url}export.{e}"]}
    return {"answers": answers, "exports": exports}


def leave_behind(server: Server, client: Client) -> dict[str, str]:
    """Uploads that no worker has taken when everything is killed, one of them begun."""
    for pid in [*server.children("worker"), *server.children("sweeper")]:
        os.kill(pid, signal.SIGSTOP)
    paths = [CASES / "commit-frequency" / f"variant-{n}.html" for n in (1, 2)]
    pending, running = (client.upload(p.name, p.read_bytes()).json for p in paths)
    waiting = client.compare(pending["id"], running["id"])
    assert server.process is not None
    for pid in [server.process.pid, *server.children("")]:
        os.kill(pid, signal.SIGKILL)
    server.process.wait()
    manage(server, "shell", "-c", _CLAIM.format(pk=running["id"]))
    return {"pending": pending["url"], "running": running["url"], "waiting": waiting}


def as_postgres(server: Server, folder: Path) -> None:
    """The same rows as `pg_dump` prints them."""
    rows = folder / "rows.json"
    left_out = ("contenttypes", "auth.permission")
    manage(server, "dumpdata", *(f"--exclude={name}" for name in left_out), f"--output={rows}")
    postgres = Postgres()
    postgres.start()
    try:
        url = postgres.new_database()
        manage(server, "migrate", "--verbosity=0", DATABASE_URL=url)
        manage(server, "loaddata", str(rows), DATABASE_URL=url)
        dump = subprocess.run([postgres.bin / "pg_dump", "--no-owner", url], check=True, capture_output=True).stdout
    finally:
        postgres.close()
    # Newer minor versions open with a word that older ones of psql do not know.
    lines = [line for line in dump.split(b"\n") if not line.startswith((b"\\restrict", b"\\unrestrict"))]
    (folder / "postgres.sql").write_bytes(b"\n".join(lines))
    rows.unlink()


def archived(folder: Path, target: Path) -> None:
    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        if LEFT_OUT & set(Path(member.name).parts):
            return None
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mode = 0o755 if member.isdir() else 0o644  # as they were made then: everybody could read them
        return member

    with tarfile.open(target, "w:xz", preset=9) as archive:
        for name in ("var", "expected.json", "postgres.sql"):
            archive.add(folder / name, name, filter=plain)


def main(commit: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        server = Server(folder / "var", **ACCOUNTS)
        server.var.mkdir()
        manage(server, "prepare")
        manage(server, "add_user", NAME, "--team", "Local", AWRDIFF_PASSWORD=PASSWORD)
        server.start()
        client = Client(server.url)
        sign_in(client)
        expected = fill(client)
        expected |= shown(client, expected)
        expected["left"] = leave_behind(server, client)
        expected["session"] = cookie(client, "sessionid")
        (folder / "expected.json").write_text(json.dumps(expected), encoding="utf-8")
        as_postgres(server, folder)
        archived(folder, target := HERE / f"{commit}.tar.xz")
        print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
