"""All that is said of the made cases, word by word, and what it rests on; every figure of commits."""

from __future__ import annotations

from difflib import unified_diff

import pytest

from tests.golden.commits import COMMITS
from tests.golden.said import SAID
from tests.golden.snapshots import ROOT, Snapshots
from tests.golden.unsaid import UNSAID


@pytest.mark.parametrize(
    ("snapshots", "path"), [pytest.param(s, path, id=path) for s in (SAID, COMMITS, UNSAID) for path in s.by_path]
)
def test_what_is_said_is_what_was_read_over(snapshots, path):
    kept = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""
    changed = list(unified_diff(kept.splitlines(), snapshots.text(path).splitlines(), "kept", "now", n=0, lineterm=""))
    if changed:
        meant = f"{snapshots.by_path[path]}: if it is meant, run bin/regenerate and read the difference"
        pytest.fail("\n".join([meant, *changed[2:40]]), pytrace=False)


@pytest.mark.parametrize("snapshots", [SAID, COMMITS, UNSAID], ids=lambda s: s.folder.name)
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
