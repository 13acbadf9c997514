"""Ids that follow one request from access log to worker, on every log line.

No line holds a path, query, token or report content: `FIELDS` is all.
"""

from __future__ import annotations

import logging
import re
import secrets
from typing import Any

from structlog.contextvars import bind_contextvars, bound_contextvars, clear_contextvars, get_contextvars

LONGEST = 40  # characters of an id: shorter than any token of ours
_PLAIN = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST - 1}}}")
# What happens, a line each; whether they are written is a setting.
events = logging.getLogger("awrdiff.events")
IDS = ("request_id", "task_id", "team_id", "person_id", "link_id", "report_id", "comparison_id")
FIELDS = (
    *IDS,
    *("method", "route", "status", "ms", "bytes_in", "bytes_out"),
    *("audit_id", "who", "action", "kind", "thing"),
    *("bytes", "attempt", "waited_s", "reading_s", "comparing_s", "storing_s", "renewing", "reason"),
)

bind, bound, bound_now, forget = bind_contextvars, bound_contextvars, get_contextvars, clear_contextvars


def request_id_of(sent_id: str) -> str:
    """Sent id if plain and short, else a new one."""
    return sent_id if _PLAIN.fullmatch(sent_id) else secrets.token_hex(16)


def current_request_id() -> str:
    """ "" for none."""
    return str(get_contextvars().get("request_id", ""))


def current_task_id() -> str:
    """ "" for none."""
    return str(get_contextvars().get("task_id", ""))


def tell(what: str, **fields: Any) -> None:
    events.info(what, extra=fields)
