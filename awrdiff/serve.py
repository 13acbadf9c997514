"""bin/serve: web server, Celery worker and sweeper as processes of their own, stopped together.

Uses the standard library only until the children run, so that a second start is quick.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from types import FrameType
from typing import NoReturn

from awrdiff.accounts import local_token

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60  # for the first answer
GRACE_S = 12  # from TERM to KILL
_PR_SET_PDEATHSIG = 1


class Stop(Exception):
    """Ctrl-C or TERM."""


def fail(sentence: str) -> NoReturn:
    sys.exit(f"bin/serve: {sentence}")


@dataclass(slots=True)
class Child:
    """One process of the server; it gets its own session, so that all it starts can be ended with it."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    starts: list[float] = field(default_factory=list)

    def start(self) -> None:
        self.starts = [t for t in self.starts if t > time.monotonic() - 60] + [time.monotonic()]
        self.process = subprocess.Popen(  # noqa: S603 - our own commands
            self.command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - this process has one thread
        )

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.process.pid, number)

    def ended(self) -> bool:
        return self.process is None or self.process.poll() is not None


def main() -> None:
    local = os.environ.setdefault("AWRDIFF_LOCAL_USER", "True").strip().lower() in ("true", "1", "yes", "on")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
    host, port = _bind_address(local=local)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    var = Path(os.environ.get("AWRDIFF_VAR", "") or ROOT / "var")
    var.mkdir(parents=True, exist_ok=True)
    with _only_one(var):
        _keep_secret_key(var)
        _refuse_taken(host, port)
        try:
            subprocess.run([sys.executable, "manage.py", "prepare"], cwd=ROOT, check=True)
            address = f"http://{'localhost' if _is_loopback(host) else host}:{port}/"
            said = [
                f"awrdiff is at {address}  (Ctrl-C stops it)",
                *(local_token.announced(var, address) if local else []),
            ]
            _run(_children(host, port), host, port, said)
        except subprocess.CalledProcessError as error:
            sys.exit(error.returncode)
        except Stop:
            pass


def _run(children: list[Child], host: str, port: int, said: list[str]) -> None:
    try:
        for child in children:
            child.start()
        _wait_until_it_answers(children, host, port)
        print("\n".join(said), flush=True)  # noqa: T201
        while True:
            time.sleep(0.5)
            _revive(children)
    except Stop:
        pass
    finally:
        _stop_all(children)


def _children(host: str, port: int) -> list[Child]:
    python = sys.executable
    threads = os.environ.get("AWRDIFF_WEB_THREADS", "8")
    workers = os.environ.get("AWRDIFF_WORKERS", "2")
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    web = [python, "-m", "gunicorn", "awrdiff.wsgi:application", "--bind", bind, "--worker-class", "gthread"]
    web += ["--workers", "1", "--threads", threads, "--timeout", "180", "--log-level", "warning", "--no-control-socket"]
    # Celery warns of running as root, which in a container is usual.
    celery = [
        python,
        "-W",
        "ignore::Warning:celery.platforms",
        "-m",
        "celery",
        "--quiet",
        "-A",
        "awrdiff.celery_app",
        "worker",
        "--concurrency",
        workers,
    ]
    celery += ["--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    return [
        Child("web server", web),
        Child("worker", celery),
        Child("sweeper", [python, "manage.py", "sweep"]),
    ]


def _wait_until_it_answers(children: list[Child], host: str, port: int) -> None:
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    url = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/healthz"
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if children[0].ended():
            fail("the web server stopped; its message is above.")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except urllib.error.HTTPError:
            return  # it answers; a host name that is not allowed is the proxy's matter
        except OSError:
            time.sleep(0.05)
    fail(f"no answer at {url} within {PATIENCE_S} s.")


def _revive(children: list[Child]) -> None:
    for child in children:
        if not child.ended():
            continue
        if len(child.starts) >= 5:
            fail(f"the {child.name} stopped five times within a minute; see its messages above.")
        print(f"The {child.name} stopped and is started again.", file=sys.stderr, flush=True)  # noqa: T201
        child.signal(signal.SIGKILL, group=True)  # what it may have left behind
        if child.name == "worker" and not os.environ.get("REDIS_URL"):
            # It was the only worker: what it had begun is free at once, not only when its lease ends.
            subprocess.run([sys.executable, "manage.py", "sweep", "--once", "--no-worker-runs"], cwd=ROOT, check=False)
        child.start()


def _stop_all(children: list[Child]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for child in children:
        child.signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while time.monotonic() < deadline and not all(child.ended() for child in children):
        time.sleep(0.05)
    for child in children:
        child.signal(signal.SIGKILL, group=True)
        if child.process is not None:
            child.process.wait()


def _bind_address(*, local: bool) -> tuple[str, int]:
    host = os.environ.get("AWRDIFF_BIND", "").strip() or "127.0.0.1"
    if local and not _is_loopback(host):
        fail(
            f"AWRDIFF_BIND={host} would let others in without a password. "
            "See the README, Reaching it from other machines."
        )
    port = os.environ.get("PORT", "").strip() or "8000"
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        fail(f"PORT must be a number from 1 to 65535, not {port!r}.")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        fail(f"AWRDIFF_BIND must be an IP address, not {host!r}.")


def _refuse_taken(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            fail(f"{host} port {port} cannot be used ({error.strerror}). Choose another: PORT=8001 bin/serve")


@contextmanager
def _only_one(var: Path) -> Iterator[None]:
    """Two servers on one folder would fight over the broker's files."""
    with (var / "serve.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fail(f"it is running already (on the files in {var}).")
        yield


def _keep_secret_key(var: Path) -> None:
    path = var / "secret_key"
    if os.environ.get("AWRDIFF_SECRET_KEY") or path.exists():
        return
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(50))


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stop


if __name__ == "__main__":
    main()
