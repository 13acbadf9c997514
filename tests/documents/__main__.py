"""Write every part that is made of the code."""

from __future__ import annotations

from tests.documents.made import MADE
from tests.documents.parts import DOCS, write

for (_name, _part), _text in MADE.items():
    write(DOCS / f"{_name}.md", _part, _text())
