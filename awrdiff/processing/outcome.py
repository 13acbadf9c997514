"""What becomes of one attempt at a row, and how long its stages take: told when it ends."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from awrdiff import following
from awrdiff.processing import tallies

LEFT = "left"  # its row says nothing of how it ended


@dataclass(slots=True)
class Outcome:
    """`kind` is the row's, and `ids` those in its lines; `stage` is the one it is in. `word` is one of the log
    (done, refused, given back, waiting), `reason` the code of a refusal."""

    kind: str = ""
    ids: dict[str, Any] = field(default_factory=dict)
    stage: str = ""
    word: str = LEFT
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
        """Once, at the end: in the log, in the numbers, and as spans."""
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
