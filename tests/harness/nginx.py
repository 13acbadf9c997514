"""An nginx of the tests' own, on a free port: started by root it serves as `nobody`, as a packaged one does."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.harness import tools
from tests.harness.services import free_port, wait_for_port

CONFIG = """
{user}
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ {location} }}
    }}
}}
"""


class Nginx:
    """`location` is what stands in `location / { … }`."""

    def __init__(self, location: str) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="awrdiff-nginx-"))
        user = f"user nobody {grp.getgrgid(pwd.getpwnam('nobody').pw_gid).gr_name};" if os.geteuid() == 0 else ""
        config = CONFIG.format(user=user, folder=self.folder, port=self.port, location=location)
        (self.folder / "nginx.conf").write_text(config)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [
            tools.nginx() or "nginx",
            "-c",
            str(self.folder / "nginx.conf"),
            "-e",
            str(self.folder / "error.log"),
        ]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        wait_for_port(self.port)

    def close(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=20)
        shutil.rmtree(self.folder, ignore_errors=True)
