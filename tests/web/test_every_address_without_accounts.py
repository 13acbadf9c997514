"""The embedded default: whoever runs the server is its one member, and nobody else on the machine is."""

from __future__ import annotations

import os

import pytest
from django.test import Client

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.services import local_membership
from awrdiff.web.sign_in.local_user import PEER_UID
from tests.web.addresses import ROWS
from tests.web.cast import Cast, cast_of
from tests.web.test_every_address import refused, statuses

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db, settings, tmp_path) -> Cast:
    settings.VAR = tmp_path
    membership = local_membership()
    return cast_of(AccessContext(team=membership.team, user=membership.user))


def test_nobody_has_an_account_to_look_at(cast):
    refused(Client(), cast, 401, "account")


def test_whoever_runs_the_server_may(cast):
    found = statuses(Client(), cast, "member", "object")
    assert {name: given for name, given in found.items() if not given <= ROWS[name].fine} == {}


@pytest.mark.parametrize("uid", [os.geteuid() + 1, None])
def test_others_on_the_machine_may_not(cast, uid):
    refused(Client(**{PEER_UID: uid}), cast, 403, "member", "object")


def test_a_link_opens_for_them(cast):
    found = statuses(Client(**{PEER_UID: os.geteuid() + 1}), cast, "link")
    assert found == {name: {204} if name == "shared-password" else {200} for name in found}
