"""Who is at the other end: rows of /proc/net/tcp and tcp6 as Linux writes them, and connections of this process."""

from __future__ import annotations

import os
import socket
import struct
import sys
from ipaddress import ip_address

import pytest

from awrdiff.accounts import loopback_peer_user

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
V4, V4_OTHER = "0100007F", "0200007F"
V6 = "00000000000000000000000001000000"
MAPPED = "0000000000000000FFFF00000100007F"
PORT, SERVER = 48774, 8000
HERE = "127.0.0.1"
little_endian = pytest.mark.skipif(sys.byteorder != "little", reason="the rows are those of a little-endian machine")
pytestmark = little_endian


def row(address: str, uid: int, *, port: int = PORT, state: str = "01", inode: int = 4711, to: int = SERVER) -> str:
    queues = "00000000:00000000 00:00000000 00000000"
    return f" 12: {address}:{port:04X} {address}:{to:04X} {state} {queues} {uid:5d}        0 {inode} 1 00000000c7e8ebd5 20\n"


def no_answer(*_):
    raise OSError("no such family")


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A kernel that does not answer sock_diag. Writes the two files; a row of another connection stands before and after."""
    monkeypatch.setattr(loopback_peer_user, "find_connection", no_answer)
    monkeypatch.setattr(loopback_peer_user, "PROC", tmp_path)

    def written(tcp: str = "", tcp6: str = "") -> None:
        for name, rows in (("tcp", tcp), ("tcp6", tcp6)):
            others = row(V4, 7, port=PORT + 1), row(V4, 7, to=SERVER + 1)
            (tmp_path / name).write_text(HEAD + others[0] + rows + others[1])

    return written


@pytest.mark.parametrize(
    ("address", "tcp", "tcp6"),
    [
        ("127.0.0.1", row(V4, 1000), ""),
        ("::ffff:127.0.0.1", row(V4, 1000), ""),
        ("127.0.0.1", "", row(MAPPED, 1000)),
        ("::1", "", row(V6, 1000)),
        ("127.0.0.2", row(V4_OTHER, 1000), ""),
        ("127.0.0.1", row(V4, 1000, state="05"), ""),  # half closed: the client has sent all and waits
    ],
)
def test_the_owner_is_found(table, address, tcp, tcp6):
    table(tcp, tcp6)
    assert loopback_peer_user.owner(address, PORT, HERE, SERVER) == 1000


@pytest.mark.parametrize(
    ("address", "tcp"),
    [
        ("127.0.0.1", ""),
        ("127.0.0.2", row(V4, 0)),  # another address
        ("127.0.0.1", row(V4, 0, port=PORT + 2)),
        ("127.0.0.1", row(V4, 0, to=SERVER + 2)),
        ("127.0.0.1", row(V4, 0, state="06", inode=0)),  # TIME_WAIT: uid 0 is nobody's
        ("127.0.0.1", row(V4, 0, state="04", inode=0)),  # closed by its process, still sending
        ("127.0.0.1", row(V4, 0) + row(V4, 1000)),  # the same port to two addresses of ours, by two users
        ("127.0.0.1", row(V4, 1000) + row(V4, 0, state="06", inode=0)),
        ("192.168.1.7", row("0701A8C0", 1000)),
        ("", row(V4, 1000)),
    ],
)
def test_nobody_is_taken_for_somebody(table, address, tcp):
    table(tcp)
    assert loopback_peer_user.owner(address, PORT, HERE, SERVER) is None


def test_our_own_end_of_the_connection_says_nothing_about_theirs(table):
    ours = row(V4, os.geteuid(), port=SERVER, to=PORT)
    table(ours)
    assert loopback_peer_user.owner("127.0.0.1", PORT, HERE, SERVER) is None


def test_a_system_without_the_files_tells_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(loopback_peer_user, "PROC", tmp_path)
    assert not loopback_peer_user.system_tells()
    assert loopback_peer_user.owner("127.0.0.1", PORT, HERE, SERVER) is None


def test_the_user_who_stands_for_all_unknown_ones_proves_nothing(tmp_path, monkeypatch):
    (tmp_path / "overflowuid").write_text(f"{os.geteuid()}\n")
    monkeypatch.setattr(loopback_peer_user, "_OVERFLOW_UID", tmp_path / "overflowuid")
    assert not loopback_peer_user.system_tells()


CONNECTIONS = [
    pytest.param(socket.AF_INET, socket.AF_INET, "127.0.0.1", id="v4"),
    pytest.param(socket.AF_INET, socket.AF_INET6, "::ffff:127.0.0.1", id="mapped"),
    pytest.param(socket.AF_INET6, socket.AF_INET6, "::1", id="v6"),
]


@pytest.mark.skipif(not loopback_peer_user.system_tells(), reason="this system does not tell who owns a connection")
@pytest.mark.parametrize("way", ["kernel", "table"])
@pytest.mark.parametrize("orderly", [True, False])
@pytest.mark.parametrize(("bound", "client", "target"), CONNECTIONS)
def test_this_process_is_ours_until_it_closes(monkeypatch, tmp_path, way, orderly, bound, client, target):
    if way == "kernel":
        monkeypatch.setattr(loopback_peer_user, "PROC", tmp_path)
    else:
        monkeypatch.setattr(loopback_peer_user, "find_connection", no_answer)
    here = "::1" if bound == socket.AF_INET6 else "127.0.0.1"
    with socket.socket(bound) as server, socket.socket(client) as peer:
        server.bind((here, 0))
        server.listen()
        peer.connect((target, server.getsockname()[1]))
        accepted, address = server.accept()
        with accepted:
            asked = (address[0], address[1], here, server.getsockname()[1])
            assert loopback_peer_user.owner(*asked) == os.geteuid()
            assert (
                loopback_peer_user.owner(address[0], 1, here, asked[3]) is None  # a port that nobody is given
            )  # that port is taken: nobody connects from it
            if not orderly:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()
            assert loopback_peer_user.owner(*asked) is None


def test_a_connection_to_another_server_on_the_same_port_is_not_ours():
    """Somebody's server on 127.0.0.2 gets us to connect to it; then they connect to ours from the same port."""
    with socket.socket() as theirs, socket.socket() as peer:
        theirs.bind(("127.0.0.2", 0))
        theirs.listen()
        peer.connect(theirs.getsockname())
        address, port = peer.getsockname()
        assert (
            loopback_peer_user.find_connection(ip_address(address), port, ip_address(HERE), theirs.getsockname()[1])
            is None
        )


def test_a_kernel_that_does_not_know_the_question_is_an_error_and_not_a_no(monkeypatch):
    monkeypatch.setattr(loopback_peer_user, "_BY_FAMILY", 99)
    with pytest.raises(OSError, match="does not tell"):
        loopback_peer_user.find_connection(ip_address(HERE), PORT, ip_address(HERE), SERVER)
