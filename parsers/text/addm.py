"""ADDM's findings, which are prose, to RawTables: a report, or part of an AWR report (12.1 and later).

From 11.1 a finding is a name, its impact in active sessions and a text; recommendations are indented below it:

    Finding 1: Top SQL Statements                 to 10.2:   FINDING 1: 51% impact (309 seconds)
    Impact is .33 active sessions, 29.93% of …
       Recommendation 1: SQL Tuning                             RECOMMENDATION 1: SQL Tuning, 51% benefit
       Action                                                      ACTION: …
          Run SQL Tuning Advisor on …                                 RELEVANT OBJECT: …

Indentation, where it has survived, separates Oracle's words from statement text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from parsers.html.cell_text_cleaning import visible_text
from parsers.tables.rawtable import RawDocument, RawTable, collapse
from parsers.text.addm_head import Analysis, Grid, find_grids, read_head, set_out, unwrap
from parsers.text.addm_translated import in_english
from parsers.text.structural_marks import cut_lines, one_line_end, split_lines, title_line

_TITLE = re.compile(r"(?:detailed )?addm report for task\b", re.IGNORECASE)
_TITLES = ("ADDM Report for Task", "ADDM REPORT FOR TASK")
_TITLES_LOW = ("addm report for task", "detailed addm report for task")
_FINDING = re.compile(r"finding (\d{1,6}): ?(.*)", re.IGNORECASE)
_RECOMMENDATION = re.compile(r"recommendation (\d{1,6}): ?(.*)", re.IGNORECASE)
_IMPACT = re.compile(  # "… of total activity": SQL*Plus breaks the line at any letter, the last word among them
    r"(?:impact|estimated benefit) is ([\d.,]{1,30}) active sessions?, ([\d.,]{1,30})% of total\b", re.IGNORECASE
)
_SECONDS = re.compile(r"(?:^|, )([\d.,]{1,30})% (?:impact|benefit) \(([\d.,]{1,30}) seconds?\)", re.IGNORECASE)
_SQL_ID = re.compile(r"SQL_ID \"?([0-9a-z]{13})\b")
_PRE = re.compile(r"<pre\b[^<>]*>|</pre\b", re.IGNORECASE)
_MOST = 8_000  # findings, recommendations, paragraphs and tables of a file; the most seen in a report are 400
_SENTENCE = 200  # characters of a text that stands for a name

# What may stand at the beginning of a line, how far set in at most, and what the lines below it then are.
_PARTS = (
    ("symptoms that led to the finding", 5, "symptoms"),
    ("no recommendations are available", 5, ""),
    ("no recommendations available", 5, ""),
    ("recommendations were not", 5, ""),
    ("instances that were significantly affected by this finding", 5, ""),
    ("top containers", 5, ""),
    ("additional information:", 5, "description"),  # of a finding, to 10.2
)
_WORDS = {"action": (5, "actions"), "rationale": (5, "rationales"), "related object": (8, "objects")}
_COLONS = (
    ("ACTION: ", "actions"),
    ("RATIONALE: ", "rationales"),
    ("RELEVANT OBJECT: ", "objects"),
    ("SYMPTOM: ", "symptoms"),
    ("INFO: ", "symptoms"),
)
_END = ("additional information", "findings and recommendations", "end of report")
_SPOOLED = ("DBMS_ADDM.", "DBMS_ADVISOR.")  # the heading of SQL*Plus over a report selected from a function

TASK_LABELS = (
    "Analysis", "Task Name", "Begin Snap Id", "End Snap Id", "Begin Time", "End Time", "DB Name", "DB Id",
    "Release", "Instance", "Inst Num", "Host Name", "Target", "DB Time (s)", "Avg Active Sessions", "Findings",
)  # fmt: skip
FINDING_LABELS = (
    "Analysis", "Finding", "Number", "Impact (active sessions)", "Impact (s)", "% Activity", "Recommendations",
    "Description", "Symptoms",
)  # fmt: skip
RECOMMENDATION_LABELS = (
    "Analysis", "Finding", "Number", "Type", "Benefit (active sessions)", "Benefit (s)", "% Benefit", "SQL Id",
    "Action", "Other Actions", "Rationale", "Related Objects",
)  # fmt: skip
INSTANCE_LABELS = ("Number", "Name", "Host Name", "Active Sessions", "Percent of Activity", "Percent Impact")
CONTAINER_LABELS = ("DBID", "Container Name", "Allocated CPUs", "Value", "Value per Allocated CPU", "Percent of Total")
_FIXED_LABELS = frozenset(("Analysis", "Finding", "Type", "Action", "Number", "List", "Container Name", "Information"))
INFORMATION_LABELS = ("Analysis", "Heading", "Information")


class Recommendation(Struct):
    number: str
    type: str
    sessions: str = ""
    seconds: str = ""
    pct: str = ""
    actions: list[list[str]] = field(default_factory=list)
    rationales: list[list[str]] = field(default_factory=list)
    objects: list[list[str]] = field(default_factory=list)


class Finding(Struct):
    number: str
    name: str
    sessions: str = ""
    seconds: str = ""
    pct: str = ""
    announced: str = ""  # recommendations, by the summary
    description: list[list[str]] = field(default_factory=list)
    symptoms: list[list[str]] = field(default_factory=list)
    recommendations: list[Recommendation] = field(default_factory=list)


class Task(Struct):
    """One analysis: its head, findings by number, other information."""

    title: str
    line: int
    head: list[str] = field(default_factory=list)
    findings: dict[str, Finding] = field(default_factory=dict)
    information: list[tuple[str, str]] = field(default_factory=list)
    grids: list[tuple[Finding | None, Grid]] = field(default_factory=list)  # and the finding each stands in
    whole: bool = False  # the part below the findings was seen
    full: bool = False  # more than is kept


def read_addm(text: str) -> RawDocument:
    """Tables of the findings; never raises."""
    lines = split_lines(text)
    tasks, last_line = AddmReader().read(in_english(unwrap(set_out(lines)))), len(lines)
    complete = bool(tasks) and (tasks[-1].whole or "End of Report" in text[-3000:])
    headings = [t.title for t in tasks]
    return RawDocument(tables_of(tasks), title_line(text), headings, complete, last_line, cut_of(tasks))


def addm_of_html(text: str) -> list[Task]:
    last = max(map(text.rfind, _TITLES))  # what comes after it is most of the page
    if last < 0:
        return []
    first = min(at for at in map(text.find, _TITLES) if at >= 0)
    begin = max(text.rfind("<pre", 0, first), 0)
    begin = max(text.rfind("<PRE", begin, first), begin)
    reader = AddmReader()
    start, counted_to, line = -1, 0, 1
    for tag in chain(_PRE.finditer(text, begin, last), [_PRE.search(text, last)]):
        if start >= 0:
            piece = text[start : tag.start() if tag else len(text)]
            if _TITLE.search(piece):
                plain = visible_text(piece)
                line, counted_to = line + text.count("\n", counted_to, start), start
                lines_text, beyond = cut_lines(one_line_end(plain))
                reader.read(split_lines(lines_text), line)
                if reader.tasks and beyond:
                    reader.tasks[-1].full = True
        start = tag.end() if tag and not tag[0].startswith("</") else -1
    return reader.tasks


def with_addm(document: RawDocument, tasks: Sequence[Task]) -> RawDocument:
    tables = tables_of(tasks)
    if not tables:
        return document
    at = next((i for i, t in enumerate(document.tables) if (t.line or 0) > tasks[0].line), len(document.tables))
    tables = [*document.tables[:at], *tables, *document.tables[at:]]
    return replace(document, tables=tables, cut=[*document.cut, *cut_of(tasks)])


def cut_of(tasks: Sequence[Task]) -> list[str]:
    return [task.title for task in tasks if task.full]


class AddmReader:
    """Reads the listings of one file under a shared limit."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self._finding: Finding | None = None
        self._recommendation: Recommendation | None = None
        self._text: list[str] | None = None
        self._feed: Callable[[Task, str, str, int], None] = self._in_head
        self._heading = self._before = ""
        self._sentence: list[str] = []
        self._room = _MOST

    def read(self, lines: Sequence[str], first_line: int = 1) -> list[Task]:
        """`first_line`: number in the file."""
        before = len(self.tasks)
        grids = find_grids(lines)
        end = 0
        for at, line in enumerate(lines):
            if at in grids:
                self.take(grids[at])
                end = grids[at].end
            if at >= end:
                self.feed(line, first_line + at)
        self.close()
        self._finding = self._recommendation = self._text = None
        self._feed = self._in_finding
        return self.tasks[before:]

    def feed(self, line: str, number: int) -> None:
        plain = line.strip()
        low = plain.lower()
        if not self._room or plain.startswith(_SPOOLED):
            return
        if low.startswith(_TITLES_LOW):
            self.close()
            self._take_room()
            self.tasks.append(Task(collapse(plain)[:200], number))
            self._finding = self._recommendation = self._text = None
            self._feed = self._in_head
        elif self.tasks:
            indent = len(line) - len(line.lstrip())
            self._turn(self.tasks[-1], low, plain, indent) or self._feed(self.tasks[-1], line, plain, indent)

    def _take_room(self) -> None:
        self._room = max(0, self._room - 1)
        if not self._room and self.tasks:
            self.tasks[-1].full = True

    def _paragraph(self, texts: list[list[str]]) -> list[str]:
        if texts and not texts[-1]:
            return texts[-1]
        self._take_room()
        texts.append([])
        return texts[-1]

    def take(self, grid: Grid) -> None:
        """Add a table to its finding, or to the analysis."""
        if self.tasks and self._room:
            self._take_room()
            self.tasks[-1].grids.append((self._finding, grid))
            if not grid.whole:
                self.tasks[-1].full = True

    def close(self) -> None:
        """Ends the sentence in progress."""
        if self.tasks and self._sentence:
            self._take_room()
            self.tasks[-1].information.append((self._heading, collapse(" ".join(self._sentence))))
        self._sentence = []

    def _turn(self, task: Task, low: str, plain: str, indent: int) -> bool:
        match = _FINDING.match(plain) if indent <= 4 and low.startswith("finding ") else None
        if match:
            self._begin_finding(task, *match.groups())
            return True
        if low.startswith("~~~"):
            self._text = None
            return True
        if low in _END and (indent >= 8 or indent == 0):
            task.whole = task.whole or low == _END[0]
            self._feed = self._in_information if low == _END[0] else self._in_finding
            self._finding = self._recommendation = self._text = None
            self._heading = ""
            return True
        return False

    def _in_head(self, task: Task, line: str, plain: str, indent: int) -> None:
        task.head.append(line)
        words = plain.split()
        # `1  Top SQL Statements                  .33 | 29.93          5`
        if len(words) > 5 and words[-3] == "|" and words[0].isdecimal():
            if words[0] not in task.findings:
                self._take_room()
            finding = task.findings.setdefault(words[0], Finding(words[0], " ".join(words[1:-4])))
            finding.sessions, finding.pct, finding.announced = words[-4], words[-2], words[-1]

    def _begin_finding(self, task: Task, number: str, title: str) -> None:
        finding = task.findings.setdefault(number, Finding(number, ""))
        old = _SECONDS.match(title)
        if old:
            finding.pct, finding.seconds = old.groups()
        else:
            finding.name = collapse(title) or finding.name
        self._finding, self._recommendation = finding, None
        self._text = self._paragraph(finding.description)
        self._feed = self._in_finding

    def _in_finding(self, task: Task, line: str, plain: str, indent: int) -> None:
        if not self._finding or not plain or not plain.strip("- "):
            return
        match = _RECOMMENDATION.match(plain) if indent <= 5 else None
        if match:
            self._begin_recommendation(self._finding, *match.groups())
        elif self._takes_figures(plain) or self._begins_part(self._finding, plain, indent):
            return
        elif self._text is not None:
            self._text.append(plain)

    def _takes_figures(self, plain: str) -> bool:
        owner = self._recommendation or self._finding
        match = _IMPACT.match(plain)
        if not match or owner is None or owner.seconds:
            return False
        if self._recommendation and (self._recommendation.actions or self._recommendation.rationales):
            return False
        if isinstance(owner, Finding) and any(owner.description):
            return False
        owner.sessions, owner.pct = match.groups()
        return True

    def _begin_recommendation(self, finding: Finding, number: str, title: str) -> None:
        old = _SECONDS.search(title)
        recommendation = Recommendation(number, collapse(title[: old.start()] if old else title))
        if old:
            recommendation.pct, recommendation.seconds = old.groups()
        self._take_room()
        finding.recommendations.append(recommendation)
        self._recommendation, self._text = recommendation, None

    def _begins_part(self, finding: Finding, plain: str, indent: int) -> bool:
        low = plain.lower()
        word = _WORDS.get(low)
        if word and indent <= word[0] and self._recommendation:
            self._text = self._paragraph(getattr(self._recommendation, word[1]))
            return True
        for begin, most, part in _PARTS:
            if low.startswith(begin) and indent <= most:
                self._recommendation = None
                if begin.startswith("no recommendations"):
                    finding.announced = "0"
                self._text = self._paragraph(getattr(finding, part)) if part else None
                if part == "description" and self._text is not None:
                    self._text.append(plain.partition(":")[2].strip())
                return True
        for begin, part in _COLONS:
            if plain.startswith(begin) and indent <= 12:
                owner = finding if part == "symptoms" else self._recommendation
                if owner is None:
                    return False
                self._text = self._paragraph(getattr(owner, part))
                self._text.append(plain[len(begin) :])
                return True
        return False

    def _in_information(self, task: Task, line: str, plain: str, indent: int) -> None:
        if plain and not plain.strip("-"):
            if self._before:
                self._heading = self._before
                self._sentence = []
        elif not plain:
            self.close()
        else:
            self._sentence.append(plain)
            if plain.endswith("."):
                self.close()
        self._before = plain if plain.strip("-") and indent == 0 and not plain.endswith(".") else ""


