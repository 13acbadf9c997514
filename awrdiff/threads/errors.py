"""Refusals of threads, with a sentence for the user."""

from __future__ import annotations


class ThreadRefused(ValueError):
    """No subject, no text, or no room."""
