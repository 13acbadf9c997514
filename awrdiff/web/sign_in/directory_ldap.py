"""Password check in LDAP, by the extra django-auth-ldap."""

from __future__ import annotations

import logging
import ssl
import threading
from typing import Any
from urllib.parse import urlsplit

import ldap
from django.conf import settings
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables
from django_auth_ldap import config
from django_auth_ldap.backend import LDAPBackend, ldap_error

from awrdiff.accounts.models import User
from awrdiff.logs import Seldom
from awrdiff.web.sign_in import directory_accounts

logger = logging.getLogger(__name__)
_lines = Seldom(every_s=10)
CONNECT_S = 4
ANSWER_S = 8  # each of some four questions
WAIT_S = 2
# A directory that hangs keeps no more than a quarter of the threads from serving pages.
_ASKING = threading.BoundedSemaphore(max(1, settings.AWRDIFF_WEB_THREADS // 4))
KINDS = {
    "groupofnames": ("groupOfNames", config.NestedGroupOfNamesType),
    "groupofuniquenames": ("groupOfUniqueNames", config.NestedGroupOfUniqueNamesType),
    "posixgroup": ("posixGroup", config.PosixGroupType),
    "group": ("group", config.NestedActiveDirectoryGroupType),
}
# What a directory answers where a password is not taken, besides "invalid credentials".
_NOT_TAKEN = (ldap.INAPPROPRIATE_AUTH, ldap.UNWILLING_TO_PERFORM, ldap.CONSTRAINT_VIOLATION)


@sensitive_variables("password")
def person(request: HttpRequest, name: str, password: str) -> User | None:
    """None if refused. Raises NotSignedIn."""
    if not password or directory_accounts.is_elsewhere(name):
        return None
    if not _ASKING.acquire(timeout=WAIT_S):
        raise directory_accounts.Away
    try:
        user = _Directory().authenticate(request, username=name, password=password)
    finally:
        _ASKING.release()
    return user if isinstance(user, User) else None


class _Search(config.LDAPSearch):  # type: ignore[misc]
    def search_with_additional_term_string(self, filterstr: str) -> Any:
        """Names may contain %, and the filter is formatted again."""
        return super().search_with_additional_term_string(filterstr.replace("%", "%%"))


class _Directory(LDAPBackend):  # type: ignore[misc]
    """Queried anew each time; unknown to Django, so sessions are ordinary."""

    def __init__(self) -> None:
        kind, group_type = KINDS[settings.AWRDIFF_LDAP_GROUP_KIND]
        scheme, rest = settings.AWRDIFF_LDAP_URI.split("://")
        base, whole = settings.AWRDIFF_LDAP_USERS, ldap.SCOPE_SUBTREE
        bind_dn, bind_password = settings.AWRDIFF_LDAP_BIND
        self.default_settings = {
            "SERVER_URI": f"{scheme.removesuffix('+tls')}://{rest}",
            "START_TLS": scheme.endswith("+tls"),
            "BIND_DN": bind_dn,
            "BIND_PASSWORD": bind_password,
            "USER_SEARCH": _Search(base, whole, settings.AWRDIFF_LDAP_USER_FILTER, ["*", *directory_accounts.IDS]),
            "GROUP_SEARCH": _Search(settings.AWRDIFF_LDAP_GROUPS, whole, f"(objectClass={kind})", ["cn"]),
            "GROUP_TYPE": group_type(),
            "ALWAYS_UPDATE_USER": False,
            "CONNECTION_OPTIONS": _options(encrypted=scheme != "ldap"),
        }

    def get_or_build_user(self, username: str, ldap_user: Any) -> tuple[User, bool]:
        """Called once the password was right."""
        entry = directory_accounts.entry_of(username, ldap_user.dn, ldap_user.attrs)
        if entry is None:
            raise ldap_user.AuthenticationFailed("it is not called what was typed")
        entry = directory_accounts.with_groups(entry, lambda: {*ldap_user.group_names, *ldap_user.group_dns})
        return directory_accounts.account_of(ldap_user._request, entry), False


def _options(*, encrypted: bool) -> dict[int, Any]:
    """The last option applies those before it; own options ignore ldap.conf."""
    options = {ldap.OPT_NETWORK_TIMEOUT: CONNECT_S, ldap.OPT_TIMEOUT: ANSWER_S, ldap.OPT_REFERRALS: 0}
    if encrypted:
        trusted = ldap.get_option(ldap.OPT_X_TLS_CACERTFILE) or ssl.get_default_verify_paths().cafile
        options |= {ldap.OPT_X_TLS_CACERTFILE: trusted} if trusted else {}
        options |= {ldap.OPT_X_TLS_REQUIRE_CERT: ldap.OPT_X_TLS_DEMAND, ldap.OPT_X_TLS_NEWCTX: 0}
    return options


def _not_answered(context: str, exception: Exception, **_: Any) -> None:
    if context == "authenticate" and isinstance(exception, _NOT_TAKEN):
        return
    if (left_out := _lines.now()) is not None:
        details = exception.args[0] if exception.args and isinstance(exception.args[0], dict) else {}
        texts = [str(details[key]) for key in ("desc", "info") if details.get(key)]
        logger.warning(
            "the directory %s cannot be asked: %s; %d more since the last such line",
            urlsplit(settings.AWRDIFF_LDAP_URI).netloc,
            ", ".join(texts)[:300] or type(exception).__name__,
            left_out,
        )
    raise directory_accounts.Away from exception


ldap_error.connect(_not_answered, dispatch_uid="awrdiff")
