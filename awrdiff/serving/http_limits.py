"""waitress with bounds on a connection's bytes and time, and clean refusals.

waitress takes requests and answers whole: a slow client never costs a thread. Added:
- A body that is too large, or has no room, is refused while it arrives, worded by Django; the rest is discarded, so
  that the client reads the answer instead of a reset.
- All bodies together have a bound, and so have unfetched answers.
- A client must make progress: `PATIENCE_S`, and a second more per `SLOWEST_BYTES_PER_S` bytes moved.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask
from waitress.utilities import BadRequest, RequestEntityTooLarge

from awrdiff.disk_space import NO_ROOM
from awrdiff.logs import tell

MEBIBYTE = 1024 * 1024
PATIENCE_S = 60
SLOWEST_BYTES_PER_S = 1024
LOOK_EVERY_BYTES = 1 << 18  # of a body that arrives, between two looks at what is held in all
MOST_SENT = MEBIBYTE  # bytes of an answer that a buffer keeps though they are sent
LINGER_S = 20  # for what a refused client still sends
LONGEST_CHUNK_LINE = 4096
TRANSFER_ENCODING = re.compile(rb"^transfer-encoding:", re.IGNORECASE | re.MULTILINE)
TAKES_LONG = re.compile(r"/export\.\w+$")
REFUSAL = "awrdiff.refusal"  # in the WSGI environ: the status with which the body was refused

# From a request and the bytes held by all connections to the status that refuses its body, or None.
Judge = Callable[["Request", int], int | None]


class Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    error: Any = None
    body_rcv: Any = None
    refused: int | None = None  # the status
    _checked_bytes = 0  # of the body, at the last check

    def __init__(self, adj: Any, channel: Channel) -> None:
        super().__init__(adj)
        self.channel = channel

    def parse_header(self, header_plus: bytes) -> None:
        """Raises ParsingError (400) for a body framed twice: request smuggling."""
        super().parse_header(header_plus)
        is_coded = TRANSFER_ENCODING.search(header_plus)
        if is_coded and (self.version != "1.1" or "CONTENT_LENGTH" in self.headers):
            self.chunked, self.body_rcv = False, None
            raise ParsingError("Transfer-Encoding stands beside Content-Length, or in another version than HTTP/1.1.")

    def received(self, data: bytes) -> int:
        try:
            consumed: int = super().received(data)
        except OSError as error:  # nowhere to keep it
            return self._refuse(507 if error.errno in NO_ROOM else 503, data)
        if isinstance(self.error, RequestEntityTooLarge):
            return self._refuse(413, data)
        receiver = self.body_rcv  # waitress reassembles an unfinished chunk head with every packet
        heads = (receiver.control_line, receiver.trailer) if isinstance(receiver, ChunkedReceiver) else ()
        if any(len(head) > LONGEST_CHUNK_LINE for head in heads):
            self.error = BadRequest("The chunks of the body cannot be read.")
            self.completed = True
        if self.error:
            self.headers["CONNECTION"] = "close"  # or HTTP/1.0 is told both
            self.channel.lingers = True
            return len(data)
        # Judged after the head, then now and again.
        if self.body_rcv is not None and (
            not self._checked_bytes or self.body_bytes_received - self._checked_bytes >= LOOK_EVERY_BYTES
        ):
            self._checked_bytes = max(1, self.body_bytes_received)
            server = self.channel.server
            if status := server.judge(self, server.held_bytes()):
                return self._refuse(status, data)
        return consumed

    def held_bytes(self) -> int:
        return len(self.body_rcv) if self.body_rcv is not None else 0

    def _refuse(self, status: int, data: bytes) -> int:
        """Hands on the request without its body."""
        self.refused = status
        self.channel.lingers = True
        self.error = None
        self.completed = self.headers_finished = True
        self.expect_continue = False
        self.close()
        self.body_rcv = None
        self.headers.update(CONTENT_LENGTH="0", CONNECTION="close")
        return len(data)


class Task(WSGITask):  # type: ignore[misc]
    chunked_response: bool = False

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        if self.request.refused:
            environ[REFUSAL] = self.request.refused
        if self.request.command == "HEAD":
            environ.pop("wsgi.file_wrapper", None)  # a file would be sent past `write`
        return environ

    def write(self, data: bytes) -> None:
        super().write(b"" if self.request.command == "HEAD" else data)

    def set_close_on_finish(self) -> None:
        """waitress closes without Content-Length; an answer of a head alone stays open."""
        ends_with_head = self.request.command == "HEAD" or not self.has_body
        if self.version == "1.1" and ends_with_head and self.request.headers.get("CONNECTION", "").lower() != "close":
            return
        super().set_close_on_finish()

    def finish(self) -> None:
        self.chunked_response = self.chunked_response and self.request.command != "HEAD"
        super().finish()


class Unreadable(ErrorTask):  # type: ignore[misc]
    """Django never sees it: its access log line is written here."""

    def execute(self) -> None:
        tell("request", route="unreadable", status=self.request.error.code)
        super().execute()


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection. `turn`: since when the present side is at it."""

    task_class, error_task_class = Task, Unreadable
    lingers = False  # an answer goes out before the request was read to its end
    lingers_until = 0.0
    answer_bytes = 0  # waiting to be fetched when the answer was complete

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.turn = time.time()
        super().__init__(*args, **kwargs)

    def parser_class(self, adj: Any) -> Request:
        self.turn = time.time()
        return Request(adj, self)

    def write_soon(self, data: Any) -> int:
        """waitress frees sent bytes only with their whole buffer."""
        if self.current_outbuf_count >= MOST_SENT and self.total_outbufs_len < self.adj.outbuf_overflow:
            self.current_outbuf_count: int = self.adj.outbuf_high_watermark
        size: int = super().write_soon(data)
        return size

    def service(self) -> None:
        super().service()
        self.turn, self.answer_bytes = time.time(), self.total_outbufs_len

    def held_bytes(self) -> int:
        return sum(r.held_bytes() for r in (self.request, *self.requests) if r is not None)

    def is_overdue(self, now: float) -> bool:
        if self.lingers_until:
            return now > self.lingers_until
        if self.requests:
            return False  # ours to answer
        if self.request:
            progress_bytes = self.request.body_bytes_received
        else:
            progress_bytes = self.answer_bytes - self.total_outbufs_len
        return bool(now > self.turn + PATIENCE_S + max(0, progress_bytes) / SLOWEST_BYTES_PER_S)

    def readable(self) -> bool:
        return self.lingers_until > 0 or bool(super().readable())

    def handle_read(self) -> None:
        if self.lingers_until:
            self.recv(self.adj.recv_bytes)  # of a closed connection it comes back here through handle_close
        else:
            super().handle_read()

    def cut_off(self) -> None:
        """Closes now: waitress would wait for a client that never reads."""
        self.lingers = False
        self.handle_close()

    def handle_close(self) -> None:
        """Reads on after a refusal, until the client has seen it."""
        if self.lingers and self.connected and not self.lingers_until:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                self.will_close = self.close_when_flushed = False
                self.lingers_until = time.time() + LINGER_S
                return
        if self.request is not None:
            self.request.close()  # what had arrived of it
        super().handle_close()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Long requests have their own threads: pages never wait for them.

    `most_held_bytes`: of all bodies together, and again of unfetched answers.
    """

    channel_class = Channel
    most_held_bytes: int
    judge: Judge
    long_lane: ThreadedTaskDispatcher

    def add_task(self, task: Channel) -> None:
        path = getattr(task.requests[0], "path", "")  # a head that cannot be read has none
        lane = self.long_lane if TAKES_LONG.search(path) else self.task_dispatcher
        lane.add_task(task)

    def held_bytes(self) -> int:
        """Counts incomplete bodies, too."""
        return sum(channel.held_bytes() for channel in list(self.active_channels.values()))

    def maintenance(self, now: float) -> None:
        super().maintenance(now)
        channels = list(self.active_channels.values())
        for channel in channels:
            if channel.is_overdue(now):
                channel.cut_off()
        unfetched = sum(channel.total_outbufs_len for channel in channels)
        for channel in sorted(channels, key=lambda c: c.turn):  # the longest-waiting answer first
            if unfetched <= self.most_held_bytes:
                return
            if channel.total_outbufs_len and not channel.requests:
                unfetched -= channel.total_outbufs_len
                channel.cut_off()

    def is_answering(self) -> bool:
        return any(channel.requests or channel.total_outbufs_len for channel in self.active_channels.values())
