"""What a database can be refused for, in a sentence for the person who asks."""

from __future__ import annotations


class DatabaseRefused(ValueError):
    """A field that cannot be, or reports that cannot be taken apart or together so."""
