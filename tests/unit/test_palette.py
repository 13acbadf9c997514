"""The colours of waits are the same in pages and in files, and every wait class has one."""

from __future__ import annotations

import re
from pathlib import Path

from awrdiff.analysis.export.html import STYLE
from awrdiff.analysis.verdict.bar_fills import FILLS, OTHERS, REST

PAGE = Path("static/css/base.css").read_text(encoding="utf-8")


def colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"^\.(db-cpu|w-[\w-]+) \{ --wait: ([^;]+);", css, re.MULTILINE))


def test_one_palette() -> None:
    assert colours(PAGE) == colours(STYLE)
    assert set(colours(PAGE)) == {*FILLS.values(), OTHERS, REST}
