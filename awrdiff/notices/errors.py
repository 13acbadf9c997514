"""What notices can be refused for, in a sentence for the person who asks."""

from __future__ import annotations


class NoticeRefused(ValueError):
    """A wish that cannot be met, such as an address that is none."""
