"""A server's comparison as a file."""

from __future__ import annotations

import re

from awrdiff.cli.http_client import Server
from awrdiff.cli.push import COMPARED, ready
from awrdiff.cli.refusal import Refused

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


def export_of(comparison: str, server: Server, ending: str, *, summary: bool) -> bytes:
    """`comparison`: id or address. Raises as `Server`, Refused."""
    match = _ID.search(comparison)
    if match is None:
        raise Refused(f"{comparison}: that is neither the id nor the address of a comparison.")
    ready(server.wait_until_settled(f"{COMPARED}{match[0]}/status/"))
    answer = server.get(f"{COMPARED}{match[0]}/export.{ending}{'?part=summary' if summary else ''}")
    if not answer.is_fine:
        raise Refused(f"{match[0]}: {answer.reason}")
    return answer.body
