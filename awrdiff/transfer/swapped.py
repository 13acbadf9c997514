"""Lines of formats 1 and 2 that are `swapped`: read where the first two reports had changed places."""

from __future__ import annotations

import zipfile
from typing import Any

from awrdiff.analysis.model.traces import TRACE
from awrdiff.comparisons.pairs import pair_of_swap
from awrdiff.transfer.packed import FILES, bytes_of
from parsers.files.detect import kind_of

_HEAD = 64 * 1024


class Swapped:
    """Comparisons of a file, to tell which pair theirs is."""

    def __init__(self, packed: zipfile.ZipFile) -> None:
        self._packed = packed
        self._reports: dict[str, list[str]] = {}
        self._is_read: dict[str, bool] = {}

    def add(self, comparison: str, reports: list[str]) -> None:
        self._reports[comparison] = reports

    def settle(self, document: dict[str, Any]) -> None:
        """Give the line the pair that its two reports are."""
        pair = document.get("pair", 0)
        if document.pop("swapped", False) is not True or document.get("baseline") or not isinstance(pair, int):
            return
        reports = self._reports.get(str(document.get("comparison", document.get("pin"))), [])
        document["pair"] = pair_of_swap(pair, 0 if pair == 0 else sum(map(self._is_report, reports)))

    def _is_report(self, report: str) -> bool:
        if report not in self._is_read:
            head = next(bytes_of(self._packed, f"{FILES}{report}"), b"")[:_HEAD]
            self._is_read[report] = kind_of(head.decode("latin-1"), "", []) != TRACE
        return self._is_read[report]
