"""Tar archives, compressed or not: each report in them, within the limits, and nothing else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile

import pytest

from parsers import UnsupportedReport, open_reports
from parsers.archive import Limits
from tests.unit.parsers.test_pasted import EVENTS, HEAD, LOAD, paste

REPORT = paste("tabs", [*HEAD, LOAD, EVENTS])
PACKERS = {"tar": bytes, "tar.gz": gzip.compress, "tar.bz2": bz2.compress, "tar.xz": lzma.compress}


def tar(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize("ending", PACKERS)
def test_each_report_of_a_tar_comes_under_its_name_and_a_readme_is_left_out(ending: str) -> None:
    data = PACKERS[ending](tar({"a/one.html": REPORT, "README": b"read me", "two.txt": REPORT}))
    members = list(open_reports(data, "x"))
    assert [(m.name, m.stray) for m in members] == [("x/a/one.html", False), ("x/README", True), ("x/two.txt", False)]
    assert members[0].data == members[2].data == REPORT


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_report_compressed_by_itself_keeps_its_name(pack: object) -> None:
    assert callable(pack)
    assert [(m.name, m.data) for m in open_reports(pack(REPORT), "x.bz2")] == [("x.bz2", REPORT)]


@pytest.mark.parametrize("ending", PACKERS)
def test_a_tar_that_was_cut_off_gives_what_is_whole_and_then_a_sentence(ending: str) -> None:
    data = PACKERS[ending](tar({"one.html": REPORT, "two.html": bytes(range(256)) * 4000}))
    with pytest.raises(UnsupportedReport) as refusal:
        list(open_reports(data[: len(data) // 2], "x"))
    assert str(refusal.value).endswith(("cannot be unpacked.", "no files."))


def test_links_devices_and_folders_are_passed_over() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo("../etc/passwd")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    with pytest.raises(UnsupportedReport, match="holds no files"):
        list(open_reports(out.getvalue(), "x"))


@pytest.mark.parametrize("ending", PACKERS)
def test_one_file_above_the_limit_keeps_the_others_and_all_above_it_end_the_archive(ending: str) -> None:
    data = PACKERS[ending](tar({"large.html": REPORT * 50, "one.html": REPORT}))
    large, one = open_reports(data, "x", Limits(one_bytes=len(REPORT) * 2))
    assert large.refusal is not None
    assert one.data == REPORT
    with pytest.raises(UnsupportedReport, match="Together"):
        list(open_reports(data, "x", Limits(all_bytes=len(REPORT))))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_is_stopped_by_its_ratio(pack: object) -> None:
    assert callable(pack)
    with pytest.raises(UnsupportedReport, match="times as large"):
        list(open_reports(pack(tar({"zeros": bytes(30 << 20)})), "x"))
