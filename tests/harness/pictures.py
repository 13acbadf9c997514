"""Pictures made for a test."""

from __future__ import annotations

from io import BytesIO

from PIL import Image


def picture(form: str = "PNG", size: tuple[int, int] = (40, 30), **how: object) -> bytes:
    """One-coloured picture in this format; `how`: options of saving."""
    file = BytesIO()
    Image.new("RGB", size, (180, 30, 60)).save(file, form, **how)
    return file.getvalue()
