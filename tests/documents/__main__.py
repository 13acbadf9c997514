"""Write every part that is made of the code; with a folder of real reports also how they were read."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.documents.made import MADE
from tests.documents.parts import DOCS, write
from tests.documents.sections import reports_read

for (_name, _part), _text in MADE.items():
    write(DOCS / f"{_name}.md", _part, _text())
for _folder in sys.argv[1:]:
    write(DOCS / "reference" / "reports-read.md", "reports", reports_read(Path(_folder)))
