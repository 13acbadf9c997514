"""Refusals to make or restore a backup, each with a sentence."""

from __future__ import annotations


class BackupTrouble(Exception):
    """The message is the sentence."""


def damage(what: str) -> BackupTrouble:
    return BackupTrouble(f"This is no backup of awrdiff, or a damaged one: {what}.")
