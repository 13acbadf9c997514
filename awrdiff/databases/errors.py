"""Refusals concerning databases, each with a sentence."""

from __future__ import annotations


class DatabaseRefused(ValueError):
    """Invalid field, or reports that cannot be split or merged so."""
