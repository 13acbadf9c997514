"""One entity as a page or side panel."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby, takewhile
from typing import Any, NamedTuple

import sqlparse
from sqlparse import tokens as t
from sqlparse.exceptions import SQLParseError
from sqlparse.lexer import tokenize

from awrdiff.analysis.entities.kinds import EVENT, KINDS, SQL, EntityKind, Ref, refs, ways_in
from awrdiff.analysis.entities.single_report_entity import SectionRows
from awrdiff.analysis.entities.statement import JoinedFigure, JoinedStatement
from awrdiff.analysis.entities.two_report_entity import ADDM, Entity, is_own_table, statements_naming
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Delta
from awrdiff.analysis.model.single_report import Assessment
from awrdiff.analysis.names.sql_text_normalisation import is_plsql
from awrdiff.analysis.report.sql_statements import TABLES, TEXTS
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.page.db_time import LinkView
from awrdiff.web.presenters.page.overview import finding_view
from awrdiff.web.presenters.section import histogram, missing_rows
from awrdiff.web.presenters.section.columns_and_cells import THERE, Absent, Basis, Cell, ColumnGroup, alone
from awrdiff.web.presenters.section.compared_section import Options
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.presenters.section.row_limits import cut
from awrdiff.web.presenters.section.single import present as table
from parsers.sections.registry import REGISTRY

_LONGEST_SET_OUT = 6_000  # characters: 50 ms
_LONGEST_MARKED = 20_000
_MOST_LIKE = 20_000  # pairs of equal words in two texts that are held against each other
_OWN_QUOTES = re.compile(r"(?i)(?<![\w$#])n?q'|--")  # Oracle's q'[…]', and a comment that ends with its line
_WORD = re.compile(r"\s+|[\w$#:.]+\s*|[^\w\s]\s*")
# Of what the lexer takes for a keyword: it knows every dialect's, and names of columns are among them.
_RESERVED = re.compile(
    r"(?:\s*\b(?:ALL|AND|ANY|AS|ASC|BEGIN|BETWEEN|BY|CALL|CASE|CONNECT|CROSS|DECLARE|DELETE|DESC|DISTINCT|ELSE|END"
    r"|EXCEPTION|EXISTS|FETCH|FIRST|FOR|FROM|FULL|GROUP|HAVING|IF|IN|INNER|INSERT|INTERSECT|INTO|IS|JOIN|LEFT|LIKE|LOOP"
    r"|MATCHED|MERGE|MINUS|NOT|NULL|OF|ON|OR|ORDER|OUTER|OVER|PARTITION|PRIOR|RETURNING|RIGHT|ROWNUM|SELECT|SET|START"
    r"|THEN|UNION|UPDATE|USING|VALUES|WHEN|WHERE|WITH)\b)+",
    re.IGNORECASE,
)
_MARKS = (
    (t.Comment, "c"),
    (t.Literal.String, "s"),
    (t.Literal.Number, "n"),
    (t.Name.Placeholder, "b"),
    (t.Keyword, "k"),
)


class Piece(NamedTuple):
    """`cls`: k keyword, s string, n number, b bind, c comment, first, second."""

    cls: str
    text: str

    @property
    def tag(self) -> str:
        return {"first": "del", "second": "ins"}.get(self.cls, "span")


@lru_cache(maxsize=128)
def set_out(text: str) -> str:
    """SQL split by clauses; other text as printed."""
    plain = text.strip()
    if len(plain) > _LONGEST_SET_OUT or plain.count("\n") > 2 or _OWN_QUOTES.search(plain) or is_plsql(plain):
        return plain
    try:
        formatted = sqlparse.format(plain, reindent=True, indent_width=2)
    except (SQLParseError, RecursionError):
        return plain
    return formatted if _words(formatted) == _words(plain) else plain


def mark_words(text: str) -> tuple[Piece, ...]:
    if len(text) > _LONGEST_MARKED:
        return (Piece("", text),)
    return _join(Piece(_mark(kind, part), part) for kind, part in _tokens(text))


@lru_cache(maxsize=32)
def differing(first: str, second: str) -> tuple[Piece, ...]:
    """Word diff; very different parts stay in one piece."""
    a, b = _WORD.findall(first), _WORD.findall(second)
    begin = _alike(zip(a, b, strict=False))
    end = _alike(zip(reversed(a[begin:]), reversed(b[begin:]), strict=False))
    first_words, second_words = a[begin : len(a) - end], b[begin : len(b) - end]
    often = Counter(second_words)
    if sum(often[word] for word in first_words) > _MOST_LIKE:
        between = [Piece("first", "".join(first_words)), Piece("second", "".join(second_words))]
    else:
        between = []
        for tag, i, k, m, n in SequenceMatcher(None, first_words, second_words, autojunk=False).get_opcodes():
            common = Piece("" if tag == "equal" else "first", "".join(first_words[i:k]))
            between += [common] if tag == "equal" else [common, Piece("second", "".join(second_words[m:n]))]
    return _join([Piece("", "".join(a[:begin])), *between, Piece("", "".join(a[len(a) - end :]))])


def _alike(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _mark(kind: t._TokenType, part: str) -> str:
    if kind in t.Keyword and not _RESERVED.fullmatch(part):
        return ""
    return next((cls for family, cls in _MARKS if kind in family), "")


def _join(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    groups = groupby((p for p in pieces if p.text), key=lambda p: p.cls)
    return tuple(Piece(cls, "".join(p.text for p in group)) for cls, group in groups)


def _words(text: str) -> list[str]:
    return [part for kind, part in _tokens(text) if kind not in t.Whitespace]


def _tokens(text: str) -> Iterator[tuple[t._TokenType, str]]:
    yield from tokenize(text)  # type: ignore[no-untyped-call]


_LONGEST = 200_000  # characters of a text
_PARTIAL = Absent("not of each id", "some of these SQL ids print this figure there and some do not")
_LABELS = {"cpu time": "CPU time", "user io wait time": "user I/O wait time"}
_NOT_LISTED = Absent("not listed", "no SQL table of that side prints this figure: unknown, not zero")


Cells = tuple[Cell, Cell, Cell]


def statement_views(entity: Entity, basis: Basis) -> list[dict[str, Any]]:
    """Statements; further ones in the same pluggable database with their figures only."""
    seen_pdbs: set[str] = set()
    views = []
    for statement in entity.statements:
        ids = dict.fromkeys(i for s in statement.sides if s is not None for i in s.all_ids) if statement.added else ()
        view = {
            "added": _refs(SQL, ids),  # ids added up
            "plsql": statement.is_plsql,
            "figures": [_figure(f, basis) for f in statement.figures],
        }
        views.append(view if statement.pdb in seen_pdbs else view | _words_of(statement))
        seen_pdbs.add(statement.pdb)
    return views


def _words_of(statement: JoinedStatement) -> dict[str, Any]:
    sides = [side for side in zip(("First", "Second"), statement.sides, strict=True) if side[1] is not None]
    plans = [(name, s.plan_hashes) for name, s in sides if s is not None and s.plan_hashes]
    if len(plans) == 2 and plans[0][1] == plans[1][1]:
        plans = [("", plans[0][1])]
    waits = [s.waits if s is not None else {} for s in statement.sides]
    return {
        "pdb": Ref("pdb", statement.pdb) if statement.pdb else None,
        "modules": _refs("module", statement.modules),
        "plans": [(name, _refs("plan", hashes)) for name, hashes in plans],
        "waits": [
            (Ref(EVENT, event), [fmt.quantity(s[event], "percent") if event in s else fmt.NONE for s in waits])
            for event in dict.fromkeys((*waits[1], *waits[0]))
        ],
        "texts": list(_texts(statement)),
        "difference": differing(*(set_out(s.text) for s in statement.sides if s)) if statement.texts_differ else (),
    }


def _refs(kind: str, keys: Iterable[str]) -> list[Ref]:
    return [Ref(kind, key) for key in keys]


def _figure(joined: JoinedFigure, basis: Basis) -> tuple[str, Cells, Cells | None]:
    """Label, cells in all and per execution."""
    column, total = joined.column, joined.total
    rates = {"s": (total.first_per_s, total.second_per_s), "txn": (total.first_per_txn, total.second_per_txn)}
    of_sides = zip((total.first, total.second), rates.get(basis, (0.0, 0.0)), strict=True)
    has_rates = all(rate is not None for printed, rate in of_sides if printed is not None)
    used: Basis = basis if column.measure == "total" and has_rates else "total"
    sessions = column.unit == "s" and used == "s"
    suffix = {"s": " per s", "txn": " per transaction", "total": ""}[used]
    name = _LABELS.get(column.label, column.label)
    label = f"{name}, active sessions" if sessions else f"{name}{suffix}"
    figure = ColumnGroup(column.id, label, "ratio" if sessions else column.unit, column.better, used, absolute=sessions)
    cells = _cells(figure, total, joined.partial)
    for cell, source in zip(cells[:2], (joined.first_from, joined.second_from), strict=True):
        declared = REGISTRY.by_id.get(source)
        if declared is not None and not cell["h"]:
            cell["h"] = f"from {declared.title}"
    per = joined.per_execution
    each = ColumnGroup(column.id, column.label, column.unit, column.better)
    alone = per.first is None and per.second is None
    return label, cells, None if alone else _cells(each, per, joined.partial)


def _cells(figure: ColumnGroup, delta: Delta, partial: tuple[bool, bool]) -> Cells:
    row = ComparedRow("", {}, "changed", {figure.column: delta})
    first, second = (_PARTIAL if some else _NOT_LISTED for some in partial)
    return alone(figure).cells(row, (first, second))


def _texts(statement: JoinedStatement) -> Iterator[tuple[str, tuple[Piece, ...], str]]:
    """Side ("" where both print the same), text, note."""
    sides = [
        (name, s) for name, s in zip(("First", "Second"), statement.sides, strict=True) if s is not None and s.text
    ]
    if not statement.texts_differ and sides:
        whole = max(sides, key=lambda side: (not side[1].text_is_cut, len(side[1].text)))
        sides = [("", whole[1])]
    for name, side in sides:
        text, note = set_out(side.text), ""
        if len(text) > _LONGEST:
            note = f"The first {_LONGEST:,} of {len(side.text):,} characters; the section SQL text has the rest."
        elif side.text_is_cut:
            note = "The report prints no more than this beginning of the text."
        yield name, mark_words(cut(text, _LONGEST)), note


_LONGEST_PROSE = 600  # characters, also of a cell or name
_FEW = 3  # rows of a section that are shown with all their figures
_MOST = 12  # rows of a section, mentions and statements that are shown at all


def present(entity: Entity, basis: Basis, titles: Mapping[str, str]) -> dict[str, Any]:
    """`titles`: of all sections."""
    histogram_parts = [p.section for p in entity.parts if histogram.is_histogram(p.section)]
    options, histogram_ids = Options(basis=basis, changed_only=False), {section.id for section in histogram_parts}
    prose = [p.section for p in entity.mentions if ADDM.match(p.section.id)]
    mentions = [_mention(section, row) for section in prose for row in section.rows]
    listed = ""  # where only one side names it
    if not entity.first and not entity.second:
        listed = "No table of either report names it."
    elif not (entity.first and entity.second):
        side, other = ("First", "Second") if entity.first else ("Second", "First")
        listed = f"Only {side} names it; no table of {other} does."
    return {
        "kind": entity.kind.name,
        "name": entity.name,
        "path": entity.ref.path,
        "listed": listed,
        "statements": statement_views(entity, basis),
        "histograms": [histogram.present(section, options) for section in histogram_parts],
        "parts": [part for part in _parts(entity, basis) if part["id"] not in histogram_ids],
        "mentions": mentions[:_MOST],
        "more_mentions": max(0, len(mentions) - _MOST),
        "named_by": statements_naming(entity)[:_MOST],
        "findings": [finding_view(f, titles) for f in entity.findings],
        "cited": [finding_view(f, titles) for f in entity.cited],
    }


def _mention(section: ComparedSection, row: ComparedRow) -> tuple[LinkView, str]:
    texts = [t for d in row.values.values() for t in (d.second or d.first,) if isinstance(t, str)]
    text = " · ".join(dict.fromkeys(t for t in (*row.key.values(), *texts) if t))
    return LinkView(section.title, f"{section.id}/{row.row_id}"), cut(text, _LONGEST_PROSE)


NamePart = tuple[str, str]  # text, and the path of its entity below the comparison


def _parts(entity: Entity, basis: Basis) -> Iterator[dict[str, Any]]:
    """SQL tables show one figure; the joined statement more."""
    for part in entity.parts:
        section = part.section
        if entity.ref.kind == SQL and section.id == TEXTS:
            continue
        rows = sorted(section.rows, key=lambda r: -r.weight)
        joined = entity.ref.kind == SQL and section.id in TABLES
        few = len(rows) <= _FEW and is_own_table(section, entity.kind) and not joined
        maker = _RowMaker(section, entity, basis, every_figure=few)
        nameless = [] if few else [(entity.name, "")]
        yield {
            "id": section.id,
            "title": section.title,
            # Id, name, figures with First, Second and change.
            "rows": [(r.row_id, list(maker.name(r)) or nameless, list(maker.lines(r))) for r in rows[:_MOST]],
            "figure": "" if few else maker.main_label,  # the only one shown
            "more": len(rows[_MOST:]) + part.left_out,
        }


class _RowMaker:
    def __init__(self, section: ComparedSection, entity: Entity, basis: Basis, *, every_figure: bool) -> None:
        layout = layout_of(section, basis, everything=every_figure)
        self._kind, self._labels = entity.ref.kind, {c.id: c.label for c in section.columns}
        self._figures: Sequence[ColumnGroup] = [f for f in layout.figures if f.column != TEXTS]
        if not every_figure:
            self._figures = self._figures[layout.bar or 0 :][:1]
        self._beside = layout.beside
        self._columns = frozenset(c.id for c in section.columns)
        self._absent = tuple(_absent(section, entity, first=first) for first in (True, False))
        self._naming = {c for kind, way in ways_in(self._columns) if kind is entity.kind for c in way.columns[:-1]}
        self._known_texts = {
            "N/A",
            *(t for s in entity.statements for t in (s.pdb, *s.modules) if len(entity.statements) == 1),
        }
        several = entity.ids is not None and len({*entity.ids.first, *entity.ids.second}) > 1
        self._own = set() if several else {KINDS[entity.ref.kind].same(entity.name)}

    @property
    def main_label(self) -> str:
        return self._figures[0].label if self._figures else ""

    def name(self, row: ComparedRow) -> Iterator[NamePart]:
        entity_refs = refs(row, self._columns)
        texts = set(self._known_texts)
        printed = [(c, text) for c, text in row.key.items() if text]
        deltas = [(c, row.values[c]) for c in self._beside if c in row.values]
        printed += [(c, text) for c, d in deltas if isinstance(text := d.second or d.first, str) and text]
        for column, text in printed:
            ref = entity_refs.get(column)
            is_own = ref is not None and ref.kind == self._kind and KINDS[ref.kind].same(ref.key) in self._own
            if text not in texts and column not in self._naming and not is_own:
                texts.add(text)
                is_number = text.replace(",", "").replace(".", "").isdigit()
                label = f"{self._labels.get(column, column)} " if is_number else ""
                yield cut(f"{label}{text}", _LONGEST_PROSE), ref.path if ref else ""

    def lines(self, row: ComparedRow) -> Iterator[tuple[str, list[Cell]]]:
        first = self._absent[0] if row.status == "only_second" else THERE
        second = self._absent[1] if row.status == "only_first" else THERE
        for at, figure in enumerate(self._figures):
            cells = alone(figure).cells(row, (first, second))
            if at == 0 or any(c["t"] not in ("", fmt.NONE) for c in cells[:2]):
                yield figure.label, [Cell(c=c["c"], t=cut(c["t"], _LONGEST_PROSE), h=c["h"]) for c in cells]


def _absent(section: ComparedSection, entity: Entity, *, first: bool) -> Absent:
    absence = missing_rows.absent(section, first=first)
    listed = entity.first if first else entity.second
    if absence.text != "not listed" or not listed:
        return absence
    return Absent("not in this list", "other tables of that report name it: see there")


MOST_ROWS = 40  # of one section


def of_report(
    kind: EntityKind, key: str, tables: Sequence[SectionRows], assessment: Assessment | None, titles: Mapping[str, str]
) -> dict[str, Any]:
    """`titles`: of all sections."""
    findings = assessment.findings if assessment is not None else ()
    wanted = kind.same(key)
    about = (f for f in findings if f.subject and f.subject.kind == kind.id and kind.same(f.subject.key) == wanted)
    parts = []
    for named_rows in tables:
        view = table(named_rows.section, Options(), frozenset(list(named_rows.rows)[:MOST_ROWS]))
        shown_rows = [
            (row, [(*head, c["t"]) for head, c in zip(view.heads[1:], row["cells"], strict=True) if c["t"] != fmt.NONE])
            for row in view.rows
        ]
        more = len(named_rows.rows) - len(shown_rows)
        parts.append({"id": view.id, "title": view.title, "rows": shown_rows, "more": more})
    return {
        "kind": kind.name,
        "name": key,
        "path": Ref(kind.id, key).path,
        "findings": [finding_view(f, titles) for f in about],
        "parts": parts,
    }
