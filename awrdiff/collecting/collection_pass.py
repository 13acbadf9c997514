"""A pass over all configured databases; new intervals become files of one folder.

A pass that dies refetches at most one report per database, under its name.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from awrdiff.collecting.config import BadConfig, Config, Database
from awrdiff.collecting.oracledb_reports import Interval, NotAllowed, NotMade, Session, Unavailable, file_names
from awrdiff.collecting.sqlplus_script import MOST_HOURS
from awrdiff.private_var_folder import write_whole

MEMORY = ".awrdiff-collected.json"
LOCK = ".awrdiff-collect.lock"
ADDM = "addm"
TRIES = 3  # passes that try a report which cannot be made: its snapshots may be gone by then


@dataclass(slots=True)
class Collected:
    name: str
    files: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    refusal: str = ""
    is_away: bool = False
    is_early: bool = False


class Memory:
    """One thread at a time writes it.

    `{"whose": {"NAME/DBID/INSTANCE": {"last": SNAPSHOT, "end": TIME, "again": {"FIRST-LAST": TRIES}, "addm":
    {"FIRST-LAST": TRIES}}}, "asked": {NAME: SECONDS}, "unsent": [FILE, …]}`
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / MEMORY
        self._lock = Lock()
        try:
            document = json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() else {}
            self._whose = {str(of): dict(state) for of, state in document.get("whose", {}).items()}
            self._passes = {str(name): float(at) for name, at in document.get("asked", {}).items()}
            self.unsent = [str(file) for file in document.get("unsent", [])]
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise BadConfig(
                f"{self._path} cannot be read ({error}): without it, what lies in the hours of the configuration "
                "is fetched again; move it away if that is right."
            ) from None

    def is_new(self, interval: Interval) -> bool:
        """Compares number or time: rebuilt AWR restarts numbering."""
        state = self._whose.get(interval.whose, {})
        is_later = interval.last > state.get("last", 0) or interval.end.isoformat() > state.get("end", "")
        return is_later or interval.snapshots in state.get("again", {})

    def waits_for_addm(self, interval: Interval) -> bool:
        """True where ADDM had not finished."""
        return interval.snapshots in self._whose.get(interval.whose, {}).get("addm", {})

    def addm_unfinished(self, interval: Interval) -> None:
        """Retried in TRIES passes at most."""
        with self._lock:
            waiting = self._whose.setdefault(interval.whose, {}).setdefault("addm", {})
            tries = waiting.pop(interval.snapshots, 0) + 1
            if tries < TRIES:
                waiting[interval.snapshots] = tries
            self._write()

    def addm_settled(self, interval: Interval, files: list[str]) -> None:
        """`files`: ADDM's report, or none."""
        with self._lock:
            self._whose[interval.whose]["addm"].pop(interval.snapshots)
            self._leave_to_send(files)
            self._write()

    def is_due(self, database: Database, now_s: float) -> bool:
        return now_s - self._passes.get(database.name, 0) >= 60 * database.every_minutes

    def hours(self, database: Database, now_s: float) -> int:
        """Covers the time since the last success, at least as configured."""
        since_h = math.ceil((now_s - self._passes.get(database.name, now_s)) / 3600) + 1
        return min(max(database.hours, since_h), MOST_HOURS)

    def note_pass(self, database: Database, now_s: float) -> None:
        with self._lock:
            self._passes[database.name] = now_s
            self._write()

    def fetched(self, interval: Interval, files: list[str]) -> None:
        self._settle(interval, None, files)

    def failed(self, interval: Interval) -> None:
        tries = self._whose.get(interval.whose, {}).get("again", {}).get(interval.snapshots, 0) + 1
        self._settle(interval, tries if tries < TRIES else None, [])

    def sent(self, file: str) -> None:
        with self._lock:
            self.unsent.remove(file)
            self._write()

    def _settle(self, interval: Interval, tries: int | None, files: list[str]) -> None:
        with self._lock:
            state = self._whose.setdefault(interval.whose, {})
            state["last"] = max(state.get("last", 0), interval.last)
            state["end"] = max(state.get("end", ""), interval.end.isoformat())
            again = state.setdefault("again", {})
            again.pop(interval.snapshots, None)
            if tries is not None:
                again[interval.snapshots] = tries
            self._leave_to_send(files)
            self._write()

    def _leave_to_send(self, files: list[str]) -> None:
        self.unsent += [file for file in files if file not in self.unsent]

    def _write(self) -> None:
        text = json.dumps({"whose": self._whose, "asked": self._passes, "unsent": self.unsent}, indent=1)
        _write(self._path, text)


def _write(path: Path, text: str) -> None:
    """Raises BadConfig."""
    try:
        write_whole(path, text, mode=0o666)  # `private` says whether others read it
    except OSError as error:
        raise _not_writable(path.parent, error) from None


def _not_writable(folder: Path, error: OSError) -> BadConfig:
    return BadConfig(f"{folder} cannot be written to: {error.strerror or error}.")


@contextmanager
def private(config: Config) -> Iterator[None]:
    """Modes 0700, 0600 unless `shared`."""
    if config.shared:
        yield
        return
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Refuses a second pass. Raises BadConfig."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("a")
    except OSError as error:
        raise _not_writable(folder, error) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadConfig(f"Another awrdiff collect is running in {folder}.") from None
        except OSError as error:  # a file system without locks
            raise _not_writable(folder, error) from None
        yield


def collect(config: Config, memory: Memory, tell: Callable[[Collected], object], driver: Any) -> None:
    """Reads in parallel, calls `tell` after each; failing databases stop no other."""
    now_s = time.time()
    with ThreadPoolExecutor(config.at_once) as pool:
        passes = pool.map(
            lambda database: _of_one(database, Path(config.folder), memory, driver, now_s), config.database
        )
        for collected in passes:
            tell(collected)


def _of_one(database: Database, folder: Path, memory: Memory, driver: Any, now_s: float) -> Collected:
    done = Collected(database.name)
    if not memory.is_due(database, now_s):
        done.is_early = True
        return done
    try:
        with Session(database, driver) as session:
            for interval in session.intervals(memory.hours(database, now_s)):
                names = list(file_names(interval, database))
                if memory.is_new(interval):
                    _fetch(interval, names, session, folder, memory, done)
                elif database.addm and memory.waits_for_addm(interval):
                    _fetch(interval, names[-1:], session, folder, memory, done)
        memory.note_pass(database, now_s)
    except Unavailable as away:
        done.refusal, done.is_away = str(away), True
    except (NotAllowed, BadConfig) as refused:
        done.refusal = str(refused)
    return done


def _fetch(  # noqa: PLR0917 - what one report needs
    interval: Interval, names: list[tuple[str, str]], session: Session, folder: Path, memory: Memory, done: Collected
) -> None:
    """`names`: of its files; of a fetched interval that waits for ADDM, that one alone."""
    files, waits = [], False
    for what, file in names:
        try:
            if text := getattr(session, what)(interval):
                _write(folder / file, text)
                files.append(file)
            elif what == ADDM:
                waits = True
        except NotMade as why:
            done.failures.append(f"{done.name}: {file} could not be made: {why}")
            if what == "report":
                memory.failed(interval)
                return
    done.files += files
    if names[0][0] != ADDM:
        memory.fetched(interval, files)
    elif not waits:
        memory.addm_settled(interval, files)
    if waits:
        memory.addm_unfinished(interval)
