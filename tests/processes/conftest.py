"""The two ways awrdiff runs: embedded (SQLite, broker on files) and with PostgreSQL and Redis."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.harness.server import Server


@dataclass
class Stack:
    """A running server, and how to take its broker away and bring it back empty."""

    name: str
    server: Server
    stop_broker: Callable[[], None]
    start_broker: Callable[[], None]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("embedded"),
        pytest.param("services", marks=[pytest.mark.postgres, pytest.mark.redis]),
    ],
)
def stack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    var = tmp_path_factory.mktemp("var")
    # Short, so that a killed task's row is free again while a test waits.
    env = {"AWRDIFF_TASK_TIME_LIMIT_S": "8", "AWRDIFF_TASK_DUE_AFTER_S": "2", "AWRDIFF_SWEEP_EVERY_S": "1"}
    if request.param == "embedded":
        stop, start = files_broker(var)
    else:
        redis, postgres = request.getfixturevalue("redis"), request.getfixturevalue("postgres")
        env |= {"DATABASE_URL": postgres.migrated_database(), "REDIS_URL": redis.url}
        stop, start = redis.stop, redis.start
    server = Server(var, **env)
    server.start()
    yield Stack(request.param, server, stop, start)
    server.stop()


def files_broker(var: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    """A broker on files is away while its folder cannot be used, and comes back without its messages."""
    messages = var / "broker" / "messages"

    def stop() -> None:
        shutil.rmtree(messages)
        messages.write_text("not a folder")

    def start() -> None:
        messages.unlink()
        messages.mkdir()

    return stop, start
