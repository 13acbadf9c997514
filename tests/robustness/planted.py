"""What the pipeline fuzzer breaks: the parser fuzzer's documents with a mark in their texts, and a good twin of each.

The mark closes an attribute and opens a tag. An answer in which it stands as it is would have run a script.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from zlib import crc32

from fixtures.stories import invented
from fixtures.writer import LAYOUTS, TEXT_LAYOUTS, write
from tests.fuzz_documents import Document, built, real

MARK = '"><k7>'
_IN_HTML = b"&quot;&gt;&lt;k7&gt;"
_CELL = re.compile(rb"(<td[^<>]*>)([A-Za-z][\w *:/.$-]{3,60})(?=<)", re.IGNORECASE)
_NAME = re.compile(rb"^( ?)([A-Za-z][\w *:/.$-]{3,28}?) {10}(?= +\d)", re.MULTILINE)
_KEPT = re.compile(rb"log file|DB CPU|DB time|redo", re.IGNORECASE)  # what the analysis looks for by name
_ONE_IN = 9


@cache
def documents(folder: Path | None) -> list[Document]:
    """Name and bytes of all there is to break."""
    return [(name, planted(data)) for name, data in built() + real(folder)]


@cache
def twins(folder: Path | None) -> dict[str, bytes]:
    """For each document a sound report to compare it with: the earlier of the invented pair, or itself."""
    sound = dict(documents(folder))
    earlier = {name: write(invented.before(modern=name != "11.2"), layout) for name, layout in LAYOUTS.items()}
    earlier |= {name: write(invented.before(modern=False), layout) for name, layout in TEXT_LAYOUTS.items()}
    return sound | {name: planted(data) for name, data in earlier.items()}


def planted(data: bytes) -> bytes:
    """The mark behind some of the names: which ones is told by the name, so that twins have it in the same rows."""
    data = _CELL.sub(lambda m: m[0] + _IN_HTML if _chosen(m[2]) else m[0], data)
    mark = MARK.encode()
    return _NAME.sub(lambda m: m[1] + m[2] + mark + b" " * (10 - len(mark)) if _chosen(m[2]) else m[0], data)


def _chosen(name: bytes) -> bool:
    return crc32(name) % _ONE_IN == 0 and not _KEPT.search(name)
