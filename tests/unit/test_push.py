"""`awrdiff push`: what is sent, tried again and refused, held against a small server that answers as it is told."""

from __future__ import annotations

import hashlib
import json
import signal
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import pytest
from click.testing import CliRunner

from awrdiff.cli import http_client as servers
from awrdiff.cli import push
from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.main import awrdiff

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
NEW = (201, {"id": "1", "name": "a.html"})


class Answering(ThreadingHTTPServer):
    """Answers in turn, the last for good; `seen` are the requests."""

    def __init__(self, *answers: tuple[int, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.seen = list(answers), []
        self.known: dict[str, Any] | None = None  # by digest; None: an older server, which is not asked twice
        self.asked: list[dict[str, list[str]]] = []
        Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: Answering

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/reports/known/":
            self.server.asked.append(parse_qs(body.decode()))
            known = self.server.known
            self._say(404, {}) if known is None else self._say(200, {"known": known})
            return
        self.server.seen.append((self.path, dict(self.headers), body))
        status, said, *more = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        self._say(status, said, *more)

    do_GET = do_POST  # noqa: N815 - as the base class asks for it

    def _say(self, status: int, said: Any, *more: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(servers.Server, "_pause", lambda _, seconds: found.append(seconds))
    monkeypatch.setenv("AWRDIFF_TOKEN", "awr_abc")
    monkeypatch.setattr(push, "stray_refusal", lambda data: None)  # what these tests send is short
    return found


@pytest.fixture
def served() -> Iterator[Any]:
    made: list[Answering] = []

    def serve(*answers: tuple[int, Any]) -> Answering:
        made.append(Answering(*answers))
        return made[-1]

    yield serve
    for one in made:
        one.shutdown()
        one.server_close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / 'a".html'
    path.write_bytes(b"<html>\r\n\x00an AWR report")
    return path


def run(*given: str, **more: Any) -> Any:
    found = CliRunner().invoke(awrdiff, ["push", *given], standalone_mode=False, **more)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def test_a_file_goes_whole_with_the_token_and_is_told_by_its_id(served, file, pauses):
    server = served(NEW)
    found = run(str(file), "--server", server.url)
    assert (found.exit_code, found.stdout) == (0, "1 new a.html\n")
    [(path, headers, body)] = server.seen
    assert (path, headers["Authorization"]) == ("/reports/", "Bearer awr_abc")
    assert b'filename="a%22.html"' in body
    assert b"\r\n\r\n" + file.read_bytes() + b"\r\n--" in body
    assert b'name="same"\r\n\r\nreuse' in body


def test_a_server_that_goes_while_a_file_is_sent_does_not_end_the_process(served, file, pauses):
    """The command lets a closed pipe end it; of what speaks to a server a closed socket would too, without a word."""
    was = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        run(str(file), "--server", served(NEW).url)
        assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGPIPE, was)


def test_many_files_are_no_hurry(served, tmp_path, pauses, monkeypatch):
    monkeypatch.setattr(push, "BULK", 1)
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text(name)
    few, many = served(NEW), served(NEW)
    run(str(tmp_path / "a.html"), "--server", few.url)
    run(str(tmp_path), "--server", many.url)
    said = [[b'name="bulk"' in body for path, _, body in one.seen if path == "/reports/"] for one in (few, many)]
    assert said == [[False], [True, True]]


def test_what_the_server_has_is_known(served, file, pauses):
    assert run(str(file), "--server", served((200, NEW[1])).url).stdout == "1 known a.html\n"


@pytest.mark.parametrize("said", ["<html>Sign in</html>", {}, {"status": "ok"}])
def test_what_answers_as_no_awrdiff_does_has_kept_nothing(served, file, pauses, said):
    found = run(str(file), "--server", served((200, said)).url)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "no awrdiff server" in found.stderr
    there = servers.Server(served((200, said)).url, "awr_abc")
    assert push.send(push.Source(str(file)), there).later


def test_of_an_archive_each_report_is_told_and_what_is_refused(served, file, pauses):
    said = {"reports": [NEW[1], {"id": "2", "name": "b.html"}], "refused": [{"name": "c.html", "error": "is empty"}]}
    found = run(str(file), "--server", served((201, said)).url)
    assert found.stdout == "1 new a.html\n2 new b.html\n"
    assert (found.exit_code, "c.html: is empty" in found.stderr) == (2, True)


def test_what_is_no_report_in_a_folder_is_not_sent_and_no_error(served, tmp_path, pauses, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("AWRDIFF_TOKEN", "awr_abc")
    (tmp_path / "a.html").write_bytes((CASES / "adaptive-switch" / "before.html").read_bytes())
    (tmp_path / "README").write_text("What the AWR report for the slow hour shows.")
    (tmp_path / "report.docx").write_bytes(b"PK\x03\x04[Content_Types].xml word/document.xml")
    server = served(NEW)
    found = run(str(tmp_path), "--server", server.url)
    assert (found.exit_code, found.stdout, len(server.seen)) == (0, "1 new a.html\n", 1)
    assert [line.split(": ")[1] for line in found.stderr.splitlines()[-2:]] == [
        str(tmp_path / "README"),
        str(tmp_path / "report.docx"),
    ]
    assert "left out: This is a Word document" in found.stderr
    assert run(str(tmp_path / "README"), "--server", served((415, {"error": "x"})).url).exit_code == 2


def test_what_an_archive_has_beside_reports_is_no_error(served, file, pauses):
    readme = {"id": "2", "name": "README", "state": "failed", "error": "This is a text file.", "error_code": "left-out"}
    said = {"reports": [NEW[1], readme], "left_out": [{"name": "p.png", "error": "is a PNG image."}]}
    states = ({"id": "1", "state": "ready", "findings": []}, readme)
    server = served((201, said), *((200, state) for state in states))
    found = run(str(file), "--server", server.url, "--wait")
    assert (found.exit_code, "p.png: left out: is a PNG image." in found.stderr) == (0, True)


@pytest.mark.parametrize("status", servers.NOT_NOW)
def test_while_the_server_is_away_it_is_tried_again_later_and_later(served, file, pauses, status):
    server = served((status, {}), (status, {}), NEW)
    assert run(str(file), "--server", server.url).exit_code == 0
    assert (len(server.seen), pauses) == (3, [1, 2])


def test_when_the_server_says_when_it_is_tried_then_and_not_in_a_year(served, file, pauses):
    later = [(429, {}, ("Retry-After", text)) for text in ("40", "99999", "soon")]
    assert run(str(file), "--server", served(*later, NEW).url).exit_code == 0
    assert pauses == [40, servers.LONGEST_PAUSE_S, 1]


def test_a_server_that_stays_away_is_given_up(served, file, pauses):
    server = served(NEW)
    url = server.url
    server.shutdown()
    server.server_close()
    found = run(str(file), "--server", url)
    assert (found.exit_code, found.stdout, pauses) == (3, "", list(servers.PAUSES_S))
    assert "could not be reached" in found.stderr


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_is_not_taken_ends_it(served, file, pauses, status):
    with pytest.raises(Refused, match="This token does not exist"):
        run(str(file), "--server", served((status, {"error": "This token does not exist"})).url)
    assert pauses == []


def test_one_file_that_is_refused_harms_no_other(served, tmp_path, pauses):
    for name in ("a.html", "b.html", "c.html"):
        (tmp_path / name).write_text(name)
    server = served((415, {"error": "“a.html” is a picture."}), NEW)
    found = run(str(tmp_path), "--server", server.url)
    assert (found.exit_code, found.stdout.count("new"), len(server.seen)) == (2, 2, 3)
    assert "is a picture" in found.stderr


@pytest.mark.parametrize(
    ("answer", "later"),
    [
        ((302, {}, ("Location", "/elsewhere/")), True),
        ((404, {"error": "There is nothing at this address."}), True),
        ((405, "<html>Not allowed</html>"), True),  # another server than awrdiff
        ((413, {}), True),  # a proxy, which takes less
        ((500, {"error": "Something went wrong"}), True),
        ((507, {}), True),
        ((413, {"error": "“a.html” is too large."}), False),
        ((415, {"error": "“a.html” is a picture."}), False),
        (NEW, False),
    ],
)
def test_only_what_an_awrdiff_server_says_of_the_file_is_final(served, file, pauses, answer, later):
    there = servers.Server(served(answer).url, "awr_abc")
    assert push.send(push.Source(str(file)), there).later is later


def test_a_token_follows_no_redirect(served, file, pauses):
    other = served(NEW)
    found = run(str(file), "--server", served((302, {}, ("Location", f"{other.url}reports/"))).url)
    assert (found.exit_code, other.seen) == (2, [])


def test_of_the_same_bytes_one_file_goes_and_the_other_is_known_by_it(served, tmp_path, pauses):
    for name in ("a.html", "b.html", "c.html"):
        (tmp_path / name).write_text("the same")
    server = served(NEW)
    assert run(str(tmp_path), "--server", server.url).stdout == "1 new a.html\n1 known b.html\n1 known c.html\n"
    assert len(server.seen) == 1


def test_what_the_server_knows_by_its_digest_is_not_sent(served, tmp_path, pauses):
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text(name)
    server = served(NEW)
    digest = hashlib.sha256(b"b.html").hexdigest()
    server.known = {digest: {"id": "7", "name": "as it was called then"}}
    assert run(str(tmp_path), "--server", server.url).stdout == "1 new a.html\n7 known b.html\n"
    assert [digest in one["sha256"] for one in server.asked] == [True]
    assert [b"a.html" in body for _, _, body in server.seen] == [True]


def test_standard_input_is_a_file(served, pauses):
    server = served((201, {"id": "1", "name": "standard input"}))
    assert run("-", "--server", server.url, input=b"<html>").stdout == "1 new standard input\n"
    assert b"\r\n\r\n<html>\r\n--" in server.seen[0][2]


def finding(severity: str) -> dict[str, Any]:
    return {"severity": severity, "rule": "commit-slower", "title": "Commits take longer"}


@pytest.mark.parametrize(
    ("severity", "given", "status"),
    [("critical", "critical", 1), ("warning", "critical", 0), ("warning", "warning", 1), ("critical", "warning", 1)],
)
def test_what_was_sent_is_compared_waited_for_and_judged(served, tmp_path, pauses, severity, given, status):
    (tmp_path / "a.html").write_text("a")
    sent, made = (201, {"id": "r1", "name": "a.html"}), (201, {"id": "c1", "state": "pending"})
    states = [(200, {"id": "c1", "state": one}) for one in ("pending", "running", "ready")]
    found = {"findings": [], "pairs": [{"findings": [finding(severity)]}]}
    server = served(sent, made, *states, (200, found))
    done = run(str(tmp_path), "--server", server.url, "--compare", "--order", "time", "--fail-on", given)
    assert (done.exit_code, "Commits take longer" in done.stderr) == (status, bool(status))
    assert done.stdout == f"r1 new a.html\nc1 comparison {server.url}comparisons/c1/\n"
    assert server.seen[1][2] == b"report=r1&order=time"
    assert pauses == [0.2, 0.5]


def test_without_compare_each_report_is_looked_at_by_itself(served, file, pauses):
    parts = {"id": "1", "state": "ready", "findings": None, "parts": [{"id": "2"}]}
    part = {"id": "2", "state": "ready", "findings": [finding("critical")]}
    given = (str(file), "--server")
    assert run(*given, served(NEW, (200, parts), (200, part)).url, "--fail-on", "critical").exit_code == 1
    failed = (200, {"id": "1", "name": "a.html", "state": "failed", "error": "It ends in the middle."})
    done = run(*given, served(NEW, failed).url, "--wait")
    assert (done.exit_code, "a.html: It ends in the middle." in done.stderr) == (2, True)


def test_what_is_not_all_there_is_not_compared(served, tmp_path, pauses):
    for name in ("a.html", "b.html", "c.html"):
        (tmp_path / name).write_text(name)
    server = served((415, {"error": "is a picture"}), NEW)
    with pytest.raises(Refused, match="Nothing was compared"):
        run(str(tmp_path), "--server", server.url, "--compare")
    assert {path for path, _, _ in server.seen} == {"/reports/"}


def test_a_folder_is_what_is_in_it_by_name_but_for_what_is_hidden(tmp_path):
    for name in ("b.html", "a/2.html", "a/1.html", ".git/c.html", "a/.d.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [str(Path(one.name).relative_to(tmp_path)) for one in push.sources_of([str(tmp_path)])]
    assert found == ["a/1.html", "a/2.html", "b.html"]
    with pytest.raises(Refused, match="no such"):
        push.sources_of([str(tmp_path / "none")])


@pytest.mark.parametrize("url", ["awr.example.com", "ftp://awr/", "https://u:p@awr/", "https://awr/?a=1"])
def test_what_is_no_server_is_refused(file, pauses, url):
    with pytest.raises(Refused, match="first page"):
        run(str(file), "--server", url)


def test_the_token_stands_in_a_file_or_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("AWRDIFF_TOKEN", "awr_env")
    (tmp_path / "token").write_text("awr_file\n")
    assert (servers.token_of(None), servers.token_of(tmp_path / "token")) == ("awr_env", "awr_file")
    monkeypatch.delenv("AWRDIFF_TOKEN")
    (tmp_path / "two").write_text("two words")
    for given in (None, tmp_path / "none", tmp_path / "two"):
        with pytest.raises(Refused):
            servers.token_of(given)


def test_what_could_not_be_read_before_is_said_with_its_reason_and_not_sent(served, file, pauses):
    server = served(NEW)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    server.known = {digest: {"id": "7", "name": "old.html", "state": "failed", "error": "It is no report."}}
    found = run(str(file), "--server", server.url)
    assert (found.exit_code, found.stdout, server.seen) == (2, '7 failed a".html\n', [])
    assert "It is no report." in found.stderr
    server.known, server.answers = {}, [(200, {"id": "7", "state": "failed", "error": "It is no report."})]
    assert run(str(file), "--server", server.url).exit_code == 2
