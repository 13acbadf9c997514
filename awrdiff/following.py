"""What one request starts is followed by its id, from the access log to the worker: ids that are bound here stand in
every line that is logged meanwhile. The row that is to be worked on keeps the id of the request that asked for it, so
it is known to whichever worker takes it, whenever that is.

No line holds a path, a query, a token or what stands in a report: `FIELDS` is all that one can have beside its words.
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


def request_id_of(given: str) -> str:
    """The id that a proxy or a client gave, where it is plain and short, else a new one."""
    return given if _PLAIN.fullmatch(given) else secrets.token_hex(16)


def current_request_id() -> str:
    """Of the request, or of that which asked for what is being worked on; "" where there is none."""
    return str(get_contextvars().get("request_id", ""))


def current_task_id() -> str:
    """Of the message that is being worked on; "" where there is none."""
    return str(get_contextvars().get("task_id", ""))


def tell(what: str, **fields: Any) -> None:
    """Something happened; `fields` are some of FIELDS."""
    events.info(what, extra=fields)
