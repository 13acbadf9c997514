"""Archives and files with several reports: what is in them, each with its own outcome, and what is refused."""

from __future__ import annotations

import contextlib
import gzip
import io
import struct
import zipfile
import zlib

import pytest

from parsers import UnsupportedReport, open_reports, parse_report, split_reports
from parsers.archive import Limits, Member
from tests.unit.parsers.listings import EVENTS, chapter, listing
from tests.unit.parsers.reports import DATABASE, HOST, report, snapshots

HTML = report()
OTHER = report(header=DATABASE.replace("INVENT", "OTHER") + HOST + snapshots())
TEXT = listing(chapter("Foreground Wait Events", "", *EVENTS, f"{'log file sync':<26} {7:>12}")).encode()
SMALL = Limits(listed=300, one_bytes=100_000, all_bytes=150_000, ratio=50, ratio_from=10_000)


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def opened(data: bytes, name: str = "a.zip", limits: Limits | None = None) -> list[Member]:
    return list(open_reports(data, name, limits))


def databases(members: list[Member]) -> list[str | None]:
    return [parse_report(m.data, name=m.name).database.name for m in members]


def test_a_report_by_itself_is_handed_on_untouched() -> None:
    assert opened(HTML, "AWR.HTML") == [Member("AWR.HTML", HTML)]
    assert opened(b"anything", "x") == [Member("x", b"anything")]


@pytest.mark.parametrize("name", ["a.zip", "A.ZIP", "a.html", ""])
def test_the_bytes_say_what_it_is_and_never_the_name(name: str) -> None:
    members = opened(zipped({"one.html": HTML, "dir/TWO.TXT": TEXT}), name)
    assert [m.name for m in members] == [f"{name}/one.html", f"{name}/dir/TWO.TXT"]
    assert databases(members) == ["INVENT", "SHOP"]


def test_gzip() -> None:
    assert opened(gzip.compress(HTML), "a.html.gz") == [Member("a.html.gz", HTML)]
    assert databases(opened(gzip.compress(HTML) + gzip.compress(OTHER), "a.gz")) == ["INVENT", "OTHER"]
    large = HTML + b" " * 3_000_000 + bytes(str(list(range(100_000))), "ascii")
    assert opened(gzip.compress(large), "a.gz") == [Member("a.gz", large)], "read to the end"


def test_what_a_cut_gzip_still_holds_is_read() -> None:
    packed = gzip.compress(HTML * 1, 0)
    (member,) = opened(packed[:-200], "a.gz")
    assert HTML.startswith(member.data)
    assert len(member.data) > len(HTML) - 300


@pytest.mark.parametrize("joint", [b"", b"\n", b"\n\n\f\n"])
def test_several_reports_in_one_file(joint: bytes) -> None:
    assert databases([Member("", d) for d in split_reports(joint.join([HTML, OTHER, HTML]))]) == [
        "INVENT", "OTHER", "INVENT",
    ]  # fmt: skip
    members = opened(joint.join([TEXT, TEXT.replace(b"SHOP ", b"PAWN ")]), "x.txt")
    assert [m.name for m in members] == ["x.txt#1", "x.txt#2"]
    assert databases(members) == ["SHOP", "PAWN"]
    assert databases([Member("", d) for d in split_reports(HTML + b"\n" + TEXT)]) == ["INVENT", "SHOP"]


def test_the_first_of_several_is_read_and_the_file_says_so() -> None:
    read = parse_report(HTML + OTHER)
    assert read.database.name == "INVENT"
    assert [i.code for i in read.issues] == ["several-reports"]
    assert read.sections == parse_report(HTML).sections


