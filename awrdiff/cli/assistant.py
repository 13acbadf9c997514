"""`awrdiff mcp`: Model Context Protocol on standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from awrdiff.cli.refusal import Refused

PAUSES_S = (1, 2)  # an assistant waits for an answer; somebody who pushes files does not


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--server", metavar="URL", help="The address of a server's first page, in place of a folder.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the token of the server is; without it AWRDIFF_TOKEN is the token.",
)
@click.option("--redact", is_flag=True, help="Of a folder: pseudonyms for all names, no text of statements.")
def mcp(folder: Path | None, *, server: str | None, token_file: Path | None, redact: bool) -> None:
    """Let an assistant ask what awrdiff finds in the reports of FOLDER, or of a server (docs/mcp.md).

    Speaks the Model Context Protocol on standard input and output, until its input ends. Needs the extra awrdiff[mcp].
    """
    if (folder is None) == (server is None):
        raise Refused("Name a folder of reports, or a server with --server URL.")
    if server and redact:
        raise Refused("--redact is for a folder: the names in a server's answers are not replaced.")
    try:
        from awrdiff.assistant.tools import server_of  # noqa: PLC0415
    except ImportError as missing:
        if (missing.name or "").partition(".")[0] not in ("mcp", "mcp_types", "pydantic"):
            raise
        raise Refused("awrdiff mcp needs the package mcp: pipx install --force '.[mcp]' in a clone.") from None
    from awrdiff.assistant.source import Source  # noqa: PLC0415
    from awrdiff.cli.http_client import Server, outlive_closed_connections, token_of  # noqa: PLC0415

    outlive_closed_connections()
    source: Source
    if folder is not None:
        from awrdiff.assistant.folder_source import Folder  # noqa: PLC0415
        from awrdiff.redaction.rule import Redaction  # noqa: PLC0415

        source = Folder(folder, Redaction.new() if redact else None)
    else:
        from awrdiff.assistant.remote import Remote  # noqa: PLC0415

        source = Remote(Server(server or "", token_of(token_file), pauses_s=PAUSES_S))
    server_of(source, writes=server is not None).run("stdio")
