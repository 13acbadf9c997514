"""An assistant's side of `awrdiff mcp`: the SDK's own client and a real process."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server import MCPServer

ROOT = Path(__file__).resolve().parents[2]


class Refused(Exception):
    """The tool said no."""


class Assistant:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await self.client.call_tool(tool, arguments)
        text = answer.content[0].text
        if answer.is_error:
            raise Refused(text)
        assert json.loads(text) == answer.structured_content, "what is read as text is what is read as data"
        return answer.structured_content


def talk(with_: MCPServer | StdioServerParameters, does: Callable[[Assistant], Awaitable[Any]]) -> Any:
    """Result of `does`; its exceptions are raised as they are, not in the SDK's groups."""

    async def whole() -> tuple[Any, Exception | None]:
        async with Client(with_, read_timeout_seconds=120) as client:
            try:
                return await does(Assistant(client)), None
            except Exception as error:
                return None, error

    with ThreadPoolExecutor(1) as thread:  # in this one a browser's loop may be running
        result, error = thread.submit(lambda: asyncio.run(whole())).result()
    if error is not None:
        raise error
    return result


def process(*arguments: str, **env: str) -> StdioServerParameters:
    command = ["-m", "awrdiff.cli", "mcp", *arguments]
    return StdioServerParameters(command=sys.executable, args=command, env=env, cwd=str(ROOT))