def test_several_reports_in_an_archive_s_file_and_in_one_mail() -> None:
    members = opened(zipped({"both.html": HTML + OTHER, "one.html": HTML}))
    assert [m.name for m in members] == ["a.zip/both.html#1", "a.zip/both.html#2", "a.zip/one.html"]
    parts = [b"Content-Type: text/html\n\n" + data for data in (b"hello", HTML, TEXT)]
    head = b'From: a@example.com\nSubject: two\nContent-Type: multipart/mixed;\n boundary="==x"\n\n'
    mail = head + b"".join(b"\n--==x\n" + part for part in parts) + b"\n--==x--\n"
    assert databases([Member("", d) for d in split_reports(mail)]) == ["INVENT", "SHOP"]
    assert parse_report(mail).database.name == "INVENT"


def test_a_title_in_a_statement_begins_no_report() -> None:
    sql = b"<h3>Complete List of SQL Text</h3><p>select 'WORKLOAD REPOSITORY report for' from &lt;html&gt; x</p>"
    whole = HTML.replace(b"End of Report", sql + sql + b"End of Report")
    assert split_reports(whole) == [whole]


def test_one_bad_member_never_harms_another() -> None:
    data = bytearray(
        zipped({"a.html": HTML, "bad.html": b"x" * 500, "in.zip": zipped({}), "z.html": OTHER}, zipfile.ZIP_STORED)
    )
    at = data.find(b"x" * 500)
    data[at] = ord("y")
    members = opened(bytes(data))
    assert [bool(m.refusal) for m in members] == [False, True, True, False]
    assert [str(m.refusal).partition(":")[0] for m in members if m.refusal] == [
        "The file in the archive is damaged or cut off",
        "This is an archive within an archive",
    ]
    assert databases([members[0], members[3]]) == ["INVENT", "OTHER"]


def test_names_are_shown_and_never_paths() -> None:
    names = ["../../etc/passwd", "/abs/a.html", "C:\\temp\\b.html", "x\n\x1b[31m.html", ".."]
    assert [m.name for m in opened(zipped(dict.fromkeys(names, HTML)))] == [
        "a.zip/etc/passwd", "a.zip/abs/a.html", "a.zip/temp/b.html", "a.zip/x  [31m.html", "a.zip/unnamed",
    ]  # fmt: skip


def test_what_macos_puts_in_is_left_out() -> None:
    litter = {"__MACOSX/._a.html": b"x", "dir/.DS_Store": b"x"}
    assert [m.name for m in opened(zipped({**litter, "a.html": HTML}))] == ["a.zip/a.html"]


