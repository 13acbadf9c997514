"""docs/reference/command-line.md has every command of `awrdiff` with every option, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from awrdiff.cli.main import awrdiff

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
CHAPTERS = {
    found[1]: chapter for chapter in PAGE.split("\n## ")[1:] if (found := re.match(r"awrdiff ([a-z]+)", chapter))
}


def test_every_command_has_a_chapter():
    assert set(CHAPTERS) == set(awrdiff.commands)


@pytest.mark.parametrize("command", awrdiff.commands)
def test_every_option_of_a_command_is_described_and_no_other(command):
    options = (p for p in awrdiff.commands[command].params if isinstance(p, click.Option))
    taken = {name for option in options for name in option.opts if name.startswith("--")}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", CHAPTERS[command])) == taken
