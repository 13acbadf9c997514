"""`awrdiff watch`: files are sent once they have stopped growing, once by their bytes, also after a restart."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.http_client import Unreachable
from awrdiff.cli.main import awrdiff
from awrdiff.cli.push import Sent, Source, digest_of
from awrdiff.cli.watch import HandedOver, Tell, Watch, state_file
from tests.unit.test_push import NEW, Answering

TITLE = "<html><title>AWR Report</title><h1>WORKLOAD REPOSITORY report for</h1>"
REPORT = TITLE + "<table><tr><th>a</th></tr><tr><td>{}</td></tr></table>"
REFUSED = Sent("", refusals=("is a picture",))


class Watched:
    """A folder with a watch on it that can be begun again; `answers` are what other files than good ones get."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder, self.state = tmp_path / "in", tmp_path / "state" / "watch"
        self.folder.mkdir()
        self.sent: list[str] = []
        self.told: list[tuple[str, tuple[str, ...]]] = []
        self.answers: dict[str, Sent] = {}
        self.away = False
        self.begin()

    def begin(self) -> None:
        self.watch = Watch(self.folder, HandedOver(self.state), self._push, self._tell)

    def looks(self, times: int = 2) -> list[str]:
        """What was sent meanwhile."""
        before = len(self.sent)
        for _ in range(times):
            self.watch.look()
        return self.sent[before:]

    def write(self, name: str, text: str, at: int = 1) -> None:
        (self.folder / name).write_text(text)
        os.utime(self.folder / name, (at, at))

    def _push(self, sources: Sequence[Source], tell: Tell) -> None:
        if self.away:
            raise Unreachable("away")
        for source in sources:
            assert source.beside, "it was sent because it lies in a folder"
            name = Path(source.name).name
            self.sent.append(name)
            answer = self.answers.get(name, Sent("", ({"id": "1"},)))
            tell(Sent(source.name, answer.reports, False, answer.refusals, digest_of(source), answer.later))

    def _tell(self, sent: Sent) -> None:
        self.told.append((Path(sent.name).name, sent.refusals))


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_a_file_goes_once_it_has_stopped_growing(watched):
    watched.write("a.html", "")
    assert watched.looks(3) == []
    for at, text in enumerate(("beg", "begun", "BEGUN"), 1):  # the last is as long as the one before
        watched.write("a.html", text, at)
        assert watched.looks(1) == []
    assert watched.looks(4) == ["a.html"]


def test_what_was_handed_over_is_known_by_its_bytes_after_a_restart(watched):
    watched.write("a.html", "a")
    assert watched.looks() == ["a.html"]
    watched.begin()
    watched.write("moved.html", "a")
    watched.write("b.html", "b")
    assert watched.looks() == ["b.html"]
    watched.write("a.html", "another report of that name", 2)
    assert watched.looks() == ["a.html"]


def test_what_was_not_handed_over_goes_when_the_server_is_back(watched):
    watched.write("a.html", "a")
    watched.away = True
    with pytest.raises(Unreachable):
        watched.looks()
    watched.begin()
    watched.away = False
    assert watched.looks() == ["a.html"]


def test_a_bad_file_harms_no_other_and_is_said_once(watched):
    watched.write("a.png", "a picture")
    watched.write("b.html", "b")
    watched.answers["a.png"] = REFUSED
    assert watched.looks(4) == ["a.png", "b.html"]
    watched.begin()
    assert watched.looks() == []
    assert watched.told == [("a.png", ("is a picture",)), ("b.html", ())]


def test_what_may_be_otherwise_later_is_tried_again_and_said_once(watched, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("awrdiff.cli.watch.time.monotonic", lambda: now[0])
    watched.write("a.html", "a")
    watched.answers["a.html"] = Sent("", refusals=("the disk is full",), later=True)
    assert watched.looks(5) == ["a.html"]
    now[0] += 1000
    assert watched.looks(2) == ["a.html"]
    assert watched.told == [("a.html", ("the disk is full",))]
    watched.answers.clear()
    watched.begin()
    assert watched.looks() == ["a.html"]


def test_hidden_files_and_those_that_go_away_meanwhile_are_nothing(watched):
    watched.write(".a.html", "a")
    watched.write("b.html", "b")
    assert watched.looks(1) == []
    (watched.folder / "b.html").unlink()
    assert watched.looks() == []
    (watched.folder / ".a.html").unlink()
    watched.folder.rmdir()
    assert watched.looks() == []


def test_a_line_that_was_broken_off_spoils_no_other(watched):
    watched.write("a.html", "a")
    watched.looks()
    watched.state.write_text(watched.state.read_text() + "0123abc")
    watched.begin()
    watched.write("b.html", "b")
    assert watched.looks() == ["b.html"]
    watched.begin()
    assert watched.looks() == []


def test_where_nothing_can_be_written_it_says_so(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="--state"):
        HandedOver(tmp_path / "file" / "watch")
    given = HandedOver(tmp_path / "watch")
    given.path.unlink()
    given.path.mkdir()
    with pytest.raises(Refused, match="--state"):
        given.add("0" * 64, "a.html")
    assert state_file(tmp_path, "http://a/") != state_file(tmp_path, "http://b/")


class Dropped:
    """Whose weak reference calls back when it goes."""


def swallowed():
    with suppress(Exception):
        signal.raise_signal(signal.SIGTERM)


def called_back():
    gone = Dropped()
    reference = weakref.ref(gone, lambda _: signal.raise_signal(signal.SIGTERM))
    del gone
    assert reference() is None


@pytest.mark.parametrize("told", [swallowed, called_back])
def test_it_ends_without_a_word_also_where_a_library_swallows_that_it_is_told_to(tmp_path, monkeypatch, capfd, told):
    looks = []

    def look(_watch):
        looks.append(1)
        assert len(looks) == 1, "it looked again"
        told()

    monkeypatch.setattr(Watch, "look", look)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # the command sets its own
    monkeypatch.setenv("AWRDIFF_TOKEN", "awr_abc")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    before = signal.getsignal(signal.SIGTERM)
    try:
        done = CliRunner().invoke(awrdiff, ["watch", str(tmp_path), "--server", "http://localhost", "--every", "0.01"])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (done.exit_code, looks) == (0, [1])
    assert "Stopped" not in capfd.readouterr().err


def test_it_ends_cleanly_when_it_is_told_to(tmp_path):
    (tmp_path / "a.html").write_text(REPORT.format(1))
    server = Answering((503, {}), (415, {"error": "is a picture"}), NEW)
    command = [sys.executable, "-m", "awrdiff.cli", "watch", str(tmp_path), "--server", server.url, "--every", "0.05"]
    env = {**os.environ, "AWRDIFF_TOKEN": "awr_abc", "XDG_STATE_HOME": str(tmp_path / ".state")}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert "watching" in running.stderr.readline()
        ignored = re.search(r"SigIgn:\s*(\w+)", Path(f"/proc/{running.pid}/status").read_text())
        assert ignored is not None
        assert int(ignored[1], 16) >> (signal.SIGPIPE - 1) & 1, "a server that goes would end it without a word"
        assert "is a picture" in running.stderr.readline()
        (tmp_path / "notes").write_text("of 3 May")
        assert "notes: left out: This is a text file" in running.stderr.readline()
        (tmp_path / "b.html").write_text(REPORT.format(2))
        assert running.stdout.readline() == "1 new a.html\n"
        running.send_signal(signal.SIGTERM)
        assert (running.wait(60), running.stderr.read()) == (0, "")
    server.shutdown()
    server.server_close()
