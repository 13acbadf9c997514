"""No token stands in what is logged or reported, whichever logger, handler or formatter it goes through."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys

import pytest
from django.middleware.csrf import REASON_BAD_REFERER
from django.test import RequestFactory

from awrdiff import logs
from awrdiff.accounts.token_hashing import new_token

TOKEN = "Zk3-o9_xQ1fW7uB5hT2mN8cR4yL6dG0sVjAeIpXqMzE"


@pytest.fixture
def handler():
    """A handler that was there before, with a formatter of its own: as a web server's."""
    made = logging.StreamHandler(io.StringIO())
    made.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("a.web.server")
    logger.propagate = False
    logger.addHandler(made)
    yield made
    logger.removeHandler(made)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Not Found: /s/{TOKEN}/", "Not Found: /s/****/"),
        (f"GET /s/{TOKEN}/sections/wait_classes/?q=x HTTP/1.1", "GET /s/****/sections/wait_classes/?q=x HTTP/1.1"),
        (f"/s/{TOKEN}", "/s/****"),
        (f"GET /calendar/awr_{TOKEN}.ics", "GET /calendar/****"),
        (f"'path': 's/{TOKEN}/x/'", "'path': 's/****/x/'"),
        (f"/login/?next=/s/{TOKEN}/", "/login/?next=/s/****/"),
        (f"/login/?next=%2Fs%2F{TOKEN}%2Fcommit", "/login/?next=%2Fs%2F****"),
        ("https://awr.example.com/s/short-and-odd%41/", "https://awr.example.com/s/****/"),
        (f"GET /join/{TOKEN}/ HTTP/1.1", "GET /join/****/ HTTP/1.1"),
        (f"/login/?next=%2Fjoin%2F{TOKEN}%2F", "/login/?next=%2Fjoin%2F****"),
        ("/join/short", "/join/****"),
        ("/password/1f-c8k2x1-0f3a9bd2/", "/password/****/"),
        ("https://awr.example.com/confirm-email/MQ:1tabc:si_g-x/", "https://awr.example.com/confirm-email/****/"),
        (f"/?token={TOKEN}&x=1", "/?token=****&x=1"),
        ("GET /?token=cut HTTP/1.1", "GET /?token=**** HTTP/1.1"),
        (f"AccessContext(token='{TOKEN}')", "AccessContext(token='****')"),
        (f"KeyError: {TOKEN}", "KeyError: ****"),
    ],
)
def test_tokens_are_masked(text, shown):
    assert logs.masked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "/comparisons/0b8f2f0e-6f3b-4b52-9d0c-0f8f9d2f5c11/",
        "/static/css/base.1234567890ab.css",
        "/join/ and /password/sent/ and /confirm-email/ and templates/people/email/invitation_message.txt",
        "tests/unit/test_logs.py line 12",
        "return AccessContext(team=link.team, token=token)",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "test_a_name_of_just_forty_three_letters_ab_c",
    ],
)
def test_what_is_no_token_stays(text):
    assert logs.masked(text) == text


def test_every_token_we_make_is_known_by_itself():
    assert all(logs.masked(new_token()) == logs.MASK for _ in range(2000))


def test_records_are_masked_before_any_handler_sees_them(handler):
    logger = logging.getLogger("a.web.server")
    logger.error("Invalid request %s from %s", f"/s/{TOKEN}/", "127.0.0.1")
    logger.error("%(path)s", {"path": f"/s/{TOKEN}/"})
    logger.error(f"/s/{TOKEN}/ %s %s", "one argument short")
    logger.error("100 %% of %s", "it")
    try:
        _fail_with(TOKEN, None)
    except ValueError:
        logger.exception("failed at %s", f"/s/{TOKEN}/", stack_info=True)
    said = handler.stream.getvalue()
    assert TOKEN not in said
    assert "Invalid request /s/****/ from 127.0.0.1" in said
    assert "100 % of it" in said
    assert "ValueError: ('https://awr.example.com/s/****/', None)" in said
    assert "Stack (most recent call last)" in said


def test_a_message_put_in_later_is_masked_too(handler):
    record = logging.getLogger().makeRecord("a", logging.ERROR, "f", 1, "harmless", (), None)
    record.msg = f"/s/{TOKEN}/"
    assert handler.format(record) == "/s/****/"


def test_error_reports_show_variables_without_tokens(settings):
    from django.views.debug import get_exception_reporter_class

    request = RequestFactory().get(f"/s/{TOKEN}/", HTTP_REFERER=f"http://h/?token={TOKEN}")
    try:
        _fail_with(token=TOKEN, found={"kwargs": {"token": TOKEN}})
    except ValueError:
        reporter = get_exception_reporter_class(request)(request, *sys.exc_info())
    text, page = reporter.get_traceback_text(), reporter.get_traceback_html()
    assert TOKEN not in text + page
    assert "_fail_with" in text
    assert "/s/****" in page


def _fail_saying(said):
    raise ValueError(said)


def _fail_with(token, found):
    value = f"https://awr.example.com/s/{token}/"
    raise ValueError(value, found)


@pytest.mark.parametrize(
    "how", ["import django; django.setup()", "import awrdiff.celery_app as c; c.app.loader.import_default_modules()"]
)
def test_every_process_of_ours_masks(how, tmp_path):
    code = f"{how}; import logging; logging.getLogger('other').error('/s/{TOKEN}/')"
    env = {"DJANGO_SETTINGS_MODULE": "awrdiff.settings", "AWRDIFF_VAR": str(tmp_path), "PATH": "/usr/bin"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "/s/****/" in done.stderr
    assert TOKEN not in done.stderr


def test_seldom_counts_what_it_leaves_out():
    seldom = logs.Seldom(every_s=3600)
    assert [seldom.now() for _ in range(4)] == [0, None, None, None]
    seldom.every_s = 0
    seldom._next_s = 0
    assert [seldom.now(), seldom.now()] == [3, 0]


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize(
    "said",
    [
        f'x"s/{TOKEN}"',
        f"'s/{TOKEN}'\\",
        f"first\n{TOKEN}",
        f"\t/s/{TOKEN}/\r\ns/{TOKEN}",
        f"first\n{'a' * 41}Z",
        ("first", f"in a tuple\n{TOKEN}\ns/{TOKEN}"),
    ],
)
def test_a_line_is_masked_and_stays_one(handler, said, as_json):
    handler.setFormatter(logs.formatter(as_json=as_json))
    logger = logging.getLogger("a.web.server")
    try:
        _fail_saying(said)
    except ValueError:
        logger.exception("failed: %s", said, extra={"reason": said})
    text = handler.stream.getvalue()
    assert TOKEN not in text
    if as_json:
        (line,) = map(json.loads, text.splitlines())
        assert line["exception"].startswith("Traceback")
        assert "ValueError: " in line["exception"]
        assert line["reason"] == logs.masked(str(said))


def test_a_referer_is_not_told(handler):
    """As Django's CSRF check says it, of forms by HTTPS that have no Origin."""
    request = RequestFactory().post("/teams/", secure=True, HTTP_REFERER="https://evil.example/SECRET a: /b?q=SECRET")
    handler.addFilter(logs.RouteForPath())
    why = REASON_BAD_REFERER % request.META["HTTP_REFERER"]
    logging.getLogger("a.web.server").warning("Forbidden (%s): %s", why, request.path, extra={"request": request})
    assert handler.stream.getvalue() == (
        "Forbidden (Referer checking failed - it does not match any trusted origins.): none\n"
    )