def _texts(paragraphs: Sequence[list[str]]) -> list[str]:
    return [text for text in (collapse(" ".join(lines)) for lines in paragraphs) if text]


def tables_of(tasks: Sequence[Task]) -> list[RawTable]:
    """Tables numbered by the analyses' time."""
    for finding in (f for task in tasks for f in task.findings.values()):
        finding.name = finding.name or _first_sentence(finding)
    heads = [(task, read_head(task.title, task.head)) for task in tasks]
    heads.sort(key=lambda pair: (pair[1].first_snapshot, pair[0].line))
    raw_tables = (
        ("ADDM Analyses", TASK_LABELS, lambda n, task, head: [_task_row(n, task, head)]),
        ("ADDM Findings", FINDING_LABELS, _finding_rows),
        ("ADDM Recommendations", RECOMMENDATION_LABELS, _recommendation_rows),
        ("ADDM Instances", ("Analysis", "Finding", *INSTANCE_LABELS), _instance_rows),
        ("ADDM Containers", ("Analysis", "Finding", "List", *CONTAINER_LABELS), _container_rows),
        ("ADDM Information", INFORMATION_LABELS, lambda n, task, head: [[n, *pair] for pair in task.information]),
    )
    tables: list[RawTable] = []
    for heading, labels, rows_of in raw_tables:
        rows = [row for n, (task, head) in enumerate(heads, start=1) for row in rows_of(str(n), task, head)]
        if rows:
            tables.append(_table(heading, labels, rows, tasks[0].line))
    return tables


