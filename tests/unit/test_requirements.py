"""The lists of pins: made from pyproject.toml, exact, with hashes, for every Python from 3.11.0 on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = dict(PROJECT["project"]["optional-dependencies"])
SERVER = PROJECT["project"]["dependencies"] + EXTRAS.pop(
    "web"
)  # what the lists of pins are of: never the command alone
FILES = {
    "requirements.txt": SERVER,
    **{f"requirements-{extra}.txt": SERVER + wanted for extra, wanted in EXTRAS.items()},
    "requirements-dev.txt": SERVER + PROJECT["dependency-groups"]["dev"],
}


def pins(name: str) -> list[tuple[Requirement, int]]:
    """Each pinned package, and how many hashes stand with it."""
    entries = re.split(r"\n(?=[A-Za-z0-9])", (ROOT / name).read_text())
    entries = [one for one in entries if not one.startswith("#")]
    return [(Requirement(one.split("\\")[0].strip()), one.count("--hash=sha256:")) for one in entries]


@pytest.mark.parametrize("name", FILES)
def test_every_package_is_pinned_with_its_hashes(name):
    assert len(pins(name)) > 20
    for pin, hashes in pins(name):
        assert re.fullmatch(r"==[^,*]+", str(pin.specifier)), pin
        assert hashes, f"{pin} has no hash: bin/lock writes them"


@pytest.mark.parametrize("name", FILES)
def test_what_is_wanted_is_pinned_as_it_is_wanted(name):
    pinned = {canonicalize_name(pin.name): str(pin.specifier)[2:] for pin, _ in pins(name)}
    for wanted in map(Requirement, FILES[name]):
        assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)]), f"{wanted}: run bin/lock"


# No wheel of python-ldap is published: what builds it would be needed on every machine that runs the tests.
TESTED = [f"requirements-{extra}.txt" for extra in EXTRAS if extra != "ldap"]


@pytest.mark.parametrize("name", ["requirements.txt", *TESTED])
def test_the_tests_run_on_the_very_packages_of_the_server(name):
    development = {(pin.name, str(pin.specifier)) for pin, _ in pins("requirements-dev.txt")}
    assert {(pin.name, str(pin.specifier)) for pin, _ in pins(name)} <= development


def test_the_web_server_whose_inside_is_subclassed_stays_of_its_minor_version():
    """What awrdiff.serving.http_limits overrides is no interface: another minor version may have another inside."""
    wanted = next(one for one in map(Requirement, SERVER) if one.name == "waitress")
    pinned = next(str(pin.specifier)[2:] for pin, _ in pins("requirements.txt") if pin.name == "waitress")
    major, minor = pinned.split(".")[:2]
    assert wanted.specifier.contains(f"{major}.{minor}.99")
    assert not wanted.specifier.contains(f"{major}.{int(minor) + 1}.0")
    assert not wanted.specifier.contains(f"{int(major) + 1}.0.0")


def test_what_is_wanted_says_what_for():
    text = (ROOT / "pyproject.toml").read_text()
    for wanted in [*FILES["requirements-dev.txt"], *(one for extra in EXTRAS.values() for one in extra)]:
        assert re.search(rf'^    "{re.escape(wanted)}", +# \w', text, re.M), wanted


@pytest.mark.parametrize("name", [*FILES, "pyproject.toml"])
def test_no_address_of_a_package_index_is_written_down(name):
    assert not re.search(r"https?://|index-url|find-links", (ROOT / name).read_text())
