"""What an older commit left behind is taken over as it is: by an update, by a release with new parsers, from PostgreSQL.

The archive and what is expected of it come from `tests.robustness.takeover.make`.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.harness.server import Client, Server, until
from tests.harness.services import Postgres
from tests.robustness.takeover import make

ARCHIVE = Path(__file__).parent / "takeover" / "b2da808.tar.xz"
OF_A_TEAM = ARCHIVE.with_name("cd818ecc.tar.xz")
LINK_OF_TEAM = "/s/wSA7dnZSONmlSpaFPfkPfKBLuw1OjdqHnCzw4YOh9sM/"
WRITTEN_ELSEWHERE = {"accounts_writing"}  # counted what people wrote in the hour; another table does now
QUICK = {"AWRDIFF_TASK_TIME_LIMIT_S": "8", "AWRDIFF_TASK_DUE_AFTER_S": "2", "AWRDIFF_SWEEP_EVERY_S": "1"}
pytestmark = [pytest.mark.processes]


@dataclass
class Taken:
    """A server of today on the files of then."""

    server: Server
    expected: dict[str, Any]
    first_states: dict[str, str]  # of the comparisons, as the first answers had them

    @property
    def client(self) -> Client:
        """Signed in by the cookie that was given out then."""
        client = Client(self.server.url)
        client.page("/login/")
        client.cookies.set_cookie(_session(self.expected["session"]))
        return client


def _session(value: str) -> Any:
    from http.cookiejar import Cookie

    return Cookie(
        *(0, "sessionid", value, None, False, "localhost.local", False, False, "/", True),
        *(False, None, False, None, None, {"HttpOnly": ""}, False),
    )


def unpack(path: Path, folder: Path) -> None:
    with tarfile.open(path) as archive:
        archive.extraction_filter = getattr(tarfile, "tar_filter", None)  # 3.11.2 knows none, 3.12 warns without one
        archive.extractall(folder)


def unpacked(folder: Path) -> dict[str, Any]:
    unpack(ARCHIVE, folder)
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text())
    return expected


def started(folder: Path, expected: dict[str, Any], **env: str) -> Iterator[Taken]:
    server = Server(folder / "var", **make.ACCOUNTS, **QUICK, **env)
    server.start()
    taken = Taken(server, expected, {})
    taken.first_states.update(states(taken))
    yield taken
    server.stop()


def states(taken: Taken) -> dict[str, str]:
    client = taken.client
    return {n: client.get(url).json["state"] for n, url in taken.expected["comparisons"].items()}


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def taken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taken]:
    folder = tmp_path_factory.mktemp("taken")
    expected = unpacked(folder)
    if request.param == "sqlite":
        yield from started(folder, expected)
        return
    (folder / "var" / "awrdiff.sqlite3").unlink()
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.new_database()
    psql = [postgres.bin / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", folder / "postgres.sql", url]
    subprocess.run(psql, check=True, stdout=subprocess.DEVNULL)
    yield from started(folder, expected, DATABASE_URL=url)


def test_nothing_turns_pending_for_its_users(taken):
    assert taken.first_states == {"traced": "ready", "plain": "ready", "swapped": "ready", "refused": "failed"}


def test_every_page_and_section_opens(taken):
    client = taken.client
    for url, then in taken.expected["answers"].items():
        now = client.get(url).json
        assert now["state"] == then["state"], url
        assert client.page(url).status == 200
        counts = {s["id"]: s["rows"] for s in now.get("sections", ())}
        assert counts.items() >= {s["id"]: s["rows"] for s in then.get("sections", ())}.items()
        for section in counts:
            assert client.get(f"{url}sections/{section}/").status == 200
            assert client.page(f"{url}sections/{section}/").status == 200
        if then["state"] == "ready":
            assert client.page(f"{url}commit/").status == 200
            assert client.get(f"{url}search/?q=log").status == 200


def test_what_a_swap_made_is_the_same_pair_the_other_way_round(taken):
    """Its own address leads there; what was stored of it is shown, and nothing is computed for it."""
    client, (plain, swapped) = taken.client, (taken.expected["comparisons"][name] for name in ("plain", "swapped"))
    straight, turned = client.get(plain).json, client.get(swapped).json
    assert turned["id"] == straight["id"]
    assert [r["id"] for r in turned["reports"]] == [r["id"] for r in straight["reports"]][::-1]
    assert [r["id"] for r in turned["reports"]] == [r["id"] for r in taken.expected["answers"][swapped]["reports"]]
    assert client.page(swapped).status == 200


def test_exports_hold_every_row_they_held(taken):
    client = taken.client
    for path, then in taken.expected["exports"].items():
        answer = client.get(path)
        assert answer.status == 200
        if path.endswith(".json"):
            assert rows_of(answer.json) >= rows_of(json.loads(then))
        else:
            assert len(answer.body) > 0.9 * len(then.encode())


def rows_of(document: dict[str, Any]) -> set[tuple[str, ...]]:
    return {(s["id"], *map(str, row["key"].values())) for s in document["sections"] for row in s["rows"]}


def test_the_link_given_out_then_shows_the_comparison(taken):
    stranger = Client(taken.server.url)
    link = taken.expected["link"]
    assert stranger.page(link).status == 200
    shown = stranger.get(link).json
    assert shown["state"] == "ready"
    assert stranger.get(f"{link}sections/{shown['sections'][0]['id']}/").status == 200
    assert stranger.get(f"{link}export.md").status == 200


def test_session_and_password_of_then_open_the_door(taken):
    assert taken.expected["comparisons"]["plain"].encode() in taken.client.page("/").body
    other = Client(taken.server.url)
    make.sign_in(other)
    assert other.get(taken.expected["comparisons"]["plain"]).status == 200
    assert Client(taken.server.url).get(taken.expected["comparisons"]["plain"]).status == 401


def test_whoever_was_on_the_team_owns_it_and_invites_others(taken):
    found = taken.client.get("/people/").json
    assert (found["role"], [(p["name"], p["role"]) for p in found["people"]]) == ("owner", [(make.NAME, "owner")])
    made = taken.client.post("/people/invitations/", [("email", "nina@example.com"), ("role", "guest")])
    assert made.status == 201
    nina = Client(taken.server.url)
    nina.page(made.json["address"].removeprefix(taken.server.url))
    assert nina.post("/join/", [("username", "nina"), ("password1", "seven lamps of green tin")]).status == 200
    assert nina.get(taken.expected["comparisons"]["plain"]).status == 404
    plain = taken.expected["comparisons"]["plain"]
    guest = next(p["id"] for p in taken.client.get("/people/").json["people"] if p["name"] == "nina")
    assert taken.client.post(f"{plain}guests/", [("guest", str(guest))]).status == 204
    assert nina.get(plain).status == 200


def test_the_first_page_has_the_work_of_then_and_the_same_pair_leads_to_it(taken):
    client, plain = taken.client, taken.expected["comparisons"]["plain"]
    pair = [report["id"] for report in client.get(plain).json["reports"]]
    before = client.page("/?q=run-2").body.decode()
    assert plain in before
    assert taken.expected["comparisons"]["swapped"] not in before
    assert client.compare(*pair) == plain
    section = client.get(plain).json["sections"][0]["id"]
    assert client.post(f"{plain}pins/", [("anchor", section)]).status == 201
    assert [pin["anchor"] for pin in client.get(f"{plain}pins/").json["pins"]] == [section]


def test_what_was_left_behind_is_finished(taken):
    client = taken.client
    for name in ("pending", "running", "waiting"):
        assert client.settled(taken.expected["left"][name])["state"] == "ready", name


def test_nobody_else_on_the_machine_can_read_it(taken):
    var = taken.server.var
    open_ones = [str(p.relative_to(var)) for p in (var, *var.rglob("*")) if _readable_by_others(p)]
    assert var.stat().st_mode & 0o777 == 0o700
    assert not open_ones, open_ones[:10]


def _readable_by_others(path: Path) -> bool:
    """Below var/static lies what every visitor is given anyway."""
    return "static" not in path.parts and not path.is_symlink() and bool(path.stat().st_mode & 0o077)


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taken]:
    """The same when another version of parsers and engine had made the results, and one file is gone since."""
    folder = tmp_path_factory.mktemp("older")
    expected = unpacked(folder)
    database = sqlite3.connect(folder / "var" / "awrdiff.sqlite3")
    with database:
        database.execute("UPDATE reports_report SET parser_version = 1")
        database.execute("UPDATE comparisons_comparison SET engine_version = '1.1'")
        gone = database.execute("SELECT file FROM reports_report WHERE name = 'run-1.txt'").fetchone()[0]
    database.close()
    (folder / "var" / "files" / gone).unlink()
    yield from started(folder, expected)


def test_after_a_new_parser_the_old_result_is_shown_until_the_new_one_is_there(older):
    ready = {"traced": "ready", "plain": "ready", "swapped": "ready"}
    seen = [older.first_states]
    until_s = time.monotonic() + 8
    while time.monotonic() < until_s:
        seen.append(states(older))
        time.sleep(0.05)  # comparing again takes longer
    other = [s for s in seen if not s.items() >= ready.items()]
    assert not other, other[0]


def test_after_a_new_parser_a_link_never_says_wait(older):
    assert Client(older.server.url).get(older.expected["link"]).json["state"] == "ready"


def test_after_a_new_parser_the_new_result_comes(older):
    database = sqlite3.connect(older.server.var / "awrdiff.sqlite3")
    query = "SELECT count(*) FROM comparisons_comparison WHERE engine_version = '1.1' AND id = ?"
    pk = older.expected["comparisons"]["traced"].strip("/").split("/")[-1].replace("-", "")
    until(lambda: database.execute(query, (pk,)).fetchone()[0] == 0, 40)
    database.close()


def test_a_worker_killed_at_once_leaves_it_as_it_was(taken):
    """An update is often followed by a restart."""
    for pid in taken.server.children("worker"):
        os.kill(pid, signal.SIGKILL)
    assert states(taken) == taken.first_states
    until(lambda: bool(taken.server.children("worker")), 20)


def keys(var: Path) -> dict[str, set[Any]]:
    """By table, of those that have any, the keys of all its rows."""
    keys = "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.pk = 1"
    with closing(sqlite3.connect(var / "awrdiff.sqlite3", timeout=20)) as database:
        found = {
            table: {pk for (pk,) in database.execute(f'SELECT "{key}" FROM "{table}"')}
            for table, key in database.execute(keys).fetchall()
        }
    return {table: known for table, known in found.items() if known and table not in WRITTEN_ELSEWHERE}


@pytest.fixture(scope="module")
def of_a_team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, set[Any]]]]:
    """A server of today on the files of a team, and the keys of all that was there before it."""
    folder = tmp_path_factory.mktemp("team")
    unpack(OF_A_TEAM, folder)
    before = keys(folder / "var")
    server = Server(folder / "var", **make.ACCOUNTS, **QUICK, AWRDIFF_KEEP_NOTICES_DAYS="0")  # they grow older
    server.start()
    yield server, before
    server.stop()


def test_of_a_team_no_row_is_lost(of_a_team):
    server, before = of_a_team
    now = keys(server.var)
    assert not {
        table: known - now.get(table, set()) for table, known in before.items() if known - now.get(table, set())
    }


def test_what_a_team_read_compared_and_said_is_shown(of_a_team):
    server, before = of_a_team
    client = Client(server.url)
    make.sign_in(client, "olivia", "seven lamps of green tin")
    (comparison,), (incident,) = (before[table] for table in ("comparisons_comparison", "incidents_incident"))
    page = f"/comparisons/{UUID(comparison)}/"
    found = client.settled(page, 90)
    assert (found["state"], len(found["sections"]) > 50) == ("ready", True)
    (one,) = client.get(f"{page}threads/").json["threads"]
    said = client.get(f"{page}threads/{one['id']}/").body.decode()
    assert all(words in said for words in ("Why do commits take", "The storage, I think."))
    told = client.page(f"/incidents/{UUID(incident)}/").body.decode()
    assert all(words in told for words in ("Slow Monday", "larger redo logs", "Calls come in"))
    for report in before["reports_report"]:
        assert client.settled(f"/reports/{UUID(report)}/", 90)["state"] == "ready"
    assert Client(server.url).page(LINK_OF_TEAM).status == 200
    until(lambda: [one["name"] for one in client.get("/databases/").json["databases"]] == ["INVENTED"], 60, again_s=1)
    assert not server.faults()
