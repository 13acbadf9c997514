"""Refusals of post-mortems, with a sentence for the user."""

from __future__ import annotations

from awrdiff.postmortems.models import PostmortemSection


class PostmortemRefused(ValueError):
    """Text too long, no room for a version, or no section."""


class Frozen(Exception):
    """Reviewed: unchangeable until reopened."""

    def __init__(self) -> None:
        super().__init__("The post-mortem is reviewed and stays as it is. Open it again, with a reason, to change it.")


class NotAsSeen(Exception):
    """Changed since read; nothing written."""


class SavedMeanwhile(NotAsSeen):
    """Saved by another meanwhile; `typed` is unsaved."""

    def __init__(self, section: PostmortemSection, typed: str) -> None:
        super().__init__("This section has been changed since you opened it: nothing of yours was saved over it.")
        self.section, self.typed = section, typed
