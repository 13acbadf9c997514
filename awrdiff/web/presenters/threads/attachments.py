from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

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


class AttachmentLine(AttachedFile, kw_only=True):
    """`alt`: of a picture, or its file name."""

    is_picture: bool
    width: int
    height: int
    can_remove: bool = False


def attachment_lines(access: AccessContext | None, attachments: Iterable[Attachment]) -> tuple[AttachmentLine, ...]:
    """`access`: None for read-only member addresses."""
    return tuple(
        AttachmentLine(
            id=str(attachment.pk),
            name=attachment.name,
            alt=attachment.alt or attachment.name,
            kind=attachment.kind,
            is_picture=attachment.is_picture,
            width=attachment.width,
            height=attachment.height,
            size=attachment.size,
            url=links.attachment(access, attachment.pk),
            can_remove=access is not None and may_remove(access, attachment),
        )
        for attachment in attachments
    )


def left_out_text(count: int) -> str:
    """Below a redacted link."""
    if not count:
        return ""
    return f"{count} {'picture or file is' if count == 1 else 'pictures and files are'} left out."
