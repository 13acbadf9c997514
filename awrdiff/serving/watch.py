"""Watching for processes that hang: bin/serve reads its own /readyz and ends what no longer answers."""

from __future__ import annotations

import json
import signal
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterable

from awrdiff.serving.children import WELL_S, Child
from awrdiff.serving.say import warn

EVERY_S = 10
ENOUGH = {"worker": 3, "sweeper": 3}  # looks in a row
ENOUGH_OF_A_WEB_SERVER = 12  # it may only be busy
ANSWER_S = 5


class Watch:
    """Ends silent workers, sweepers and web servers; they start again."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}readyz"
        self.next_look = time.monotonic() + EVERY_S
        self.silent: Counter[str] = Counter()

    def look(self, children: Iterable[Child]) -> None:
        if time.monotonic() < self.next_look:
            return
        states = readiness(self.url)
        self.next_look = time.monotonic() + EVERY_S
        for child in children:
            self._judge(child, states)

    def _judge(self, child: Child, states: dict[str, str] | None) -> None:
        if child.ended() or child.age_s() < WELL_S or not self._is_silent(child, states):
            self.silent[child.name] = 0
            return
        self.silent[child.name] += 1
        if self.silent[child.name] >= ENOUGH.get(child.name, ENOUGH_OF_A_WEB_SERVER):
            self.silent[child.name] = 0
            warn(f"The {child.name} hangs: ending it.")
            child.signal(signal.SIGKILL, group=True)

    def _is_silent(self, child: Child, states: dict[str, str] | None) -> bool:
        if child.name.startswith("web server"):
            return states is None
        return states is not None and states.get("database") == "ok" and states.get(child.name) == "silent"


def readiness(url: str) -> dict[str, str] | None:
    """The words of /readyz, or None where nothing (or nonsense) answers."""
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_S) as answer:  # noqa: S310 - our own address
            body = answer.read()
    except urllib.error.HTTPError as error:
        with error:
            body = error.read()
    except OSError:
        return None
    try:
        states: dict[str, str] = json.loads(body)
    except ValueError:
        return None
    return states
