"""Threads of comparisons and incidents, with their comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.db.models import Model

from awrdiff.threads.models import Agreement, Comment, EarlierText, Looking, Talk, Thread, Turn
from awrdiff.threads.services import LONGEST_COMMENT, MOST_COMMENTS, MOST_EDITS, MOST_THREADS
from awrdiff.transfer.register import ImportedRows
from awrdiff.transfer.rows import Rows
from awrdiff.transfer.values import LONGEST_PERSON, STANDING, Flag, Moment, Names, Outside, Person, Text, View

_BODY, _NAME, _MENTIONS = Text(LONGEST_COMMENT), Text(LONGEST_PERSON), Names(LONGEST_COMMENT)

_LINE = re.compile(r"(event|kept|verdict)-([0-9]{1,19})")
LINES = {"event": "event", "kept": "evidence", "verdict": "verdict"}  # kinds of lines, by how the timeline calls theirs


class Threads(Rows):
    """Threads of an incident hang on lines of its timeline, most of them named by a row's id."""

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        if "incident" in values:
            values = {**values, "anchor": _translated(values["anchor"], making)}
        return Rows.make(self, values, making)


def _translated(anchor: str, making: ImportedRows) -> str:
    """A row that was left out has no line, like a deleted one."""
    match = _LINE.fullmatch(anchor)
    return f"{match[1]}-{making.ids[LINES[match[1]]].get(match[2], 0)}" if match else anchor


THREADS = Threads(
    name="thread",
    many="threads",
    model=Thread,
    of={"comparison": "comparison", "incident": "incident"},
    one_of=("comparison", "incident"),
    team="team",
    most=MOST_THREADS,
    values={
        **STANDING,
        "baseline": View(),
        "guest": Outside(),
        "pseudonyms": Flag(),
        "for_guests": Flag(),
        "started_by": Person(),
        "created_at": Moment(),
        "changed_at": Moment(),
        "resolved_at": Moment(optional=True),
        "resolved_by": Person(),
        "resolved_name": _NAME,
    },
    left_out={"link": "links never go along"},
)
COMMENTS = Rows(
    name="comment",
    many="comments",
    model=Comment,
    of={"thread": "thread"},
    team="team",
    most=MOST_COMMENTS,
    values={
        "author": Person(),
        "author_name": _NAME,
        "guest": Outside(),
        "body": _BODY,
        "mentions": _MENTIONS,
        "created_at": Moment(),
        "edited_at": Moment(optional=True),
        "deleted_at": Moment(optional=True),
        "deleted_name": _NAME,
    },
    left_out={"client_key": "of the form that posted it; each gets a new one"},
    new={"client_key": uuid4},
)
EARLIER_TEXTS = Rows(
    name="earlier_text",
    many="earlier texts",
    model=EarlierText,
    of={"comment": "comment"},
    team="comment__team",
    most=MOST_EDITS,
    values={"body": _BODY, "mentions": _MENTIONS, "replaced_at": Moment()},
)
AGREEMENTS = Rows(
    name="agreement",
    many="agreements",
    model=Agreement,
    of={"comment": "comment"},
    team="comment__team",
    most=1_000,
    values={"user": Person(needed=True), "created_at": Moment()},
)

KINDS = (THREADS, COMMENTS, EARLIER_TEXTS, AGREEMENTS)
LEFT_OUT: dict[type[Model], str] = {
    Talk: "counts what is written, for who looks on; it begins anew",
    Turn: "whoever was asked was asked in the old place: an import asks nobody to do anything",
    Looking: "who has the page open",
}
