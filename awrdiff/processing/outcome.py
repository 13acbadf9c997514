"""Outcome of an attempt at a row and the times of its stages, reported when it ends."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from awrdiff import following
from awrdiff.processing import tallies

UNKNOWN = "left"  # the word of an attempt whose end is unknown


@dataclass(slots=True)
class Outcome:
    """`ids`: for its log lines; `stage`: the present one. `word`: done, refused, given back, waiting …; `reason`: code
    of a refusal.
    """

    kind: str = ""
    ids: dict[str, Any] = field(default_factory=dict)
    stage: str = ""
    word: str = UNKNOWN
    reason: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    _since: float = field(default_factory=time.monotonic)
    _began_ns: int = field(default_factory=time.time_ns)

    def enter(self, stage: str) -> None:
        now = time.monotonic()
        if self.stage:
            self.seconds[self.stage] = self.seconds.get(self.stage, 0.0) + now - self._since
        self.stage, self._since = stage, now

    def end(self, word: str, reason: str = "") -> None:
        self.word, self.reason = word, reason

    def tell(self) -> None:
        """Report once, at the end: log, metrics and spans."""
        self.enter("")
        for stage, took in self.seconds.items():
            tallies.observe("work_seconds", self.kind, stage, value=took)
        tallies.add("outcomes", self.kind, self.word)
        if self.reason:
            tallies.add("refusals", self.kind, self.reason)
        tallies.add_up()
        stages = {f"{stage}_s": round(took, 3) for stage, took in self.seconds.items()}
        with following.bound(**self.ids):
            following.tell(self.word, **stages, **({"reason": self.reason} if self.reason else {}))
        if settings.AWRDIFF_TRACES_ENDPOINT:
            from awrdiff import spans  # noqa: PLC0415 - an extra

            spans.tell_work(self.kind, self.word, self.ids, self._began_ns, self.seconds)
