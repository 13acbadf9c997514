"""Operating system user at the other end of a loopback connection (Linux).

Asks the kernel for the one connection (`sock_diag`), else reads /proc/net/tcp*. Standard library only: bin/serve asks
before Django is there.
"""

from __future__ import annotations

import os
import re
import struct
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from awrdiff.accounts import sock_diag

PROC = Path("/proc/net")
_OVERFLOW_UID = Path("/proc/sys/kernel/overflowuid")
_TIME_WAIT = 6


def system_tells() -> bool:
    """True where owners of connections can be told. False for the user that stands for all unknown ones."""
    try:
        (PROC / "tcp").open().close()
        return os.geteuid() != int(_OVERFLOW_UID.read_text())
    except (OSError, ValueError):
        return False


def loopback(address: str) -> IPv4Address | IPv6Address | None:
    """`address` if it is this machine's own (IPv4 written as IPv6 becomes IPv4), else None."""
    try:
        ip = ip_address(address)
    except ValueError:
        return None
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return ip if ip.is_loopback else None


def owner(address: str, port: int, bound: str, server_port: int) -> int | None:
    """User id of the process that connects from `address`:`port` to `bound`:`server_port`; None: unknown.

    Nothing is cached: a freed port may be somebody else's the next moment.
    """
    peer, our_own = loopback(address), loopback(bound)
    if peer is None:
        return None
    if our_own is not None and our_own.version == peer.version:
        try:
            connection = sock_diag.find(peer, port, our_own, server_port)
        except OSError:
            connection = None
        if connection is not None:
            return _living_owner(connection.state, connection.uid, connection.inode)
    return _owner_by_table(peer, port, server_port)


def _owner_by_table(peer: IPv4Address | IPv6Address, port: int, server_port: int) -> int | None:
    """Without our own address several rows may fit: all must name the same living owner."""
    for _ in range(2):  # a row can be passed over while the table changes under the reader
        owners = set().union(*(_owners(*table, port, server_port) for table in _tables(peer)))
        if owners:
            return owners.pop() if len(owners) == 1 else None
    return None


def _tables(peer: IPv4Address | IPv6Address) -> list[tuple[str, bytes]]:
    """Tables to read, with the address as written there; an IPv6 socket may speak IPv4."""
    if isinstance(peer, IPv6Address):
        return [("tcp6", kernel_address(peer.packed))]
    return [("tcp", kernel_address(peer.packed)), ("tcp6", kernel_address(IPv6Address(f"::ffff:{peer}").packed))]


def kernel_address(packed: bytes) -> bytes:
    """Address as in /proc/net/tcp*: 32-bit words in the machine's byte order."""
    return b"".join(b"%08X" % word for word in struct.unpack(f"={len(packed) // 4}I", packed))


def _owners(table: str, address: bytes, port: int, server_port: int) -> set[int | None]:
    """Owners of the connections from there to us; None for a closed one."""
    try:
        text = (PROC / table).read_bytes()
    except OSError:
        return set()
    row = re.compile(rb"^ *\d+: %s:%04X [0-9A-F]+:%04X .*$" % (address, port, server_port), re.M)
    # Fields: number, local, remote, state, queues, timer, retransmits, uid, timeout, inode, …
    rows = [line.split() for line in row.findall(text)]
    return {_living_owner(int(fields[3], 16), int(fields[7]), int(fields[9])) for fields in rows}


def _living_owner(state: int, uid: int, inode: int) -> int | None:
    """The kernel reports uid 0 and inode 0 for sockets no process holds (TIME_WAIT, closed while sending)."""
    return None if state == _TIME_WAIT or inode == 0 else uid
