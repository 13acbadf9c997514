"""Listening address, and the address for people to open."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from awrdiff import server_env_variables
from awrdiff.serving.console import fail

BACKLOG = 1024
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound


def bind_address(*, local: bool) -> tuple[str, int]:
    """AWRDIFF_BIND and PORT; loopback only with the local user."""
    host = server_env_variables.BIND.read()
    if local and not is_loopback(host):
        fail(
            f"AWRDIFF_BIND={host} would let others in without a password. "
            "See docs/operations.md: Reaching it from other machines."
        )
    return host, server_env_variables.PORT.read()


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        fail(f"AWRDIFF_BIND must be an IP address, not {host!r}.")


def listen(host: str, port: int) -> socket.socket:
    """Early connections wait in its queue."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        fail(f"{host} port {port} cannot be used ({error.strerror}). Choose another: PORT=8001 bin/serve")
    return listener


def own_url(host: str, port: int) -> str:
    return f"http://{_in_url(EVERYWHERE.get(host, host))}:{port}{server_env_variables.PATH.read()}/"


def public_address(host: str, port: int, *, local: bool) -> str:
    """Browser's address; in accounts mode an allowed name."""
    names = [name.lstrip(".") for name in server_env_variables.ALLOWED_HOSTS.read() if name != "*"]
    listening, path = f"{_in_url(host)}:{port}", server_env_variables.PATH.read()
    if local or not names:
        return f"http://{'localhost' if is_loopback(host) else _in_url(host)}:{port}{path}/"
    https = server_env_variables.HTTPS.read(default=not server_env_variables.DEBUG.read())
    if https or server_env_variables.BEHIND_PROXY.read():
        return f"http{'s' if https else ''}://{names[0]}{path}/, by the proxy that forwards to {listening}"
    return f"http://{names[0]}:{port}{path}/"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
