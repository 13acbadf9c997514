"""kombu's filesystem transport with whole messages only.

kombu 5.7 opens a message under its final name and writes it afterwards; a worker that polls every 50 ms can
take the empty file in between and stop on it. Writing beside and renaming closes that gap.
"""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (Path(self.data_folder_in), Path(self.data_folder_out), self.control_folder):
            folder.mkdir(parents=True, exist_ok=True)

    def _put(self, queue: str, message: Any, **_kwargs: Any) -> None:  # type: ignore[override]  # kombu's own bases differ
        folder = Path(self.data_folder_out)
        # Wall-clock order, so that what was queued before a reboot is still first.
        name = f"{time.time_ns() // 1_000_000:015d}_{uuid.uuid4()}.{queue}.msg"
        unfinished = folder / f".{name}.part"
        unfinished.write_bytes(dumps(message).encode())
        unfinished.rename(folder / name)


class Transport(filesystem.Transport):
    Channel = Channel
