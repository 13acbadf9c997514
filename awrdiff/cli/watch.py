"""Polled folder whose files are sent once they stop growing, on every file system.

Files handed over are known by digest, also after a restart.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.push import Sent, Source, digest_of
from parsers import UnsupportedReport
from parsers.command_line_inputs import files_in

AGAIN_S = 300  # after what may be otherwise later: a file that cannot be read, or no final answer
_DIGEST = 64
Tell = Callable[[Sent], object]


class HandedOver:
    """Digests of files given to the server, a line each (`sha256sum`)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a+", encoding="utf-8", errors="surrogateescape") as file:
                file.seek(0)
                words = [line.split(" ", 1)[0] for line in file.read().splitlines()]
                file.write("\n" if words and len(words[-1]) != _DIGEST else "")  # broken off while it was written
        except OSError as error:
            raise self._refused(error) from None
        self._digests = {word for word in words if len(word) == _DIGEST}

    def __contains__(self, digest: str) -> bool:
        return digest in self._digests

    def add(self, digest: str, name: str) -> None:
        if digest in self._digests:
            return
        self._digests.add(digest)
        try:
            with self.path.open("a", encoding="utf-8", errors="surrogateescape") as file:
                file.write(f"{digest}  {name!r}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._refused(error) from None

    def _refused(self, error: OSError) -> Refused:
        return Refused(f"{self.path}: {error.strerror or error}: name another file with --state.")


def state_file(folder: Path, server: str) -> Path:
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    which = hashlib.sha256(f"{folder.resolve()} {server}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return home / "awrdiff" / f"watch-{which}"


class Watch:
    def __init__(
        self, folder: Path, handed_over: HandedOver, push: Callable[[Sequence[Source], Tell], object], tell: Tell
    ) -> None:
        self.folder = folder
        self._handed_over = handed_over
        self._push = push
        self._tell = tell
        self._last: dict[str, tuple[int, int]] = {}
        self._done: dict[str, tuple[int, int]] = {}
        self._not_before: dict[str, float] = {}
        self._messages: set[tuple[str, str]] = set()

    def look(self) -> None:
        """Raises as `Server`; files reported until then are done."""
        before, self._last = self._last, dict(self._files())
        self._done = {name: sign for name, sign in self._done.items() if name in self._last}
        steady = [n for n, sign in self._last.items() if before.get(n) == sign and self._done.get(n) != sign]
        now = time.monotonic()
        sources = [Source(name, beside=True) for name in steady if self._not_before.get(name, now) <= now]
        new = []
        for source in sources:
            if digest_of(source) in self._handed_over:
                self._done[source.name] = self._last[source.name]
            else:
                new.append(source)
        if new:
            self._push(new, self._keep)

    def _files(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Empty files are not yet written."""
        try:
            paths = files_in(self.folder)
        except (UnsupportedReport, OSError):  # there is none, or the folder is away for now
            return
        for path in paths:
            try:
                status = path.stat()
            except OSError:
                continue
            if status.st_size:
                yield str(path), (status.st_size, status.st_mtime_ns)

    def _keep(self, sent: Sent) -> None:
        if sent.later:
            self._not_before[sent.name] = time.monotonic() + AGAIN_S
        else:
            self._handed_over.add(sent.digest, sent.name)
            self._done[sent.name] = self._last[sent.name]
        messages = {(sent.name, refusal) for refusal in sent.refusals}
        if not (messages and messages <= self._messages):
            self._messages |= messages
            self._tell(sent)
