"""Declared sections: each table of the corpus belongs to exactly one, and the reports of the corpus are read as the docs have it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from parsers.files.encoding import decode
from parsers.html.table_reader import read_html
from parsers.sections.registry import REGISTRY, Registry
from parsers.sections.waits import WAITS
from tests.documents.parts import DOCS, parts
from tests.documents.sections import reports_read
from tests.harness import corpus as real

CORPUS = os.environ.get("AWRDIFF_CORPUS", "")
FILES = sorted(Path(CORPUS).glob("*.htm*")) if CORPUS else []
_TIME = re.compile(r"\| \d+ \|$", re.MULTILINE)  # the milliseconds of a report, which are another machine's
needs_corpus = pytest.mark.skipif(not FILES, reason="set AWRDIFF_CORPUS to a folder of real reports")


def test_an_id_is_declared_once() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        Registry([WAITS, WAITS])


def test_ids_columns_and_keys_are_sound() -> None:
    for declaration in REGISTRY.by_id.values():
        assert re.fullmatch(r"[a-z0-9_]+", declaration.id)
        columns = [s.id for s in declaration.columns or ()]
        assert len(columns) == len(set(columns)), declaration.id
        labels = [label for s in declaration.columns or () for label in s.labels]
        assert len(labels) == len(set(labels)), f"{declaration.id}: a label stands for two columns"


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_exactly_one_section_takes_each_table(path: Path) -> None:
    for table in read_html(decode(path.read_bytes()).text).tables:
        assert len(REGISTRY.candidates(table)) == 1, f"{table.heading} / {table.caption} / {table.summary}"


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_in_scope_reports_read_without_an_issue_of_ours(path: Path) -> None:
    read = real.read(path)
    assert [i.text for i in read.issues if i.ours] == []
    assert read.database.dbid
    assert read.period.elapsed_s
    tables = sum(bool(t.rows) for t in read_html(decode(path.read_bytes()).text).tables)
    assert sum(not s.id.startswith("addm_") for s in read.sections) <= tables  # ADDM's are made of prose
    ids = [s.id for s in read.sections]
    assert len(ids) == len(set(ids))


@needs_corpus
@pytest.mark.corpus
def test_docs_list_every_report() -> None:
    written, run = parts(DOCS / "reference" / "reports-read.md")["reports"], "python -m tests.documents $AWRDIFF_CORPUS"
    assert _TIME.sub("|", written) == _TIME.sub("|", reports_read(Path(CORPUS))), f"run: {run}"
