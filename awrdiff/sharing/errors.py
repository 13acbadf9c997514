"""What making a share link can be refused for, in a sentence for the person who asks."""

from __future__ import annotations


class BadDays(ValueError):
    """The wish for how long a link works is not a number of days."""
