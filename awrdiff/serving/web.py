"""A web process: python -m awrdiff.serving.web

Alone it listens on PORT and AWRDIFF_BIND.
"""

from __future__ import annotations

import logging
import os
import resource
import signal
import socket
import tempfile
import time
from http.cookies import CookieError, SimpleCookie
from types import FrameType
from typing import Any, NoReturn

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.task import ThreadedTaskDispatcher

from awrdiff.disk_space import has_room
from awrdiff.django_command_line import sentences
from awrdiff.processing import metric_counters
from awrdiff.reports.received_files import body_limit_bytes, drop_unfinished
from awrdiff.serving.address import bind_address, listen
from awrdiff.serving.http_limits import Request, Server

MEBIBYTE = 1024 * 1024
FILES_PER_CONNECTION = 4  # its socket, a body, an answer, and one over
MOST_CONNECTIONS = 1000
SMALL_BODY = MEBIBYTE  # a form: taken from anybody
GOODBYE_S = 8  # for answers on their way when the server stops


def judge(request: Request, held_bytes: int) -> int | None:
    """401 without credentials, 503 for too many bodies, 507 on a full disk."""
    received = request.body_bytes_received
    size = max(request.content_length, received)
    has_token = str(request.headers.get("AUTHORIZATION", "")).lower().startswith("bearer ")
    if size > SMALL_BODY and not settings.AWRDIFF_LOCAL_USER and not (has_token or _has_session(request)):
        return 401
    if held_bytes > most_held_bytes():
        return 503
    return None if has_room(2 * max(0, size - received)) else 507  # once as it arrives, once as it is kept


def most_held_bytes() -> int:
    """A web process's part of the spool."""
    return int(settings.AWRDIFF_SPOOL_MB * MEBIBYTE // settings.AWRDIFF_WEB_PROCESSES)


def _has_session(request: Request) -> bool:
    """Django checks later whether it is valid."""
    try:
        return settings.SESSION_COOKIE_NAME in SimpleCookie(request.headers.get("COOKIE", ""))
    except CookieError:
        return False


def make_server(application: Any, listener: socket.socket) -> Server:
    settings.AWRDIFF_UPLOAD_DIR.mkdir(parents=True, exist_ok=True)
    drop_unfinished()
    tempfile.tempdir = str(settings.AWRDIFF_UPLOAD_DIR)  # waitress's files have no name there: a kill leaves none
    name, port = listener.getsockname()[:2]
    adjusted = Adjustments(
        sockets=[listener],
        server_name=name,
        threads=settings.AWRDIFF_WEB_THREADS,
        ident=None,
        url_prefix=settings.AWRDIFF_PATH,
        clear_untrusted_proxy_headers=False,  # Django and web.sign_in read them, and trust them where told to
        connection_limit=_most_connections(),
        channel_timeout=60,
        cleanup_interval=5,
        max_request_header_size=32 * 1024,
        max_request_body_size=body_limit_bytes(),
        recv_bytes=64 * 1024,
        inbuf_overflow=256 * 1024,
        outbuf_overflow=512 * 1024,
        outbuf_high_watermark=settings.AWRDIFF_SPOOL_MB * MEBIBYTE,  # a thread never waits for a reader below that
        asyncore_use_poll=True,
        log_socket_errors=False,
    )
    facts = (listener.family, listener.type, listener.proto, (name, port))
    server = Server(
        application,
        {},
        _sock=listener,
        dispatcher=_lane(adjusted.threads),
        adj=adjusted,
        sockinfo=facts,
        bind_socket=False,
    )
    server.long_lane = _lane(max(1, adjusted.threads // 4))
    server.most_held_bytes, server.judge = most_held_bytes(), judge
    return server


def _lane(threads: int) -> ThreadedTaskDispatcher:
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(threads)
    return dispatcher


def _most_connections() -> int:
    """Raises the open files limit first."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS * FILES_PER_CONNECTION + 200
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(10, min(MOST_CONNECTIONS, (soft - 200) // FILES_PER_CONNECTION))


def run(server: Server) -> None:
    """Finishes answers under way after TERM or INT."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    try:
        wasyncore.loop(timeout=1, use_poll=True, map=server._map)
    except SystemExit:
        server.accepting = False
        deadline = time.monotonic() + GOODBYE_S
        while server.is_answering() and time.monotonic() < deadline:
            wasyncore.loop(timeout=0.1, use_poll=True, map=server._map, count=1)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(0)


def serve(listener: socket.socket | None = None) -> None:
    """Makes a socket without `listener`."""
    with sentences():
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
        if listener is None:  # started by itself
            from awrdiff.wsgi import application  # noqa: PLC0415 - sets Django up, with what it has to say
        else:  # by bin/serve, which has prepared everything
            application = get_wsgi_application()
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a queue is what it is for
        run(make_server(application, listener or listen(*bind_address(local=settings.AWRDIFF_LOCAL_USER))))
        metric_counters.add_up()
        if settings.AWRDIFF_TRACES_ENDPOINT:
            from awrdiff import opentelemetry_spans  # noqa: PLC0415 - an extra

            opentelemetry_spans.send_rest()


if __name__ == "__main__":
    serve()
