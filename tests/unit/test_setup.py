"""bin/setup: what it makes, what it says, and that nothing is done twice. Its Python is a script that plays one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Makes a .venv with itself in it; pip and venv say and return what FAKE_PIP and FAKE_VENV tell them to.
FAKE = """#!/bin/bash
case "$*" in
    -V) echo "Python $(cat "$(dirname "$(readlink -f "$0")")/version")" ;;
    *version_info*) [ "${FAKE_OLD:-}" = "" ] ;;
    *ensurepip*) [ "${FAKE_BARE:-}" = "" ] ;;
    "-m venv"*)
        if [ -n "${FAKE_VENV:-}" ]; then echo "$FAKE_VENV"; exit 1; fi
        rm -rf .venv; mkdir -p .venv/bin; ln -s "$(readlink -f "$0")" .venv/bin/python; echo venv >>"$FAKE_LOG" ;;
    *"import pip"*) ;;
    *--no-deps*) cat >"$FAKE_LOG.alone"; ln -sf python .venv/bin/uv ;;
    "pip install"*)
        if [ -n "${FAKE_UV:-}" ]; then echo "no uv" >>"$FAKE_LOG"; exit 1; fi
        echo "uv ${@: -1}" >>"$FAKE_LOG" ;;
    "-m pip install"*)
        echo "pip ${@: -1}" >>"$FAKE_LOG"
        if [ -n "${FAKE_PIP:-}" ]; then echo "$FAKE_PIP"; exit 1; fi ;;
    "-m compileall"*) echo "compiled ${@: -2}" >>"$FAKE_LOG.compiled" ;;
    *) exit 99 ;;
