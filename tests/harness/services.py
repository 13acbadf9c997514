"""Redis and PostgreSQL for tests, on free ports and in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from tests.harness import prepared, tools

_PREFIX = "awrdiff_"  # of the databases' names, before a number


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(port: int, seconds: float = 80) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")


class Redis:
    """In memory only: stopping it loses its messages, as a crash would."""

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="awrdiff-redis-")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = [tools.redis_server() or "redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--appendonly", "no", "--dir", self.folder, "--loglevel", "warning"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port)

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgres:
    """PostgreSQL refuses to run as root: then it runs as the package's user `postgres`."""

    def __init__(self, parent: Path | None = None, *, durable: bool = False) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="awrdiff-postgres-", dir=parent))
        self.durable = durable  # as it is delivered: what is committed is on the disk
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        programs = tools.postgres_bin()
        assert programs is not None
        self.bin = programs
        self.databases = 0
        self.migrated = ""  # the name of one that is copied

    def start(self) -> None:
        """Start on a copy of the run's first cluster, which has a migrated database."""
        if template := prepared.shared_folder("postgresql", _make_in):
            subprocess.run(["cp", "-a", template, self.data], check=True)  # its owner stays
            self.databases, self.migrated = 1, f"{_PREFIX}1"
        else:
            self._init()
        self._begin()

    def _init(self) -> None:
        self._run("initdb", "-D", self.data, "-U", "awrdiff", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")

    def _begin(self) -> None:
        self._run("pg_ctl", "-D", self.data, "-w", "-o", self._options, "-l", self.folder / "log", "start")

    def make(self, target: Path) -> None:
        """Make the cluster that others copy."""
        self._init()
        self._begin()
        self._migrate()
        self._run("pg_ctl", "-D", self.data, "-w", "stop")
        shutil.move(self.data, target)
        shutil.rmtree(self.folder)

    @property
    def _options(self) -> str:
        # Quicker, and few tests are about it: no machine fails, and no table grows old.
        unsafe = "" if self.durable else "-c fsync=off -c full_page_writes=off -c autovacuum=off"
        return f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 {unsafe}"

    def restart(self) -> None:
        """Like a crash: connections are cut, committed data is there."""
        stop = ("-m", "immediate", "-w", "-o", self._options, "-l", self.folder / "log")
        self._run("pg_ctl", "-D", self.data, *stop, "restart")

    @property
    def postmaster(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def recover(self) -> None:
        """Start on the data that a machine's end left: none of the processes before is known to the one that starts anew."""
        (self.data / "postmaster.pid").unlink()
        (self.folder / f".s.PGSQL.{self.port}.lock").unlink(missing_ok=True)
        self._begin()

    def new_database(self, like: str = "template1", encoding: str = "UTF8") -> str:
        """Address of a fresh database; `template0` takes another encoding."""
        self.databases += 1
        name = f"{_PREFIX}{self.databases}"
        self._run(
            "createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "awrdiff", "-T", like, "-E", encoding, name
        )
        return f"postgres://awrdiff@127.0.0.1:{self.port}/{name}"

    def migrated_database(self) -> str:
        """Address of a fresh migrated database, a copy of the first."""
        if not self.migrated:
            self._migrate()
        return self.new_database(self.migrated)

    def _migrate(self) -> None:
        url = self.new_database()
        with tempfile.TemporaryDirectory() as var:
            env = {"AWRDIFF_VAR": var, "AWRDIFF_LOCAL_USER": "True", "DATABASE_URL": url}
            prepared.manage({**prepared.without_settings(os.environ), **env}, "migrate", "--verbosity", "0")
        self.migrated = url.rpartition("/")[2]

    def close(self) -> None:
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self.bin / program), *map(str, arguments)]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        done = subprocess.run(
            command,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=240,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode(errors='replace')}")


def _make_in(folder: Path) -> None:
    Postgres().make(folder)
