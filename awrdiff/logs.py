"""Logging without secrets: tokens are masked as records are made, whichever logger or library.

Lines are text or JSON, with the ids that follow a request from access log to worker. None holds a path, query, token or
report content: `FIELDS` is all.
"""

from __future__ import annotations

import logging
import logging.config
import re
import secrets
import threading
import time
import traceback
from types import NoneType
from typing import Any

from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter
from structlog import processors
from structlog.contextvars import (
    bind_contextvars,
    bound_contextvars,
    clear_contextvars,
    get_contextvars,
    merge_contextvars,
)
from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_log_level, add_logger_name
from structlog.typing import EventDict, Processor

LONGEST = 40  # characters of an id: shorter than any token of ours
_PLAIN_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST - 1}}}")
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
    return sent_id if _PLAIN_ID.fullmatch(sent_id) else secrets.token_hex(16)


def current_request_id() -> str:
    """ "" for none."""
    return str(get_contextvars().get("request_id", ""))


def current_task_id() -> str:
    """ "" for none."""
    return str(get_contextvars().get("task_id", ""))


def tell(what: str, **fields: Any) -> None:
    events.info(what, extra=fields)


MASK = "****"
_REST = r"[^/\s?#&\"'<>,;)\]}]+"
_ESCAPE = r"(?<=\\[nrt])"  # the end of a line, as repr writes it
_SECRETS = (
    # below a share link, wherever the path begins, also quoted as a parameter: /s/TOKEN/, s/TOKEN/, %2Fs%2FTOKEN
    # so it is with a calendar, an invitation, a new password and an address to confirm
    re.compile(
        rf"(?:(?<![\w.-])|(?<=%2F)|{_ESCAPE})((?:s|join|confirm-email|calendar|login/once)(?:/|%2F)){_REST}", re.I
    ),
    re.compile(rf"(?:(?<![\w.-])|(?<=%2F)|{_ESCAPE})(password(?:/|%2F))(?=[0-9a-z]+-){_REST}", re.I),
    re.compile(rf"((?:[?&]|%3F|%26)token(?:=|%3D)){_REST}", re.I),
    # a token by itself, such as a local variable's value: 256 bits, URL-safe base64
    re.compile(rf"()(?:(?<![\w-])|{_ESCAPE})(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{{43}}(?![\w-])"),
)


def masked(text: str) -> str:
    """Replaces tokens by ****."""
    for secret in _SECRETS:
        text = secret.sub(rf"\1{MASK}", text)
    return text


class MaskedRecord(logging.LogRecord):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Arguments without tokens stay: some formatters read them.
        try:
            whole = super().getMessage()
        except Exception:  # a message that does not fit its arguments: the handler complains
            self.msg, self.args = masked(f"{self.msg} {self.args!r}"), ()
        else:
            if (masked_text := masked(whole)) != whole:
                self.msg, self.args = masked_text, ()
        if self.exc_info and self.exc_info[0] is not None:
            self.exc_text = masked("".join(traceback.format_exception(*self.exc_info)).rstrip("\n"))
        if self.stack_info:
            self.stack_info = masked(self.stack_info)

    def getMessage(self) -> str:  # noqa: N802 - logging's own name
        """Masked again: a handler may have replaced the message."""
        return self.msg if isinstance(self.msg, _Line) else masked(super().getMessage())


class _Line(str):
    """Already masked: masking JSON again would break its quotes."""


class MaskedReporter(ExceptionReporter):
    def get_traceback_html(self) -> SafeString:
        return SafeString(masked(super().get_traceback_html()))

    def get_traceback_text(self) -> SafeString:
        return SafeString(masked(super().get_traceback_text()))


class Seldom:
    """Counts refusals between."""

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self._lock = threading.Lock()
        self._next_s = 0.0
        self._left_out = 0

    def now(self) -> int | None:
        """None if too soon, else refusals since."""
        with self._lock:
            if time.monotonic() < self._next_s:
                self._left_out += 1
                return None
            left_out, self._left_out = self._left_out, 0
            self._next_s = time.monotonic() + self.every_s
            return left_out


class SeldomWhileAway(logging.Filter):
    STATUSES = (503, 507)

    def __init__(self) -> None:
        super().__init__()
        self._seldom = {status: Seldom(every_s=60) for status in self.STATUSES}

    def filter(self, record: logging.LogRecord) -> bool:
        seldom = self._seldom.get(getattr(record, "status_code", 0))
        if seldom is None:
            return True
        left_out = seldom.now()
        if left_out:
            record.msg = f"{record.msg} (and {left_out} before)"
        return left_out is not None


_REFERER = re.compile(r"(?<=Referer checking failed - ).*(?= does not match)", re.DOTALL)


class RouteForPath(logging.Filter):
    """Hides paths, which may hold report content."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is not None:
            words, colon, _ = _REFERER.sub("it", record.getMessage()).partition(": /")
            record.msg, record.args = f"{words}: {route_of(request)}" if colon else words, ()
        return True


def route_of(request: Any) -> str:
    match = getattr(request, "resolver_match", None)
    return (match.view_name if match else "") or "none"


def formatter(*, as_json: bool) -> ProcessorFormatter:
    pre_chain: list[Processor] = [
        processors.TimeStamper(fmt="iso"),
        add_log_level,
        add_logger_name,
        merge_contextvars,
        ExtraAdder(allow=FIELDS),
        processors.format_exc_info,
        processors.StackInfoRenderer(),
        ProcessorFormatter.remove_processors_meta,
        _masked_values,
        processors.JSONRenderer(default=str) if as_json else _as_text,
    ]
    return ProcessorFormatter(processors=[*pre_chain, _as_line], use_get_message=True)


_as_fields = processors.LogfmtRenderer(bool_as_flag=False)


def _as_text(logger: Any, name: str, line: EventDict) -> str:
    head = f"{line.pop('timestamp')} {line.pop('level').upper()} {line.pop('logger')}: {line.pop('event')}"
    below = [line.pop(part) for part in ("exception", "stack") if part in line]
    return "\n".join([" ".join(filter(None, (head, _as_fields(logger, name, line)))), *below])


def _masked_values(_logger: Any, _name: str, line: EventDict) -> EventDict:
    """Bound values and new tracebacks pass no record."""
    return {name: value if isinstance(value, _PLAIN) else masked(str(value)) for name, value in line.items()}


_PLAIN = (int, float, NoneType)


def _as_line(_logger: Any, _name: str, line: Any) -> str:
    return _Line(line)


def configure(config: dict[str, Any]) -> None:
    logging.setLogRecordFactory(MaskedRecord)
    logging.config.dictConfig(config)