def test_a_stray_file_is_left_out_and_named() -> None:
    readme = b"The AWR report for the slow hour\nis a.html; ask Olivia about the ASH report.\n"
    cut = HTML[: len(HTML) // 2]
    members = opened(zipped({"README": readme, "A.HTML": HTML, "list.csv": b"a,b\n" * 40_000, "cut.htm": cut}))
    assert [(m.name, m.stray) for m in members] == [
        ("a.zip/README", True), ("a.zip/A.HTML", False), ("a.zip/list.csv", True), ("a.zip/cut.htm", False),
    ]  # fmt: skip
    assert all(str(m.refusal).endswith(".") for m in members if m.stray)


@pytest.mark.parametrize(
    ("data", "what", "advice"),
    [
        (b"PK\x03\x04 [Content_Types].xml word/document.xml", "a Word document", "paste its text"),
        (b"PK\x03\x04 [Content_Types].xml xl/workbook.xml", "an Excel workbook", "paste its cells"),
        (b"PK\x03\x04 mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "an OpenDocument sp", "paste its cells"),
        (b"%PDF-1.4", "a PDF document", "paste its text"),
        (b"7z\xbc\xaf\x27", "a 7-Zip archive", "unpack it"),
        (b"Rar!\x1a\x07", "a RAR archive", "pack them as .zip or .tar.gz"),
        (b"\xd0\xcf\x11\xe0", "an old Office document or an Outlook message", "save the report in it"),
    ],
)
def test_what_is_no_report_is_called_by_its_name_with_what_to_do(data: bytes, what: str, advice: str) -> None:
    members = opened(data, "x")
    assert [m.name for m in members] == ["x"]  # no archive that is unpacked
    with pytest.raises(UnsupportedReport) as refusal:
        parse_report(data)
    assert f"This is {what}" in str(refusal.value)
    assert advice in str(refusal.value)


def test_a_report_that_cannot_be_read_is_no_stray_file() -> None:
    same = report(header=DATABASE + HOST + snapshots(end="10"))
    assert [m.stray for m in opened(zipped({"same.html": same, "a.html": HTML}))] == [False, False]


def refused(data: bytes, limits: Limits | None = None) -> str:
    """The sentence an archive, or its first bad member, is refused with."""
    try:
        members = opened(data, limits=limits)
    except UnsupportedReport as refusal:
        return str(refusal)
    return next(str(m.refusal) for m in members if m.refusal)


def encrypted(data: bytes) -> bytes:
    """The flag set in both headers of each member."""
    out = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = out.find(mark)
        while at >= 0:
            out[at + offset] |= 1
            at = out.find(mark, at + 4)
    return bytes(out)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped({}), "holds no files"),
        (zipped({"a.html": HTML})[:-40], "damaged or cut off"),
        (b"PK\x03\x04" + b"\0" * 100, "damaged or cut off"),
        (b"\x1f\x8b" + b"\0" * 100, "damaged or cut off"),
        (gzip.compress(b""), "empty"),
        (gzip.compress(gzip.compress(HTML)), "archive within an archive"),
        (gzip.compress(zipped({"a": b"b"})), "archive within an archive"),
        (encrypted(zipped({"a.html": HTML})), "encrypted with a password"),
        (zipped({"a.html": HTML}, zipfile.ZIP_LZMA), "packed in a way that is not read"),
        (zipped({f"{i}.html": b"x" for i in range(500)}), "lists 500 files, more than the 300"),
        (zipped({"bomb.html": b"\0" * 90_000}), "times as large as packed"),
        (gzip.compress(b"\0" * 90_000), "times as large as packed"),
        (zipped({"large.html": bytes(range(256)) * 400}, zipfile.ZIP_STORED), "larger than"),
        (zipped(dict.fromkeys("ab", TEXT + b"x" * 80000), zipfile.ZIP_STORED), "exceed"),
    ],
)
def test_refused_in_a_sentence(data: bytes, words: str) -> None:
    assert words in refused(data, SMALL)
    assert refused(data, SMALL).endswith(".")


