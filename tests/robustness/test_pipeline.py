"""A small part of the pipeline fuzzer, the same each time; `python -m tests.robustness.pipeline` runs as many as wanted."""

from __future__ import annotations

import pytest

from tests.harness import tools
from tests.robustness import command
from tests.robustness.answers import Wrong, look_through, read_json
from tests.robustness.planted import MARK, documents, twins


@pytest.mark.processes
@pytest.mark.postgres
def test_no_broken_report_fails_on_its_way():
    tools.need("postgresql")
    status, said = command.run(840, "tests.robustness.pipeline", "--cases", "30", "--seed", "8")
    assert status == 0, said[-8000:]
    assert "| **all** | 30 |" in said


def test_most_documents_carry_the_mark_and_so_do_their_twins():
    marked = [name for name, data in documents(None) if b"k7" in data]
    assert len(marked) >= 10
    assert all(b"k7" in twins(None)[name] for name in marked)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html; charset=utf-8", f"<td>log file{MARK}</td>"),
        ("text/html", '<td title="x"&gt;&lt;k7&gt;">'),
        ("text/html", '<td><script>alert("k7")</script></td>'),
        ("text/markdown", f"| {MARK} |"),
        ("text/csv", '1,"=cmd()"\n'),
        ("application/json", '{"a": NaN}'),
        ("application/json", '{"a": -Infinity}'),
        ("application/json", '{"a": '),
    ],
)
def test_what_must_be_in_no_answer_is_seen(kind, body):
    with pytest.raises(Wrong):
        look_through(kind, body.encode())


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", "<td>log file&quot;&gt;&lt;k7&gt;</td><script src=/x.js></script>"),
        ("text/markdown", '| "\\>\\<k7\\> |'),
        ("text/csv", "-1,'=cmd()\n"),
        ("application/json", '{"a": "<k7>"}'),
    ],
)
def test_what_is_harmless_passes(kind, body):
    look_through(kind, body.encode())


def test_infinity_is_no_json():
    with pytest.raises(Wrong, match="Infinity"):
        read_json(b"[Infinity]")
