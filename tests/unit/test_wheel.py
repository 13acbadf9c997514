"""The wheel: what it holds, what it leaves out, and that it works by itself, away from the checkout."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from parsers.version import VERSION
from tests.harness.server import Client, until
from tests.harness.services import free_port

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "fixtures" / "cases" / "invented" / "before.html"
ANSWER = """
import django
django.setup()
from django.core.management import call_command
from django.contrib.staticfiles import finders
from django.template.loader import get_template
from django.conf import settings
from awrdiff.serving.startup_preparation import make_tables
make_tables()
call_command("load_demo")
get_template("web/_account.html")
print(finders.find("js/upload.js"), settings.VAR)
"""


def run(*command: object, **env: str) -> str:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWRDIFF_", "DJANGO_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=env.get("HOME", ROOT),
        env={**kept, **env},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A wheel and an sdist; hatchling is pinned with the development set, so that nothing is downloaded."""
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-d", folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def home(wheel, tmp_path_factory):
    """A folder that `pip install` put the wheel into, and that is the home of who runs it."""
    folder = tmp_path_factory.mktemp("a home")
    (folder / ".local" / "share" / "awrdiff").mkdir(parents=True)
    run("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", folder / "lib", wheel)
    return folder


def outside(home: Path, *command: object) -> str:
    return run(*command, PYTHONPATH=str(home / "lib"), HOME=str(home), DJANGO_SETTINGS_MODULE="awrdiff.settings")


@pytest.fixture(scope="module")
def bare(wheel, home, tmp_path_factory):
    """A Python's path with the wheel and what it asks for without any extra, and nothing else."""
    folder = tmp_path_factory.mktemp("packages")
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        waiting = Parser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist")
    while waiting:
        wanted = Requirement(waiting.pop())
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
            continue
        found = distribution(wanted.name)
        waiting += found.requires or []
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(found.locate_file(top))
    return f"{home / 'lib'}:{folder}"


def tracked(*folders: str) -> set[str]:
    files = (p for folder in folders for p in (ROOT / folder).rglob("*") if p.is_file())
    return {str(p.relative_to(ROOT)) for p in files if p.suffix != ".pyc"}


def test_the_wheel_holds_the_packages_and_what_they_read_and_no_more(wheel):
    reports = {
        f"fixtures/{r}" for demo in json.loads((ROOT / "fixtures/demos.json").read_text()) for r in demo["reports"]
    }
    beside = tracked("templates", "static", "docs") | reports | {"fixtures/demos.json"}
    wanted = tracked("awrdiff", "parsers") | {f"awrdiff/assets/{name}" for name in beside}
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == wanted


def test_the_sdist_holds_no_tests_and_no_tools(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        top = {name.split("/")[1] for name in sdist.getnames()}
    assert top == {
        "awrdiff", "parsers", "templates", "static", "docs", "fixtures", "pyproject.toml", "README.md", "LICENSE", "PKG-INFO", ".gitignore",
    }  # fmt: skip


def test_the_version_is_said_in_one_place(wheel):
    name = next(n for n in zipfile.ZipFile(wheel).namelist() if n.endswith(".dist-info/METADATA"))
    metadata = Parser().parsestr(zipfile.ZipFile(wheel).read(name).decode())
    assert metadata["Version"] == VERSION
    assert metadata["Requires-Python"] == ">=3.11"
    assert any(re.match(r"django<5\.3.*extra == 'web'", line) for line in metadata.get_all("Requires-Dist"))
    assert f'"{VERSION}"' not in (ROOT / "pyproject.toml").read_text()


def test_reports_are_read_from_the_wheel(home):
    report = json.loads(outside(home, "-m", "parsers", REPORT))
    assert report["sections"]
    assert str(home) in outside(home, "-c", "import parsers; print(parsers.__file__)")


@pytest.mark.processes
def test_pages_demos_and_static_files_are_found_in_the_wheel(home):
    made, found = outside(home, "-c", ANSWER).splitlines()
    assert made == f"{len(json.loads((ROOT / 'fixtures/demos.json').read_text()))} demo comparisons made."
    assets = home / "lib" / "awrdiff" / "assets"
    assert found == f"{assets / 'static/js/upload.js'} {home / '.local/share/awrdiff'}"


def test_the_wheel_gives_the_command(wheel, home):
    with zipfile.ZipFile(wheel) as archive:
        (entries,) = (n for n in archive.namelist() if n.endswith("entry_points.txt"))
        assert "awrdiff = awrdiff.cli.main:main" in archive.read(entries).decode()
    folder = ROOT / "fixtures" / "cases" / "adaptive-switch"
    pair = [folder / "before.html", folder / "after.html"]
    said = outside(home, "-m", "awrdiff.cli", "compare", *pair, "--summary")
    assert said.startswith("# ")


def test_without_extras_the_command_does_all_that_needs_no_server(home, bare, tmp_path):
    env = {"PYTHONPATH": bare, "HOME": str(home)}
    command = ("-S", "-m", "awrdiff.cli")
    pair = [REPORT, REPORT.with_name("after.html")]
    for form in ("json", "markdown", "csv", "html"):
        run(*command, "compare", *pair, "--format", form, "--output", tmp_path / form, **env)
        assert (tmp_path / form).stat().st_size
    assert run(*command, "single", REPORT, **env)
    assert json.loads(run(*command, "parse", REPORT, **env))["sections"]
    assert (
        "django"
        not in run("-S", "-c", "import pkgutil; print(*(one.name for one in pkgutil.iter_modules()))", **env).split()
    )
    serving = subprocess.run([sys.executable, *command, "serve"], cwd=home, env=env, capture_output=True, text=True)
    assert (serving.returncode, "'.[web]'" in serving.stderr) == (2, True)


@pytest.mark.processes
def test_the_wheel_serves(home):
    """`awrdiff serve` away from any checkout: pages, demos, and workers that read what is uploaded."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("AWRDIFF_", "DJANGO_", "PYTHON", "DATABASE_", "REDIS_"))
    }
    env = {**kept, "PYTHONPATH": str(home / "lib"), "HOME": str(home), "PORT": str(free_port())}
    command = [sys.executable, "-m", "awrdiff.cli", "serve"]
    with (home / "serve.log").open("w") as said:
        process = subprocess.Popen(command, cwd=home, env=env, stdout=said, stderr=said)
    client = Client(f"http://localhost:{env['PORT']}")
    try:
        until(lambda: "awrdiff is at http" in (home / "serve.log").read_text(), 120)
        client.page("/")
        report = client.upload("before.html", REPORT.read_bytes())
        assert report.status == 201, report.body
        assert client.settled(report.json["url"])["state"] == "ready"
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=40) == 0, (home / "serve.log").read_text()
    assert "Traceback" not in (home / "serve.log").read_text()
