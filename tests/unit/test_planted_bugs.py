"""Bugs that are put in by hand: the lines they change are there, and so are the tests that catch them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.planted_bugs import BUGS, ROOT


def test_each_bug_can_be_put_in(tmp_path: Path) -> None:
    for bug in BUGS:
        copy = tmp_path / bug.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / bug.file).read_text())
        bug.plant(tmp_path)
        compile(copy.read_text(), bug.file, "exec")
        assert copy.read_text() != (ROOT / bug.file).read_text(), bug.name


def test_each_names_a_test_that_is_there() -> None:
    for bug in BUGS:
        file, _, name = bug.caught_by.partition("::")
        function = name.split("::")[-1].split("[")[0]
        assert re.search(rf"^ *def {function}\(", (ROOT / file).read_text(), re.MULTILINE), bug.name
