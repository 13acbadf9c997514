"""Lookup of one TCP connection in the kernel by its two ends (Linux, sock_diag(7)).

Unlike /proc/net/tcp it does not walk every bucket of the kernel's table for each reader.
"""

from __future__ import annotations

import errno
import socket
import struct
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

_SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
_BY_FAMILY = 20  # SOCK_DIAG_BY_FAMILY: the request's and the answer's type
_NLM_F_REQUEST = 1
_ANY_COOKIE = b"\xff" * 8
_HEAD = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence, port
_REQUEST = struct.Struct("=BBBBI")  # inet_diag_req_v2: family, protocol, extensions, padding, states
_ENDS = struct.Struct("!HH16s16s4x")  # inet_diag_sockid: ports, addresses, interface; then the cookie
_RESPONSE = struct.Struct("=BBBB48xIIIII")  # inet_diag_msg: family, state, …, the ends, …, uid, inode


@dataclass(frozen=True, slots=True)
class Connection:
    state: int
    uid: int
    inode: int


def find(
    near: IPv4Address | IPv6Address, near_port: int, far: IPv4Address | IPv6Address, far_port: int
) -> Connection | None:
    """Connection from `near` to `far`; None: there is none. Raises OSError where the kernel does not answer.

    An IPv4 connection is looked up whichever family its socket is of.
    """
    family = socket.AF_INET6 if near.version == 6 else socket.AF_INET
    ends = _ENDS.pack(near_port, far_port, near.packed.ljust(16, b"\0"), far.packed.ljust(16, b"\0"))
    request = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 0, 0xFFFFFFFF) + ends + _ANY_COOKIE
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.settimeout(1)
        kernel.send(_HEAD.pack(_HEAD.size + len(request), _BY_FAMILY, _NLM_F_REQUEST, 1, 0) + request)
        answer = kernel.recv(8192)
    if _HEAD.unpack_from(answer)[1] == _BY_FAMILY:
        fields = _RESPONSE.unpack_from(answer, _HEAD.size)
        return Connection(state=fields[1], uid=fields[7], inode=fields[8])
    error = struct.unpack_from("=i", answer, _HEAD.size)[0]
    if error != -errno.ENOENT:
        raise OSError(-error, "the kernel does not tell who owns a connection")
    return None
