"""PL/SQL blocks as far as `awrdiff script` uses them: compiled whole, then run.

Anything unknown (a statement, a function, a type) raises Unknown.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol

from tests.harness.oracle import Error

Variables = ChainMap[str, Any]
Step = Callable[[Variables], None]
Value = Callable[[Variables], Any]
Rows = Iterator[dict[str, Any]]

_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|:?[a-z][\w$]*(?:\.\w+)*|\d+|:=|\|\||<=|>=|[-+=<>*/(),;])", re.I)
TYPES = {"varchar2", "number", "clob", "pls_integer"}


class Unknown(AssertionError):
    """A construct that the script is not known to use."""


class Database(Protocol):
    """Data that a block may read."""

    def select(self, sql: str, variables: Variables) -> Rows: ...
    def report(self, function: str, values: list[Any]) -> Rows: ...
    def task_report(self, *values: str) -> str: ...


def days(moment: datetime) -> float:
    return (moment - datetime(2000, 1, 1)).total_seconds() / 86_400


def _moment_of(number: float) -> datetime:
    return datetime(2000, 1, 1) + timedelta(seconds=round(number * 86_400))


def _python_format(oracle: str) -> str:
    for theirs, ours in (("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("HH24", "%H"), ("MI", "%M"), ("SS", "%S")):
        oracle = oracle.replace(theirs, ours)
    return oracle


def to_date(text: str, form: str) -> float:
    return days(datetime.strptime(text, _python_format(form)))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "nvl": lambda value, other: other if value in (None, "") else value,
    "instr": lambda text, part: text.find(part) + 1 if text else None,
    "upper": lambda text: text and text.upper(),
    "replace": lambda text, old, new: text.replace(old, new),
    "substr": lambda text, start, length: text[start - 1 : start - 1 + length],
    "chr": chr,
    "least": min,
    "to_char": lambda number, form: f"{_moment_of(number):{_python_format(form)}}",
    "to_date": to_date,
    "dbms_lob.getlength": len,
    "dbms_lob.instr": lambda text, part, start: text.find(part, start - 1) + 1,
    "dbms_lob.substr": lambda text, length, start: text[start - 1 : start - 1 + length],
}
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


class Block:
    """One PL/SQL block, compiled; `run` executes it."""

    def __init__(self, source: str, database: Database, output: list[str]) -> None:
        self._database, self._output, self._procedures = database, output, dict[str, tuple[list[str], Step]]()
        self._source, self._at, self._tokens = source, 0, list[tuple[str, int]]()
        end = len(source.rstrip())
        while (reached := self._tokens[-1][1] if self._tokens else 0) < end:
            token = _TOKEN.match(source, reached)
            if token is None:
                raise Unknown(source[reached : reached + 60])
            self._tokens.append((token[1] if token[1][0] == "'" else token[1].lower(), token.end()))
        self.run = self._block()
        if self._at != len(self._tokens):
            raise Unknown(f"after the block: {self._peek()}")

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _next(self, *wanted: str) -> str:
        """The next token, or the last of those that must follow."""
        for word in wanted or (self._peek(),):
            if not word or self._peek() != word:
                raise Unknown(f"{self._peek()!r} where {word!r} is known, in: {self._source}")
            self._at += 1
        return self._tokens[self._at - 1][0]

    def _took(self, word: str) -> bool:
        return self._peek() == word and bool(self._next())

    def _block(self) -> Step:
        first: list[Step] = []
        if self._took("declare") or self._took("is"):
            while self._peek() != "begin":
                first.append(self._declaration())
        self._next("begin")
        steps, otherwise = self._steps("end", "exception"), list[Step]()
        if fails := self._took("exception"):
            self._next("when", "others", "then")
            otherwise = self._steps("end")
        self._next("end", ";")

        def run(variables: Variables) -> None:
            try:
                _all(first + steps, variables)
            except Error as error:
                if not fails:
                    raise
                variables["sqlerrm"] = str(error)
                _all(otherwise, variables)

        return run

    def _declaration(self) -> Step:
        if self._took("procedure"):
            name, parameters = self._next(), list[str]()
            self._next("(")
            while not parameters or self._took(","):
                parameters.append(self._next())
                self._next("varchar2")
            self._next(")")
            self._procedures[name] = (parameters, self._block())
            return lambda variables: None
        name, kind = self._next(), self._next()
        if kind not in TYPES:
            raise Unknown(f"{name} {kind}")
        if self._took("("):
            self._at += 1
            self._next(")")
        value: Value = self._value() if self._took(":=") else lambda variables: None
        self._next(";")
        return lambda variables: variables.update({name: value(variables)})

    def _steps(self, *until: str) -> list[Step]:
        steps = []
        while self._peek() not in until:
            steps.append(self._step())
        return steps

    def _step(self) -> Step:
        word = self._next()
        if word == "null":
            self._next(";")
            return lambda variables: None
        if word == "if":
            return self._if()
        if word == "for":
            name = self._next()
            self._next("in", "(")
            rows = self._query(")")
            body = self._loop()
            return lambda variables: [_all(body, variables.new_child({name: row})) for row in rows(variables)] and None
        if word == "while":
            condition, body = self._value(), self._loop()
            return partial(_while, condition, body)
        if word == "select":
            self._at -= 1
            into: list[str] = []
            rows = self._query(";", into)
            return lambda variables: variables.update({into[0]: next(iter(next(rows(variables)).values()))})
        if self._took(":="):
            value = self._value()
            self._next(";")
            return lambda variables: _assign(variables, word, value(variables))
        self._next("(")
        values = self._values()
        self._next(";")
        return self._call(word, values)

    def _if(self) -> Step:
        cases: list[tuple[Value, list[Step]]] = []
        word = "if"
        while word in ("if", "elsif"):
            condition = self._value()
            self._next("then")
            cases.append((condition, self._steps("end", "elsif", "else")))
            word = self._next()
        if word == "else":
            cases.append((lambda variables: True, self._steps("end")))
            self._next("end")
        self._next("if", ";")
        return lambda variables: _all(
            next((steps for condition, steps in cases if condition(variables)), []), variables
        )

    def _loop(self) -> list[Step]:
        self._next("loop")
        body = self._steps("end")
        self._next("end", "loop", ";")
        return body

    def _call(self, name: str, values: list[Value]) -> Step:
        def failed(number: int, text: str) -> None:
            raise Error(f"ORA{number}: {text}")

        if name == "raise_application_error":
            return lambda variables: failed(*(v(variables) for v in values))
        if name == "dbms_output.put_line":
            return lambda variables: self._output.append(_text(values[0](variables)))
        if name not in self._procedures:
            raise Unknown(name)
        parameters, body = self._procedures[name]
        return lambda variables: body(
            ChainMap({}, {n: v(variables) for n, v in zip(parameters, values, strict=True)}, variables)
        )

    def _value(self) -> Value:
        first = self._sum()
        if self._peek() not in _COMPARED:
            return first
        compare, second = _COMPARED[self._next()], self._sum()
        return lambda variables: None not in (a := (first(variables), second(variables))) and compare(*a)

    def _sum(self) -> Value:
        value = self._part()
        while self._peek() in ("||", "+", "-"):
            value = partial(_joined, self._next(), value, self._part())
        return value

    def _part(self) -> Value:
        if self._took("-"):
            number = int(self._next())
            return lambda variables: -number
        word = self._next()
        if word.startswith("'"):
            return lambda variables: word[1:-1].replace("''", "'")
        if word.isdigit():
            return lambda variables: int(word)
        if word == "null":
            return lambda variables: None
        if word == "cast":
            self._next("(", "null", "as", "varchar2", "(")
            self._at += 1
            self._next(")", ")")
            return lambda variables: None
        if self._took("("):
            function = self._database.task_report if word == "dbms_advisor.get_task_report" else _FUNCTIONS.get(word)
            if function is None:
                raise Unknown(word)
            values = self._values()
            return lambda variables: function(*(v(variables) for v in values))
        record, _, column = word.partition(".")
        return lambda variables: variables[record][column] if column else variables[record]

    def _values(self) -> list[Value]:
        values = [self._value()]
        while self._took(","):
            values.append(self._value())
        self._next(")")
        return values

    def _query(self, end: str, into: list[str] | None = None) -> Callable[[Variables], Rows]:
        start, depth = self._tokens[self._at - 1][1], 0
        of_package = [t for t, _ in self._tokens[self._at : self._at + 6]]
        if of_package[:5] == ["select", "output", "from", "table", "("]:
            function = of_package[5]
            self._at += 6
            self._next("(")
            values = self._values()
            self._next(")", end)
            return lambda variables: self._database.report(function, [v(variables) for v in values])
        while depth or self._peek() != end:
            depth += {"(": 1, ")": -1}.get(self._next(), 0)
        sql = self._source[start : self._tokens[self._at - 1][1]]
        self._next(end)
        if into is not None:
            into.append(re.findall(r" into (\w+) ", sql)[0])
            sql = re.sub(r" into \w+ ", " ", sql)
        return lambda variables: self._database.select(sql, variables)


def _all(steps: list[Step], variables: Variables) -> None:
    for step in steps:
        step(variables)


def _while(condition: Value, body: list[Step], variables: Variables) -> None:
    while condition(variables):
        _all(body, variables)


def _assign(variables: Variables, name: str, value: Any) -> None:
    """Assign where the variable was declared."""
    next(scope for scope in variables.maps if name in scope)[name] = value


def _joined(sign: str, first: Value, second: Value, variables: Variables) -> Any:
    a, b = first(variables), second(variables)
    return _text(a) + _text(b) if sign == "||" else a + b if sign == "+" else a - b
