"""Redaction of people's own words: replaces names of the reports, in any case and with signs inside.

Words that no list explains are replaced too, unless a person lets them stand: the link's maker previews the result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from awrdiff.redaction import oracle_names
from awrdiff.redaction.allowed_words import COMMANDS, EDITIONS, FIGURES, NARRATIVE, PROSE, VALUES, VOCABULARY, labels
from awrdiff.redaction.column_content_kinds import Content, kind_of
from awrdiff.redaction.everyday_words import COMMON
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.name_matching import LINK, Matchable, as_read, as_words, fold, without_marks
from awrdiff.redaction.pseudonyms import Pseudonyms
from awrdiff.redaction.text_redaction import Texts
from parsers.model import Report, Section
from parsers.sections.registry import REGISTRY

LINK_LEFT_OUT = "(link left out)"
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^)\s\[]{0,4000}(?:\s[^)\n\[]{0,500})?\)")
_URL = re.compile(r"<?\b(?:[a-z][a-z0-9+.-]{1,12}://|www\.)[^\s<>()\[\]\"'|]+>?", re.IGNORECASE)
_RUN = re.compile(r"[^\W_]+")
_WORD = re.compile(rf"[^\s,;()\[\]{{}}\"“”„«»=<>|*!?…–—{LINK}]+")
_EDGE = ".:-−_`~'‘’&+%≥≤±"
_FIGURE = re.compile(
    r"[-+#~]?[\d.,:/\-+×x]*\d[\d.,:/\-+]*(?:%|[KMGTkmgt]i?[Bb]?|[KMGT]?bytes|ms|us|µs|ns|s|m|h|d|th|st|nd|rd|x)?",
    re.ASCII,
)
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{0,4}:){3,}[0-9a-f.]*", re.IGNORECASE)
_LONG = re.compile(r"\d{6,}")
_BEFORE_SENTENCE = re.compile(r"(?:^|[.!?:…\n])[\s>#*\-–\d.(“\"'‘_`]*$")
_FEWEST_DIGITS = 6  # shorter ids are figures in a sentence
_SHORT = 3
_LONGEST_FIGURE = 40
_WITHIN = ("db-", "host-", "inst-", "pdb-", "svc-", "user-", "person-", "team-")
_ALSO_PEOPLE = frozenset(["art", "bill", "chase", "drew", "grant", "mark", "max", "pat", "rob", "will"])
_STAY = PROSE | VALUES | FIGURES | EDITIONS | NARRATIVE | VOCABULARY
_ALWAYS_NAMES: frozenset[Content] = frozenset((
    "host", "instance", "database", "container", "user", "object", "segment", "subprogram", "tablespace", "file",
    "address", "program", "module", "service", "sql_id", "dbid", "number",
))  # fmt: skip


@dataclass(slots=True)
class _Forms:
    """Names with one first run of letters."""

    names: dict[str, str]
    lengths: list[tuple[int, int]]

    def add(self, form: str, run: str, key: str) -> None:
        self.names.setdefault(form, key)
        at = (form.index(run), len(form))
        if at not in self.lengths:
            self.lengths = sorted([*self.lengths, at], key=lambda pair: -pair[1])


_ByRun = dict[str, _Forms]


@cache
def _listed() -> frozenset[str]:
    return _STAY | labels()


@dataclass(frozen=True, slots=True)
class Name:
    pseudonym: str
    printed: frozenset[str]


class Names:
    """Names of some reports and people under one key."""

    def __init__(self, rule: Redaction) -> None:
        self._texts = Texts(rule)
        self.pseudonyms: Pseudonyms = self._texts.names
        self._names: dict[str, Name] = {}
        self._doubtful: set[str] = set()  # stands in statements, values or comments, and may be a word like any other
        self._oracles: set[str] = set()
        self._by_run: _ByRun = {}
        self._by_bare_run: _ByRun = {}
        self._within: set[str] = set()  # of databases, hosts and people: also where they are a part of a word
        self.keep(())

    def keep(self, words: Iterable[str]) -> None:
        """Forgets former counts."""
        self._keep = frozenset(fold(word) for word in words)
        self.replaced: Counter[tuple[str, str]] = Counter()
        self.unsure: dict[str, Unsure] = {}

    def add(self, kind: str, text: str) -> None:
        self._note(text, self.pseudonyms.name(kind, text))

    def add_outside(self, text: str) -> None:
        """A person's name anybody may choose: its words outside awrdiff's lists are doubtful."""
        words = [run for run in _RUN.findall(text) if fold(run) not in _listed()]
        if words and len(_RUN.findall(text)) > 1:
            self.add("person", text)
        for word in words:
            if not is_word(word):
                self._doubt(word)

    def add_report(self, report: Report) -> None:
        database, host = report.database, report.host
        for kind, text in (
            ("database", database.name),
            ("database", database.unique_name),
            ("dbid", database.dbid),
            ("host", host.name),
            ("file", report.name),
            *(("instance", instance.name) for instance in report.instances),
            *(("host", instance.host) for instance in report.instances),
        ):
            if text:
                self._cell(kind, text)  # type: ignore[arg-type]
        for section in report.sections:
            self._section(section)

    def _section(self, section: Section) -> None:
        declared = section.id in REGISTRY.by_id
        owner = next((at for at, column in enumerate(section.columns) if column.id == "owner"), None)
        done: set[tuple[int, str]] = set()
        for record in section.records:
            for at, cell in enumerate(record.cells):
                column = section.columns[at].id
                if not isinstance(cell, str) or (at, cell) in done:
                    continue
                done.add((at, cell))
                by = record.cells[owner] if owner is not None and column == "object_name" else None
                if isinstance(by, str) and oracle_names.is_object(cell, by):
                    continue
                self._cell((kind_of(section.id, column) if declared else None) or "name", cell)
        for note in section.notes:
            self._doubt(note)

    def _cell(self, kind: Content, text: str) -> None:
        if kind == "oracle":
            self._oracles.update(fold(run[0]) for run in _RUN.finditer(text))
        elif kind in _ALWAYS_NAMES:
            self._replace_name(kind, text)
        elif kind == "name" and _looks_like_name(text):
            self.add("name", text)
        else:
            self._doubt(text)

    def _replace_name(self, kind: Content, text: str) -> None:
        """Names inside the text, too: a host behind a program."""
        pseudonym = self._texts.of[kind](text)
        if pseudonym is None or pseudonym == text:
            return
        self._note(text, pseudonym)
        if kind in ("segment", "subprogram"):
            owner, _, rest = re.sub(r"\s*\([A-Z /]+\)$", "", text).partition(".")
            self._part("user" if rest else "obj", owner)
            for part in rest.split("."):
                if not oracle_names.is_object(part, owner):
                    self._part("obj", part)
        elif kind == "host":
            self._part("host", text.partition(".")[0])
        elif kind in ("program", "module") and "@" in text:
            program, _, host = text.partition("@")
            host = re.split(r"[\s(]", host)[0]
            self._part("prog" if kind == "program" else "mod", program)
            self._part("host", host)
            self._part("host", host.partition(".")[0])
        elif kind == "file":
            self._doubt(text)

    def _part(self, kind: str, text: str) -> None:
        stays = oracle_names.is_schema(text) or oracle_names.is_program(text) or oracle_names.is_module(text)
        if text and not stays and oracle_names.PRINTED_NOTHING.fullmatch(text) is None:
            self.add(kind, text.partition(".")[0] if kind == "host" and not _IP.fullmatch(text) else text)

    def _doubt(self, text: str) -> None:
        for run in _WORD.finditer(text):
            word = run[0].strip(_EDGE)
            self._doubtful.add(fold(word))
            self._doubtful.update(fold(part[0]) for part in _RUN.finditer(word) if len(part[0]) > _SHORT)

    def _note(self, text: str, pseudonym: str) -> None:
        plain = " ".join(text.split())
        first = _RUN.search(plain)
        if first is None or len(plain) < 2 or (plain.isdecimal() and len(plain) < _FEWEST_DIGITS):
            return
        low = fold(plain)
        before = self._names.get(low)
        self._names[low] = Name(
            before.pseudonym if before else pseudonym, frozenset((plain,)) | (before.printed if before else frozenset())
        )
        if before is None:
            for by_run, form in ((self._by_run, low), (self._by_bare_run, without_marks(plain).low)):
                for run in _RUN.findall(form)[:1]:
                    by_run.setdefault(run, _Forms({}, [])).add(form, run, low)
            if pseudonym.startswith(_WITHIN) and len(low) > _SHORT and low not in _STAY:
                self._within.add(low)

    def hide(self, text: str) -> str:
        """Counts replacements and collects words for a person to decide."""
        text = _MARKDOWN_LINK.sub(rf"\1{LINK}", text.replace(LINK, ""))
        text = _URL.sub(LINK_LEFT_OUT, text)
        out, end = [], 0
        for begin, stop, replacement in self._spans(text):
            out += [text[end:begin], replacement]
            end = stop
        return "".join([*out, text[end:]]).replace(LINK, f" {LINK_LEFT_OUT}")

    def _spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        end = 0
        for begin, stop, text_of_name, name in [*self._names_in(text), (len(text), len(text), "", None)]:
            yield from self._words(text, end, begin)
            if name is not None:
                self.replaced[text_of_name, name.pseudonym] += 1
                yield begin, stop, name.pseudonym
            end = stop

    def _names_in(self, text: str) -> list[tuple[int, int, str, Name]]:
        """Longer names win over those they overlap."""
        read = as_read(text)
        bare = without_marks(text)
        places = list(self._places(read, self._by_run))
        if bare.low != read.low:
            places += self._places(bare, self._by_bare_run)
        spans: list[tuple[int, int, str, Name]] = []
        for begin, stop, spelling, name in sorted(places, key=lambda place: (place[0], -place[1])):
            if not spans or spans[-1][1] <= begin:
                spans.append((begin, stop, spelling, name))
                continue
            first, last, *longer = spans.pop()
            longer = [spelling, name] if stop - begin > last - first else longer
            spans.append((first, max(stop, last), *longer))  # type: ignore[arg-type]
        return spans

    def _places(self, read: Matchable, by_run: _ByRun) -> Iterator[tuple[int, int, str, Name]]:
        low, end = read.low.replace("\n", " "), 0
        for run in _RUN.finditer(low):
            if run.start() < end:
                continue
            forms = by_run.get(run[0])
            for lead, size in forms.lengths if forms else ():
                begin = run.start() - lead
                stop = begin + size
                key = forms.names.get(low[begin:stop]) if forms and end <= begin and stop <= len(low) else None
                if key is None:
                    continue
                whole = not low[stop : stop + 1].isalnum() or not low[stop - 1].isalnum()
                if whole and self._is_name(read.cased[begin:stop], key):
                    yield *read.span(begin, stop), read.cased[begin:stop], self._names[key]
                    end = stop
                    break

    def _is_name(self, spelling: str, low: str) -> bool:
        """A common word counts only in capitals or as printed."""
        if not is_word(low) and low not in self._oracles:
            return True
        return spelling != low and (spelling.isupper() or spelling in self._names[low].printed)

    def _words(self, text: str, begin: int, stop: int) -> Iterator[tuple[int, int, str]]:
        read = as_words(text[begin:stop])
        for match in _WORD.finditer(read.cased):
            word = match[0].strip(_EDGE)
            if not word or not self._may_be_name(word):
                continue
            first = match.start() + match[0].index(word)
            at, end = (begin + place for place in read.span(first, first + len(word)))
            opens = word[:1].isupper() and word[1:] == word[1:].lower() and word.isalpha()
            opens = opens and _BEFORE_SENTENCE.search(text[max(0, at - 40) : at]) is not None
            low = fold(word)
            pseudonym, is_kept = self.pseudonyms.name("name", word), low in self._keep
            before = self.unsure.get(low)
            count, opens = (before.count + 1, before.opens and opens) if before else (1, opens)
            self.unsure[low] = Unsure(word, pseudonym, count, opens, is_kept)
            if not is_kept:
                yield at, end, pseudonym

    def _may_be_name(self, word: str) -> bool:
        low = fold(word)
        if low in VOCABULARY and not word.isupper():
            return False  # though something is called so: the page says it itself
        if low in self._names or self._is_doubtful(low):
            return True
        if _IP.fullmatch(word) or _LONG.fullmatch(word) or any(name in low for name in self._within):
            return True
        if low in _ALSO_PEOPLE and word.istitle():
            return True
        if low in _STAY or _is_figure(word) or self._is_plain(low):
            return False
        return word != low or not all(map(_is_common, re.split(r"[-/'’]", low)))

    def _is_doubtful(self, low: str) -> bool:
        if _is_figure(low) and sum(c.isdecimal() for c in low) < _FEWEST_DIGITS:
            return False  # a day, a clock: a statement that holds it too makes no name of it
        return low in self._doubtful and low not in _STAY and low not in COMMANDS and low not in self._oracles

    def _is_plain(self, low: str) -> bool:
        """True for compounds of listed words: `read-only`, `host's`, `CPU/core`."""
        parts = [part for part in re.split(r"[-/+.:'’&]", low) if part and part != "s"]
        listed = _listed()
        return all(p in listed or p in self._oracles or _is_figure(p) for p in parts) and "@" not in low


@dataclass(frozen=True, slots=True)
class Unsure:
    """Hidden unless somebody lets it stand. `opens`: capitalised only at sentence starts."""

    word: str
    pseudonym: str
    count: int
    opens: bool
    is_kept: bool


def is_word(text: str) -> bool:
    return len(text) <= _SHORT or fold(text) in _STAY


def _is_figure(word: str) -> bool:
    """Bounded: on long words the expression restarts at every sign."""
    return len(word) <= _LONGEST_FIGURE and _FIGURE.fullmatch(word) is not None


def _looks_like_name(word: str) -> bool:
    inner = word.strip(_EDGE)
    mixed = any(c.isdecimal() for c in inner) and any(c.isalpha() for c in inner)
    return mixed or sum(c.isupper() for c in inner) > 1 or any(c in "_$#@\\/.:" for c in inner)


def _is_common(low: str) -> bool:
    """Forms count too: `stalls`, `stalled`, `stalling`."""
    if len(low) == 1 or low in _STAY:
        return True
    stems = [low, *(low.removesuffix(end) for end in ("s", "es", "d", "ed", "ing", "ly") if low.endswith(end))]
    stems += [f"{low[:-3]}e"] if low.endswith("ing") else []
    stems += [stem[:-1] for stem in stems[1:] if stem[-1:] == stem[-2:-1]]  # `dropped`
    stems += [f"{low[: -len(end)]}y" for end in ("ies", "ied") if low.endswith(end)]
    return any(stem in COMMON or (stem in _STAY and len(stem) > _SHORT) for stem in stems)
