"""What writing in a thread can be refused for, in a sentence for the person who asks."""

from __future__ import annotations


class ThreadRefused(ValueError):
    """There is nothing to write about, nothing written, or no more room."""
