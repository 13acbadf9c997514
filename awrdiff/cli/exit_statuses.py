"""Refusals and exit statuses of the command."""

from __future__ import annotations

HAS_FINDING = 1  # exit status: there is a finding as --fail-on names it
BAD = 2  # exit status: bad input, or the command is used in a way it does not know
AWAY = 3  # exit status: a server or a database could not be reached


class Refused(Exception):
    """Sentence: the file or option at fault, and why."""
