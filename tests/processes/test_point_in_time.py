"""The way of large stores in docs/scaling.md: PostgreSQL goes back to a moment, and finds every file that it names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fixtures.writer import big
from tests.harness import prepared, tools
from tests.harness.server import ROOT
from tests.harness.services import Postgres

pytestmark = [pytest.mark.processes, pytest.mark.postgres]
_REMOVE = """
import django; django.setup()
from awrdiff.reports import files
from awrdiff.reports.models import LooseFile, Report
from awrdiff.reports.services import remove
from django.db import transaction
with transaction.atomic():
    remove({Report.objects.earliest("created_at").pk})
LooseFile.objects.update(keep_until="2000-01-01T00:00Z")
files.sweep()
"""


class Archiving(Postgres):
    """Copies its log as it is written, as whoever keeps backups has it done."""

    @property
    def _options(self) -> str:
        own = f'-c wal_level=replica -c archive_mode=on -c "archive_command=cp %p {self.folder}/kept/%f"'
        return f"{super()._options} {own}"

    def base_backup(self) -> None:
        to = ("-D", self.folder / "base", "-c", "fast", "-X", "none")
        self._run("pg_basebackup", "-h", "127.0.0.1", "-p", self.port, "-U", "awrdiff", *to)

    def back_to(self, moment: datetime) -> None:
        self._run(
            "psql", "-h", "127.0.0.1", "-p", self.port, "-U", "awrdiff", "-c", "SELECT pg_switch_wal()", "postgres"
        )
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "fast", "stop")  # after the last of the log is copied
        shutil.rmtree(self.data)
        subprocess.run(["cp", "-a", self.folder / "base", self.data], check=True)
        wanted = {"restore_command": f"cp {self.folder}/kept/%f %p", "recovery_target_time": moment.isoformat(" ")}
        with (self.data / "postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in wanted.items())
            file.write("recovery_target_action = 'promote'\n")
        (self.data / "recovery.signal").touch()
        self._begin()
        promoted = "DO $$BEGIN WHILE pg_is_in_recovery() LOOP PERFORM pg_sleep(0.1); END LOOP; END$$"
        self._run("psql", "-h", "127.0.0.1", "-p", self.port, "-U", "awrdiff", "-c", promoted, "postgres")


@pytest.fixture
def archiving() -> Iterator[Archiving]:
    tools.need("postgresql")
    postgres = Archiving()
    (postgres.folder / "kept").mkdir()
    (postgres.folder / "kept").chmod(0o777)
    postgres.start()
    try:
        yield postgres
    finally:
        postgres.close()


def test_a_moment_comes_back_with_every_file_that_it_names(archiving: Archiving, tmp_path: Path) -> None:
    path = f"{archiving.bin}{os.pathsep}{os.environ['PATH']}"
    env = {**prepared.without_settings(os.environ), "PATH": path, "AWRDIFF_VAR": str(tmp_path / "var")}
    env["DATABASE_URL"] = archiving.migrated_database()
    stored, copied = tmp_path / "var" / "files", tmp_path / "copied"

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        settings = {**env, "DJANGO_SETTINGS_MODULE": "awrdiff.settings"}
        return subprocess.run([sys.executable, *command], cwd=ROOT, env=settings, capture_output=True, text=True)

    def take_in(number: int) -> None:
        (tmp_path / f"{number}.html").write_bytes(big(0.02) + b"<!-- %d -->" % number)
        assert run("manage.py", "import_reports", str(tmp_path / f"{number}.html")).returncode == 0
        shutil.copytree(stored, copied, dirs_exist_ok=True)  # deletes nothing

    env["AWRDIFF_SECRET_KEY"] = "k" * 50
    env["AWRDIFF_PASSWORD"] = "Odd, and long enough: 47"
    assert run("manage.py", "add_user", "olivia", "--team", "Payments").returncode == 0
    take_in(1)
    archiving.base_backup()
    take_in(2)
    time.sleep(1)
    moment = datetime.now(UTC)
    time.sleep(1)
    assert run("-c", _REMOVE).returncode == 0
    assert len(list(stored.rglob("*.gzip"))) == 1
    take_in(3)
    archiving.back_to(moment)

    without = run("manage.py", "backup", str(tmp_path / "without.tar.gz"))
    assert (without.returncode, without.stderr.count("is not in the storage")) == (2, 1)
    shutil.copytree(copied, stored, dirs_exist_ok=True)
    whole = run("manage.py", "backup", str(tmp_path / "whole.tar.gz"))
    assert whole.returncode == 0, whole.stderr
    with tarfile.open(tmp_path / "whole.tar.gz") as kept:
        assert sum(name.endswith(".gzip") for name in kept.getnames()) == 2
