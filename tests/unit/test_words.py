"""Plain words: names say what they hold, docstrings open with a noun or a verb."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("awrdiff", "parsers", "fixtures")
# Names that a file may have, as others rely on them.
EXCEPTIONS = {
    # JSON of reports, comparisons, pages, webhooks and tools, and of the API, whose schema names its classes
    "parsers/model.py": "known",
    "awrdiff/analysis/export/json_encoding.py": "said",
    "awrdiff/analysis/model/commit_latency.py": "found",
    "awrdiff/analysis/model/comparison.py": "known others",
    "awrdiff/analysis/model/ranked_changes.py": "said",
    "awrdiff/assistant/tool_results.py": "said",
    "awrdiff/notices/webhooks.py": "said",
    "awrdiff/web/api/reports.py": "said",
    "awrdiff/web/api/v1/analysis_responses.py": "known others said",
    "awrdiff/web/api/v1/bodies.py": "seen",
    "awrdiff/web/api/v1/fleet.py": "judged",
    "awrdiff/web/api/v1/request_and_response_types.py": "Made known said seen",
    "awrdiff/web/presenters/page/databases_json.py": "asked",
    "awrdiff/web/presenters/page/search.py": "found",
    # columns of the database, and a section's facts as its row has them
    "awrdiff/comparisons/median_comparison.py": "known",
    "awrdiff/comparisons/models.py": "known",
    "awrdiff/incidents/comparisons_and_reports.py": "told",
    "awrdiff/incidents/models.py": "told",
    "awrdiff/reports/models.py": "known",
    "awrdiff/transfer/kinds/incidents.py": "told",
    # what redacted links keep, and the live pages that the same templates show
    "awrdiff/web/presenters/incident/page.py": "said severity_said",
    "awrdiff/web/presenters/page/redacted_incident.py": "said severity_said",
    "awrdiff/web/presenters/postmortem/page.py": "said",
    "awrdiff/web/charts/frame.py": "left",  # of top, right, bottom and left
}
# A participle says what happened to a thing and not which thing it is: `found` is the `membership`, the `rows`, the
# `match`; `told` are the `recipients`; `said` is the `sentence`, the `reason`; `made` is the new `token`.
PARTICIPLES = """
    asked born called chosen counted drawn followed found given heard held hidden judged kept known left looked made
    meant met moved named paid placed said seen settled shown taken told turned written
"""
# A pronoun names nothing: `one` is the element of the loop, `others` are the `other_teams`, the `rest`.
PRONOUNS = "both one others"
ADVERBS = "far sure"
NAMES = frozenset(f"{PARTICIPLES} {PRONOUNS} {ADVERBS}".split())
VAGUE_KEYS = frozenset(["said", "told", "found"])  # of dictionaries: templates and scripts read them
VAGUE_ENDINGS = ("_said", "_told")  # `hour_text` says that it is a text
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


def keys(node: ast.AST) -> list[str]:
    """Keys that this node gives to a dictionary, and its keywords."""
    match node:
        case ast.Dict(keys=elements):
            return [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        case ast.keyword(arg=str(name)):
            return [name]
    return []


def complaints(source: str) -> Iterator[tuple[int, str]]:
    """Line and name, or line and opening."""
    for node in ast.walk(ast.parse(source)):
        names = [name for name in bound(node) if name.strip("_").lower() in NAMES]
        names += [key for key in keys(node) if key in VAGUE_KEYS]
        names += [name for name in (*bound(node), *keys(node)) if name.lower().endswith(VAGUE_ENDINGS)]
        yield from ((getattr(node, "lineno", 1), name) for name in names)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = (ast.get_docstring(node) or "").split()
            if words and words[0].rstrip(",:;") in OPENINGS:
                yield node.body[0].lineno, f"a docstring opens with {words[0]}"


def test_names_and_docstrings_are_plain() -> None:
    modules = [f for room in ROOMS for f in (ROOT / room).rglob("*.py") if "migrations" not in f.parts]
    names = {}
    for module in (*modules, Path(__file__)):
        path = str(module.relative_to(ROOT))
        lines = list(complaints(module.read_text()))
        allowed = EXCEPTIONS.get(path, "").split()
        assert [f"{path}:{line}: {name}" for line, name in lines if name not in allowed] == []
        names[path] = {name for _, name in lines}
    assert {path: " ".join(sorted(own)) for path, own in names.items() if own} == EXCEPTIONS


@pytest.mark.parametrize(
    "source",
    [
        "found = 1", "for one in (): pass", "def f(said): pass", "def _told(): pass", "class Seen: pass",
        "self.kept = 1", "x = [one for one in ()]", "try: pass\nexcept E as told: pass", "(found := 1)", "found: int = 1",
        '"""Whether it is."""', 'def f():\n    """What it is."""', 'class C:\n    """Of a team."""',
        "def hour_said(): pass", 'x = {"said": 1}', "f(found=1)", 'x = {"hour_told": 1}',
    ],
)  # fmt: skip
def test_a_word_of_the_dialect_is_noticed(source: str) -> None:
    assert len(list(complaints(source))) >= 1


@pytest.mark.parametrize(
    "source",
    [
        "rows = found",
        "x.found()",
        "one_line = 1",
        '"""Rows of what was found."""',
        "f(made=1)",
        "found_at = 1",
        'x = {"kept": 1}',
    ],
)
def test_a_plain_word_is_not(source: str) -> None:
    assert list(complaints(source)) == []
