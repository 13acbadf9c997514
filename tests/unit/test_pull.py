"""`awrdiff pull`: a comparison to a file or standard output, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.main import awrdiff
from tests.unit.test_push import pauses, served  # noqa: F401 - fixtures

ID = "01234567-89ab-4def-8123-456789abcdef"
READY = (200, {"id": ID, "state": "ready"})


def run(*given: str) -> Any:
    found = CliRunner().invoke(awrdiff, ["pull", *given], standalone_mode=False)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ((), "json"),
        (("--format", "markdown", "--summary"), "md?part=summary"),
        (("--output", "a.html"), "html"),
        (("--output", "a.html", "--format", "ticket"), "txt"),
        (("--output", "a.dat"), "json"),
    ],
)
def test_it_waits_and_fetches_what_is_asked_for(served, pauses, tmp_path, monkeypatch, given, asked):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    server = served((200, {"id": ID, "state": "running"}), READY, (200, {"whole": 1}))
    done = run(f"{server.url}comparisons/{ID}/?pair=1#summary", "--server", server.url, *given)
    said = Path(given[1]).read_text() if "--output" in given else done.stdout
    assert (done.exit_code, said) == (0, '{"whole": 1}')
    assert server.seen[-1][0] == f"/comparisons/{ID}/export.{asked}"


def test_what_is_not_had_writes_nothing(served, pauses, tmp_path):  # noqa: F811
    target = tmp_path / "a.json"
    failed = (200, {"id": ID, "title": "Monday", "state": "failed", "error": "They are of other kinds."})
    for answers, words in (
        ([failed], "other kinds"),
        ([(404, {"error": "no such"})], "no such"),
        ([READY, (409, {})], "409"),
    ):
        with pytest.raises(Refused, match=words):
            run(ID, "--server", served(*answers).url, "--output", str(target))
    with pytest.raises(Refused, match="neither"):
        run("monday", "--server", served(READY).url)
    assert not target.exists()
