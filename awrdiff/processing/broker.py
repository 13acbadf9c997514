"""kombu's filesystem transport, made safe for a worker that must survive anything.

kombu 5.7 instead shows a message before it is whole (a worker that polls every 50 ms may stop on the empty file), lets
two workers take one, has processes share a pipe whose lock a killed one keeps for ever, and waits for the next poll
after a task.
"""

from __future__ import annotations

import logging
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    connection: Transport

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (Path(self.data_folder_in), Path(self.data_folder_out), self.control_folder):
            folder.mkdir(parents=True, exist_ok=True)

    def _put(self, queue: str, message: Any, **_kwargs: Any) -> None:  # type: ignore[override]  # kombu's bases differ
        folder = Path(self.data_folder_out)
        # Wall-clock order, so that what was queued before a reboot is still first.
        task = message.get("headers", {}).get("task")
        kind = f".{task}" if task else ""
        name = f"{time.time_ns() // 1_000_000:015d}_{uuid.uuid4()}{kind}.{queue}.msg"
        unfinished = folder / f".{name}.part"
        unfinished.write_bytes(dumps(message).encode())
        unfinished.rename(folder / name)

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:  # noqa: FBT001, FBT002 - kombu's
        super().basic_ack(delivery_tag, multiple)
        self.connection.look_soon()

    def waiting(self, queue: str, task: str) -> int:
        """Messages for this task that nobody has taken."""
        return sum(1 for _ in Path(self.data_folder_out).glob(f"[0-9]*.{task}.{queue}.msg"))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for waiting in sorted(folder.glob(f"[0-9]*.{queue}.msg")):
            own = folder / f".{waiting.name}.taken"
            try:
                waiting.rename(own)
            except FileNotFoundError:
                continue  # another worker was quicker
            content = own.read_bytes()
            own.unlink()
            return loads(content)
        raise Empty


class Transport(filesystem.Transport):
    Channel = Channel
    implements = filesystem.Transport.implements.extend(asynchronous=True)
    failing = False
    _loop: Any = None

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        options = connection.client.transport_options
        self._loop = loop
        loop.call_repeatedly(options.get("polling_interval", 0.05), self._deliver_waiting)

    def look_soon(self) -> None:
        if self._loop is not None:
            self._loop.call_soon(self._deliver_waiting)

    def _deliver_waiting(self) -> None:
        if self.cycle is None:
            return
        try:
            while True:  # until nothing is left, or the worker has all it can work on
                self.cycle.get(self._deliver)
        except Empty:
            self.failing = False
        except (OSError, ChannelError, ValueError):
            if not self.failing:
                logger.warning("the broker's folder cannot be read; trying again", exc_info=True)
            self.failing = True
