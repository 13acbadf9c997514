"""Every finding of the diagnosed cases, word by word, with size, tone, subject and evidence; every figure of commits."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from tests.golden.commits import COMMITS
from tests.golden.said import SAID
from tests.golden.snapshots import ROOT, Snapshots


@pytest.mark.parametrize(
    ("snapshots", "path"), [pytest.param(s, path, id=path) for s in (SAID, COMMITS) for path in s.by_path]
)
def test_what_is_said_is_what_was_read_over(snapshots, path):
    """What was changed on purpose: write the files anew (said.py, commits.py) and read the difference."""
    assert (ROOT / path).is_file(), f"new: python -m tests.golden.{snapshots.folder.name}"
    now, before = snapshots.text(path), (ROOT / path).read_text(encoding="utf-8")
    for number, (found, kept) in enumerate(zip_longest(now.split("\n"), before.split("\n")), 1):
        assert found == kept, f"{path}, line {number}"


@pytest.mark.parametrize("snapshots", [SAID, COMMITS], ids=lambda s: s.folder.name)
def test_no_file_is_left_of_a_case_that_is_no_more(snapshots):
    assert sorted(snapshots.stored() - set(snapshots.by_path)) == []


def test_writing_anew_keeps_to_the_cases(tmp_path):
    def two():
        return iter(["one", "two"])

    written = Snapshots(tmp_path / "some", {"It's a case": two, "folder/Another one": two})
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "gone.txt").write_text("a case that is no more\n")
    written.write()
    assert written.stored() == {"some/its-a-case.txt", "some/folder/another-one.txt"}
    assert (tmp_path / "some/folder/another-one.txt").read_text() == "one\ntwo\n"
