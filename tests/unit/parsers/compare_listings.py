"""Small invented compare reports as text, printed the way awrddrpt prints them: figures under sides under groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

PAGE = (
    "First DB/Inst: SHOP/SHOP1 Snaps: 40-41 (Elapsed time: 1800.5 sec  DB time: 3600.25 sec),  "
    "Second DB/Inst: SHOP/SHOP1 Snaps: 60-61 (Elapsed time: 1800 sec  DB time: 7200 sec)"
)
END = " " * 26 + "-" * 116
SIDES = ("1st", "2nd", "Diff")
RELATIVE = ("1st", "2nd", "%Diff")
PAIR = ("1st", "2nd")


class Group(NamedTuple):
    """Columns of one width under one name."""

    name: str
    labels: Sequence[str] = RELATIVE
    width: int = 10

    @property
    def wide(self) -> int:
        return len(self.labels) * (self.width + 1) - 1


def grid(
    names: Sequence[tuple[str, int]], groups: Sequence[Group], rows: Sequence[Sequence[str]], *, shift: int = 0
) -> list[str]:
    """Names, then groups three blanks apart. `shift`: the groups' ruler stands that much too far to the right."""
    left = [width for _, width in names]
    indent = sum(left) + len(left) - 1 + 3 if names else 0
    gap = " " * (indent + shift)
    widths = [*left, *(g.width for g in groups for _ in g.labels)]
    labels = [*(label.ljust(width) for label, width in names)]
    lines = [
        _over(groups, len(gap)),
        gap + "   ".join("-" * g.wide for g in groups),
        _joined(labels, [[label.rjust(g.width) for label in g.labels] for g in groups]),
        _joined(["-" * w for w in left], [["-" * g.width for _ in g.labels] for g in groups]),
    ]
    for row in rows:
        cells = [c.ljust(w) if i < len(left) else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        figures = iter(cells[len(left) :])
        lines.append(_joined(cells[: len(left)], [[next(figures) for _ in g.labels] for g in groups]))
    return [line.rstrip() for line in lines]


def _over(groups: Sequence[Group], begin: int) -> str:
    """The groups' names, each in the middle of its columns, however wide it is."""
    line = ""
    for group in groups:
        line = line.ljust(begin + (group.wide - len(group.name)) // 2) + group.name
        begin += group.wide + 3
    return line


def _joined(left: Sequence[str], groups: Sequence[Sequence[str]]) -> str:
    parts = [" ".join(left)] if left else []
    return "   ".join([*parts, *(" ".join(g) for g in groups)])


def plain(columns: Sequence[tuple[str, int]], rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Labels over one ruler; all but the first column set to the right."""
    lines = [[c for c, _ in columns], ["-" * w for _, w in columns], *rows]
    return [
        (indent + " ".join(c.rjust(w) if i else c.ljust(w) for i, (c, (_, w)) in enumerate(zip(r, columns, strict=True))))
        .rstrip()
        for r in lines
    ]  # fmt: skip


def chapter(title: str, *lines: str, notes: Sequence[str] = (), closed: bool = True) -> str:
    """One chapter: its page heading, notes, lines, and the rule below."""
    return "\n".join([f"{title}   {PAGE}", *(f"-> {n}" for n in notes), "", *lines, *([END, "", ""] if closed else [])])


DATABASES = plain(
    [("Snapshot Set", 12), ("DB Id", 11), ("Instance", 12), ("Inst Num", 8), ("Release", 11), ("Cluster", 7),
     ("Host", 12), ("Std Block Size", 15)],
    [["First (1st)", "77123", "SHOP1", "1", "11.2.0.3.0", "NO", "node-a", "8192"],
     ["Second (2nd)", "77123", "SHOP1", "1", "11.2.0.4.0", "NO", "node-b", "8192"]],
)  # fmt: skip
SNAPSHOTS = [
    *plain(
        [("Snapshot Set", 12), ("Begin Snap Id", 14), ("Begin Snap Time", 25), ("End Snap Id", 12),
         ("End Snap Time", 25), ("Avg Active Users", 26), ("Elapsed Time (min)", 26), ("DB time (min)", 26)],
        [["1st", "40", "05-Mar-24 10:00:05 (Tue)", "41", "05-Mar-24 10:30:06 (Tue)", "2.0", "30.0", "60.0"],
         ["2nd", "60", "06-Mar-24 10:00:00 (Wed)", "61", "06-Mar-24 10:30:00 (Wed)", "4.0", "30.0", "120.0"]],
    ),
    " " * 86 + "~" * 7 + (" " + "~" * 26) * 3,
    " " * 86 + "%Diff:" + "100.0%".rjust(28) + "0.0%".rjust(27) + "100.0%".rjust(27),
]  # fmt: skip
HOST = [
    "Host Configuration Comparison",
    "~" * 29,
    *plain(
        [("", 35), ("1st", 20), ("2nd", 20), ("Diff", 20), ("%Diff", 9)],
        [["Number of CPUs:", "8", "16", "8", "100.0"],
         ["Physical Memory:", "7974.6M", "16G", "8409.4M", "105.4"],
         ["%Idle Time:", "74.79", "58.14", "-16.65", "-22.3"]],
    ),
]  # fmt: skip
CACHES = [
    "Cache Sizes",
    "~" * 11,
    *plain(
        [("", 22), ("1st (M)", 10), ("2nd (M)", 10), ("Diff (M)", 10), ("%Diff", 8)],
        [["Memory Target", "", "", "", ""], [".....SGA Target", "1,024.0", "2,048.0", "1,024.0", "100.0"],
         ["..........Shared Pool", "260.0", "130.0", "-130.0", "-50.0"]],
    ),
]  # fmt: skip


def load_profile(*, headed: bool = True) -> list[str]:
    """Its labels stand in the line of the tildes; without a heading as a pluggable database's report prints it."""

    def row(label: str, *values: str) -> str:
        widths = (21, 21, 11, 21, 21, 11)
        return (f"{label:>28}" + "".join(v.rjust(w) for v, w in zip(values, widths, strict=False))).rstrip()

    labels = ("1st Per Sec", "2nd Per Sec", "%Diff", "1st Per Txn", "2nd Per Txn", "%Diff")
    ruler = ("-" * 15, "-" * 15, "-" * 6, "-" * 15, "-" * 15, "-" * 6)
    return [
        *(["Workload Comparison"] if headed else []),
        "~" * 19 + row("", *labels)[19:],
        row("", *ruler),
        row("DB time:", "2.0", "4.0", "100.0", "0.1", "0.2", "100.0"),
        row("Redo size:", "1,024.5", "2,049.0", "100.0", "10.5", "10.5", "0.0"),
        row("Transactions:", "97.6", "195.1", "99.9"),
        "",
        row("", "First", "Second", "Diff"),
        row("", *ruler[:3]),
        row("Recursive Call %:", "6.9", "7.3", "0.4"),
        row("Rows per Sort:", "36.7", "13.0", "-23.7"),
    ]


def compare_listing(
    *chapters: str, databases: Sequence[str] = DATABASES, load: Sequence[str] = (), note: str = ""
) -> str:
    """A whole report; its last chapter is that of the parameters."""
    parameters = chapter(
        "init.ora Parameters",
        *grid(
            [("Parameter Name", 30)],
            [Group("1st Period", ("Begin Snap Value", "End Snap Value"), 32),
             Group("2nd Period", ("Begin Snap Value", "End Snap Value"), 32)],
            [["cpu_count", "", "8", "", "16"]],
        ),
    )  # fmt: skip
    head = [
        "", f"WORKLOAD REPOSITORY COMPARE PERIOD REPORT{note}", "", *databases, "", *SNAPSHOTS, "", *HOST, *CACHES, "",
        *(load or load_profile()), "",
    ]  # fmt: skip
    return "\n".join([*head, *chapters, parameters])


def every_layout() -> bytes:
    """A report with a chapter of each layout: sides under groups over two pages, statements, names of their own line."""
    waits = [Group("% of DB time", SIDES), Group("# Waits/sec (Elapsed Time)", RELATIVE, 12)]
    events = [[f"event {i}", "Other", "1.0", "2.0", "1.0", f"{i}.5", "N/A", "-100.0"] for i in range(40)]
    plans = [Group("% Total Gets", SIDES), Group("#Plans", ("1st/2nd/Both",), 12)]
    reads = [Group("Avg Reads / Sec"), Group("Reads", PAIR, 12)]
    queues = grid([], [Group("Enq Msgs"), Group("Deq Msgs")], [["1", "2", "100.0", "3", "3", "0.0"]])
    return compare_listing(
        *(
            chapter("Wait Events", *grid([("Event", 30), ("Wait Class", 14)], waits, page), closed=at > 0)
            for at, page in enumerate((events[:20], events[20:]))
        ),
        chapter(
            "Top SQL Comparison by Buffer Gets",
            *grid([("SQL Id", 13)], plans, [["7cw2n1pu4xh9s", "6.2", "N/A", "-6.2", "1/  /   1"]]),
            "select a, b from orders where c = :1",
        ),
        chapter(
            "Tablespace IO Stats",
            *plain([("Tablespace", 30)], []),
            *grid([], reads, []),
            *("STOCK", grid([], reads, [["1.5", "3.0", "100.0", "2,700", "5,400"]])[-1]),
        ),
        chapter(
            "Buffered Queues",
            *(" " * 83 + line for line in queues[:2]),
            *("   " + line for line in queues[2:4]),
            *("SHOP.ORDERS_QUEUE(77)", "   " + queues[4]),
        ),
    ).encode()
