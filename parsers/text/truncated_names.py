"""Names of closed lists, completed where text reports cut them (`DEFAULT 16K buf`).

Only fixed names that differ at the beginning; events, latches, objects and statistics stay cut (`Column.cut_at`).
"""

from __future__ import annotations

from parsers.tables.rawtable import RawTable, normal_title
from parsers.text.ash import fill_down

_COMPONENTS = (
    "ASM Buffer Cache", "DEFAULT 16K buffer cache", "DEFAULT 2K buffer cache", "DEFAULT 32K buffer cache",
    "DEFAULT 4K buffer cache", "DEFAULT 8K buffer cache", "DEFAULT buffer cache", "Data Transfer Cache",
    "In Memory RO Extension Area", "In Memory RW Extension Area", "KEEP buffer cache", "RECYCLE buffer cache",
    "memoptimize buffer cache", "unified pga pool",
)  # fmt: skip
_FUNCTIONS = ("Buffer Cache Reads", "Archive Manager", "Inmemory Populate", "Background CPU")
_CLASSES = ("data block", "undo block", "undo header")

# By heading: the column's label and what may stand in it.
_LISTS = {
    "memory dynamic components": ("Component", _COMPONENTS),
    "iostat by function summary": ("Function Name", _FUNCTIONS),
    "io stat by function - summary": ("Function", _FUNCTIONS),
    "global cache transfer times (ms)": ("Block Class", _CLASSES),
    "global cache transfer times (us)": ("Block Class", _CLASSES),
    "global cache transfer (immediate)": ("Block Class", _CLASSES),
    "global cache times (immediate)": ("Block Class", _CLASSES),
}
# Tables whose rows stand below names that no ruler covers, by the heading's beginning: the label HTML gives the names.
_NAME_LABELS = (
    ("iostat by function/filetype", "Function/File Name"),
    ("buffered queue", "Queue Name"),
    ("persistent queue", "Queue Name"),
)


def complete_names(table: RawTable) -> None:
    """Completes in place; following rows get the name, too."""
    fill_down(table.heading, table.rows)
    label, names = _LISTS.get(normal_title(table.heading), ("", ()))
    if label not in table.labels:
        return
    at = table.labels.index(label)
    if at >= len(table.widths):
        return
    width = table.widths[at]
    whole = {name[:width].rstrip(): name for name in names if len(name) > width}
    if len(whole) < sum(len(name) > width for name in names):
        return
    for row in table.rows:
        row[at] = whole.get(row[at], row[at])


def name_label(heading: str) -> str:
    """Label of names on a line without ruler."""
    title = normal_title(heading)
    return next((label for begin, label in _NAME_LABELS if title.startswith(begin)), "")
