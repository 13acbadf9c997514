"""Plain words: names say what they hold, docstrings open with a noun or a verb.

ROOMS are those where it holds. The list only grows: who has cleaned a room adds it, nobody takes one off.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = (
    "awrdiff/accounts",
    "awrdiff/analysis/report_scopes.py",
    "awrdiff/analysis/commit_latency",
    "awrdiff/analysis/compare.py",
    "awrdiff/analysis/course",
    "awrdiff/analysis/metrics",
    "awrdiff/analysis/names",
    "awrdiff/analysis/normal",
    "awrdiff/analysis/oracle_compare",
    "awrdiff/analysis/plans.py",
    "awrdiff/analysis/single_report.py",
    "awrdiff/analysis/verdict",
    "awrdiff/analysis/report_time_windows.py",
    "awrdiff/analysis/figures_in_words.py",
    "awrdiff/analysis/worse_hour.py",
    "awrdiff/assistant",
    "awrdiff/audit",
    "awrdiff/backup",
    "awrdiff/cli",
    "awrdiff/collecting",
    "awrdiff/django_command_line.py",
    "awrdiff/databases",
    "awrdiff/disk_space.py",
    "awrdiff/env_variable_types.py",
    "awrdiff/private_var_folder.py",
    "awrdiff/incidents/field_validation.py",
    "awrdiff/notices",
    "awrdiff/whole_number_input.py",
    "awrdiff/pins",
    "awrdiff/paths.py",
    "awrdiff/processing",
    "awrdiff/redaction",
    "awrdiff/serving",
    "awrdiff/sharing",
    "awrdiff/storage.py",
    "awrdiff/transfer",
    "awrdiff/web/sign_in",
    "parsers/archive.py",
    "parsers/files",
    "parsers/html",
    "parsers/identity",
    "parsers/command_line_inputs.py",
    "parsers/pasted",
    "parsers/reader.py",
    "parsers/sections",
    "parsers/storage",
    "parsers/tables",
    "parsers/tar_streams.py",
    "parsers/text",
    "tests/unit/test_words.py",
)
# A participle says what happened to a thing and not which thing it is: `found` is the `membership`, the `rows`, the
# `match`; `told` are the `recipients`; `said` is the `sentence`, the `reason`; `made` is the new `token`.
PARTICIPLES = """
    asked born called chosen counted drawn followed found given heard held hidden judged kept known left looked made
    meant met moved named paid placed said seen settled shown taken told turned written
"""
# A pronoun names nothing: `one` is the element of the loop, `others` are the `other_teams`, the `rest`.
PRONOUNS = "both one others"
NAMES = frozenset((PARTICIPLES + PRONOUNS).split())
# A relative clause makes the reader wait for the noun: "Owners of a team", not "Who owns a team".
OPENINGS = frozenset(["How", "Of", "That", "What", "Where", "Whether", "Which", "Who", "Whom", "Whose"])


def bound(node: ast.AST) -> list[str]:
    """Names that this node binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.Attribute(attr=name, ctx=ast.Store()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
    return []


def complaints(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        for name in bound(node):
            if name.strip("_").lower() in NAMES:
                yield f"{getattr(node, 'lineno', 1)}: the name {name}"
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = (ast.get_docstring(node) or "").split()
            if words and words[0].rstrip(",:;") in OPENINGS:
                yield f"{node.body[0].lineno}: a docstring opens with {words[0]}"


def files(room: str) -> list[Path]:
    path = ROOT / room
    return [path] if path.is_file() else [f for f in sorted(path.rglob("*.py")) if "migrations" not in f.parts]


@pytest.mark.parametrize("room", ROOMS)
def test_names_and_docstrings_are_plain(room: str) -> None:
    modules = files(room)
    assert modules, f"{room} is gone: give its new name"
    assert [f"{module.relative_to(ROOT)}:{c}" for module in modules for c in complaints(module.read_text())] == []


@pytest.mark.parametrize(
    "source",
    [
        "found = 1", "for one in (): pass", "def f(said): pass", "def _told(): pass", "class Seen: pass",
        "self.kept = 1", "x = [one for one in ()]", "try: pass\nexcept E as told: pass", "(found := 1)", "found: int = 1",
        '"""Whether it is."""', 'def f():\n    """What it is."""', 'class C:\n    """Of a team."""',
    ],
)  # fmt: skip
def test_a_word_of_the_dialect_is_noticed(source: str) -> None:
    assert len(list(complaints(source))) >= 1


@pytest.mark.parametrize(
    "source",
    ["rows = found", "x.found()", "one_line = 1", '"""Rows of what was found."""', "f(made=1)", "found_at = 1"],
)
def test_a_plain_word_is_not(source: str) -> None:
    assert list(complaints(source)) == []
