"""Matching of statements by SQL id, else by text without comment, literal, spacing (names/statement_texts)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from awrdiff.analysis.model.comparison import SameStatement
from awrdiff.analysis.names.sql_text_normalisation import opening, plain, sql_form, words
from awrdiff.analysis.report.sql_statements import Statement, StatementKey, together

_MOST = 50  # statements a side, by elapsed time, whose texts are looked at
_LAST_WORD = re.compile(r"[\w$#\"]*$")
_LEAST_BEGINNING = 60  # characters of a cut text that tell a statement

Statements = Mapping[StatementKey, Statement]
How = Literal["id", "text", "alone"]


class StatementPair(Struct, frozen=True):
    """One or both sides; `how`: by id, text, or not."""

    first: Statement | None
    second: Statement | None
    how: How

    @property
    def statement(self) -> Statement:
        """Second's; First's where it is not there."""
        statement = self.second or self.first
        if statement is None:
            raise ValueError("a pair of no statement")
        return statement

    @property
    def sql_id(self) -> str:
        return self.statement.key.sql_id

    @property
    def is_plsql(self) -> bool:
        return any(s is not None and s.is_plsql for s in (self.first, self.second))


def pair_statements(first: Statements, second: Statements) -> tuple[StatementPair, ...]:
    pairs = [StatementPair(s, second[k], "id") for k, s in first.items() if k in second]
    rest = [[s for k, s in side.items() if k not in other] for side, other in ((first, second), (second, first))]
    first_once, second_once = (_once(r) for r in rest)
    shared_ids = first_once.keys() & second_once.keys()
    pairs += [StatementPair(first_once[i], second_once[i], "id") for i in first_once if i in shared_ids]
    pairs += [StatementPair(s, None, "alone") for s in rest[0] if s.key.sql_id not in shared_ids]
    pairs += [StatementPair(None, s, "alone") for s in rest[1] if s.key.sql_id not in shared_ids]
    if all(p.how == "id" for p in pairs):
        return tuple(pairs)
    pdbs = all(any(k.pdb for k in side) for side in (first, second))
    heavy = _heaviest(pairs)
    openings = Counter(opening(t) for p in pairs if id(p) in heavy and (t := _whole(p)))
    groups: dict[Hashable, list[StatementPair]] = defaultdict(list)
    unmatched: list[StatementPair] = []
    for pair in pairs:
        text = _whole(pair) if id(pair) in heavy else ""
        bare = plain(text) if text and openings[opening(text)] > 1 else None
        if bare:
            groups[bare, _database(pair, pdbs=pdbs)].append(pair)
        else:
            unmatched.append(pair)
    families = [*(_join(g) for g in groups.values()), *unmatched]
    return tuple(_by_parsing(_by_beginning(families, pdbs=pdbs), pdbs=pdbs))


def same_statements(pairs: Iterable[StatementPair]) -> Iterator[SameStatement]:
    """Ids matched by text, or listed several times."""
    for pair in pairs:
        first, second = (tuple(dict.fromkeys(s.all_ids)) if s is not None else () for s in (pair.first, pair.second))
        if len({*first, *second}) > 1:
            yield SameStatement(first, second)


def _once(statements: Iterable[Statement]) -> dict[str, Statement]:
    statements_by_id: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        statements_by_id[statement.key.sql_id].append(statement)
    return {i: group[0] for i, group in statements_by_id.items() if len(group) == 1}


def _join(group: list[StatementPair]) -> StatementPair:
    if len(group) == 1:
        return group[0]
    first = [p.first for p in group if p.first is not None]
    second = [p.second for p in group if p.second is not None]
    how: How = "text" if first and second else "alone"
    return StatementPair(together(first) if first else None, together(second) if second else None, how)


def _heaviest(pairs: Iterable[StatementPair]) -> set[int]:
    """Longest elapsed on either side; without times (ASH), most sampled."""
    heaviest: set[int] = set()
    for side in ("first", "second"):
        printed = [(s, p) for p in pairs if (s := getattr(p, side)) is not None]
        timed = [(s.elapsed.number, p) for s, p in printed if s.elapsed is not None]
        timed = timed or [(s.sampled, p) for s, p in printed if s.sampled is not None]
        timed.sort(key=lambda entry: -entry[0])
        heaviest |= {id(p) for _, p in timed[:_MOST]}
    return heaviest


def _whole(pair: StatementPair) -> str:
    return next((s.text for s in (pair.second, pair.first) if s is not None and not s.text_is_cut), "")


def _database(pair: StatementPair, *, pdbs: bool) -> str:
    return pair.statement.key.pdb if pdbs else ""


def _by_beginning(pairs: list[StatementPair], *, pdbs: bool) -> list[StatementPair]:
    """Printed text first: truncated texts may differ by hints alone."""
    for beginning in (_verbatim, _beginning):
        pairs = _join_alike(pairs, _begins_like(beginning), pdbs=pdbs)
    return pairs


def _begins_like(beginning: Callable[[Statement], str]) -> Callable[[Statement, Statement], bool]:
    def same(a: Statement, b: Statement) -> bool:
        if not (a.text_is_cut or b.text_is_cut):
            return False
        short, long = sorted((beginning(a), beginning(b)), key=len)
        return len(short) >= _LEAST_BEGINNING and long.startswith(short)

    return same


def _verbatim(statement: Statement) -> str:
    return "".join(statement.text.split())


def _beginning(statement: Statement) -> str:
    text = plain(statement.text) or ""
    return _LAST_WORD.sub("", text) if statement.text_is_cut else text


def _by_parsing(pairs: list[StatementPair], *, pdbs: bool) -> list[StatementPair]:

    def same(a: Statement, b: Statement) -> bool:
        if a.text_is_cut or b.text_is_cut or not a.text or opening(a.text) != opening(b.text):
            return False
        if words(a.text) != words(b.text):
            return False
        read = sql_form(a.text)
        return read is not None and read == sql_form(b.text)

    return _join_alike(pairs, same, pdbs=pdbs)


def _join_alike(
    pairs: list[StatementPair], same: Callable[[Statement, Statement], bool], *, pdbs: bool
) -> list[StatementPair]:
    heavy = _heaviest(pairs)
    first_only = [p for p in pairs if p.second is None and id(p) in heavy]
    right = [p for p in pairs if p.first is None and id(p) in heavy]
    fits = [
        (a, b)
        for a in first_only
        for b in right
        if _database(a, pdbs=pdbs) == _database(b, pdbs=pdbs) and same(a.statement, b.statement)
    ]
    times = defaultdict[int, int](int)
    for a, b in fits:
        times[id(a)] += 1
        times[id(b)] += 1
    unique_fits = [(a, b) for a, b in fits if times[id(a)] == times[id(b)] == 1]
    matched_ids = {id(p) for pair in unique_fits for p in pair}
    return [
        *(StatementPair(a.first, b.second, "text") for a, b in unique_fits),
        *(p for p in pairs if id(p) not in matched_ids),
    ]
