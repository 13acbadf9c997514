"""Threads, comments, and attachments of comments and events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from django.db.models import Model, QuerySet

from awrdiff.accounts.models import Team
from awrdiff.reports.errors import UploadRefused
from awrdiff.threads.attachment_types import LARGEST_WRITTEN, examined
from awrdiff.threads.attachments import MOST, naming, stored
from awrdiff.threads.models import (
    LONGEST_FILE_NAME,
    Agreement,
    Attachment,
    Comment,
    EarlierText,
    Looking,
    Talk,
    Thread,
    Turn,
)
from awrdiff.threads.services import LONGEST_COMMENT, MOST_COMMENTS, MOST_EDITS, MOST_THREADS
from awrdiff.transfer.jsonl_column_types import OUTSIDE, STANDING, names, text
from awrdiff.transfer.jsonl_row_kinds import ImportRegister, LineRegister, Rows, WrittenRegister
from awrdiff.transfer.untrusted_zip_reading import FILES, bytes_of, check_bytes

_TEXT = {"body": text(LONGEST_COMMENT), "mentions": names(LONGEST_COMMENT)}

_LINE = re.compile(r"(event|kept|verdict)-([0-9]{1,19})")
LINES = {"event": "event", "kept": "evidence", "verdict": "verdict"}  # kinds of lines, by how the timeline calls theirs


class Threads(Rows):
    """An incident's hang on timeline lines, mostly named by row id."""

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        if "incident" in values and (line := _LINE.fullmatch(values["anchor"])):
            row_id = register.ids[LINES[line[1]]].get(line[2], 0)  # a row left out has no line, like a deleted one
            values = {**values, "anchor": f"{line[1]}-{row_id}"}
        return Rows.make(self, values, register)


THREADS = Threads(
    "thread",
    "threads",
    Thread,
    MOST_THREADS,
    "pseudonyms for_guests started_by created_at changed_at resolved_at resolved_by resolved_name",
    {**STANDING, "guest": OUTSIDE},
    of={"comparison": "comparison", "incident": "incident"},
    one_of=("comparison", "incident"),
    left_out={"link": "links never go along"},
)
COMMENTS = Rows(
    "comment",
    "comments",
    Comment,
    MOST_COMMENTS,
    "author author_name created_at edited_at deleted_at deleted_name",
    {**_TEXT, "guest": OUTSIDE},
    of={"thread": "thread"},
    left_out={"client_key": "of the form that posted it; each gets a new one"},
    new={"client_key": uuid4},
)
_Part = partial(Rows, of={"comment": "comment"}, team="comment__team")
EARLIER_TEXTS = _Part("earlier_text", "earlier texts", EarlierText, MOST_EDITS, "replaced_at", _TEXT)
AGREEMENTS = _Part("agreement", "agreements", Agreement, 1_000, "user created_at")


def attachments_of(team: Team) -> QuerySet[Attachment]:
    return Attachment.objects.filter(team=team).order_by("added_at", "pk")


class Attachments(Rows):
    """Bytes are checked like a fresh upload's."""

    def documents(self, team: Team, register: WrittenRegister) -> Iterator[dict[str, Any]]:
        """Omits those whose bytes are not in the file."""
        there = {str(pk) for pk in register.files}
        return (document for document in Rows.documents(self, team, register) if document[self.name] in there)

    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        Rows.check(self, values, register)
        check_bytes(register.packed, values[self.name], values["sha256"], values["name"], LARGEST_WRITTEN)

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        if not any(register.ids[kind].get(values.get(name, "")) for name, kind in self.of.items()):
            register.without[self.many] += 1
            return
        data = b"".join(bytes_of(register.packed, f"{FILES}{values[self.name]}", LARGEST_WRITTEN))
        try:
            contents = examined(data, values["name"], most_of_picture=LARGEST_WRITTEN)
        except UploadRefused as refusal:
            register.remarks.append(f"{refusal} It is left out.")
            return
        row = stored(register.access, contents, values["alt"])
        of_the_bytes = {name: partial(getattr, row, name) for name in self.left_out}
        with naming({row.file}):
            own = {**values, "name": row.name, "sha256": row.sha256}
            Rows.make(replace(self, new=of_the_bytes), own, register)


ATTACHMENTS = Attachments(
    "attachment",
    "attached files",
    Attachment,
    MOST,
    "alt sha256 added_by added_at",
    {"name": text(LONGEST_FILE_NAME, empty=False)},
    of={"comment": "comment", "event": "event"},
    one_of=("comment", "event"),
    left_out=dict.fromkeys(("kind", "width", "height", "size", "file"), "said by the bytes once they are looked at"),
    order=("added_at", "pk"),
    has_files=True,
)

KINDS = (THREADS, COMMENTS, EARLIER_TEXTS, AGREEMENTS, ATTACHMENTS)
LEFT_OUT: dict[type[Model], str] = {
    Talk: "counts what is written, for who looks on; it begins anew",
    Turn: "whoever was asked was asked in the old place: an import asks nobody to do anything",
    Looking: "who has the page open",
}
