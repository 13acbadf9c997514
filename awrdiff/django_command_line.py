"""manage.py: Django's command line in a private folder, with sentences instead of tracebacks."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from awrdiff import disk_space, private_var_folder

_IS_UNMIGRATED = re.compile("no such (table|column)|(relation|column) .* does not exist")  # SQLite's, PostgreSQL's
KEEPS_NOTHING = ("compare", "help", "--help", "--version", "version")  # its output is the caller's own affair


def run(arguments: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a sentence must not fail on a “
    with sentences():
        if len(arguments) > 1 and arguments[1] not in KEEPS_NOTHING:
            own_folder()
        from django.core.management import execute_from_command_line  # noqa: PLC0415 - settings first

        execute_from_command_line(arguments)
        sys.stdout.flush()


def own_folder() -> None:
    """Private AWRDIFF_VAR and umask."""
    from django.conf import settings  # noqa: PLC0415 - reading them may fail, with a sentence

    private_var_folder.keep_private(group=settings.AWRDIFF_VAR_GROUP)
    private_var_folder.make(settings.VAR, group=settings.AWRDIFF_VAR_GROUP)


@contextmanager
def sentences() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None
    except BrokenPipeError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains as it flushes at its end
        raise SystemExit(128 + signal.SIGPIPE) from None
    except (ImproperlyConfigured, private_var_folder.FolderTrouble, OSError, DatabaseError) as error:
        sentence = sentence_of(error)
        if sentence is None:
            raise
        raise SystemExit(f"awrdiff: {sentence}") from None


def sentence_of(error: Exception) -> str | None:
    """None if unforeseeable."""
    if disk_space.is_no_room(error):
        return disk_space.SENTENCE
    if isinstance(error, OSError):
        return f"{error.filename} cannot be used: {error.strerror}." if error.filename else None
    if not isinstance(error, DatabaseError):
        return str(error)
    from django.conf import settings  # noqa: PLC0415

    text = str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
    database = settings.DATABASES["default"]
    if _IS_UNMIGRATED.search(text):
        return f"The database {database['NAME']} is not up to date ({text}): run manage.py prepare first."
    if database["ENGINE"].endswith("sqlite3"):
        phrases = ["unable to open", "readonly", "not a database", "disk I/O", "malformed", "locked"]
        return f"The database {database['NAME']} cannot be used: {text}." if any(k in text for k in phrases) else None
    phrases = ["connect", "resolve", "does not exist", "authentication", "server closed"]
    where = f"{database['NAME']} at {database['HOST'] or 'this machine'}"
    return f"The database {where} (DATABASE_URL) cannot be used: {text}" if any(k in text for k in phrases) else None
