"""Dependencies point one way: parsers ← awrdiff/analysis ← the applications ← pages."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What each layer may use of this project, and of the outside what it must not.
LAYERS = {
    "parsers": (("parsers",), ("django", "celery", "plotly", "awrdiff", "kombu", "redis")),
    "awrdiff/redaction": (
        ("parsers", "awrdiff.redaction"),
        ("django", "celery", "plotly", "kombu", "redis", "lxml", "bs4"),
    ),
    "awrdiff/analysis": (
        ("parsers", "awrdiff.analysis"),
        ("django", "celery", "plotly", "kombu", "redis", "lxml", "bs4"),
    ),
}
# Applications in the order they build on each other; none imports one further to the right, web comes last.
APPS = [
    "processing",
    "accounts",
    "audit",
    "notices",
    "reports",
    "databases",
    "fleet",
    "search",
    "comparisons",
    "pins",
    "incidents",
    "sharing",
    "threads",
    "postmortems",
    "transfer",
    "backup",
    "web",
]
# What speaks HTTP: requests, answers, addresses, templates. Only web does.
HTTP = (
    "django.http",
    "django.urls",
    "django.shortcuts",
    "django.template",
    "django.views",
    "django.middleware",
    "django.core.files.uploadhandler",
    "django.contrib.auth.views",
    "django_htmx",
)


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@pytest.mark.parametrize("layer", LAYERS)
def test_a_pure_layer_imports_nothing_above_it(layer):
    own, forbidden = LAYERS[layer]
    files = list((ROOT / layer).rglob("*.py"))
    assert files
    for path in files:
        for module in imported(path):
            if any(is_in(module, one) for one in own):
                continue
            assert not any(is_in(module, one) for one in forbidden), f"{path.relative_to(ROOT)} imports {module}"
            assert not is_in(module, "awrdiff") or module == "awrdiff", f"{path.relative_to(ROOT)} imports {module}"


@pytest.mark.parametrize("app", APPS)
def test_an_application_imports_none_that_builds_on_it(app):
    above = APPS[APPS.index(app) + 1 :]
    for path in (ROOT / "awrdiff" / app).rglob("*.py"):
        for module in imported(path):
            for other in above:
                assert not is_in(module, f"awrdiff.{other}"), f"{path.relative_to(ROOT)} imports {module}"


@pytest.mark.parametrize("app", APPS[:-1])
def test_only_web_speaks_http(app):
    files = list((ROOT / "awrdiff" / app).rglob("*.py"))
    assert files
    for path in files:
        for module in imported(path):
            assert not any(is_in(module, one) for one in HTTP), f"{path.relative_to(ROOT)} imports {module}"


def test_fixtures_and_parsers_work_without_django():
    code = (
        "import sys; sys.modules['django'] = sys.modules['celery'] = None; "
        "import parsers, awrdiff.analysis, fixtures; print('ok')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "ok\n", done.stderr


def test_the_version_is_said_without_the_reader():
    code = "import sys, awrdiff.cli.main, parsers.version; print('parsers.reader' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "False\n", done.stderr


def test_the_package_itself_stays_empty():
    assert (ROOT / "awrdiff" / "__init__.py").read_text() == ""


@pytest.mark.parametrize("layer", LAYERS)
def test_no_modules_of_a_pure_layer_import_each_other_in_a_circle(layer):
    """Imports for types count too; a package may gather what its modules offer."""
    modules = {
        ".".join(p.relative_to(ROOT).with_suffix("").parts): p
        for p in (ROOT / layer).rglob("*.py")
        if p.stem != "__init__"
    }
    order = TopologicalSorter({name: modules.keys() & set(imported(path)) for name, path in modules.items()})
    order.prepare()  # raises CycleError, which names the circle


# Words that readers of the code meet everywhere: each is the name of one class.
WORDS = ("Part", "Kind", "Side", "Figure", "Line", "Consumer")


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_several_meanings_names_one_class_alone(word):
    named = re.compile(rf"^(?:class {word}\b|{word}(?:: TypeAlias)? = )", re.MULTILINE)
    files = [p for folder in ("parsers", "awrdiff") for p in (ROOT / folder).rglob("*.py")]
    assert len([p for p in files if named.search(p.read_text(encoding="utf-8"))]) == 1
