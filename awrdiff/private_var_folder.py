"""Private var/ folder, used by one server at a time. Standard library only: bin/serve imports it first."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PRIVATE_UMASK = 0o077
GROUP_UMASK = 0o007  # AWRDIFF_VAR_GROUP: shared with a group on purpose


class FolderTrouble(Exception):
    """Message says why the folder is unusable."""


def keep_private(*, group: bool) -> None:
    os.umask(GROUP_UMASK if group else PRIVATE_UMASK)


def make(var: Path, *, group: bool = False) -> int:
    """Number of entries closed to others."""
    try:
        var.mkdir(mode=0o770 if group else 0o700, parents=True, exist_ok=True)
        mended = _mend(var, GROUP_UMASK if group else PRIVATE_UMASK)
        (var / ".writable").touch()
        (var / ".writable").unlink()
    except (FileExistsError, NotADirectoryError) as error:
        raise FolderTrouble(f"AWRDIFF_VAR: {error.filename} is a file, a folder is needed there.") from error
    except OSError as error:
        raise FolderTrouble(
            f"The folder {var} cannot be used: {error.strerror} ({error.filename}). awrdiff keeps its database and "
            f"files there and runs as user {os.geteuid()}; AWRDIFF_VAR names another folder."
        ) from error
    return mended


def _mend(var: Path, forbidden: int) -> int:
    if not _mode(var) & forbidden:
        return 0
    entries = [Path(folder) / name for folder, folders, files in os.walk(var) for name in (*folders, *files)]
    open_ones = [entry for entry in entries if not entry.is_symlink() and _mode(entry) & forbidden]
    for entry in (*open_ones, var):  # the folder last: stopped in between, the next start goes on
        entry.chmod(_mode(entry) & ~forbidden)
    return sum(not entry.name.endswith(".lock") for entry in open_ones)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def only_one(var: Path) -> Iterator[None]:
    """Two servers would corrupt the broker's files."""
    with (var / "serve.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderTrouble(f"It is already running (on the files in {var}).") from None
        yield


def write_whole(path: Path, text: str, *, mode: int = 0o600) -> None:
    """All or nothing, even at power loss; private by default."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)  # of a process that was killed; it may be anybody's to read
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
