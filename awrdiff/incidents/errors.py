"""Refusals of incidents, with a sentence for the user."""

from __future__ import annotations

from awrdiff.incidents.merging import Merged


class IncidentRefused(ValueError):
    """A field that cannot be, or no more room."""


class ChangedMeanwhile(Exception):
    """Field changed by both; nothing saved. The message says by whom; `merged` has typed text at conflicts."""

    def __init__(self, message: str, merged: Merged) -> None:
        super().__init__(message)
        self.merged = merged

    @property
    def fields(self) -> dict[str, dict[str, str]]:
        """Fields both changed: current and typed."""
        conflicts = self.merged.conflicts.items()
        return {name: {"now": now, "typed": self.merged.texts[name]} for name, now in conflicts}