def test_one_encrypted_member_is_named() -> None:
    data = bytearray(zipped({"a.html": HTML, "b.html": HTML}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(mark) + offset] |= 1
    assert [(m.name, bool(m.refusal)) for m in opened(bytes(data))] == [("a.zip/a.html", True), ("a.zip/b.html", False)]


def test_sizes_an_archive_claims_are_not_believed() -> None:
    data = bytearray(zipped({"bomb.html": b"\0" * 90_000}))
    struct.pack_into("<I", data, data.find(b"PK\x01\x02") + 24, 10)  # said to be ten bytes
    assert "damaged" in refused(bytes(data), SMALL) or "times as large" in refused(bytes(data), SMALL)


def test_small_members_are_weighed_together() -> None:
    """None is large enough by itself for its ratio to be asked."""
    data = zipped({f"{n}.html": b"\0" * 9_000 for n in range(50)})
    members = opened(data, limits=Limits(ratio=20, ratio_from=10_000))
    unpacked = sum(len(m.data) for m in members)
    assert unpacked <= 20 * len(data)
    assert "together the files in the archive are more than 20 times" in str(members[-1].refusal)
    enough = opened(data, limits=Limits(ratio=100, ratio_from=10_000))
    assert not any("times as large" in str(m.refusal) for m in enough)


def test_any_number_of_members_comes_and_what_is_over_the_limits_is_one_line() -> None:
    many = {f"{n}.html": HTML + b"<!-- %d -->" % n for n in range(200)}
    assert len(opened(zipped(many), limits=Limits(ratio_from=1 << 30))) == 200
    assert len(opened(b"".join(gzip.compress(b"<p>") for _ in range(200)), "a.gz")[0].data) == 600
    room = 20 * (len(HTML) + 20)
    members = opened(zipped(many, zipfile.ZIP_STORED), limits=Limits(all_bytes=room))
    assert 19 <= sum(not m.refusal for m in members) <= 20
    assert [m.name for m in members if m.refusal][1:] == ["a.zip"]
    assert str(members[-1].refusal).endswith(f"{200 - len(members) + 1} of its 200 files were not taken.")


def test_an_archive_has_so_much_time_whatever_is_in_it(monkeypatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr("parsers.archive.time.monotonic", lambda: next(clock))
    members = opened(zipped({f"{n}.html": b"" for n in range(500)}), limits=Limits(seconds=100))
    assert 50 <= len(members) <= 101
    assert "took longer than 100 s" in str(members[-1].refusal)
    assert "took longer" in refused(gzip.compress(b"") * 500, Limits(seconds=100))


def overlapping(data: bytes, times: int) -> bytes:
    """A ZIP archive whose list names the one member `times` over."""
    packed = zipped({"00.html": data})
    at = packed.find(b"PK\x01\x02")
    entry, end = packed[at : packed.find(b"PK\x05\x06")], bytearray(packed[packed.find(b"PK\x05\x06") :])
    listed = b"".join(entry.replace(b"00.html", b"%02d.html" % n) for n in range(times))
    struct.pack_into("<HHI", end, 8, times, times, len(listed))
    return packed[:at] + listed + bytes(end)


def test_one_member_listed_fifty_times_is_refused_before_any_is_unpacked() -> None:
    assert databases(opened(overlapping(HTML, 1))) == ["INVENT"]
    with pytest.raises(UnsupportedReport, match="overlap"):
        next(open_reports(overlapping(HTML, 50), "a.zip"))
    with pytest.raises(UnsupportedReport, match="overlap"):  # the second begins within the first
        next(open_reports(quoted(HTML), "a.zip"))


def quoted(data: bytes) -> bytes:
    """A ZIP archive whose first member holds, as it is packed, the second one with its header."""
    inner = zipped({"b.html": data})
    packed = bytearray(zipped({"a.html": inner[: inner.find(b"PK\x01\x02")], "b.html": data}, zipfile.ZIP_STORED))
    second = packed.rfind(b"PK\x01\x02")
    struct.pack_into("<I", packed, second + 42, packed.find(b"PK\x03\x04", 4))
    return bytes(packed)


def test_a_bomb_takes_little_memory() -> None:
    import tracemalloc

    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(b"\0" * (1 << 20)) for _ in range(500)) + packer.flush()
    tracemalloc.start()
    sentence = refused(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "times as large" in sentence
    assert peak < 150 * len(bomb)


@pytest.mark.parametrize("seed", range(40))
def test_broken_archives_end_in_members_or_a_refusal(seed: int) -> None:
    import random

    chance = random.Random(seed)
    data = bytearray(zipped({"a.html": HTML, "b.txt": TEXT}) if seed % 2 else gzip.compress(HTML))
    for _ in range(chance.randrange(1, 20)):
        data[chance.randrange(4, len(data))] = chance.randrange(256)
    del data[chance.randrange(100, len(data)) :]
    with contextlib.suppress(UnsupportedReport):
        opened(bytes(data))


def test_a_title_printed_over_and_over_begins_one_report():
    title = b"WORKLOAD REPOSITORY COMPARE PERIOD REPORT\n"
    assert [member.name for member in open_reports(title * 300, "x.txt")] == ["x.txt"]
    two = title + b"Snapshot Set  Begin Snap Id\n" * 10
    assert len(list(open_reports(two * 2, "x.txt"))) == 2
