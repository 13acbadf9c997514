"""Attachments of comments and events; their bytes are checked like a fresh upload's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.db.models import QuerySet

from awrdiff.accounts.models import Team
from awrdiff.reports.errors import UploadRefused
from awrdiff.threads.attachments import MOST, naming, stored
from awrdiff.threads.contents import LARGEST_WRITTEN, examined
from awrdiff.threads.models import LONGEST_ALT, LONGEST_FILE_NAME, Attachment
from awrdiff.transfer.packed import FILES, bytes_of, check_bytes
from awrdiff.transfer.register import ImportedRows, LinesRead, WrittenLines
from awrdiff.transfer.rows import Rows
from awrdiff.transfer.values import Moment, Person, Text


def attachments_of(team: Team) -> QuerySet[Attachment]:
    return Attachment.objects.filter(team=team).order_by("added_at", "pk")


class Attachments(Rows):
    def documents(self, team: Team, lines: WrittenLines) -> Iterator[dict[str, Any]]:
        """Without those whose bytes are not in the file."""
        there = {str(pk) for pk in lines.files}
        return (document for document in Rows.documents(self, team, lines) if document[self.name] in there)

    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        Rows.check(self, values, lines)
        check_bytes(lines.packed, values[self.name], values["sha256"], values["name"], LARGEST_WRITTEN)

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        if not any(making.ids[kind].get(values.get(name, "")) for name, kind in self.of.items()):
            making.without[self.many] += 1
            return
        data = b"".join(bytes_of(making.packed, f"{FILES}{values[self.name]}", LARGEST_WRITTEN))
        try:
            contents = examined(data, values["name"], most_of_picture=LARGEST_WRITTEN)
        except UploadRefused as refusal:
            making.remarks.append(f"{refusal} It is left out.")
            return
        row = stored(making.access, contents, values["alt"])
        of_the_bytes = {name: partial(getattr, row, name) for name in self.left_out}
        with naming({row.file}):
            own = {**values, "name": row.name, "sha256": row.sha256}
            Rows.make(replace(self, new=of_the_bytes), own, making)


ATTACHMENTS = Attachments(
    name="attachment",
    many="attached files",
    model=Attachment,
    of={"comment": "comment", "event": "event"},
    one_of=("comment", "event"),
    team="team",
    most=MOST,
    values={
        "name": Text(LONGEST_FILE_NAME, empty=False),
        "alt": Text(LONGEST_ALT),
        "sha256": Text(64),
        "added_by": Person(),
        "added_at": Moment(),
    },
    left_out=dict.fromkeys(("kind", "width", "height", "size", "file"), "said by the bytes once they are looked at"),
    order=("added_at", "pk"),
    has_files=True,
)

KINDS = (ATTACHMENTS,)
