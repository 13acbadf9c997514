"""Refusals of an import."""

from __future__ import annotations

_DAMAGED = "The file is damaged: {}."


class NotImported(ValueError):
    """No export of a team, damaged, or over a limit; the sentence says which."""


class BrokeOff(NotImported):
    """Raised after part was imported; the sentence says what, and where it is."""


def damage(what: str) -> NotImported:
    return NotImported(_DAMAGED.format(what))
