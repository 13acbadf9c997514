"""Pictures that are made for a test."""

from __future__ import annotations

from io import BytesIO

from PIL import Image


def picture(form: str = "PNG", size: tuple[int, int] = (40, 30), **how: object) -> bytes:
    """Of one colour, as a file of this form; `how` it is saved."""
    written = BytesIO()
    Image.new("RGB", size, (180, 30, 60)).save(written, form, **how)
    return written.getvalue()
