"""What a process loads once is loaded before it forks."""

from __future__ import annotations

import subprocess
import sys

from tests.harness.command import ROOT

LOADED = """
import sys
from parsers import import_warm_up, parse_report
from fixtures.writer import LAYOUT_19, write
from fixtures.stories import series
import_warm_up.load()
before = set(sys.modules)
page = write(series.monday(0), LAYOUT_19)
parse_report(page)
parse_report(page.replace(b"<head>", b"<head><meta charset='windows-1252'>").replace(b"INVENTED", b"INVENT\\xc9"))
print(sorted(name for name in set(sys.modules) - before if name.startswith(("parsers", "lxml", "bs4"))))
"""


def test_reading_loads_nothing_more():
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
