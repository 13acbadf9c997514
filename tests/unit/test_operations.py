"""docs/operations.md names every environment variable that is read, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READ = re.compile(r"""(?:env\.\w+\(|environ(?:\.get\(|\.setdefault\(|\[))\s*["']([A-Z][A-Z0-9_]+)["']""")


def variables_read() -> set[str]:
    found = {name for path in (ROOT / "awrdiff").rglob("*.py") for name in READ.findall(path.read_text())}
    # Three are of the command line, docs/command-line.md; what Celery leaves out is set for it, and nobody's to choose.
    of_the_command_line = {"NO_COLOR", "AWRDIFF_TOKEN", "XDG_STATE_HOME"}
    return found - of_the_command_line - {"DJANGO_SETTINGS_MODULE", "CELERY_SKIP_CHECKS", "NOSETPS"}


def test_every_variable_that_is_read_is_described_and_no_other():
    table = (ROOT / "docs" / "operations.md").read_text().split("## Settings")[1]
    assert set(re.findall(r"^\| `([A-Z_0-9]+)`", table, re.M)) == variables_read()
