"""Which operating system user is at the other end of a loopback connection, as Linux tells it.

The kernel is asked for the one connection (`sock_diag`); where it does not answer, /proc/net/tcp* is read. Standard
library only: bin/serve asks before Django is there.
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
    """Whether owners of connections can be had here. Not for the user that stands for all unknown ones."""
    try:
        (PROC / "tcp").open().close()
        return os.geteuid() != int(_OVERFLOW_UID.read_text())
    except (OSError, ValueError):
        return False


def loopback(address: str) -> IPv4Address | IPv6Address | None:
    """`address` where it is this machine's own (an IPv4 one written as IPv6 becomes IPv4), else None."""
    try:
        found = ip_address(address)
    except ValueError:
        return None
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    return found if found.is_loopback else None


def owner(address: str, port: int, bound: str, server_port: int) -> int | None:
    """The user id of the process that connects from `address` and `port` to us at `bound`; None: not told.

    Nothing is remembered between two requests: a port that becomes free may be somebody else's the next moment.
    """
    peer, our_own = loopback(address), loopback(bound)
    if peer is None:
        return None
    if our_own is not None and our_own.version == peer.version:
        try:
            found = sock_diag.find(peer, port, our_own, server_port)
        except OSError:
            found = None
        if found is not None:
            return _living_owner(found.state, found.uid, found.inode)
    return _owner_by_table(peer, port, server_port)


def _owner_by_table(peer: IPv4Address | IPv6Address, port: int, server_port: int) -> int | None:
    """Without our own address several rows may fit: they must all name the same living owner."""
    for _ in range(2):  # a row can be passed over while the table changes under the reader
        owners = set().union(*(_owners(*table, port, server_port) for table in _tables(peer)))
        if owners:
            return owners.pop() if len(owners) == 1 else None
    return None


def _tables(peer: IPv4Address | IPv6Address) -> list[tuple[str, bytes]]:
    """Files to look into, with the address as it is written there; an IPv6 socket may speak IPv4."""
    if isinstance(peer, IPv6Address):
        return [("tcp6", kernel_address(peer.packed))]
    return [("tcp", kernel_address(peer.packed)), ("tcp6", kernel_address(IPv6Address(f"::ffff:{peer}").packed))]


def kernel_address(packed: bytes) -> bytes:
    """An address as /proc/net/tcp* writes it: words of 32 bits in the machine's own byte order."""
    return b"".join(b"%08X" % word for word in struct.unpack(f"={len(packed) // 4}I", packed))


def _owners(table: str, address: bytes, port: int, server_port: int) -> set[int | None]:
    """Owners of the connections from there to us; None stands for one that is closed and has none any more."""
    try:
        text = (PROC / table).read_bytes()
    except OSError:
        return set()
    row = re.compile(rb"^ *\d+: %s:%04X [0-9A-F]+:%04X .*$" % (address, port, server_port), re.M)
    # Fields: number, local, remote, state, queues, timer, retransmits, uid, timeout, inode, …
    rows = [line.split() for line in row.findall(text)]
    return {_living_owner(int(fields[3], 16), int(fields[7]), int(fields[9])) for fields in rows}


def _living_owner(state: int, uid: int, inode: int) -> int | None:
    """The kernel says uid 0 and inode 0 of what no process holds any more (TIME_WAIT, and closed while sending)."""
    return None if state == _TIME_WAIT or inode == 0 else uid
