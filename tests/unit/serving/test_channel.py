"""The web server on the wire: what it takes, what it refuses while it arrives, and what slow clients cost."""

from __future__ import annotations

import errno
import logging
import socket
import time

import pytest

from awrdiff.serving import http_limits, web
from awrdiff.serving.http_limits import REFUSAL
from tests.harness.server import until

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # waitress's own files
MIB = 1 << 20
GET = "GET /told HTTP/1.1\r\nHost: a\r\n\r\n"


def post(length: int, more: str = "") -> str:
    return f"POST /told HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n{more}\r\n"


def test_the_application_is_told_whose_socket_it_is(connect):
    line = connect()
    line.say(GET)
    environ = line.answer()[1]["environ"]
    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert environ["REMOTE_PORT"] == str(line.socket.getsockname()[1])
    assert environ["SERVER_PORT"] == str(line.socket.getpeername()[1])


def test_what_a_proxy_says_reaches_django_which_decides_about_it(connect):
    line = connect()
    line.say("GET /told HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n")
    environ = line.answer()[1]["environ"]
    assert environ["HTTP_X_FORWARDED_PROTO"] == "https"
    assert environ["HTTP_X_FORWARDED_FOR"] == "192.0.2.7"
    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert environ["wsgi.url_scheme"] == "http"


def test_requests_sent_at_once_are_answered_in_turn_on_one_connection(connect):
    line = connect()
    line.say(post(3) + "abc" + GET + post(5) + "abcde")
    assert [line.answer()[1]["body"] for _ in range(3)] == [3, 0, 5]


def test_what_is_no_request_has_its_line_in_the_access_log(connect, caplog):
    line = connect()
    with caplog.at_level(logging.INFO, logger="awrdiff.events"):
        line.say("nonsense\r\n\r\n")
        assert line.head()[0] == 400
    (told,) = caplog.records
    assert (told.getMessage(), told.route, told.status) == ("request", "unreadable", 400)


def test_http_1_0_closes_and_head_has_no_body(connect):
    old = connect()
    old.say("GET /told HTTP/1.0\r\n\r\n")
    assert old.answer()[0] == 200
    assert old.is_closed()
    line = connect()
    line.say(GET.replace("GET", "HEAD"))
    assert line.head()[0] == 200
    line.say(GET)
    assert line.answer()[0] == 200


@pytest.mark.parametrize("request_line", ["GET /bare/304", "GET /bare/204", "HEAD /told", "HEAD /bare/200"])
def test_three_answers_without_a_body_come_on_one_connection(connect, request_line):
    line = connect()
    for _ in range(3):
        line.say(f"{request_line} HTTP/1.1\r\nHost: a\r\n\r\n")
        status, headers = line.head()
        assert status in (200, 204, 304)
        assert "connection" not in headers
    line.say(GET)
    assert line.answer()[0] == 200


