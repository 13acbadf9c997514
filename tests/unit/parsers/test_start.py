"""What is loaded to read a plain report, and what only then when a file needs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CODE = """
import sys
from pathlib import Path
from parsers import parse_report
page = Path("fixtures/cases/invented/before.html").read_bytes()
parse_report(page)
print("bs4" in sys.modules)
saved = page.replace(b"<head>", b'<head><meta charset="windows-1251">', 1).replace(b"</body>", b"\\xcf\\xf0\\xe8</body>")
assert saved.count(b"1251") and b"\\xcf" in saved
parse_report(saved)
print("bs4" in sys.modules)
"""


def test_beautifulsoup_is_loaded_for_a_page_that_is_not_utf8_only():
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"], done.stderr
