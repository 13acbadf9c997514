"""Files of a comment or an event, as its page has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msgspec import Struct, structs

from awrdiff.accounts.access import AccessContext
from awrdiff.threads.attachments import may_remove
from awrdiff.threads.models import Attachment
from awrdiff.web import links


class AttachedFile(Struct):
    id: str
    name: str
    alt: str
    kind: str
    size: int
    url: str


@dataclass(frozen=True, slots=True)
class AttachmentLine:
    """`alt`: what a picture shows in words, its name where nobody said."""

    id: str
    name: str
    alt: str
    kind: str
    is_picture: bool
    width: int
    height: int
    size: int
    url: str
    can_remove: bool = False

    @property
    def document(self) -> AttachedFile:
        return AttachedFile(self.id, self.name, self.alt, self.kind, self.size, self.url)

    def as_dict(self) -> dict[str, Any]:
        return structs.asdict(self.document)


def attachment_lines(access: AccessContext | None, found: Iterable[Attachment]) -> tuple[AttachmentLine, ...]:
    """`access`: None for the addresses of members, to be looked at alone."""
    return tuple(
        AttachmentLine(
            id=str(one.pk),
            name=one.name,
            alt=one.alt or one.name,
            kind=one.kind,
            is_picture=one.is_picture,
            width=one.width,
            height=one.height,
            size=one.size,
            url=links.attachment(access, one.pk),
            can_remove=access is not None and may_remove(access, one),
        )
        for one in found
    )


def left_out_said(count: int) -> str:
    """Below a redacted link."""
    if not count:
        return ""
    return f"{count} {'picture or file is' if count == 1 else 'pictures and files are'} left out."
