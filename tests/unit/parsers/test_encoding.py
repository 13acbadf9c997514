"""Bytes to text."""

from __future__ import annotations

import pytest

from parsers.files.encoding import decode

CHINESE = "查询订单表中所有未处理的记录，并更新状态"
RUSSIAN = "выборка всех записей из таблицы заказов"
GERMAN = "Übergröße für Straße"


@pytest.mark.parametrize(
    ("text", "codec", "found"),
    [
        ("plain", "ascii", "utf-8"),
        (GERMAN, "utf-8", "utf-8"),
        (GERMAN, "utf-8-sig", "utf-8"),
        (CHINESE, "gb18030", "gb18030"),
        (RUSSIAN, "windows-1251", "windows-1251"),
        (GERMAN, "windows-1252", "windows-1252"),
        ("AWR " + GERMAN, "utf-16", "utf-16"),
        ("AWR " + "a" * 300, "utf-16-le", "utf-16-le"),
    ],
)
def test_round_trip(text: str, codec: str, found: str) -> None:
    decoded = decode(("select 1 from dual " * 20 + text).encode(codec))
    assert decoded.text.endswith(text)
    assert (decoded.encoding, decoded.damaged) == (found, 0)


def test_one_bad_byte_costs_one_character() -> None:
    decoded = decode(("größe " * 50).encode() + b"\xff after")
    assert decoded.encoding == "utf-8"
    assert decoded.text.endswith("\ufffd after")
    assert decoded.damaged == 1


@pytest.mark.parametrize("charset", [b"\0", b'"\xff\xfe"', b"a" * 5000, b"rot13", b"base64", b"idna", b"utf-7", b""])
def test_a_nonsense_charset_is_ignored(charset: bytes) -> None:
    assert decode(b"<meta charset=" + charset + b">\xe4\xf6 \xff").encoding == "windows-1252"


@pytest.mark.parametrize(("text", "codec"), [(CHINESE, "gb18030"), (RUSSIAN, "windows-1251"), (GERMAN, "windows-1252")])
def test_one_long_line(text: str, codec: str) -> None:
    assert decode(("select 1 from dual " * 5000 + text).encode(codec)).encoding == codec
