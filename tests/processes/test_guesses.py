"""Somebody who knows a password and has many networks guesses at the second factor of a running server, all at once."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.parse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from tests.harness.server import ROOT, Client, Server, until

pytestmark = [pytest.mark.processes]
PASSWORD = "seven lamps of green tin"
MADE = f"""
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth
from awrdiff.accounts.models import User
from awrdiff.accounts.services import join
for name in ("olivia", "carl"):
    user = User(username=name)
    user.set_password({PASSWORD!r})
    user.save()
    join(user, "Payments")
    auth.TOTP.activate(user, auth.generate_totp_secret())
print("made", RecoveryCodes.activate(User.objects.get(username="olivia")).get_unused_codes()[0])
"""


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def server(request, tmp_path_factory: pytest.TempPathFactory):
    env = {
        "AWRDIFF_LOCAL_USER": "False",
        "AWRDIFF_HTTPS": "False",
        "AWRDIFF_ALLOWED_HOSTS": "localhost",
        "AWRDIFF_BEHIND_PROXY": "True",
        "AWRDIFF_CLIENT_ADDRESS_HEADER": "X-Forwarded-For",
    }
    if request.param == "postgres":
        env["DATABASE_URL"] = request.getfixturevalue("postgres").migrated_database()
    made = Server(tmp_path_factory.mktemp("guessed"), **env)
    made.start()
    said = subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", MADE], cwd=ROOT, env=made.env, capture_output=True, check=True
    )
    made.recovery = re.search(rb"made (\d{8})", said.stdout)[1].decode()
    yield made
    made.stop()


_numbers = count()


class Guesser:
    """From another /64 with each request, out of a hundred sites."""

    def __init__(self, server: Server, name: str) -> None:
        self.client, self.name = Client(server.url), name

    def post(self, path: str, **fields: str):
        number = next(_numbers)
        address = f"2001:db8:{number % 100:x}:{number:x}::1"
        return self.client.request("POST", path, urllib.parse.urlencode(fields).encode(), X_Forwarded_For=address)

    def sign_in(self) -> None:
        self.client.page("/login/")
        self.post("/login/", login=self.name, password=PASSWORD)

    def guess(self, code: str) -> int:
        return self.post("/login/second-factor/", code=code).status


def looked_at(server: Server, name: str, at_least: int) -> int:
    """The web process's lines come by its parent: the last ones may stand in the file after the last answer."""

    def lines() -> int:
        return len(re.findall(rf"sign-in failed by second factor: user '{name}'", server.log.read_text()))

    until(lambda: lines() >= at_least, 20, what=server.output)
    return lines()


def test_three_hundred_codes_of_eight_sessions_get_ten_looks(server: Server) -> None:
    def guess(number: int) -> Counter[int]:
        guesser, statuses = Guesser(server, "olivia"), Counter()
        guesser.sign_in()
        for n in range(38):
            status = guesser.guess(f"{n:06}")
            statuses[status] += 1
            if status == 401:
                guesser.sign_in()
        return statuses

    with ThreadPoolExecutor(8) as pool:
        statuses = sum(pool.map(guess, range(8)), Counter())
    print(dict(statuses))
    assert statuses.total() == 304
    assert looked_at(server, "olivia", at_least=10) == 10
    assert statuses[429] >= 280
    mine = Guesser(server, "olivia")
    mine.sign_in()
    mine.guess(server.recovery)
    assert mine.client.page("/account/second-factor/").status == 200
    assert b"Wrong codes of your second factor were entered" in mine.client.page("/notices/").body
    assert not server.faults()


def test_forty_at_once_of_one_session_get_five(server: Server) -> None:
    guesser = Guesser(server, "carl")
    guesser.sign_in()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda n: guesser.guess(f"{n:06}"), range(40)))
    assert looked_at(server, "carl", at_least=5) == 5
    assert not server.faults()
