"""How the command says no."""

from __future__ import annotations

BAD = 2  # exit status: bad input, or the command is used in a way it does not know


class Refused(Exception):
    """What is wrong with which file, or with what was asked for, in one sentence."""