@pytest.mark.parametrize(
    "asked",
    [
        "GET /bare/304 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /bare/304 HTTP/1.0\r\n\r\n",
        "GET /bare/304 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    ],
)
def test_who_asks_for_the_end_or_knows_no_other_way_is_given_it(connect, asked):
    line = connect()
    line.say(asked)
    status, headers = line.head()
    assert (status, headers["connection"]) == (304, "close")
    assert line.is_closed()


def test_a_body_without_a_length_still_ends_with_the_connection(connect):
    line = connect()
    line.say("GET /bare/200 HTTP/1.1\r\nHost: a\r\n\r\n")
    assert line.head()[1]["connection"] == "close"
    assert line.file.read() == b"1\r\nx\r\n1\r\ny\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("version", "framing"),
    [
        ("1.1", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"),
        ("1.1", "transfer-encoding: chunked\r\ncontent-length: 3\r\n"),
        ("1.1", "Transfer-Encoding:\r\nContent-Length: 3\r\n"),
        ("1.0", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n"),
        ("1.0", "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n"),
    ],
)
def test_a_body_framed_twice_is_refused_and_nothing_behind_it_is_a_request(connect, version, framing):
    line = connect()
    line.say(f"POST /told HTTP/{version}\r\nHost: a\r\n{framing}\r\n0\r\n\r\n{GET}")
    status, headers = line.head()
    assert (status, headers["connection"]) == (400, "close")
    assert b"HTTP/1.1 200" not in line.file.read()


def test_who_asks_first_is_told_to_go_on(connect):
    line = connect()
    line.say(post(4, "Expect: 100-continue\r\n"))
    assert line.head()[0] == 100
    line.say("abcd")
    assert line.answer()[1]["body"] == 4


@pytest.mark.parametrize("more", ["", "Expect: 100-continue\r\n"])
def test_a_body_announced_too_large_is_refused_at_once(connect, more):
    line = connect()
    line.say(post(2 * MIB, more))
    status, found = line.answer()
    assert (status, found["body"]) == (200, 0)
    assert found["environ"][REFUSAL] == 413


def test_who_sends_it_all_before_reading_reads_the_answer_still(connect):
    line = connect()
    line.say(post(20 * MIB))
    line.say(b"x" * 20 * MIB)  # fails where the connection is reset
    assert line.answer()[1]["environ"][REFUSAL] == 413
    assert line.is_closed()


def test_chunks_are_refused_once_they_are_too_much(connect):
    line = connect()
    line.say("POST /told HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(24):
        line.say(b"10000\r\n" + b"x" * 65536 + b"\r\n")
    assert line.answer()[1]["environ"][REFUSAL] == 413


def test_chunks_within_the_limit_arrive(connect):
    line = connect()
    line.say("POST /told HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n" + GET)
    assert [line.answer()[1]["body"] for _ in range(2)] == [5, 0]


def test_the_head_of_a_chunk_has_an_end(connect):
    line = connect()
    line.say("POST /told HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + "0" * 6000)
    assert line.head()[0] == 400


def test_a_body_is_not_taken_for_the_next_request(connect):
    line = connect()
    line.say(post(2 * MIB) + GET + GET)
    assert line.answer()[1]["environ"][REFUSAL] == 413
    assert line.is_closed()


def test_all_bodies_together_have_a_bound_and_room_comes_back(connect, running):
    """2 MiB for this process: two bodies of 900 kB fit, the third does not; once they are gone it does."""
    waiting = [connect() for _ in range(2)]
    for line in waiting:
        line.say(post(1_000_000).encode() + b"x" * 900_000)
    until(lambda: running.server.held_bytes() == 1_800_000, 5)
    third = connect()
    third.say(post(1_000_000).encode() + b"x" * 900_000)
    assert third.answer()[1]["environ"][REFUSAL] == 503
    waiting[0].socket.shutdown(socket.SHUT_RDWR)
    until(lambda: running.server.held_bytes() == 900_000, 5)
    fourth = connect()
    fourth.say(post(900_000).encode() + b"x" * 900_000)
    assert fourth.answer()[1]["body"] == 900_000


def test_bodies_on_disk_have_no_name_there(connect, running, small_limits):
    line = connect()
    line.say(post(1_000_000).encode() + b"x" * 900_000)
    until(lambda: running.server.held_bytes() == 900_000, 5)
    assert web.tempfile.gettempdir() == str(small_limits)
    assert list(small_limits.iterdir()) == []


def test_a_large_body_of_a_stranger_is_refused_before_it_arrives(connect, settings):
    settings.AWRDIFF_LOCAL_USER = False
    settings.AWRDIFF_MAX_UPLOAD_MB = 64
    line = connect()
    line.say(post(web.SMALL_BODY + 1))
    assert line.answer()[1]["environ"][REFUSAL] == 401


@pytest.mark.parametrize(("code", "status"), [(errno.ENOSPC, 507), (errno.EMFILE, 503)])
def test_a_body_that_cannot_be_kept_is_refused_with_the_cause(connect, monkeypatch, code, status):
    def full(_self):
        raise OSError(code, "no")

    monkeypatch.setattr("waitress.buffers.TempfileBasedBuffer.newfile", full)
    line = connect()
    line.say(post(1_000_000).encode() + b"x" * 600_000)
    assert line.answer()[1]["environ"][REFUSAL] == status


def test_a_full_disk_refuses_before_anything_is_written(connect, monkeypatch):
    monkeypatch.setattr(web, "has_room", lambda _more: False)
    line = connect()
    line.say(post(1000))
    assert line.answer()[1]["environ"][REFUSAL] == 507


def test_who_reads_slowly_costs_no_thread(connect):
    """Four threads, twelve answers of 3 MB that nobody fetches, and the thirteenth client is answered."""
    for _ in range(12):
        connect().say(GET.replace("/told", "/big/3000000"))
    line = connect()
    line.say(GET)
    assert line.answer()[0] == 200


def test_what_a_client_has_fetched_of_a_long_answer_is_kept_no_longer(connect, running):
    running.server.adj.outbuf_high_watermark = 1 << 30
    held = []

    def written():
        (channel_,) = running.server.active_channels.values()
        for _ in range(320):
            yield b"x" * 65536
            until(lambda: channel_.total_outbufs_len < 100_000, 5)
            buffers = [b.getfile().getbuffer().nbytes for b in channel_.outbufs]
            held.append(sum(buffers))

    def long_answer(_environ, start_response):
        start_response("200 OK", [("Content-Length", str(20 * MIB))])
        return written()

    running.server.application = long_answer
    line = connect()
    line.say(GET)
    line.head()
    assert len(line.file.read(20 * MIB)) == 20 * MIB
    until(lambda: len(held) == 320, 5)
    assert max(held) < 2 * MIB


def test_answers_that_nobody_fetches_have_a_bound(connect, running):
    for _ in range(3):
        connect().say(GET.replace("/told", "/big/9000000"))
    channels = running.server.active_channels
    until(lambda: sum(not c.requests and c.total_outbufs_len > 0 for c in list(channels.values())) == 3, 10)
    running.server.next_channel_cleanup = 0
    until(lambda: sum(c.total_outbufs_len for c in list(channels.values())) <= 2 * MIB, 5)


def test_who_makes_no_progress_is_cut_off(connect, running, monkeypatch):
    line, lively = connect(), connect()
    line.say("GET /told HTTP/1.1\r\nX-Slow: ")
    lively.say(GET)
    lively.answer()
    until(lambda: len(running.server.active_channels) == 2, 5)
    now = time.time()
    slow = max(running.server.active_channels.values(), key=lambda c: c.request is not None)
    slow.turn = now - http_limits.PATIENCE_S - 1
    line.say("x")  # a byte now and then is no progress
    running.server.next_channel_cleanup = 0
    assert line.is_closed()
    lively.say(GET)
    assert lively.answer()[0] == 200


def test_a_large_body_that_moves_has_its_time(connect, running):
    line = connect()
    line.say(post(1_000_000).encode() + b"x" * 500_000)
    until(lambda: running.server.held_bytes() == 500_000, 5)
    one = next(iter(running.server.active_channels.values()))
    one.turn = time.time() - http_limits.PATIENCE_S - 100
    assert not one.is_overdue(time.time())
    one.turn -= 500_000 / http_limits.SLOWEST_BYTES_PER_S
    assert one.is_overdue(time.time())


def test_pages_do_not_wait_for_exports(connect, running, monkeypatch):
    import threading

    free = threading.Event()
    plain = running.server.application

    def slow_exports(environ, start_response):
        if environ["PATH_INFO"].endswith("export.json"):
            free.wait(20)
        return plain(environ, start_response)

    running.server.application = slow_exports
    exports = [connect() for _ in range(8)]
    for line in exports:
        line.say("GET /comparisons/1/export.json HTTP/1.1\r\nHost: a\r\n\r\n")
    page = connect()
    page.say(GET)
    assert page.answer()[0] == 200
    free.set()
    assert [line.answer()[0] for line in exports] == [200] * 8


def test_connections_have_files_enough():
    assert web._most_connections() >= 200
