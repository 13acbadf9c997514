"""Redaction of a text by its content. Every function is safe for any text."""

from __future__ import annotations

import re
from collections.abc import Callable

from awrdiff.redaction import oracle_names
from awrdiff.redaction.allowed_words import COMMANDS, EDITIONS, FIGURES, PROSE, VALUES
from awrdiff.redaction.column_content_kinds import Content
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.pseudonyms import Pseudonyms
from parsers.identity.months import DATE, month_of, plain

_TOKEN = re.compile(
    r"""
      (?P<comment> /\*.*?(?:\*/|\Z) | --[^\n]*)
    | (?P<literal> [nN]?[qQ]'\[.*?(?:\]'|\Z) | [nN]?[qQ]'\(.*?(?:\)'|\Z) | [nN]?[qQ]'\{.*?(?:\}'|\Z)
                 | [nN]?[qQ]'<.*?(?:>'|\Z) | [nN]?[qQ]'(?P<mark>[^\w\s]).*?(?:(?P=mark)'|\Z)
                 | [nN]?'(?:[^']|'')*(?:'|\Z))
    | (?P<quoted> "[^"]*(?:"|\Z))
    | (?P<bind> :"?[\w$\#]*"?)
    | (?P<number> (?<![\w$\#])\d[\w.]*)
    | (?P<word> [^\W\d][\w$\#]*)
    | (?P<blank> \s+)
    | (?P<sign> [-+*/=<>!|(),.;@%&^~])
    """,
    re.VERBOSE | re.DOTALL,
)
LONGEST = 20_000  # of a text; what is longer is cut


def shape(text: str, names: Pseudonyms) -> str:
    parts = (_token(match, names) for match in _TOKEN.finditer(text[:LONGEST]))
    return " ".join("".join(parts).split())


def _token(match: re.Match[str], names: Pseudonyms) -> str:
    kind, text = match.lastgroup, match[0]
    if kind in ("literal", "number", "mark"):
        return "?"
    if kind == "bind":
        return ":b"
    if kind in ("comment", "blank"):
        return " "
    if kind == "quoted":
        return f"n_{names.tail(text.strip(chr(34)))}"
    if kind == "word":
        plain = text.casefold()
        stays = plain in COMMANDS or oracle_names.DICTIONARY.fullmatch(text)
        return text if stays else f"n_{names.tail(text)}"
    return text


_PART = re.compile(r"[^\s,;()\[\]{}\"'=<>|*]+")
_NUMBER = re.compile(
    r"[-+#]?\d{1,7}(?:\.\d{1,9})?(?:[eE][-+]?\d{1,2})?%?[KMGTkmgt]?[Bb]?|[-+]?\.\d{1,6}|\d{1,3}(?:ms|us|s|th|st|nd)"
)
_CLOCK = re.compile(r"\d{1,4}(?:[-/.:]\d{1,4}){1,2}(?:\.\d{1,6})?|\d{1,7}:\d{1,7}")
_DATE = re.compile(rf"(?<![\w.-]){DATE.pattern}(?![\w-])")  # has blanks at times: `16-2月 -13`
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
# The same with a port or a mask; of version 6, where its groups happen to have no letters.
_ADDRESS = re.compile(r"(?P<host>\d{1,3}(?:\.\d{1,3}){3}|\d{1,4}(?::\d{0,4}){3,})(?P<rest>[:/]\d{1,5})?")
_CUT_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){2}")  # at the end of a value that a text report cuts
_OF_OBJECT = re.compile(r"(?<=\bID )\d{1,7}\b", re.IGNORECASE)  # longer ones are other digits already
_SQL_ID = re.compile(r"(?=\w*\d)[0-9a-df-hj-kmnp-z]{13}")
_LONG = re.compile(r"\d{8,20}")
_AT_HOST = re.compile(r"(?P<name>.+?)@(?P<host>[^\s()]+)(?:\s*\((?P<part>[^()]*)\))?", re.DOTALL)
_WITH_PART = re.compile(r"(?P<name>[^()]+?)\s*\((?P<part>[^()]*)\)")
_TYPE = re.compile(r"\((?P<type>[A-Z /]{3,30})\)$")
_TYPE_WORDS = "table index partition subpartition cluster lob segment undo temporary view iot - sequence temp"
_TYPES = frozenset(_TYPE_WORDS.split())


