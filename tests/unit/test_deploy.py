"""deploy/: what it names is there, its settings are awrdiff's, and nothing in it runs as root."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from awrdiff import server_env_variables
from awrdiff.web.management.commands.settings import sample_lines

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
NAMES = {name for one in server_env_variables.declared() for name in one.names}


def commands() -> list[list[str]]:
    of_compose = [one["command"] for one in COMPOSE["services"].values() if one["image"] == "awrdiff"]
    of_units = [
        line.split() for unit in UNITS for line in re.findall(r"^Exec\w+=\S+/(python .*)", unit.read_text(), re.M)
    ]
    image = re.search(r"^CMD \[(.*)\]", CONTAINERFILE, re.M)
    assert image is not None
    return [*of_compose, *of_units, [word.strip(' "') for word in image[1].split(",")]]


def test_the_sample_of_the_environment_is_made_of_the_declarations():
    """After a change: `manage.py settings --sample > deploy/awrdiff.env.sample`."""
    assert (DEPLOY / "awrdiff.env.sample").read_text().splitlines() == list(sample_lines())


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_is_there(command):
    assert command[0] == "python"
    if command[1] == "-m":
        assert importlib.util.find_spec(command[2])
    else:
        path = ROOT / command[1]
        assert path.is_file()
        assert list((ROOT / "awrdiff").glob(f"*/management/commands/{command[2]}.py"))


def test_workers_have_a_process_that_bulk_does_not_take():
    given = [int(one[one.index("--concurrency") + 1]) for one in commands() if "--concurrency" in one]
    assert given == [server_env_variables.WORKERS.default + 1] * 2
    assert (
        int(COMPOSE["services"]["worker"]["environment"][server_env_variables.WORKERS.name])
        == server_env_variables.WORKERS.default
    )


def test_every_setting_is_one_of_awrdiffs():
    given = set(re.findall(r"\b(AWRDIFF_[A-Z_0-9]+)=", CONTAINERFILE + "".join(one.read_text() for one in UNITS)))
    for service in COMPOSE["services"].values():
        if service["image"] == "awrdiff":
            given |= set(service["environment"])
    assert {"AWRDIFF_VAR", "DATABASE_URL", "AWRDIFF_SECRET_KEY"} <= given <= NAMES


def test_alerts_ask_for_figures_that_there_are_and_prometheus_reads_them():
    rules = yaml.safe_load((DEPLOY / "awrdiff-alerts.yml").read_text())["groups"][0]["rules"]
    assert {rule["alert"] for rule in rules} == {"AwrdiffSilent", "AwrdiffBacklog", "AwrdiffDiskFull"}
    source = (ROOT / "awrdiff" / "web" / "views" / "health.py").read_text()
    for rule in rules:
        (name,) = re.findall(r"awrdiff_(\w+)", rule["expr"])
        assert f'_gauge("{name}"' in source
    assert "awrdiff-alerts.yml" in yaml.safe_load((DEPLOY / "prometheus.yml").read_text())["rule_files"]


def test_everybody_signs_in_and_what_holds_secrets_is_not_committed():
    assert "AWRDIFF_LOCAL_USER=False" in CONTAINERFILE
    assert "AWRDIFF_LOCAL_USER=False" in (DEPLOY / "systemd" / "awrdiff.service").read_text()
    ignored = subprocess.run(
        ["git", "check-ignore", "deploy/.env", "deploy/awrdiff.env"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ignored.stdout.split() == ["deploy/.env", "deploy/awrdiff.env"]


def test_podman_is_told_to_keep_the_health_check():
    """An image of the format that podman builds by itself has none."""
    assert "HEALTHCHECK" in CONTAINERFILE
    texts = [CONTAINERFILE, (ROOT / "docs" / "operations.md").read_text()]
    builds = re.findall(r"podman build .*", "\n".join(texts))
    assert builds
    assert all("--format docker" in one for one in builds)


def test_what_compose_starts_waits_for_what_it_needs():
    """A finished container that depends on others stops podman from starting what depends on it: `prepare` depends on
    none, and waits by itself. A first start of PostgreSQL answers by its socket before it is ready, and Redis refuses
    other containers in its protected mode."""
    services = COMPOSE["services"]
    assert "depends_on" not in services["prepare"]
    assert int(services["prepare"]["command"][services["prepare"]["command"].index("--wait") + 1]) >= 60
    for name in ("web", "worker", "sweeper"):
        assert set(services[name]["depends_on"]) == {"prepare", "postgres", "redis"}
    assert "--host" in services["postgres"]["healthcheck"]["test"]
    redis = services["redis"]["command"]
    assert redis[redis.index("--protected-mode") + 1] == "no"


def test_no_shell_is_told_to_read_what_systemd_reads():
    """It runs what stands behind the first space of a value, and goes on with half of it."""
    assert not re.search(
        r"\. /etc/awrdiff/awrdiff\.env", (ROOT / "docs" / "operations.md").read_text().replace("\n", " ")
    )


def test_units_shut_their_processes_in_alike():
    keys = re.compile(r"^(?:NoNew|Protect|Private|Restrict|Lock|RemoveIPC|SystemCall|Capability|UMask).*", re.M)
    shut_in = {unit.name: keys.findall(unit.read_text()) for unit in UNITS}
    assert {"SystemCallFilter=@system-service", "ProtectProc=invisible"} <= set(shut_in["awrdiff.service"])
    assert all(lines == shut_in["awrdiff.service"] for lines in shut_in.values())


def test_migrations_are_not_killed_for_taking_long():
    """What runs before a service counts as its start, of which systemd waits for 90 s."""
    for unit in UNITS:
        text = unit.read_text()
        assert ("ExecStartPre=" in text) <= ("TimeoutStartSec=infinity" in text), unit.name


def test_the_image_has_what_it_copies_and_is_nobodys_root():
    copied = [words.split()[:-1] for words in re.findall(r"^COPY (?!--from)(.*)", CONTAINERFILE, re.M)]
    assert all((ROOT / one).exists() for some in copied for one in some)
    kept = {line[1:] for line in (ROOT / ".containerignore").read_text().splitlines() if line.startswith("!")}
    assert kept == {one for some in copied for one in some}
    assert (ROOT / ".dockerignore").read_text() == (ROOT / ".containerignore").read_text()
    assert re.findall(r"^USER (.*)", CONTAINERFILE, re.M)[-1] == "awrdiff"
    for service in COMPOSE["services"].values():
        if service["image"] == "awrdiff":
            assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda one: one.stem)
def test_a_unit_is_one_that_systemd_takes(unit, tmp_path):
    text = unit.read_text()
    assert {"User=awrdiff", "NoNewPrivileges=yes", "ProtectSystem=strict"} <= set(text.splitlines())
    timer = unit.with_suffix(".timer")
    assert ("WantedBy=" in text) != timer.is_file()
    if analyze := shutil.which("systemd-analyze"):
        made = tmp_path / unit.name
        made.write_text(re.sub(r"(?<==)/opt/awrdiff/\.venv/bin/python", shutil.which("true") or "/bin/true", text))
        done = subprocess.run([analyze, "verify", str(made)], capture_output=True, text=True, check=False)
        assert (done.returncode, [line for line in done.stderr.splitlines() if unit.name in line]) == (0, [])
