"""The local user's token: made anew at each start, kept for its owner's eyes, compared whole."""

from __future__ import annotations

import stat

import pytest

from awrdiff.accounts import local_user_token

ADDRESS = "http://localhost:8000/"


def test_the_address_is_kept_for_its_owner_alone(tmp_path):
    whole = local_user_token.renew(tmp_path, ADDRESS)
    file = tmp_path / local_user_token.FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == whole + "\n"
    assert whole == f"{ADDRESS}?token={local_user_token.current(tmp_path)}"
    assert len(local_user_token.current(tmp_path)) == 43  # 256 bits


def test_the_whole_token_is_compared(tmp_path):
    local_user_token.renew(tmp_path, ADDRESS)
    token = local_user_token.current(tmp_path)
    assert local_user_token.is_current(tmp_path, token)
    for wrong in ("", token[:-1], token[:1], token + "A", token.swapcase(), "é", "\ud800"):
        assert not local_user_token.is_current(tmp_path, wrong), wrong


def test_each_start_makes_a_new_one(tmp_path):
    local_user_token.renew(tmp_path, ADDRESS)
    before, cookie = local_user_token.current(tmp_path), local_user_token.cookie_value(tmp_path, 1000)
    local_user_token.renew(tmp_path, ADDRESS)
    assert not local_user_token.is_current(tmp_path, before)
    assert not local_user_token.is_cookie(tmp_path, 1000, cookie)


@pytest.mark.parametrize("given", ["", "x"])
def test_without_a_token_nothing_is_right(tmp_path, given):
    assert not local_user_token.is_current(tmp_path, given)
    assert not local_user_token.is_cookie(tmp_path, 1000, given)


def test_the_cookie_counts_for_one_user_and_is_not_the_token(tmp_path):
    local_user_token.renew(tmp_path, ADDRESS)
    cookie = local_user_token.cookie_value(tmp_path, 1000)
    assert local_user_token.current(tmp_path) not in cookie
    assert local_user_token.is_cookie(tmp_path, 1000, cookie)
    assert not local_user_token.is_cookie(tmp_path, 1001, cookie)
    assert not local_user_token.is_cookie(tmp_path, None, cookie)
    assert not local_user_token.is_cookie(tmp_path, 1000, cookie[:-1])
