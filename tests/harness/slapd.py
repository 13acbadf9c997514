"""OpenLDAP's slapd for tests: in a folder, on free ports, with its own certificate."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.harness.services import free_port, wait_for_port

ROOT_DN, ROOT_PASSWORD = "cn=root,dc=example,dc=com", "of the directory's own root"
CONFIG = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile {folder}/pid
TLSCertificateFile {folder}/cert.pem
TLSCertificateKeyFile {folder}/key.pem
disallow bind_anon
database mdb
suffix "dc=example,dc=com"
directory {folder}/db
rootdn "{root}"
rootpw "{password}"
access to attrs=userPassword by anonymous auth by * none
access to * by users read
"""


def program() -> str | None:
    return shutil.which("slapd", path="/usr/sbin:/usr/local/sbin:/usr/libexec:/usr/bin")


def need() -> None:
    """Skip the test, in CI too: the client library is built from source, which not every machine can."""
    pytest.importorskip("django_auth_ldap", reason="awrdiff[ldap] is not installed")
    if program() is None or shutil.which("ldapadd") is None or shutil.which("openssl") is None:
        pytest.skip("slapd, ldap-utils or openssl is not installed")


class Slapd:
    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="awrdiff-slapd-"))
        self.port, self.tls_port = free_port(), free_port()
        (self.folder / "db").mkdir()
        self.process: subprocess.Popen[bytes] | None = None
        self.certificate = self.folder / "cert.pem"
        name = ("-subj", "/CN=directory", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2")
        files = ("-keyout", str(self.folder / "key.pem"), "-out", str(self.certificate))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *name, *files], check=True, capture_output=True)  # fmt: skip
        text = CONFIG.format(folder=self.folder, root=ROOT_DN, password=ROOT_PASSWORD)
        (self.folder / "slapd.conf").write_text(text)

    @property
    def url(self) -> str:
        return f"ldap://localhost:{self.port}"

    def start(self) -> None:
        urls = f"ldap://127.0.0.1:{self.port}/ ldaps://127.0.0.1:{self.tls_port}/"
        with (self.folder / "log").open("ab") as log:  # `-d`: it stays in the foreground
            command = [program() or "slapd", "-d", "256", "-h", urls, "-f", str(self.folder / "slapd.conf")]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for_port(self.port)
        wait_for_port(self.tls_port)

    def add(self, ldif: str) -> None:
        self._change("ldapadd", ldif)

    def change(self, ldif: str) -> None:
        self._change("ldapmodify", ldif)

    def _change(self, command: str, ldif: str) -> None:
        command_line = [command, "-x", "-H", self.url, "-D", ROOT_DN, "-w", ROOT_PASSWORD]
        subprocess.run(command_line, input=ldif.encode(), check=True, capture_output=True, timeout=20)

    def freeze(self, *, frozen: bool) -> None:
        """It accepts connections and answers nothing."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP if frozen else signal.SIGCONT)

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
