"""What an import refuses."""

from __future__ import annotations

_DAMAGED = "The file is damaged: {}."


class NotImported(ValueError):
    """The file is no export of a team, or damaged, or more than is taken in; a sentence says which."""


class BrokeOff(NotImported):
    """Something had come in already; the sentence says what, and where it is."""


def damage(what: str) -> NotImported:
    return NotImported(_DAMAGED.format(what))
