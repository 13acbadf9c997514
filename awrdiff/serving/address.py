"""Where the server listens, and the address that people can open."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from awrdiff import env
from awrdiff.serving.say import fail

BACKLOG = 1024
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound


def bind_address(*, local: bool) -> tuple[str, int]:
    """AWRDIFF_BIND and PORT. With the local user, whom nobody asks for a password, loopback only."""
    host = env.text("AWRDIFF_BIND") or "127.0.0.1"
    if local and not is_loopback(host):
        fail(
            f"AWRDIFF_BIND={host} would let others in without a password. "
            "See docs/operations.md: Reaching it from other machines."
        )
    port = env.text("PORT") or "8000"
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        fail(f"PORT must be a number from 1 to 65535, not {port!r}.")
    return host, int(port)


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        fail(f"AWRDIFF_BIND must be an IP address, not {host!r}.")


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. What connects before a process takes it waits in the queue of the system."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(BACKLOG)
    except OSError as error:
        fail(f"{host} port {port} cannot be used ({error.strerror}). Choose another: PORT=8001 bin/serve")
    return made


def own_url(host: str, port: int) -> str:
    """Where the server reaches itself."""
    return f"http://{_in_url(EVERYWHERE.get(host, host))}:{port}/"


def public_address(host: str, port: int, *, local: bool) -> str:
    """What to open in a browser; in accounts mode an allowed name, since it answers to no other."""
    names = [name.lstrip(".") for name in env.names("AWRDIFF_ALLOWED_HOSTS") if name != "*"]
    listening = f"{_in_url(host)}:{port}"
    if local or not names:
        return f"http://{'localhost' if is_loopback(host) else _in_url(host)}:{port}/"
    https = env.boolean("AWRDIFF_HTTPS", default=not env.boolean("AWRDIFF_DEBUG", default=False))
    if https or env.boolean("AWRDIFF_BEHIND_PROXY", default=False):
        return f"http{'s' if https else ''}://{names[0]}/, by the proxy that forwards to {listening}"
    return f"http://{names[0]}:{port}/"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
