"""What writing a post-mortem can be refused for, in a sentence for the person who asks."""

from __future__ import annotations

from awrdiff.postmortems.models import PostmortemSection


class PostmortemRefused(ValueError):
    """The text is too long, there is no room for another version, or there is no such section."""


class Frozen(Exception):
    """It is reviewed: nothing in it changes until it is opened again."""

    def __init__(self) -> None:
        super().__init__("The post-mortem is reviewed and stays as it is. Open it again, with a reason, to change it.")


class NotAsSeen(Exception):
    """Something has changed since whoever asks looked at it; nothing was written."""


class SavedMeanwhile(NotAsSeen):
    """Somebody else has saved the section since: `section` is as it is now, `typed` what was not saved."""

    def __init__(self, section: PostmortemSection, typed: str) -> None:
        super().__init__("This section has been changed since you opened it: nothing of yours was saved over it.")
        self.section, self.typed = section, typed
