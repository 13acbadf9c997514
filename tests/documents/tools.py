"""The table of docs/mcp.md: the tools of the assistant, as it is told of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from awrdiff.assistant.folder_source import Folder
from awrdiff.assistant.mcp_tools import server_of


def table() -> str:
    tools = asyncio.run(server_of(Folder(Path(__file__).parent, None), writes=False).list_tools())
    rows = (f"| `{one.name}` | {' '.join((one.description or '').split())} |" for one in tools)
    return "\n".join(["| tool | what it does |", "|---|---|", *rows])
