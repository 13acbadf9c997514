"""Bytes to text."""

from __future__ import annotations

from time import process_time

import pytest

from fixtures.writer.months import ENCODINGS, MONTHS
from parsers.files.encoding import decode

CHINESE = "查询订单表中所有未处理的记录，并更新状态"
RUSSIAN = "выборка всех записей из таблицы заказов"
GERMAN = "Übergröße für Straße"
LANGUAGES = (
    (RUSSIAN, ("windows-1251", "koi8-r", "cp866")),
    (RUSSIAN.upper(), ("windows-1251", "koi8-r", "cp866")),
    ("вибірка всіх записів із таблиці замовлень її клієнтів", ("windows-1251",)),
    ("注文テーブルから未処理のレコードをすべて検索する", ("cp932", "euc_jp")),
    ("주문 테이블에서 처리되지 않은 모든 레코드를 조회", ("cp949",)),
    ("查詢訂單資料表中所有未處理的記錄並更新狀態", ("big5",)),
    ("wybór wszystkich zamówień złożonych przez klientów, także niezapłaconych", ("windows-1250",)),
    ("sipariş tablosundaki tüm kayıtları seç, işlenmemiş olanları güncelle", ("windows-1254",)),
    ("sélectionner les commandes passées à l'été, c'est-à-dire où", ("windows-1252",)),
    ("DÉCOUPE DES COMMANDES", ("windows-1252",)),
    ("ÄNDERN", ("windows-1252",)),
    ("Selección de pedidos del año según el número, não concluídas", ("windows-1252",)),
)


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


@pytest.mark.parametrize(("text", "codec"), [(text, codec) for text, codecs in LANGUAGES for codec in codecs])
def test_letters_tell_the_encoding(text: str, codec: str) -> None:
    decoded = decode(("select 1 from dual " * 20 + text).encode(codec))
    assert (decoded.encoding, decoded.damaged) == (codec, 0)
    assert decoded.text.endswith(text)


@pytest.mark.parametrize(
    ("language", "codec"), [(language, codec) for language, codecs in ENCODINGS.items() for codec in codecs]
)
def test_one_month_tells_the_encoding(language: str, codec: str) -> None:
    """Four bytes beyond ASCII in a whole file, and a piece of SQL that may be anything."""
    for month in MONTHS[language]:
        text = f"Begin Snap: 12 08-{month}-17 16:11:00\n" + "select 1 from dual\n" * 50
        assert decode(text.encode(codec)).text == text


def test_the_dates_weigh_more_than_a_declared_charset() -> None:
    page = '<meta charset="windows-1251"><td>08-Ноя-17 16:11:00</td>'
    assert decode(page.encode("koi8-r")).text == page
    assert decode(page.encode("windows-1251")).encoding == "cp1251"


def test_many_dates_take_no_time() -> None:
    begun = process_time()
    decode(b"1-" * 2_000_000 + b"\xe9")
    decode(b"12-\xe9\xe9\xe9\xe9-17 " * 400_000)
    decode(b"12-" + b"a" * 4_000_000 + b"\xe9")
    assert process_time() - begun < 5
