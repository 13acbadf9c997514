"""Refusals to pin, with a sentence."""

from __future__ import annotations


class PinRefused(ValueError):
    """Nothing at the anchor, or no more room."""
