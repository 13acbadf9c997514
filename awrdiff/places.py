"""Where awrdiff's files are: in a checkout beside the package, as a wheel has them inside it.

ASSETS holds templates/, static/, docs/ and fixtures/; VAR is where the database and files are kept unless AWRDIFF_VAR
says. Standard library only.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_IN_WHEEL = _PACKAGE / "assets"

if _IN_WHEEL.is_dir():
    ASSETS = _IN_WHEEL
    VAR = Path.home() / ".local" / "share" / "awrdiff"
else:
    ASSETS = _PACKAGE.parent
    VAR = _PACKAGE.parent / "var"
