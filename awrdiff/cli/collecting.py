"""`awrdiff collect`: a line per database; files sent to a configured server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from awrdiff.cli.exit_statuses import AWAY, BAD, Refused
from awrdiff.cli.http_client import Server, Unreachable, outlive_closed_connections, server_of
from awrdiff.cli.push import Sent, Source, push
from awrdiff.collecting.collection_pass import Collected, Memory, alone_in, collect, private
from awrdiff.collecting.config import BadConfig, read_config
from awrdiff.collecting.oracledb_reports import Unavailable, load_driver


def run(path: Path, driver: Any = None) -> int:
    """Exit status of a pass. Raises Refused."""
    outlive_closed_connections()
    statuses = {0}

    def tell(done: Collected) -> None:
        for message in (*done.failures, *filter(None, [done.refusal])):
            click.echo(f"awrdiff: {message}", err=True)
        if done.refusal:
            statuses.add(AWAY if done.is_away else BAD)
        elif done.failures:
            statuses.add(BAD)
        if not done.is_early and not done.refusal:
            click.echo(f"{done.name}: {len(done.files)} new")

    try:
        config = read_config(path)
        token_file = Path(config.token_file) if config.token_file else None
        server = server_of(config.server, token_file) if config.server else None
        folder = Path(config.folder)
        with private(config), alone_in(folder):
            memory = Memory(folder)
            collect(config, memory, tell, driver or load_driver(config.client))
            if server:
                statuses.add(_send(folder, memory, server))
    except (BadConfig, Unavailable) as refused:
        raise Refused(str(refused)) from None
    return max(statuses)


def _send(folder: Path, memory: Memory, server: Server) -> int:
    """Skips files sent or deleted meanwhile."""
    for gone in [file for file in memory.unsent if not (folder / file).exists()]:
        memory.sent(gone)
    refused = []

    def tell(sent: Sent) -> None:
        for refusal in sent.refusals:
            refused.append(refusal)
            click.echo(f"awrdiff: {refusal}", err=True)
        if not sent.later:
            memory.sent(Path(sent.name).name)

    try:
        push([Source(str(folder / file)) for file in memory.unsent], server, tell)
    except Unreachable as away:
        click.echo(f"awrdiff: {away}", err=True)
        return AWAY
    return BAD if refused else 0