esac
"""


class Checkout:
    """A folder with bin/setup and two lists in it, and a Python of a version that can be changed."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "check out#1%20?"
        (self.root / "bin").mkdir(parents=True)
        shutil.copy(ROOT / "bin" / "setup", self.root / "bin")
        (self.root / "requirements.txt").write_text("one==1.0 \\\n    --hash=sha256:00\n")
        (self.root / "requirements-dev.txt").write_text("one==1.0 \\\n    --hash=sha256:00\ntwo==2.0\n")
        self.log = folder / "log"
        self.python = self.python_of(folder / "python", "3.11.2")

    @staticmethod
    def python_of(folder: Path, version: str) -> Path:
        folder.mkdir()
        (folder / "version").write_text(version)
        (folder / "python3").write_text(FAKE)
        (folder / "python3").chmod(0o755)
        return folder / "python3"

    def setup(self, *arguments: str, status: int = 0, **env: str) -> str:
        """What it says; what its Python was asked to do is in `done`."""
        self.log.write_text("")
        env = {"PATH": f"{self.python.parent}:{os.environ['PATH']}", "FAKE_LOG": str(self.log), **env}
        ran = subprocess.run([self.root / "bin" / "setup", *arguments], env=env, capture_output=True, text=True)
        assert ran.returncode == status, ran.stderr
        assert ran.stdout == ""
        return ran.stderr

    @property
    def done(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_it_says_what_it_does_and_leaves_nothing_else_in_the_checkout(checkout):
    before = {p.name for p in checkout.root.iterdir()}
    said = checkout.setup(AWRDIFF_VAR="/nowhere").splitlines()
    assert said[0] == "Making .venv (Python 3.11.2) ..."
    assert said[1] == "Installing 1 packages into .venv (once, until requirements.txt changes) ..."
    assert said[2].startswith("Installed after ")
    assert {p.name for p in checkout.root.iterdir()} - before == {".venv"}
    assert {p.name for p in (checkout.root / "bin").iterdir()} == {"setup"}


def test_what_whoever_cannot_write_here_runs_is_compiled(checkout):
    checkout.setup()
    assert Path(f"{checkout.log}.compiled").read_text() == "compiled awrdiff parsers\n"


def test_a_second_time_nothing_is_done_or_said(checkout):
    checkout.setup()
    assert checkout.setup() == ""
    assert checkout.done == []


def test_the_development_set_holds_the_servers(checkout):
    checkout.setup()
    checkout.setup("--dev")
    assert checkout.done == ["pip requirements-dev.txt"]
    assert checkout.setup() == ""


def test_what_development_needs_is_installed_by_uv_and_by_pip_where_that_cannot(checkout):
    dev = checkout.root / "requirements-dev.txt"
    dev.write_text("one==1.0 \\\n    --hash=sha256:00\nuv==3.0 \\\n    --hash=sha256:01\n    # via it\nzwei==1\n")
    checkout.setup("--dev")
    assert checkout.done == ["venv", "uv requirements-dev.txt"]
    assert Path(f"{checkout.log}.alone").read_text() == "uv==3.0 \\\n    --hash=sha256:01\n"
    assert checkout.setup("--dev") == ""
    dev.write_text(dev.read_text().replace("zwei==1", "zwei==2"))
    checkout.setup("--dev", FAKE_UV="no")
    assert checkout.done == ["no uv", "pip requirements-dev.txt"]


def test_other_pins_are_installed_into_the_venv_that_is_there(checkout):
    checkout.setup()
    (checkout.root / "requirements.txt").write_text("one==1.1\n")
    checkout.setup()
    assert checkout.done == ["pip requirements.txt"]


def test_going_back_to_other_pins_installs_them_again(checkout):
    """The list that was installed last counts, not one that was installed at some time."""
    checkout.setup("--dev")
    dev, server = checkout.root / "requirements-dev.txt", checkout.root / "requirements.txt"
    first = dev.read_text(), server.read_text()
    dev.write_text("one==1.1\ntwo==2.0\n")
    server.write_text("one==1.1\n")
    checkout.setup()
    dev.write_text(first[0])
    server.write_text(first[1])
    checkout.setup("--dev")
    assert checkout.done == ["pip requirements-dev.txt"]


def test_a_venv_of_another_python_is_made_anew(checkout, tmp_path):
    checkout.setup()
    other = checkout.python_of(tmp_path / "other", "3.13.5")
    assert "Making .venv (Python 3.13.5) ..." in checkout.setup(PYTHON=str(other))
    assert checkout.done == ["venv", "pip requirements.txt"]
    assert checkout.setup(PYTHON=str(other)) == ""


def test_a_venv_is_made_anew_when_the_systems_python_has_become_another(checkout):
    checkout.setup()
    checkout.python.with_name("version").write_text("3.13.5")
    assert "Making .venv (Python 3.13.5) ..." in checkout.setup()


def test_a_patch_release_of_python_needs_no_new_venv(checkout):
    checkout.setup()
    checkout.python.with_name("version").write_text("3.11.9")
    assert checkout.setup() == ""


def test_a_venv_without_its_python_is_made_anew(checkout, tmp_path):
    other = checkout.python_of(tmp_path / "other", "3.11.4")
    checkout.setup(PYTHON=str(other))
    shutil.rmtree(other.parent)
    checkout.setup()
    assert checkout.done == ["venv", "pip requirements.txt"]


@pytest.mark.parametrize(
    ("env", "sentence"),
    [
        ({"FAKE_OLD": "1"}, "awrdiff needs Python 3.11 or newer; 'python3' is not."),
        ({"PYTHON": "/no/python"}, "awrdiff needs Python 3.11 or newer; '/no/python' is not."),
        ({"FAKE_BARE": "1"}, "'python3' cannot make a virtual environment. On Debian: apt-get install python3-venv"),
        (
            {"FAKE_VENV": "Error: [Errno 28] No space left on device: '.venv'"},
            "Making .venv failed: the disk is full (",
        ),
        ({"FAKE_PIP": "ERROR: OSError: [Errno 28] No space left on device"}, "Installing failed: the disk is full ("),
        (
            {"FAKE_PIP": "WARNING: Retrying after connection broken by 'NewConnectionError': name resolution"},
            "Installing failed: there is no way to the package index",
        ),
        (
            {"FAKE_PIP": "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."},
            "Installing failed: a package that was downloaded is not the one that requirements.txt names.",
        ),
        ({"FAKE_PIP": "ERROR: something else"}, "Installing failed; the reason is above."),
    ],
)
def test_what_is_in_the_way_is_said_in_one_sentence_and_tried_again_next_time(checkout, env, sentence):
    last = checkout.setup(status=1, **env).splitlines()[-1]
    assert last.startswith(f"bin/setup: {sentence}")
    checkout.setup()
    assert checkout.done[-1] == "pip requirements.txt"


def test_an_unknown_reason_is_shown(checkout):
    assert "ERROR: something else" in checkout.setup(status=1, FAKE_PIP="ERROR: something else")


def test_a_folder_whose_path_holds_a_colon_is_refused(tmp_path):
    said = Checkout(tmp_path / "a:b").setup(status=1)
    assert "in a folder with ':' in its path" in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_checkout_that_cannot_be_written_to(checkout):
    checkout.root.chmod(0o555)
    assert checkout.setup(status=1).endswith("cannot be written to; .venv is made there.\n")
    checkout.root.chmod(0o755)


def test_two_at_once_install_once(checkout):
    env = {"PATH": f"{checkout.python.parent}:{os.environ['PATH']}", "FAKE_LOG": str(checkout.log)}
    both = [subprocess.Popen([checkout.root / "bin" / "setup"], env=env, stderr=subprocess.DEVNULL) for _ in "ab"]
    assert [one.wait(30) for one in both] == [0, 0]
    assert checkout.done == ["venv", "pip requirements.txt"]


@pytest.mark.processes
def test_a_real_venv_is_made_where_the_path_is_odd(checkout):
    """Python's own venv, and pip with nothing to install, so that nothing is downloaded."""
    pytest.importorskip("ensurepip", reason="Python's ensurepip is missing (apt-get install python3-venv)")
    (checkout.root / "requirements.txt").write_text("")
    checkout.setup(PYTHON=sys.executable)
    ran = subprocess.run([checkout.root / ".venv/bin/python", "-m", "pip", "--version"], capture_output=True, text=True)
    assert str(checkout.root.resolve()) in ran.stdout
