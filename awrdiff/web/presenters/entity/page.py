"""One entity as a page or side panel."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby, takewhile
from typing import NamedTuple

import sqlparse
from sqlparse import tokens as t
from sqlparse.exceptions import SQLParseError
from sqlparse.lexer import tokenize

from awrdiff.analysis.entities.entity import ADDM, Entity, SectionRows, statements_naming
from awrdiff.analysis.entities.kinds import EVENT, SQL, EntityKind, Ref
from awrdiff.analysis.entities.of_one import Named as NamedRows
from awrdiff.analysis.entities.statement import JoinedFigure, JoinedStatement
from awrdiff.analysis.model.comparison import ComparedRow, Delta
from awrdiff.analysis.model.single import Assessment
from awrdiff.analysis.names.statement_texts import is_plsql
from awrdiff.analysis.report.statements import Statement
from awrdiff.web import format as fmt
from awrdiff.web.format import ColumnFormat
from awrdiff.web.presenters.entity import rows
from awrdiff.web.presenters.entity.rows import Named, SectionRowsView
from awrdiff.web.presenters.page.movers import LinkView
from awrdiff.web.presenters.page.overview import FindingView, finding_view
from awrdiff.web.presenters.section import histogram
from awrdiff.web.presenters.section.compared import Options
from awrdiff.web.presenters.section.figures import Absent, Basis, Cell, ColumnGroup, Formatted
from awrdiff.web.presenters.section.single import PlainRow, PlainView
from awrdiff.web.presenters.section.single import present as table
from awrdiff.web.presenters.section.window import cut
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
    return _join(
        [
            Piece("", "".join(a[:begin])),
            *_pieces_between(first_words, second_words),
            Piece("", "".join(a[len(a) - end :])),
        ]
    )


def _alike(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _pieces_between(a: list[str], b: list[str]) -> Iterator[Piece]:
    often = Counter(b)
    if sum(often[word] for word in a) > _MOST_LIKE:
        yield from (Piece("first", "".join(a)), Piece("second", "".join(b)))
        return
    for tag, i, k, m, n in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("", "".join(a[i:k]))
        else:
            yield from (Piece("first", "".join(a[i:k])), Piece("second", "".join(b[m:n])))


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
FigureView = tuple[str, Cells, Cells | None]  # label, in all, per execution
TextView = tuple[str, tuple[Piece, ...], str]  # First, Second, or "" where both print the same; the text; a note
WaitView = tuple[Named, str, str]  # event, First, Second


@dataclass(frozen=True, slots=True)
class StatementView:
    pdb: Named | None
    modules: tuple[Named, ...]
    plans: tuple[tuple[str, tuple[Named, ...]], ...]  # by side
    added: tuple[Named, ...]  # ids added up
    plsql: bool
    figures: tuple[FigureView, ...]
    waits: tuple[WaitView, ...]
    texts: tuple[TextView, ...]
    difference: tuple[Piece, ...]


def statement_view(entity: Entity, basis: Basis) -> tuple[StatementView, ...]:
    seen_pdbs: set[str] = set()
    views = []
    for statement in entity.statements:
        views.append(_statement(statement, basis, again=statement.pdb in seen_pdbs))
        seen_pdbs.add(statement.pdb)
    return tuple(views)


def _statement(statement: JoinedStatement, basis: Basis, *, again: bool) -> StatementView:
    first, second = statement.sides
    ids = dict.fromkeys(i for s in statement.sides if s is not None for i in s.all_ids) if statement.added else ()
    figures = tuple(_figure(f, basis) for f in statement.figures)
    if again:
        return StatementView(
            None, (), (), tuple(_named_ref(SQL, i) for i in ids), statement.is_plsql, figures, (), (), ()
        )
    return StatementView(
        pdb=_named_ref("pdb", statement.pdb) if statement.pdb else None,
        modules=tuple(_named_ref("module", m) for m in statement.modules),
        plans=_by_side(statement, lambda s: s.plan_hashes, "plan"),
        added=tuple(_named_ref(SQL, i) for i in ids),
        plsql=statement.is_plsql,
        figures=figures,
        waits=tuple(_waits(first, second)),
        texts=tuple(_texts(statement)),
        difference=differing(*(set_out(s.text) for s in statement.sides if s)) if statement.texts_differ else (),
    )


def _named_ref(kind: str, key: str) -> Named:
    return Named(key, Ref(kind, key).path)


def _by_side(
    statement: JoinedStatement, keys: Callable[[Statement], tuple[str, ...]], kind: str
) -> tuple[tuple[str, tuple[Named, ...]], ...]:
    sides = [(name, keys(s)) for name, s in zip(("First", "Second"), statement.sides, strict=True) if s is not None]
    side_refs = [(name, refs) for name, refs in sides if refs]
    if len(side_refs) == 2 and side_refs[0][1] == side_refs[1][1]:
        side_refs = [("", side_refs[0][1])]
    return tuple((name, tuple(_named_ref(kind, key) for key in side_keys)) for name, side_keys in side_refs)


def _figure(joined: JoinedFigure, basis: Basis) -> FigureView:
    column = joined.column
    used: Basis = basis if column.measure == "total" and _has(joined.total, basis) else "total"
    sessions = column.unit == "s" and used == "s"
    suffix = {"s": " per s", "txn": " per transaction", "total": ""}[used]
    name = _LABELS.get(column.label, column.label)
    label = f"{name}, active sessions" if sessions else f"{name}{suffix}"
    figure = ColumnGroup(column.id, label, "ratio" if sessions else column.unit, column.better, used, absolute=sessions)
    cells = _cells(figure, joined.total, joined.partial)
    sources = (joined.first_from, joined.second_from)
    a, b = (_with_source(cell, source) for cell, source in zip(cells[:2], sources, strict=True))
    per = joined.per_execution
    each = ColumnGroup(column.id, column.label, column.unit, column.better)
    alone = per.first is None and per.second is None
    return label, (a, b, cells[2]), None if alone else _cells(each, per, joined.partial)


def _has(delta: Delta, basis: Basis) -> bool:
    sides = [(delta.first, delta.first_per_txn), (delta.second, delta.second_per_txn)]
    if basis == "s":
        sides = [(delta.first, delta.first_per_s), (delta.second, delta.second_per_s)]
    return all(rate is not None for printed, rate in sides if printed is not None)


def _cells(figure: ColumnGroup, delta: Delta, partial: tuple[bool, bool]) -> Cells:
    row = ComparedRow("", {}, "changed", {figure.column: delta})
    first, second = (_PARTIAL if some else _NOT_LISTED for some in partial)
    return Formatted(figure, ColumnFormat(figure.unit, None, 0)).cells(row, (first, second))


def _with_source(cell: Cell, section: str) -> Cell:
    declared = REGISTRY.by_id.get(section)
    return cell if declared is None or cell["h"] else Cell(c=cell["c"], t=cell["t"], h=f"from {declared.title}")


def _waits(first: Statement | None, second: Statement | None) -> Iterator[WaitView]:
    sides = [s.waits if s is not None else {} for s in (first, second)]
    for event in dict.fromkeys((*sides[1], *sides[0])):
        first_text, second_text = (fmt.quantity(s[event], "percent") if event in s else fmt.NONE for s in sides)
        yield _named_ref(EVENT, event), first_text, second_text


def _texts(statement: JoinedStatement) -> Iterator[TextView]:
    sides = [
        (name, s) for name, s in zip(("First", "Second"), statement.sides, strict=True) if s is not None and s.text
    ]
    if not statement.texts_differ and sides:
        whole = max(sides, key=lambda side: (not side[1].text_is_cut, len(side[1].text)))
        sides = [("", whole[1])]
    for name, side in sides:
        text = set_out(side.text)
        yield name, mark_words(cut(text, _LONGEST)), _note(side, longer=len(text) > _LONGEST)


def _note(side: Statement, *, longer: bool) -> str:
    if longer:
        return f"The first {_LONGEST:,} of {len(side.text):,} characters; the section SQL text has the rest."
    if side.text_is_cut:
        return "The report prints no more than this beginning of the text."
    return ""


_LONGEST_PROSE = 600  # characters
_MOST = 12


@dataclass(frozen=True, slots=True)
class EntityView:
    """`listed`: sentence if only one side names it."""

    kind: str
    name: str
    path: str
    listed: str
    statements: tuple[StatementView, ...]
    histograms: tuple[histogram.HistogramView, ...]
    parts: tuple[SectionRowsView, ...]
    mentions: tuple[tuple[LinkView, str], ...]  # row, and its text
    more_mentions: int
    named_by: tuple[Named, ...]
    findings: tuple[FindingView, ...]
    cited: tuple[FindingView, ...]


def present(entity: Entity, basis: Basis, titles: Mapping[str, str]) -> EntityView:
    """`titles`: of all sections."""
    histogram_parts = [p for p in entity.parts if histogram.is_histogram(p.section)]
    prose = [p for p in entity.mentions if ADDM.match(p.section.id)]
    mentions = [_mention(p, row) for p in prose for row in p.section.rows]
    return EntityView(
        kind=entity.kind.name,
        name=entity.name,
        path=entity.ref.path,
        listed=_one_side_text(entity),
        statements=statement_view(entity, basis),
        histograms=tuple(
            histogram.present(p.section, Options(basis=basis, changed_only=False)) for p in histogram_parts
        ),
        parts=tuple(v for v in rows.present(entity, basis) if v.id not in {p.section.id for p in histogram_parts}),
        mentions=tuple(mentions[:_MOST]),
        more_mentions=max(0, len(mentions) - _MOST),
        named_by=tuple(Named(r.key, r.path) for r in statements_naming(entity)[:_MOST]),
        findings=tuple(finding_view(f, titles) for f in entity.findings),
        cited=tuple(finding_view(f, titles) for f in entity.cited),
    )


def _one_side_text(entity: Entity) -> str:
    if entity.first and entity.second:
        return ""
    if not entity.first and not entity.second:
        return "No table of either report names it."
    side, other = ("First", "Second") if entity.first else ("Second", "First")
    return f"Only {side} names it; no table of {other} does."


def _mention(part: SectionRows, row: ComparedRow) -> tuple[LinkView, str]:
    texts = [t for d in row.values.values() for t in (d.second or d.first,) if isinstance(t, str)]
    text = " · ".join(dict.fromkeys(t for t in (*row.key.values(), *texts) if t))
    return LinkView(part.section.title, f"{part.section.id}/{row.row_id}"), cut(text, _LONGEST_PROSE)


MOST_ROWS = 40  # of one section


@dataclass(frozen=True, slots=True)
class PartView:
    """`rows`: label, text and class of each figure."""

    id: str
    title: str
    rows: tuple[tuple[PlainRow, list[tuple[str, str, str]]], ...]
    more: int


@dataclass(frozen=True, slots=True)
class AloneView:
    kind: str
    name: str
    path: str
    findings: tuple[FindingView, ...]
    parts: tuple[PartView, ...]


def of_report(
    kind: EntityKind, key: str, tables: Sequence[NamedRows], assessment: Assessment | None, titles: Mapping[str, str]
) -> AloneView:
    """`titles`: of all sections."""
    findings = assessment.findings if assessment is not None else ()
    wanted = kind.same(key)
    about = (f for f in findings if f.subject and f.subject.kind == kind.id and kind.same(f.subject.key) == wanted)
    parts = tuple(map(_part, tables))
    return AloneView(kind.name, key, Ref(kind.id, key).path, tuple(finding_view(f, titles) for f in about), parts)


def _part(named_rows: NamedRows) -> PartView:
    row_ids = list(named_rows.rows)[:MOST_ROWS]
    view = table(named_rows.section, Options(), frozenset(row_ids))
    rows = tuple((r, list(_lines(view, r))) for r in view.rows)
    return PartView(view.id, view.title, rows, len(named_rows.rows) - len(rows))


def _lines(view: PlainView, row: PlainRow) -> Iterator[tuple[str, str, str]]:
    for (label, is_text), cell in zip(view.heads[1:], row["cells"], strict=True):
        if cell["t"] != fmt.NONE:
            yield label, cell["t"], "l" if is_text else ""
