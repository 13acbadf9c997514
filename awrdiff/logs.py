"""Logging without secrets: no token that opens something ever stands in a line, a traceback or an error report.

Every record of the process is masked as it is made, whichever logger, handler or library it goes through. Lines are
text or JSON, with the ids of what is being done (awrdiff/following.py).
"""

from __future__ import annotations

import logging
import logging.config
import re
import threading
import time
import traceback
from types import NoneType
from typing import Any

from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter
from structlog import processors
from structlog.contextvars import merge_contextvars
from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_log_level, add_logger_name
from structlog.typing import EventDict, Processor

from awrdiff.following import FIELDS

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
    """`text` with **** for each token of a share link, an invitation, a new password or the local user."""
    for secret in _SECRETS:
        text = secret.sub(rf"\1{MASK}", text)
    return text


class MaskedRecord(logging.LogRecord):
    """A record whose message, arguments and traceback name no token."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._mask_message()
        if self.exc_info and self.exc_info[0] is not None:
            self.exc_text = masked("".join(traceback.format_exception(*self.exc_info)).rstrip("\n"))
        if self.stack_info:
            self.stack_info = masked(self.stack_info)

    def _mask_message(self) -> None:
        """Arguments stay where they hold no token: some formatters read them."""
        try:
            whole = super().getMessage()
        except Exception:  # a message that does not fit its arguments: the handler complains
            self.msg, self.args = masked(f"{self.msg} {self.args!r}"), ()
            return
        shown = masked(whole)
        if shown != whole:
            self.msg, self.args = shown, ()

    def getMessage(self) -> str:  # noqa: N802 - logging's own name
        """Masked once more: a handler may have put another message in."""
        return self.msg if isinstance(self.msg, _Line) else masked(super().getMessage())


class _Line(str):
    """Made of masked values: masked as a whole, the signs of JSON would go with what is masked beside them."""


class MaskedReporter(ExceptionReporter):
    """Django's error reports (mails, debug pages) with the values of local variables in them, without the tokens."""

    def get_traceback_html(self) -> SafeString:
        return SafeString(masked(super().get_traceback_html()))

    def get_traceback_text(self) -> SafeString:
        return SafeString(masked(super().get_traceback_text()))


class Seldom:
    """Says yes at most once in `every_s` seconds, and how often it said no in between."""

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self._lock = threading.Lock()
        self._next_s = 0.0
        self._left_out = 0

    def now(self) -> int | None:
        """None: not now. Otherwise how many times it was None since the last number."""
        with self._lock:
            if time.monotonic() < self._next_s:
                self._left_out += 1
                return None
            left_out, self._left_out = self._left_out, 0
            self._next_s = time.monotonic() + self.every_s
            return left_out


class SeldomWhileAway(logging.Filter):
    """Of requests refused for the machine's state (503, 507) a line a minute for each status, with their number."""

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
    """What Django says of a request, with the name of its route: a path may hold what stands in a report."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is not None:
            said, colon, _ = _REFERER.sub("it", record.getMessage()).partition(": /")
            record.msg, record.args = f"{said}: {route_of(request)}" if colon else said, ()
        return True


def route_of(request: Any) -> str:
    """The name of the address that was asked for."""
    found = getattr(request, "resolver_match", None)
    return (found.view_name if found else "") or "none"


def formatter(*, as_json: bool) -> ProcessorFormatter:
    """One line a record: as text for people, or as a JSON document."""
    shown: list[Processor] = [
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
    return ProcessorFormatter(processors=[*shown, _as_line], use_get_message=True)


_as_fields = processors.LogfmtRenderer(bool_as_flag=False)


def _as_text(logger: Any, name: str, line: EventDict) -> str:
    head = f"{line.pop('timestamp')} {line.pop('level').upper()} {line.pop('logger')}: {line.pop('event')}"
    below = [line.pop(part) for part in ("exception", "stack") if part in line]
    return "\n".join([" ".join(filter(None, (head, _as_fields(logger, name, line)))), *below])


def _masked_values(_logger: Any, _name: str, line: EventDict) -> EventDict:
    """What is bound or given beside the words, and a traceback written anew, have gone through no record."""
    return {name: value if isinstance(value, _PLAIN) else masked(str(value)) for name, value in line.items()}


_PLAIN = (int, float, NoneType)


def _as_line(_logger: Any, _name: str, line: Any) -> str:
    return _Line(line)


def configure(config: dict[str, Any]) -> None:
    """settings.LOGGING_CONFIG: masking first, so that not even a line about the configuration escapes it."""
    logging.setLogRecordFactory(MaskedRecord)
    logging.config.dictConfig(config)