def _table(heading: str, labels: Sequence[str], rows: list[list[str]], line: int) -> RawTable:
    """Seconds, empty from 11.1, or active sessions, empty before, are dropped."""
    used = [at for at, label in enumerate(labels) if label in _FIXED_LABELS or any(row[at] for row in rows)]
    for row in rows if len(used) < len(labels) else ():
        row[:] = [row[at] for at in used]
    return RawTable(heading, "", "", tuple(labels[at] for at in used), rows, line=line)


def _task_row(number: str, task: Task, head: Analysis) -> list[str]:
    return [
        number, head.task, head.begin_snap, head.end_snap, head.begin_time, head.end_time, head.database, head.dbid,
        head.release, head.instance, head.instance_number, head.host, head.target, head.db_time, head.sessions,
        str(len(task.findings)) if task.whole or task.findings else "",
    ]  # fmt: skip


def _finding_rows(number: str, task: Task, head: Analysis) -> list[list[str]]:
    return [
        [
            number, f.name, f.number, f.sessions, f.seconds, f.pct,
            str(len(f.recommendations)) if f.recommendations else f.announced,
            " ".join(_texts(f.description)), " ".join(_texts(f.symptoms)),
        ]
        for f in task.findings.values()
    ]  # fmt: skip


def _recommendation_rows(number: str, task: Task, head: Analysis) -> list[list[str]]:
    return [_recommendation_row(number, f.name, r) for f in task.findings.values() for r in f.recommendations]


