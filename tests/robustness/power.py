"""A disk that loses power: an ext4 image with its journal, mounted where the server's data are.

A cut keeps what the image's file has received. What processes wrote and nobody synced is in the mounted file system's
memory only, and is lost, as it is with power. Blocks that a real disk holds in a cache of its own and has not been asked
to flush are kept here: that a flush is asked for is tested below strace (tests/processes/test_on_disk.py).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SIZE_MB = 256
AWAY_S = 20  # within which killed processes let go of the disk


class Disk:
    """Mounted at `folder`; its image stands beside it. Needs root and a loop device."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.image = folder.with_suffix(".ext4")

    @staticmethod
    def reason_against(folder: Path) -> str:
        """The reason why no disk can be mounted below `folder`, empty if one can."""
        if os.geteuid() != 0:
            return "only root mounts a disk"
        if not shutil.which("mkfs.ext4"):
            return "mkfs.ext4 is not installed"
        disk = Disk(folder / "probe")
        try:
            disk.mount_new()
            disk.close()
        except subprocess.CalledProcessError:
            return "this machine gives no loop device"
        return ""

    def mount_new(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.image.open("wb") as file:
            file.truncate(SIZE_MB * 2**20)
        _run("mkfs.ext4", "-q", "-F", self.image)
        self._mount()

    def cut(self, pids: Iterable[int]) -> None:
        """End the processes as a power cut does, and mount what it leaves."""
        pids = list(pids)
        _signal(pids, signal.SIGSTOP)  # nothing is written or answered from here on
        left = self._copy()
        _signal(pids, signal.SIGKILL)
        self._unmount()
        left.replace(self.image)
        self._mount()  # replays the journal

    def _copy(self) -> Path:
        """Copy of the image, taken again if the kernel wrote back meanwhile: of one moment, as a cut is."""
        first, second = (self.image.with_suffix(f".{n}") for n in "12")
        shutil.copyfile(self.image, first)
        while True:
            shutil.copyfile(self.image, second)
            if subprocess.run(["cmp", "-s", first, second], check=False).returncode == 0:
                second.unlink()
                return first
            first, second = second, first

    def _mount(self) -> None:
        _run("mount", "-o", "loop", self.image, self.folder)

    def _unmount(self) -> None:
        deadline = time.monotonic() + AWAY_S
        while subprocess.run(["umount", self.folder], capture_output=True, check=False).returncode != 0:
            if time.monotonic() > deadline:
                _run("umount", self.folder)
            time.sleep(0.05)

    def close(self) -> None:
        if self.folder.is_mount():
            self._unmount()
        self.image.unlink(missing_ok=True)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _signal(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
