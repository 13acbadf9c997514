"""What incidents can refuse, in a sentence for the person who asks."""

from __future__ import annotations


class IncidentRefused(ValueError):
    """A field that cannot be, or no more room."""


class ChangedMeanwhile(Exception):
    """Somebody saved while somebody else was writing: nothing of the latter was saved. The message says who."""
