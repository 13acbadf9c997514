"""What pinning can be refused for, in a sentence for the person who asks."""

from __future__ import annotations


class PinRefused(ValueError):
    """There is nothing at the anchor, or no more room."""
