"""Small invented reports as text."""

from __future__ import annotations

from parsers import parse_report
from parsers.model import Report, Section
from parsers.tables.rawtable import RawTable
from parsers.text.awr_and_statspack_reader import read_text

HEAD = """
WORKLOAD REPOSITORY report for

DB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC
------------ ----------- ------------ -------- --------------- ----------- ---
SHOP           123456789 shop1               1 01-Feb-20 08:00 11.2.0.3.0  NO

Host Name        Platform                         CPUs Cores Sockets Memory(GB)
---------------- -------------------------------- ---- ----- ------- ----------
till             Linux x86 64-bit                    8     4       1      15.50

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:       100 03-Feb-20 10:00:00        50       1.5
  End Snap:       101 03-Feb-20 11:00:10        60       1.6
   Elapsed:               60.17 (mins)
   DB Time:               30.05 (mins)

"""
END = "          -------------------------------------------------------------\n"
PAGE = "DB/Inst: SHOP/shop1  Snaps: 100-101"
FOOT = "\nEnd of Report\n"


def chapter(title: str, *lines: str, closed: bool = True) -> str:
    """One chapter: its page heading, lines, and the rule below."""
    return "\n".join([f"{title:<34}{PAGE}", *lines, END if closed else ""])


def listing(*parts: str, head: str = HEAD) -> str:
    return head + "\n".join(parts) + FOOT


def parsed(*parts: str, head: str = HEAD) -> Report:
    return parse_report(listing(*parts, head=head).encode())


def section(section_id: str, *parts: str, head: str = HEAD) -> Section:
    found = parsed(*parts, head=head).section(section_id)
    assert found is not None, section_id
    return found


def tables(*parts: str, head: str = HEAD) -> list[RawTable]:
    """The tables below the report's head."""
    return [t for t in read_text(listing(*parts, head=head)).tables if t.heading]


def table(*parts: str, head: str = HEAD) -> RawTable:
    (only,) = tables(*parts, head=head)
    return only


def plain(found: Section) -> list[dict[str, object]]:
    """Rows with numbers only, as the document has them."""
    return found.as_dict()["rows"]


EVENTS = (
    "                                                             Avg",
    "                                        %Time Total Wait    wait    Waits   % DB",
    "Event                             Waits -outs   Time (s)    (ms)     /txn   time",
    "-------------------------- ------------ ----- ---------- ------- -------- ------",
)
