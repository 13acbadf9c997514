"""Options of a connection to the directory, also where the extra `ldap` is not installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from awrdiff.web.sign_in import directory_accounts

PATH = Path(directory_accounts.__file__).with_name("directory_ldap.py")


class Names(ModuleType):
    """Stands for python-ldap: its constants are their names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return name

    def get_option(self, name: str) -> str:
        return f"system's {name}"


class Extra(ModuleType):
    """Stands for django-auth-ldap."""

    class LDAPBackend:
        pass

    LDAPSearch = LDAPBackend

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Extra(name)

    def connect(self, *_: object, **__: object) -> None:
        pass


@pytest.fixture
def options(monkeypatch):
    for name, stand_in in (("ldap", Names), ("django_auth_ldap", Extra), ("django_auth_ldap.backend", Extra)):
        monkeypatch.setitem(sys.modules, name, stand_in(name))
    spec = importlib.util.spec_from_file_location("directory_ldap_alone", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module._options


def test_an_encrypted_connection_demands_a_certificate_and_applies_it_last(options):
    encrypted = options(encrypted=True)
    assert encrypted["OPT_X_TLS_REQUIRE_CERT"] == "OPT_X_TLS_DEMAND"
    assert encrypted["OPT_X_TLS_CACERTFILE"] == "system's OPT_X_TLS_CACERTFILE"
    assert [*encrypted][-1] == "OPT_X_TLS_NEWCTX"


def test_referrals_are_followed_nowhere_and_a_plain_connection_has_no_tls(options):
    plain = options(encrypted=False)
    assert plain["OPT_REFERRALS"] == 0
    assert not [name for name in plain if "TLS" in name]
