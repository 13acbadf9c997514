"""bin/release: the same bytes from the same commit, whose sums one signature vouches for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from parsers.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("awrdiff", "bin", "docs", "parsers", "static", "templates", "fixtures/cases", "fixtures/demos.json")
NONE_KNOWN = "#!/bin/sh\necho 'none known'\n"
pytestmark = [
    pytest.mark.skipif(not (shutil.which("gpg") and shutil.which("git")), reason="gpg and git are needed to release"),
    pytest.mark.thorough,
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A clone with a chapter for the version, and somebody's key."""
    tree = tmp_path_factory.mktemp("release") / "tree"
    for one in (*NEEDED, "pyproject.toml", "README.md", "LICENSE", ".gitignore", *map(str, ROOT.glob("requirements*"))):
        source, to = ROOT / one, tree / Path(one).relative_to(ROOT) if Path(one).is_absolute() else tree / one
        to.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, to, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, to)
    (tree / ".venv").symlink_to(ROOT / ".venv")
    (tree / "bin/audit").write_text(NONE_KNOWN)  # the real one asks the network
    (tree / "CHANGELOG.md").write_text(f"# Changelog\n\n## {VERSION}\n\n- All of it.\n")
    (tree.parent / "keys").mkdir(mode=0o700)
    done(tree, "gpg", "--batch", "--passphrase", "", "--quick-generate-key", "olivia@example.com", "ed25519")
    done(tree, "git", "init", "-q")
    commit(tree)
    yield tree
    done(tree, "gpgconf", "--kill", "all")


def run(tree: Path, *command: object) -> subprocess.CompletedProcess[str]:
    who = {f"GIT_{role}_{what}": "olivia" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "PYTHON": sys.executable, "GNUPGHOME": str(tree.parent / "keys")}
    return subprocess.run([*map(str, command)], cwd=tree, env=env, capture_output=True, text=True, timeout=300)


def done(tree: Path, *command: object) -> None:
    ended = run(tree, *command)
    assert ended.returncode == 0, ended.stderr


def commit(tree: Path) -> None:
    done(tree, "git", "add", "--all")
    done(tree, "git", "commit", "-q", "-m", "as it is")


def test_what_is_released_is_the_same_bytes_again_and_is_vouched_for(tree) -> None:
    first, again = tree.parent / "first", tree.parent / "again"
    for folder in (first, again):
        done(tree, "bin/release", "olivia@example.com", folder)
    names = {f"awrdiff-{VERSION}-py3-none-any.whl", f"awrdiff-{VERSION}.tar.gz", f"awrdiff-{VERSION}.cdx.json"}
    assert {one.name for one in first.iterdir()} == names | {"SHA256SUMS", "SHA256SUMS.asc"}
    assert (first / "SHA256SUMS").read_bytes() == (again / "SHA256SUMS").read_bytes()
    checks = ("sh", "-c", f"cd {first} && gpg --verify SHA256SUMS.asc && sha256sum --check SHA256SUMS")
    done(tree, *checks)
    sums, wheel = first / "SHA256SUMS", first / f"awrdiff-{VERSION}-py3-none-any.whl"
    whole = wheel.read_bytes()
    wheel.write_bytes(whole + b"x")
    assert run(tree, *checks).returncode != 0
    wheel.write_bytes(whole)
    sums.write_text(sums.read_text().replace("awrdiff", "Awrdiff"))
    assert run(tree, *checks).returncode != 0


def test_what_is_not_ready_is_not_released(tree) -> None:
    (tree / "new.txt").write_text("not committed")
    ended = run(tree, "bin/release", "olivia@example.com", tree.parent / "none")
    assert (ended.returncode, "not committed" in ended.stderr) == (2, True)
    (tree / "new.txt").unlink()
    told = (tree / "CHANGELOG.md").read_text()
    (tree / "CHANGELOG.md").write_text("# Changelog\n")
    commit(tree)
    ended = run(tree, "bin/release", "olivia@example.com", tree.parent / "none")
    assert (ended.returncode, VERSION in ended.stderr) == (2, True)
    assert not (tree.parent / "none").exists()
    (tree / "CHANGELOG.md").write_text(told)
    (tree / "bin/audit").write_text("#!/bin/sh\necho 'one 1.0: KNOWN-1'\nexit 1\n")
    commit(tree)
    ended = run(tree, "bin/release", "olivia@example.com", tree.parent / "none")
    assert (ended.returncode, "KNOWN-1" in ended.stderr, "weaknesses" in ended.stderr) == (2, True, True)
    assert not any((tree.parent / "none").iterdir())
    (tree / "bin/audit").write_text(NONE_KNOWN)
    commit(tree)