class Texts:
    """`of`: functions by content."""

    def __init__(self, rule: Redaction) -> None:
        self.rule = rule
        self.names = Pseudonyms(rule.key)
        self.of: dict[Content, Callable[[str], str | None]] = {
            "oracle": lambda text: text,
            "figure": lambda text: self.words(text, FIGURES),
            "edition": lambda text: self.words(text, EDITIONS),
            "prose": self.prose,
            "value": self.value,
            "sql_text": lambda text: shape(text, self.names) if rule.sql == "shape" else None,
            "drop": lambda _: None,
            "host": self.host,
            "instance": lambda text: self._alias("inst", text),
            "database": lambda text: self._alias("db", text),
            "container": self.container,
            "dbid": self.digits,
            "user": self.user,
            "object": lambda text: self._alias("obj", text),
            "segment": self.segment,
            "subprogram": self.subprogram,
            "tablespace": lambda text: text if oracle_names.TABLESPACES.fullmatch(text) else self._alias("ts", text),
            "file": self.file,
            "address": lambda text: text if text.casefold() in ("y", "n", "yes", "no") else self._alias("addr", text),
            "program": lambda text: self.program(text, "prog"),
            "module": lambda text: self.program(text, "mod"),
            "service": lambda text: text if text.casefold() in oracle_names.SERVICES else self._alias("svc", text),
            "sql_id": lambda text: self.names.sql_id(text) if _says(text) else text,
            "number": self.digits,
            "name": lambda text: self._alias("name", text),
        }

    def host(self, text: str) -> str:
        """Same with and without its domain."""
        return self._alias("host", text if _IP.fullmatch(text) else text.partition(".")[0] or text)

    def container(self, text: str) -> str:
        if text.isascii() and text.isdecimal():  # its id stands in the same column
            return self.digits(text)
        return text if text.casefold() in oracle_names.CONTAINERS else self._alias("pdb", text)

    def user(self, text: str) -> str:
        return text if oracle_names.is_schema(text) else self._alias("user", text)

    def owned(self, text: str, owner: str) -> str:
        """Dictionary objects stay."""
        return text if oracle_names.is_object(text, owner) else self._alias("obj", text)

    def segment(self, text: str) -> str:
        """`SOE.ORDERS.P1 (TABLE PARTITION)`."""
        kind = _TYPE.search(text)
        if kind and all(word in _TYPES for word in kind["type"].casefold().split()):
            plain, end = text[: kind.start()].rstrip(), f" {kind[0]}"
        else:
            plain, end = text, ""
        owner, dot, name = plain.partition(".")
        if not dot:
            return self._alias("obj", plain) + end
        return ".".join([self.user(owner), *(self.owned(part, owner) for part in name.split(".") if part)]) + end

    def subprogram(self, text: str) -> str:
        """`OWNER.PACKAGE.PROCEDURE`."""
        owner, dot, name = text.partition(".")
        if not dot:
            return self._alias("obj", text)
        of_oracle = oracle_names.is_schema(owner)
        parts = [
            p if of_oracle and oracle_names.PACKAGE.fullmatch(p) else self._alias("obj", p) for p in name.split(".")
        ]
        return ".".join([self.user(owner), *parts])

    def file(self, text: str) -> str:
        if not _says(text):
            return text
        ending = oracle_names.ENDING.search(text)
        return f"{self.names.name('file', text)}{ending[0].lower() if ending else ''}"

    def program(self, text: str, kind: str) -> str:
        """`oracle@host (LGWR)`, `sqlplus.exe`, `JDBC Thin Client`."""
        if not _says(text) or oracle_names.is_module(text) or oracle_names.is_program(text):
            return text
        match = _AT_HOST.fullmatch(text)
        if match:
            return f"{self._program(match['name'], kind)}@{self.host(match['host'])}{_process(match['part'])}"
        match = _WITH_PART.fullmatch(text)
        if match and _process(match["part"]):
            return self._program(match["name"], kind) + _process(match["part"])
        return self._program(text, kind)

    def _program(self, name: str, kind: str) -> str:
        return name if oracle_names.is_program(name) else self._alias(kind, name)

    def digits(self, text: str) -> str:
        if not _says(text):
            return text
        return self.names.digits(text) if text.isascii() and text.isdecimal() else self.names.name("id", text)

    def prose(self, text: str) -> str:
        """ADDM also names objects by their ids."""
        return _OF_OBJECT.sub(lambda match: self.names.digits(match[0]), self.words(text, PROSE))

    def value(self, text: str) -> str:
        """Numbers and choice words stay; else only a change is seen."""
        if text.startswith(("/", "+", "\\")) or re.match(r"[A-Za-z]:\\", text):
            return self.names.name("path", text)
        return self.words(text, VALUES, "value")

    def value_of(self, parameter: str, text: str) -> str:
        if parameter.casefold() in oracle_names.VERSIONED and oracle_names.VERSION.fullmatch(text):
            return text
        return self.value(text)

    def words(self, text: str, stay: frozenset[str], kind: str = "name") -> str:
        """Pseudonyms for words not in `stay`, no number, no date."""
        if not any(c.isdecimal() for c in text) or "-" not in text:
            return self._other_words(text, stay, kind)
        out, end = [], 0
        for date in _DATE.finditer(text):
            if month_of(plain(date[2])):
                out += [self._other_words(text[end : date.start()], stay, kind), date[0]]
                end = date.end()
        return "".join([*out, self._other_words(text[end:], stay, kind)])

    def _other_words(self, text: str, stay: frozenset[str], kind: str) -> str:
        return _PART.sub(lambda match: self._word(match[0], stay, kind), text)

    def _word(self, printed: str, stay: frozenset[str], kind: str) -> str:
        word = printed.strip(".:!?-_`~")
        if not word or not any(c.isalnum() for c in word):
            return printed if printed.isascii() else "…"
        before, _, after = printed.partition(word)
        return f"{before}{self._plain(word, stay, kind)}{after}"

    def _plain(self, word: str, stay: frozenset[str], kind: str) -> str:
        low = word.casefold()
        if low in stay:
            return word
        if address := self._address(word, kind):
            return address
        if _NUMBER.fullmatch(word) or _CLOCK.fullmatch(word):
            return word
        if all(part in stay or _NUMBER.fullmatch(part) for part in re.split(r"[-/+.:]", low)):
            return word
        if _SQL_ID.fullmatch(word):
            return self.names.sql_id(word)
        return self.names.digits(word) if _LONG.fullmatch(word) else self.names.name(kind, word)

    def _address(self, word: str, kind: str) -> str:
        if match := _ADDRESS.fullmatch(word):
            return f"{self.names.name('addr', match['host'])}{match['rest'] or ''}"
        return self.names.name("addr", word) if kind == "value" and _CUT_ADDRESS.fullmatch(word) else ""

    def _alias(self, kind: str, text: str) -> str:
        return self.names.name(kind, text) if _says(text) else text


def _says(text: str) -> bool:
    """False for nothing: Oracle prints `--`, `** UNAVAILABLE **`."""
    return oracle_names.PRINTED_NOTHING.fullmatch(text) is None


def _process(part: str | None) -> str:
    stays = part and (oracle_names.PROCESS.fullmatch(part) or oracle_names.CLIENT.fullmatch(part))
    return f" ({part})" if stays else ""
