"""Configuration of a collector in one TOML file.

Passwords are in the environment or in files, never here.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from awrdiff.collecting.sqlplus_script import BadChoice, Wanted

MOST_DATABASES, MOST_AT_ONCE, MOST_MINUTES = 1000, 32, 60 * 24 * 31
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,63}")


class BadConfig(ValueError):
    """Error in the file, in a sentence."""


class Database(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"is_global": "global"}):
    """`name`: prefix of its files. `pdb`: a pluggable database's own snapshots. `hours`: first look-back."""

    name: str
    dsn: str
    user: str
    password_env: str = ""
    password_file: str = ""
    wallet: str = ""
    wallet_password_env: str = ""
    pdb: bool = False
    instance: int | None = None
    is_global: bool = False
    text: bool = False
    ash: bool = False
    addm: bool = False
    hours: int = 24
    every_minutes: int = 0

    @property
    def wanted(self) -> Wanted:
        return Wanted(
            hours=self.hours,
            instance=self.instance,
            is_global=self.is_global,
            text=self.text,
            ash=self.ash,
            addm=self.addm,
        )

    def password(self) -> str:
        """Raises BadConfig where it is missing."""
        return _secret(self.name, self.password_env, self.password_file)

    def wallet_password(self) -> str | None:
        return _secret(self.name, self.wallet_password_env, "") if self.wallet_password_env else None


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`server`: for uploads, token from `token_file` or AWRDIFF_TOKEN. `shared`: only the umask limits readers.
    `client`: Oracle client's libraries, for 11.2, native encryption.
    """

    folder: str
    database: list[Database]
    server: str = ""
    token_file: str = ""
    at_once: int = 4
    shared: bool = False
    client: str = ""


def read_config(path: Path) -> Config:
    """Raises BadConfig."""
    try:
        config = msgspec.toml.decode(path.read_bytes(), type=Config)
    except OSError as error:
        raise BadConfig(f"{path} cannot be read: {error.strerror or error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path}: {error}.") from None
    if not 1 <= len(config.database) <= MOST_DATABASES:
        raise BadConfig(f"{path} has 1 to {MOST_DATABASES} tables [[database]].")
    if not 1 <= config.at_once <= MOST_AT_ONCE:
        raise BadConfig(f"at_once is 1 to {MOST_AT_ONCE}.")
    names = [database.name.lower() for database in config.database]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadConfig(f"Two databases are called {twice[0]}.")
    for database in config.database:
        _refuse(database)
        if config.client and database.wallet:
            raise BadConfig(
                f"The database {database.name} has a wallet, which an Oracle client knows by its own sqlnet.ora alone: "
                "with client = … leave wallet out, and name the folder of sqlnet.ora by TNS_ADMIN."
            )
    return config


def _refuse(database: Database) -> None:
    name = database.name
    if not _NAME.fullmatch(name):
        raise BadConfig(f"A database is called by letters, digits, points, _ and -, not {name!r}: its files are too.")
    if bool(database.password_env) is bool(database.password_file):
        raise BadConfig(f"The database {name} has one of password_env and password_file.")
    if database.pdb and database.is_global:
        raise BadConfig(f"The database {name} has one of pdb and global.")
    if not 0 <= database.every_minutes <= MOST_MINUTES:
        raise BadConfig(f"every_minutes of the database {name} is 0 to {MOST_MINUTES}, a month.")
    try:
        database.wanted.refuse()
    except BadChoice as bad:
        raise BadConfig(f"The database {name}: {bad}") from None


def _secret(name: str, env: str, file: str) -> str:
    if file:
        try:
            secret = Path(file).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise BadConfig(f"The password of {name} cannot be read from {file}: {error}.") from None
    else:
        secret = os.environ.get(env, "")
    if not secret:
        raise BadConfig(f"The password of {name} is not in {file or f'the environment as {env}'}.")
    return secret
