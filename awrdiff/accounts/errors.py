"""What changing who is on a team can be refused for, in a sentence for the person who asks."""

from __future__ import annotations


class PeopleRefused(ValueError):
    """An invitation or change that cannot be."""
