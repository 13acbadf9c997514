"""Templates can be read: djlint keeps their indents (`bin/test lint`), here their width is bounded."""

from __future__ import annotations

from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
WIDEST = 200  # columns: of what djlint cannot break, an element in which white space would show


def test_no_line_is_too_wide_to_be_read():
    lines = [
        (f"{path.relative_to(TEMPLATES)}:{number}", len(line))
        for path in TEMPLATES.rglob("*.html")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    assert len(lines) > 1000
    assert [where for where, width in lines if width > WIDEST] == []
