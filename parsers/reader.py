"""Bytes to `Report`: encoding, kind, tables, sections, identity."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Final, NamedTuple

from msgspec.structs import replace

from parsers.files.detect import in_words, kind_of, refuse_binary, require_readable
from parsers.files.encoding import decode
from parsers.files.mail_and_browser_wrappings import late_title, mend
from parsers.files.split import body_of, report_starts
from parsers.html.table_reader import LABEL_TAG, read_html, refuse_dense
from parsers.html.wrapped_line_rejoining import rejoin
from parsers.identity.other_report_headers import headers_of, identify
from parsers.identity.unreadable_printed_times import unreadable_times
from parsers.model import Kind, Report, Section, Source, UnsupportedReport
from parsers.pasted.copied_report_reader import read_pasted, with_labels, without_quotes
from parsers.pasted.section_placement import kind_by_sections, names_itself
from parsers.sections.registry import REGISTRY
from parsers.tables.issues import Notebook
from parsers.tables.rawtable import RawDocument, RawTable, most_columns
from parsers.tables.section_builder import build_section, build_unknown
from parsers.tables.section_declarations import Declaration
from parsers.text.addm import read_addm
from parsers.text.awr_and_statspack_reader import read_text
from parsers.text.lgwr_trace import read_trace
from parsers.text.oracle_compare_report import read_compare
from parsers.text.structural_marks import cut_lines, one_line_end, title_line

_TABLE_TAG = re.compile(r"</?t[dhr]\b", re.IGNORECASE)
SMALL = 64 << 10  # bytes; what readmes and lists of files have at the most
# Rows of figures that no heading says anything of.
_EVENT_ROW = re.compile(
    r"(?:^|>)[ \t|>*]{0,9}(?:db file (?:sequential|scattered) read|direct path read|log file (?:sync|parallel write)"
    r"|DB CPU|control file sequential read|enq: [A-Z]{2} - |latch: )[^\n]{0,99}\d[\d.,]{0,20}[ \t|]{1,20}[\d.,]{1,20}",
    re.MULTILINE | re.IGNORECASE,
)
_FEW_EVENTS = 2
_FIGURE = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w.,])")
_MANY_FIGURES = 100
_TRANSLATED = (
    "Its tables have no headings as Oracle prints them: they were translated, or the cells stand in lines of their own."
    " Switch the translation off and copy the page again, or take the file that awrrpt.sql wrote."
)
_FEW_TAGS = 40  # a report that was cut off in its first table has fewer
_TEXT_READERS: Final[dict[Kind, Callable[[str], RawDocument]]] = {
    "addm": read_addm,
    "awr_compare": read_compare,
    "lgwr_trace": read_trace,
}

_OWN_FORMS: Final = ("addm", "lgwr_trace")  # by their own first lines: none of their tables has cells to be found


def parse_report(data: bytes, *, name: str = "") -> Report:
    """Raises `UnsupportedReport`, and nothing else; `name` is copied."""
    collecting = gc.isenabled()
    gc.disable()  # nothing here makes cycles: looking for some among a million cells takes a tenth of the time
    try:
        return _parse(data, name)
    finally:
        if collecting:
            gc.enable()


def refuse_stray(data: bytes) -> None:
    """Raises `UnsupportedReport` without a report; large files are sampled."""
    if len(data) <= SMALL:
        parse_report(data)
        return
    refuse_binary(data)
    text, html = mend(decode(body_of(data)).text)
    if late_title(text) < 0:
        require_readable(kind_of(text, "", []), html=html)


def _parse(data: bytes, name: str) -> Report:
    refuse_binary(data)
    document, kind, html, encoding, damaged, several, source = _open(body_of(data))
    notebook = Notebook()
    if damaged:
        notebook.note("undecodable", f"{damaged} characters could not be read as {encoding} and are shown as \ufffd.")
    if several:
        notebook.note("several-reports", "The file holds more than one report: only the first was read.")
    sections = read_sections(document, notebook)
    if source == "excerpt" and names_itself(s.id for s in sections):
        source = "file"
    if source == "excerpt":
        sections = [replace(s, coverage="top") for s in sections]
    by_id = {s.id: s for s in sections}
    note_gaps(kind, document, by_id, notebook, excerpt=source == "excerpt")
    if unread := unreadable_times(by_id):
        notebook.note_first("unreadable-time", unread)
    who = identify(kind, by_id)
    begin, end = who.period.begin.id, who.period.end.id
    if begin is not None and begin == end:
        raise UnsupportedReport(
            f"The report begins and ends with the same snapshot ({begin}), so it covers no time.",
            code="no-interval",
        )
    return Report(
        kind=kind,
        format="html" if html else "text",
        encoding=encoding,
        release=who.release,
        database=who.database,
        instances=who.instances,
        host=who.host,
        period=who.period,
        sections=tuple(sections),
        issues=tuple(notebook.issues),
        name=name,
        source=source,
    )


class _Opened(NamedTuple):
    """Contents of a file without its text, to save memory."""

    document: RawDocument
    kind: Kind
    html: bool
    encoding: str
    damaged: int  # characters that could not be read
    several: bool  # reports, of which this is the first
    source: Source


def _open(data: bytes) -> _Opened:
    text, encoding, damaged = decode(data)
    del data  # of a mail, a copy
    text, html = mend(text)
    starts = report_starts(text, most=2)
    if len(starts) > 1:
        text = text[: starts[1]]
    document, kind, source = _read(text, html=html)
    late = late_title(text) if kind is None or source == "excerpt" else -1
    if late > 0:
        del document  # its tables would stand beside those that are read now
        text, html = mend(text[late:])
        document, kind, source = _read(text, html=html)
    if kind is None and len(_EVENT_ROW.findall(text)) >= _FEW_EVENTS:
        raise UnsupportedReport(f"This is a text of Oracle's wait events. {_TRANSLATED}", code="no-headings")
    kind = require_readable(kind, html=html)
    if not document.tables:
        raise _without_rows(kind, text, html=html)
    return _Opened(document, kind, html, encoding, damaged, len(starts) > 1, source)


def _read(text: str, *, html: bool) -> tuple[RawDocument, Kind | None, Source]:
    source: Source = "file"
    if html:
        refuse_dense(text)
        whole = rejoin(text)
        document = read_html(whole)
        if document.tables and not LABEL_TAG.search(whole):
            document, source = with_labels(document, most_columns(len(whole))), "copy"
    else:
        whole = without_quotes(text)
        titled = kind_of(whole[:SMALL], title_line(whole[:SMALL]), [])
        lines, beyond = cut_lines(one_line_end(whole))
        pasted = read_pasted(lines) if titled not in _OWN_FORMS else None
        document, source = pasted or (_read_text(lines), source)
        if beyond:
            sentence = f"From line {beyond:,} on nothing was read: no report has lines so short."
            document.remarks.append(("left-out", sentence))
    kind = kind_of("", document.title, document.headings)
    if kind is None and (mentioned := kind_of(whole, "", [])):
        own = kind_by_sections(document.tables)
        kind = mentioned if own or (document.tables and mentioned in _TEXT_READERS) else None
    if kind is None and (kind := kind_by_sections(document.tables)):
        source = "excerpt"
    return document, kind, source


def _read_text(text: str) -> RawDocument:
    kind = kind_of(text, title_line(text), [])
    return _TEXT_READERS[kind](text) if kind in _TEXT_READERS else read_text(text)


def _without_rows(kind: Kind, text: str, *, html: bool) -> UnsupportedReport:
    if html and next(islice(_TABLE_TAG.finditer(text), _FEW_TAGS, None), None) is not None:
        sentence = (
            "The tables of this report are damaged: tags are there, but not one row of figures is whole."
            " Save or send the report again."
        )
        return UnsupportedReport(sentence, code="damaged-markup")
    if not html and next(islice(_FIGURE.finditer(text), _MANY_FIGURES, None), None) is not None:
        return UnsupportedReport(f"This is {in_words(kind)}. {_TRANSLATED}", code="no-headings")
    return UnsupportedReport(
        f"This is {in_words(kind)} without a single row of figures: it is empty, or was cut off at its very beginning.",
        code="no-rows",
    )


def read_sections(document: RawDocument, notebook: Notebook) -> list[Section]:
    """Sections in report order; those declared alike joined at the first.

    Rows missing from a truncated section are unknown, as beside a top list.
    """
    groups: list[tuple[Declaration | None, list[RawTable]]] = []
    joined: dict[str, list[RawTable]] = {}
    for table in document.tables:
        declaration = REGISTRY.find(table)
        if declaration is None:
            groups.append((None, [table]))
        elif declaration.id in joined:
            joined[declaration.id].append(table)
        else:
            joined[declaration.id] = [table]
            groups.append((declaration, joined[declaration.id]))
    used_ids = Counter(joined.keys())
    out: list[Section] = []
    for declaration, parts in groups:
        if declaration:
            section = build_section(declaration, parts, notebook)
        else:
            section = build_unknown(parts[0], used_ids, notebook)
        out.append(replace(section, coverage="top") if any(map(document.is_partial, parts)) else section)
    return out


def note_gaps(
    kind: Kind, document: RawDocument, sections: dict[str, Section], notebook: Notebook, *, excerpt: bool = False
) -> None:
    """Notes parts that every such report has and this lacks."""
    if excerpt:
        notebook.note("excerpt", "These are sections cut out of a report: what is not in them is unknown, not zero.")
    elif not document.complete:
        heading = document.headings[-1] if document.headings else ""
        where = f' in or after "{heading}"' if heading else ""
        notebook.note(
            "truncated",
            f"The report ends early{where} (line {document.last_line}): what comes after that is missing, not zero.",
            line=document.last_line,
        )
    for code, sentence in document.remarks:
        notebook.note(code, sentence)
    for heading in document.cut:
        notebook.note("table-cut", f'"{heading}" is too large to be kept whole: what is beyond the limit is missing.')
    for section_id, what in headers_of(kind):
        if section_id not in sections and not excerpt:
            notebook.note("no-" + what, f"The table that names the {what} is missing.")
