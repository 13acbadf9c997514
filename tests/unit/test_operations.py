"""Environment variables: declared once, all of them read, and the sample file says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from awrdiff import server_env_variables
from awrdiff.web.management.commands.settings import masked, sample_lines, setting_lines
from tests.unit.test_settings import settings_with

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {path: path.read_text() for path in (ROOT / "awrdiff").rglob("*.py")}
READ = re.compile(r"""environ(?:\.get\(|\[)\s*["']([A-Z][A-Z0-9_]+)["'](?!\] =)""")
OF_THE_COMMAND_LINE = {"NO_COLOR", "TERM", "AWRDIFF_TOKEN", "XDG_STATE_HOME"}  # docs/reference/command-line.md


def test_what_is_declared_is_read_and_nothing_else_is():
    read = {name for text in SOURCES.values() for name in READ.findall(text)}
    assert read - OF_THE_COMMAND_LINE == set()
    used = {
        name for text in SOURCES.values() for name in re.findall(r"\bserver_env_variables\.([A-Z0-9_]+)\b", text)
    } - {"GROUPS"}
    assert {one.name.removeprefix("AWRDIFF_") for one in server_env_variables.declared()} == used


def test_the_sample_names_every_setting_and_its_defaults_start(tmp_path):
    given = dict(line[1:].split("=", 1) for line in sample_lines() if re.match("#[A-Z]", line))
    assert list(given) == [one.name for one in server_env_variables.declared()]
    assert [line for line in sample_lines() if line and not line.startswith("#")] == []
    plain, sampled = settings_with(tmp_path), settings_with(tmp_path, **{**given, "AWRDIFF_VAR": str(tmp_path)})
    keys = {key for key in vars(plain) if key.isupper()} - {"SECRET_KEY"}
    assert {key: vars(sampled)[key] for key in keys} == {key: vars(plain)[key] for key in keys}


def test_it_is_shown_what_is_set_and_from_where_but_no_secret(tmp_path, monkeypatch):
    file = tmp_path / "smtp"
    file.write_text("smtps://mailer:hidden-1@mail.example.com\n")
    monkeypatch.setenv("AWRDIFF_SMTP_FILE", str(file))
    monkeypatch.setenv("AWRDIFF_SECRET_KEY", "hidden-2")
    monkeypatch.setenv("AWRDIFF_LINK_RATE", "7")
    found = {line.split()[0]: line.split(maxsplit=1)[1] for line in setting_lines() if line and line[0] != "#"}
    assert found["AWRDIFF_SMTP"] == f"smtps://mailer:****@mail.example.com  ({file})"
    assert found["AWRDIFF_SECRET_KEY"] == "****  (environment)"
    assert found["AWRDIFF_LINK_RATE"] == "7  (environment)"
    assert found["AWRDIFF_TOKEN_RATE"] == "600  (default)"
    assert "hidden" not in "".join(found.values())


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("key", "****"),
        ("postgres://u:p@host/db", "postgres://u:****@host/db"),
        ("postgres://u:p/q:r@s@host/db?password=x", "postgres://u:****@host/db?****"),
        ("redis://:p@host", "redis://:****@host"),
        ("redis://host:6379/0", "redis://host:6379/0"),
    ],
)
def test_of_an_address_its_password_is_masked_whatever_it_is_made_of(secret, shown):
    assert masked(secret) == shown
