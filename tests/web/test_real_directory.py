"""Signing in with the passwords of a directory: a real slapd, started here."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

import pytest
from django.test import Client

from awrdiff.accounts.models import Membership, Spent, User
from awrdiff.env_variable_types import Place
from tests.harness import slapd
from tests.harness.slapd import ROOT_DN, ROOT_PASSWORD, Slapd
from tests.web.conftest import context_of

pytestmark = [pytest.mark.processes, pytest.mark.django_db]
PEOPLE = """dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=com
objectClass: organizationalUnit
ou: groups

dn: cn=awrdiff,dc=example,dc=com
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: awrdiff
userPassword: p@ss: wörd

"""
PERSON = """dn: cn={cn},ou=people,dc=example,dc=com
objectClass: inetOrgPerson
cn: {cn}
sn: {cn}
uid: {uid}
mail: {uid}@example.com
{password}
"""
GROUP = """dn: cn={cn},ou=groups,dc=example,dc=com
objectClass: groupOfNames
cn: {cn}
member: {member}

"""


def dn(cn: str, where: str = "people") -> str:
    return f"cn={cn},ou={where},dc=example,dc=com"


@pytest.fixture(scope="module")
def running() -> Iterator[Slapd]:
    slapd.need()
    made = Slapd()
    made.start()
    named = {"hugo": "Hugo Lind", "ines": "Ines 100% (I)", "olivia": "Olivia", "nopass": "No Pass", "twice": "Twice 1"}
    people = [
        PERSON.format(cn=cn, uid=uid, password="" if uid == "nopass" else f"userPassword: {uid} in the directory")
        for uid, cn in [*named.items(), ("twice", "Twice 2")]
    ]
    groups = [
        GROUP.format(cn="dba", member=dn("Hugo Lind")),
        GROUP.format(cn="inner", member=dn("Ines 100% (I)")),
        GROUP.format(cn="leads", member=dn("inner", "groups")),
    ]
    made.add("\n".join([PEOPLE.rstrip() + "\n", *people, *groups]))
    yield made
    made.close()


@pytest.fixture
def slapd_(running, settings, accounts, monkeypatch) -> Slapd:
    from awrdiff.logs import Seldom
    from awrdiff.web.sign_in import directory_ldap

    monkeypatch.setattr(directory_ldap, "_said", Seldom(every_s=0))
    settings.AWRDIFF_LDAP_URI = running.url
    settings.AWRDIFF_LDAP_BIND = ("cn=awrdiff,dc=example,dc=com", "p@ss: wörd")
    settings.AWRDIFF_LDAP_USERS = "ou=people,dc=example,dc=com"
    settings.AWRDIFF_LDAP_USER_FILTER, settings.AWRDIFF_LDAP_NAMES = "(uid=%(user)s)", ["uid"]
    settings.AWRDIFF_LDAP_GROUPS = "ou=groups,dc=example,dc=com"
    settings.AWRDIFF_LDAP_TEAMS = (
        Place("dba", "Payments", "member"),
        Place("cn=leads, ou=Groups,dc=example,dc=com", "Payments", "owner"),
    )
    context_of("olivia", "Payments")
    return running


def sign_in(name: str, password: str | None = None) -> Client:
    client = Client()
    client.answer = client.post("/login/", {"login": name, "password": password or f"{name} in the directory"})
    Spent.objects.all().delete()
    return client


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def theirs(name: str) -> dict[str, str]:
    return dict(Membership.objects.filter(user__username=name).values_list("team__name", "role"))


def test_people_sign_in_and_are_on_the_teams_of_their_groups(slapd_):
    assert is_in(sign_in("hugo"))
    assert theirs("hugo") == {"Payments": "member"}
    hugo = User.objects.get(username="hugo")
    assert hugo.directory_id.startswith("entryuuid:")
    assert is_in(sign_in("HUGO", "hugo in the directory"))
    assert User.objects.filter(directory_id=hugo.directory_id).count() == 1


def test_groups_in_groups_count_and_names_may_hold_anything(slapd_):
    assert is_in(sign_in("ines"))
    assert theirs("ines") == {"Payments": "owner"}


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("hugo", "hugo in the directorY"),
        ("nobody", "x"),
        ("*", "hugo in the directory"),
        ("hu*", "hugo in the directory"),
        ("hugo)(uid=*", "hugo in the directory"),
        ("nopass", "x"),
        ("twice", "twice in the directory"),
        ("hu\u00adgo", "hugo in the directory"),
        ("%(user)s", "x"),
        ("hugo", "\0"),
    ],
)
def test_nothing_else_lets_anybody_in(slapd_, name, password):
    client = sign_in(name, password)
    assert (client.answer.status_code, is_in(client)) == (200, False)
    assert not User.objects.exclude(username="olivia").exists()


def test_a_name_that_somebody_has_here_is_theirs_and_their_password_is_not_told(slapd_):
    before = slapd_.log().count("uid=olivia")
    assert not is_in(sign_in("olivia"))
    assert not is_in(sign_in("Olivia", "olivia in the directory"))
    assert slapd_.log().count("uid=olivia") == before
    assert User.objects.get(username="olivia").directory_id is None


def test_it_follows_the_directory_at_each_sign_in(slapd_):
    sign_in("hugo")
    change = f"dn: {dn('dba', 'groups')}\nchangetype: modify\nreplace: member\nmember: {{}}\n"
    slapd_.change(change.format(dn("Olivia")))
    assert sign_in("hugo").answer.status_code == 302
    assert theirs("hugo") == {}
    slapd_.change(change.format(dn("Hugo Lind")))
    slapd_.change(f"dn: {dn('Hugo Lind')}\nchangetype: modify\nreplace: uid\nuid: hugo.lind\n")
    try:
        assert is_in(sign_in("hugo.lind", "hugo in the directory"))
        assert theirs("hugo") == {"Payments": "member"}
    finally:
        slapd_.change(f"dn: {dn('Hugo Lind')}\nchangetype: modify\nreplace: uid\nuid: hugo\n")


def test_passwords_are_in_no_log(slapd_, caplog):
    with caplog.at_level(logging.DEBUG):
        sign_in("hugo", "a secret that is wrong")
        sign_in("a secret in the wrong field", "x")
        sign_in("hugo")
    assert "sign-in failed: user 'hugo'" not in caplog.text  # nobody here was called so yet
    for secret in ("a secret that is wrong", "hugo in the directory", "p@ss"):
        assert secret not in caplog.text
    told = [one for one in caplog.records if "wrong field" in one.getMessage() and one.name.startswith("awrdiff")]
    assert told == []


def test_the_librarys_own_lines_which_name_who_tries_are_off():
    from awrdiff.settings import LOGGING

    assert LOGGING["loggers"]["django_auth_ldap"]["level"] == "CRITICAL"


@pytest.mark.parametrize("how", ["stopped", "frozen", "bind", "base"])
def test_a_directory_that_cannot_be_asked_is_said_to_be_away(slapd_, settings, monkeypatch, caplog, how):
    from awrdiff.web.sign_in import directory_ldap

    monkeypatch.setattr(directory_ldap, "ANSWER_S", 1)
    olivia = User.objects.get(username="olivia")
    olivia.set_password("seven lamps of green tin")
    olivia.save()
    if how == "stopped":
        slapd_.stop()
    elif how == "frozen":
        slapd_.freeze(frozen=True)
    elif how == "bind":
        settings.AWRDIFF_LDAP_BIND = (settings.AWRDIFF_LDAP_BIND[0], "another password")
    else:
        settings.AWRDIFF_LDAP_USERS = "ou=nowhere,dc=example,dc=com"
    begun = time.monotonic()
    try:
        answer = sign_in("hugo").answer
        assert (answer.status_code, "does not answer: try again later, or sign in with" in answer.content.decode()) == (503, True)  # fmt: skip
        assert is_in(sign_in("olivia", "seven lamps of green tin"))
    finally:
        slapd_.freeze(frozen=False) if how == "frozen" else None
        slapd_.start() if how == "stopped" else None
    assert time.monotonic() - begun < 8
    assert "cannot be asked: " in caplog.text
    assert "another password" not in caplog.text
    if how in ("bind", "base"):
        assert {"bind": "Invalid credentials", "base": "No such object"}[how] in caplog.text


def test_groups_that_cannot_be_read_are_not_to_be_in_none(slapd_, settings):
    sign_in("hugo")
    settings.AWRDIFF_LDAP_GROUPS = "ou=nowhere,dc=example,dc=com"
    assert sign_in("hugo").answer.status_code == 503
    assert theirs("hugo") == {"Payments": "member"}


def test_a_directory_that_hangs_keeps_few_threads(slapd_, monkeypatch):
    from awrdiff.web.sign_in import directory_ldap

    monkeypatch.setattr(directory_ldap, "WAIT_S", 0.05)
    held = 0
    while directory_ldap._ASKING.acquire(blocking=False):
        held += 1
    try:
        assert held == 2  # of eight
        assert sign_in("hugo").answer.status_code == 503
    finally:
        for _ in range(held):
            directory_ldap._ASKING.release()
    assert is_in(sign_in("hugo"))


@pytest.mark.parametrize("scheme", ["ldaps", "ldap+tls"])
def test_a_certificate_that_nobody_vouches_for_is_refused(slapd_, settings, scheme, monkeypatch):
    import ldap

    port = slapd_.tls_port if scheme == "ldaps" else slapd_.port
    settings.AWRDIFF_LDAP_URI = f"{scheme}://127.0.0.1:{port}"
    ldap.set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_NEVER)  # as a lax ldap.conf has it
    was = ldap.get_option(ldap.OPT_X_TLS_CACERTFILE)
    assert sign_in("hugo").answer.status_code == 503
    try:
        ldap.set_option(ldap.OPT_X_TLS_CACERTFILE, str(slapd_.certificate))
        assert is_in(sign_in("hugo"))
        settings.AWRDIFF_LDAP_URI = f"{scheme}://localhost:{port}"  # another name
        assert sign_in("hugo").answer.status_code == 503
    finally:
        ldap.set_option(ldap.OPT_X_TLS_CACERTFILE, was or "/etc/ssl/certs/ca-certificates.crt")


@pytest.mark.parametrize("kind", ["groupofuniquenames", "posixgroup"])
def test_other_kinds_of_groups(slapd_, settings, kind):
    settings.AWRDIFF_LDAP_GROUP_KIND = kind
    settings.AWRDIFF_LDAP_TEAMS = (Place(kind, "Payments", "reader"),)
    more = {
        "groupofuniquenames": f"objectClass: groupOfUniqueNames\nuniqueMember: {dn('Hugo Lind')}\n",
        "posixgroup": "objectClass: posixGroup\ngidNumber: 7\nmemberUid: hugo\n",
    }[kind]
    slapd_.add(f"dn: {dn(kind, 'groups')}\ncn: {kind}\n{more}")
    assert is_in(sign_in("hugo"))
    assert theirs("hugo") == {"Payments": "reader"}


def test_nobody_binds_for_a_search_where_the_directory_lets_anybody_search(slapd_, settings):
    """This one lets nobody: it is said as a directory that cannot be asked, not as a wrong password."""
    settings.AWRDIFF_LDAP_BIND = ("", "")
    assert sign_in("hugo").answer.status_code == 503
    settings.AWRDIFF_LDAP_BIND = (ROOT_DN, ROOT_PASSWORD)
    assert is_in(sign_in("hugo"))