def _recommendation_row(number: str, finding: str, r: Recommendation) -> list[str]:
    actions, objects = _texts(r.actions), _texts(r.objects)
    statement = _SQL_ID.search(" ".join([*actions, *objects]))
    first = actions[0] if actions else ""
    return [
        number, finding, r.number, r.type, r.sessions, r.seconds, r.pct, statement[1] if statement else "", first,
        " ".join(actions[1:]), " ".join(_texts(r.rationales)), " ".join(dict.fromkeys(objects)),
    ]  # fmt: skip


def _instance_rows(number: str, task: Task, head: Analysis) -> list[list[str]]:
    return [
        [number, finding.name if finding else "", *_pick(grid, row, INSTANCE_LABELS)]
        for finding, grid in task.grids
        if grid.labels[0] == "Number"
        for row in grid.rows
    ]


def _container_rows(number: str, task: Task, head: Analysis) -> list[list[str]]:
    return [
        [number, finding.name if finding else "", grid.title, *_pick(grid, row, CONTAINER_LABELS)]
        for finding, grid in task.grids
        if grid.labels[0] == "DBID"
        for row in grid.rows
        if row[0].isdecimal()  # the last row is an average
    ]


def _pick(grid: Grid, row: list[str], labels: Sequence[str]) -> list[str]:
    """The containers' ranking figure is labelled by its unit (KB/sec)."""
    cells: dict[str, str] = {}
    for label, cell in zip(grid.labels, row, strict=False):
        name = label if label in labels else "Value per Allocated CPU" if "per Allocated" in label else "Value"
        cells.setdefault(name, cell)
    return [cells.get(label, "") for label in labels]


def _first_sentence(finding: Finding) -> str:
    """Stand-in for the name, which 10.2 lacks."""
    text = " ".join(_texts(finding.description))
    return text.partition(". ")[0][:_SENTENCE].rstrip(".") or f"Finding {finding.number}"


__all__ = ["AddmReader", "addm_of_html", "cut_of", "read_addm", "tables_of", "with_addm"]
