"""Files mangled on their way read as the clean report does."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.stories import invented
from fixtures.writer import LAYOUT_19, LAYOUT_112, write
from parsers import parse_report, split_reports
from tests import mangle
from tests.unit.parsers.listings import EVENTS, chapter, listing
from tests.unit.parsers.reports import DATABASE, HOST, report, snapshots
from tests.unit.parsers.test_kinds_lgwr import NEW

ROWS = [f"{name:<26} {n:>12,} {0:>5} {n * 2:>10,}" for name, n in (("log file sync", 12), ("a <b> & 'c'", 3_456))]
PAGES = {
    "19c": write(invented.after(), LAYOUT_19),
    "11.2": write(invented.after(modern=False), LAYOUT_112),
}
LISTINGS = {
    "text": listing(chapter("Foreground Wait Events", "-> note", "", *EVENTS, *ROWS), chapter("New", "", "a  b", "-- --", "1  2")).encode(),
    "trace": NEW.encode(),
}  # fmt: skip


def read(data: bytes) -> dict[str, Any]:
    """All that is read, but for the lines' numbers and the name of the encoding."""
    document = parse_report(data).as_dict()
    del document["encoding"]
    document["issues"] = [i["code"] for i in document["issues"]]
    return document


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("way", mangle.HTML)
def test_html(way: str, name: str) -> None:
    data = mangle.HTML[way](PAGES[name])
    assert read(data) == read(PAGES[name])
    assert len(split_reports(data)) == 1


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("way", mangle.TEXT)
def test_text(way: str, name: str) -> None:
    data = mangle.TEXT[way](LISTINGS[name])
    assert read(data) == read(LISTINGS[name])
    assert len(split_reports(data)) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [("in_pre", "in_mail"), ("quoted", "in_mail_base64"), ("crlf", "utf16"), ("minified", "quoted")],
)
def test_in_two_ways(first: str, second: str) -> None:
    for whole in PAGES.values():
        assert read(mangle.HTML[second](mangle.HTML[first](whole))) == read(whole)


NAMES = {
    "gb18030": "查询订单表中所有未处理的记录，并更新状态",
    "windows-1251": "выборка всех записей из таблицы заказов",
    "windows-1252": "Übergröße für Straße, déjà vu",
    "iso-8859-1": "Übergröße für Straße, déjà vu",
    "utf-16": "выборка 查询 Übergröße",
    "utf-8-sig": "выборка 查询 Übergröße",
}
DECLARED = {
    "windows-1250": "příliš žluťoučký kůň úpěl ďábelské ódy",
    "windows-1253": "όλες οι παραγγελίες του πελάτη",
    "windows-1254": "müşteri siparişleri için ığdır",
    "shift_jis": "注文テーブルからすべての行を取得する",
    "euc-kr": "모든 주문을 조회하고 상태를 갱신한다",
    "big5": "查詢訂單表中所有未處理的記錄",
}


def named(name: str, head: str = "") -> str:
    page = report(header=DATABASE + HOST.replace("box1", name) + snapshots()).decode()
    return page.replace("<head>", "<head>" + head)


@pytest.mark.parametrize("encoding", NAMES)
@pytest.mark.parametrize(
    "meta",
    [
        "",
        '<meta charset="utf-8">',
        '<meta charset="us-ascii">',
        '<meta charset="nonsense">',
        '<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">',
    ],
)
def test_encodings_whatever_is_declared(encoding: str, meta: str) -> None:
    if "euc-kr" in meta and encoding == "gb18030":
        pytest.skip("the bytes of one can be read as the other")
    found = parse_report(named(NAMES[encoding], meta).encode(encoding))
    assert found.host.name == NAMES[encoding]
    assert found.issues == ()


@pytest.mark.parametrize("encoding", DECLARED)
def test_encodings_that_only_the_browser_that_saved_the_page_knew(encoding: str) -> None:
    found = parse_report(named(DECLARED[encoding], f'<meta charset="{encoding}">').encode(encoding))
    assert found.host.name == DECLARED[encoding]


def test_a_page_with_a_listing_late_in_it() -> None:
    whole = PAGES["19c"]
    for filler in (b"<p>talk</p>\n" * 10_000, b"<table><tr><td>x</td></tr></table>" * 3000):
        assert read(b"<html><body>" + filler + b"</body></html>" + whole)["sections"] == read(whole)["sections"]


def test_a_megabyte_of_blanks_or_words_on_top() -> None:
    text = LISTINGS["text"]
    for filler in (b" " * 2**20 + b"\n", b"x" * 2**20 + b"\n", b"word " * 2**18 + b"\n"):
        assert read(filler + text)["sections"] == read(text)["sections"]
