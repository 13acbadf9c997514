"""Paths of templates/, static/, docs/ and fixtures/ (ASSETS) in a checkout or wheel.

VAR is AWRDIFF_VAR's default. Standard library only.
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
