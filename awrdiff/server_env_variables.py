"""All environment variables of a server: kind, default, meaning.

Source of docs/reference/settings.md and samples, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from awrdiff.env_variable_types import (
    Below,
    Boolean,
    Choice,
    Directory,
    EntryName,
    Filter,
    Header,
    Integer,
    Names,
    Places,
    Smtp,
    Text,
    Token,
    Url,
    Variable,
)

GROUPS: dict[str, tuple[Variable[Any], ...]] = {
    "Reaching it": (
        PORT := Integer(name="PORT", default=8000, low=1, high=65535, means="where `bin/serve` listens"),
        BIND := Text(
            name="AWRDIFF_BIND",
            default="127.0.0.1",
            means="on which IP address; with the local user, loopback only",
        ),
        PATH := Below(
            name="AWRDIFF_PATH",
            unset="none",
            means="path below which all of its pages are, such as `/awr` where a proxy has other things at `/`",
        ),
        LOCAL_USER := Boolean(
            name="AWRDIFF_LOCAL_USER",
            unset="False; `bin/serve` makes it True",
            means="sign in the one local user without a password",
        ),
        LOCAL_TOKEN := Boolean(
            name="AWRDIFF_LOCAL_TOKEN", means="ask for the token of `var/local_address` whoever connects"
        ),
        ALLOWED_HOSTS := Names(name="AWRDIFF_ALLOWED_HOSTS", means="comma-separated names it answers to"),
        HTTPS := Boolean(
            name="AWRDIFF_HTTPS",
            unset="True unless local user or debug",
            means="secure cookies, trusted origins, HSTS",
        ),
        HTTPS_REDIRECT := Boolean(
            name="AWRDIFF_HTTPS_REDIRECT", unset="True with HTTPS behind a proxy", means="redirect plain HTTP"
        ),
        HSTS := Choice(
            name="AWRDIFF_HSTS",
            default="host",
            beside=("off", "subdomains", "preload"),
            means="for how much HTTPS is promised to browsers: `off`, `host`, `subdomains`, `preload`",
        ),
        BEHIND_PROXY := Boolean(name="AWRDIFF_BEHIND_PROXY", means="trust `X-Forwarded-Proto`"),
        CLIENT_ADDRESS_HEADER := Header(
            name="AWRDIFF_CLIENT_ADDRESS_HEADER",
            means="header in which the proxy tells the client's address, such as `X-Forwarded-For`",
        ),
        SECRET_KEY := Text(
            name="AWRDIFF_SECRET_KEY",
            unset="kept by `bin/serve` in `var/secret_key`",
            means="signs sessions and tokens",
            is_secret=True,
        ),
        DEBUG := Boolean(name="AWRDIFF_DEBUG", means="Django's debug pages"),
    ),
    "People, mail and webhooks": (
        SMTP := Smtp(
            name="AWRDIFF_SMTP",
            unset="none: mails are written where `bin/serve` runs",
            means="mail server: `smtps://user:password@mail.example.com:465`; `smtp+tls://` with STARTTLS (587), "
            "`smtp://` without (25)",
            is_secret=True,
        ),
        ADDRESS := Url(
            name="AWRDIFF_ADDRESS",
            schemes=("https", "http"),
            unset="with `AWRDIFF_SMTP` the first of `AWRDIFF_ALLOWED_HOSTS`, by HTTPS where that is on",
            means="address that mails lead to, such as `https://awr.example.com:8443`; no request can have them lead "
            "elsewhere",
        ),
        MAIL_FROM := Text(name="AWRDIFF_MAIL_FROM", default="awrdiff@localhost", means="from whom mails are"),
        OIDC_ISSUER := Url(
            name="AWRDIFF_OIDC_ISSUER",
            schemes=("https", "http"),
            means="address of an OpenID Connect provider to sign in with; there "
            "`https://<this server>/login/with/sso/back/` (below `AWRDIFF_PATH`) has to be named as the "
            "address to return to",
        ),
        OIDC_CLIENT_ID := Text(name="AWRDIFF_OIDC_CLIENT_ID", means="by what this server is known there"),
        OIDC_CLIENT_SECRET := Text(name="AWRDIFF_OIDC_CLIENT_SECRET", means="and its secret", is_secret=True),
        OIDC_TRUST_ADDRESSES := Boolean(
            name="AWRDIFF_OIDC_TRUST_ADDRESSES",
            means="take the addresses of a provider that never says `email_verified`, as Microsoft Entra does not, for "
            "verified: whoever may write an address there then signs in as the one who has it here",
        ),
        OIDC_NAME := Text(
            name="AWRDIFF_OIDC_NAME", default="single sign-on", means="how it is called on the sign-in page"
        ),
        PASSWORD_SIGN_IN := Boolean(
            name="AWRDIFF_PASSWORD_SIGN_IN",
            default=True,
            means="whether people also sign in and join by a password of this server; if not, they need "
            "`AWRDIFF_OIDC_ISSUER` or `AWRDIFF_LDAP_URI`",
        ),
        SESSION_IDLE_MINUTES := Integer(
            name="AWRDIFF_SESSION_IDLE_MINUTES",
            default=0,
            low=0,
            high=20_160,
            means="after how many minutes in which somebody does nothing their sign-in ends; 0: after two weeks",
        ),
        OIDC_SCOPES := Names(
            name="AWRDIFF_OIDC_SCOPES",
            means="comma-separated scopes asked of it besides `openid`, `profile` and `email`, such as `groups`",
        ),
        OIDC_GROUPS_CLAIM := Text(
            name="AWRDIFF_OIDC_GROUPS_CLAIM",
            means="the claim in which it tells somebody's groups: `groups`, or with dots what is inside of others, "
            "`realm_access.roles`",
        ),
        OIDC_TEAMS := Places(
            name="AWRDIFF_OIDC_TEAMS",
            roles=("owner", "member", "reader", "guest"),
            longest=100,
            means="what these groups are on which team: `dba=Payments:member; leads=Payments:owner`; at each sign-in "
            "people join, change and leave by it",
        ),
        OIDC_MAKE_TEAMS := Boolean(
            name="AWRDIFF_OIDC_MAKE_TEAMS",
            means="make such a team when the first of its owners signs in; else there is none until somebody makes it",
        ),
        GROUPS_DAYS := Integer(
            name="AWRDIFF_GROUPS_DAYS",
            default=7,
            low=0,
            high=365,
            means="so many days after a sign-in confirmed their groups, whoever is on a team by them loses tokens and "
            "sessions, until they sign in again; 0: never",
        ),
        LDAP_URI := Directory(
            name="AWRDIFF_LDAP_URI",
            means="a directory whose passwords people sign in with (`awrdiff[ldap]`): `ldaps://ldap.example.com`, or "
            "`ldap+tls://` with StartTLS; `ldap://` on this machine only",
        ),
        LDAP_BIND_DN := Text(
            name="AWRDIFF_LDAP_BIND_DN",
            unset="nobody",
            means="as whom it is searched there: `cn=awrdiff,ou=services,dc=example,dc=com`",
        ),
        LDAP_BIND_PASSWORD := Text(name="AWRDIFF_LDAP_BIND_PASSWORD", means="and that one's password", is_secret=True),
        LDAP_USERS := EntryName(
            name="AWRDIFF_LDAP_USERS", means="below which entry people are: `ou=people,dc=example,dc=com`"
        ),
        LDAP_USER_FILTER := Filter(
            name="AWRDIFF_LDAP_USER_FILTER",
            default="(uid=%(user)s)",
            means="which of them somebody is; with Active Directory `(sAMAccountName=%(user)s)`",
        ),
        LDAP_GROUPS := EntryName(
            name="AWRDIFF_LDAP_GROUPS", means="below which entry groups are: `ou=groups,dc=example,dc=com`"
        ),
        LDAP_GROUP_KIND := Choice(
            name="AWRDIFF_LDAP_GROUP_KIND",
            default="groupofnames",
            beside=("groupofuniquenames", "posixgroup", "group"),
            means="their object class: `groupOfNames`, `groupOfUniqueNames`, `posixGroup`, or `group`, that of Active "
            "Directory; of groups in groups all but `posixGroup` know",
        ),
        LDAP_TEAMS := Places(
            name="AWRDIFF_LDAP_TEAMS",
            roles=("owner", "member", "reader", "guest"),
            longest=100,
            means="what these groups, by name or whole DN, are on which team, as `AWRDIFF_OIDC_TEAMS` has it",
        ),
        LDAP_MAKE_TEAMS := Boolean(
            name="AWRDIFF_LDAP_MAKE_TEAMS", means="as `AWRDIFF_OIDC_MAKE_TEAMS`, of the teams of `AWRDIFF_LDAP_TEAMS`"
        ),
        WEBHOOK_PRIVATE := Boolean(
            name="AWRDIFF_WEBHOOK_PRIVATE",
            means="whether a team's webhook may lead to private and loopback addresses",
        ),
        KEEP_NOTICES_DAYS := Integer(
            name="AWRDIFF_KEEP_NOTICES_DAYS",
            default=90,
            low=0,
            high=36_500,
            means="for how many days notices are kept; 0: until they are deleted with what they are about",
        ),
        PASSWORD := Text(
            name="AWRDIFF_PASSWORD",
            unset="asked for",
            means="password for `manage.py add_user`, for scripts",
            is_secret=True,
        ),
    ),
    "Database, files and broker": (
        VAR := Text(
            name="AWRDIFF_VAR",
            unset="`var/` in a checkout, `~/.local/share/awrdiff` of an installed wheel",
            means="folder for database, files, broker, static files",
        ),
        VAR_GROUP := Boolean(name="AWRDIFF_VAR_GROUP", means="members of its group may use `var/` too (770/660)"),
        DATABASE_URL := Url(
            name="DATABASE_URL",
            schemes=("postgres", "postgresql", "sqlite"),
            unset="SQLite in `var/`",
            means="PostgreSQL: `postgres://user:password@host/name`",
            is_secret=True,
        ),
        REDIS_URL := Url(
            name="REDIS_URL",
            schemes=("redis", "rediss", "unix"),
            unset="a folder in `var/` as broker, memory as cache",
            means="Redis as both: `redis://host:6379/0`",
            is_secret=True,
        ),
        S3_BUCKET := Text(name="AWRDIFF_S3_BUCKET", means="bucket for uploaded files"),
        S3_ENDPOINT := Url(
            name="AWRDIFF_S3_ENDPOINT",
            schemes=("http", "https"),
            unset="Amazon's",
            means="address of another S3-compatible store",
        ),
        KEEP_UPLOADS_DAYS := Integer(
            name="AWRDIFF_KEEP_UPLOADS_DAYS",
            default=0,
            low=0,
            high=36_500,
            unset="0: for as long as their report is there",
            means="for how many days uploaded files are kept; reports and comparisons stay (see Retention)",
        ),
        MIN_FREE_MB := Integer(
            name="AWRDIFF_MIN_FREE_MB",
            default=64,
            low=1,
            high=1 << 20,
            means="room on the disk of `var/` that is left free, in MiB",
        ),
    ),
    "How much at a time": (
        MAX_UPLOAD_MB := Integer(
            name="AWRDIFF_MAX_UPLOAD_MB", default=64, low=1, high=4096, means="largest file taken, in MiB"
        ),
        UPLOAD_RATE := Integer(
            name="AWRDIFF_UPLOAD_RATE",
            default=300,
            low=1,
            high=100_000,
            means="files a minute that one signed-in person uploads, then 429; each file of an archive counts",
        ),
        TOKEN_RATE := Integer(
            name="AWRDIFF_TOKEN_RATE",
            default=600,
            low=1,
            high=100_000,
            means="requests a minute that one token is answered, then 429",
        ),
        LINK_RATE := Integer(
            name="AWRDIFF_LINK_RATE",
            default=120,
            low=1,
            high=100_000,
            means="requests a minute that one share link answers, then 429; a section of a page counts as a quarter of "
            "one, an export as ten and half a request for each MB, and no more than two are sent at once. Asking what "
            "is new in threads is counted by itself, up to eight times as often. With Redis the rate holds for all web "
            "processes together, without it for each",
        ),
        WEB_PROCESSES := Integer(
            name="AWRDIFF_WEB_PROCESSES", default=2, low=1, high=16, means="web servers of `bin/serve`"
        ),
        WEB_THREADS := Integer(
            name="AWRDIFF_WEB_THREADS", default=8, low=1, high=64, means="threads of each web server"
        ),
        SPOOL_MB := Integer(
            name="AWRDIFF_SPOOL_MB",
            default=512,
            low=1,
            high=1 << 20,
            unset="512; 8 × the largest file where that is more",
            means="all request bodies at once, in MiB, and once more all answers not fetched yet",
        ),
    ),
    "Work in the background": (
        WORKERS := Integer(
            name="AWRDIFF_WORKERS",
            default=2,
            low=1,
            high=1024,
            means="slots of all workers together: `bin/serve` starts as many processes and one more, and so does a "
            "worker started by itself without `--concurrency`; a team has at most half of them",
        ),
        QUEUE_AGE_LIMIT_S := Integer(
            name="AWRDIFF_QUEUE_AGE_LIMIT_S",
            default=900,
            low=10,
            high=86_400,
            means="`/readyz` calls the queue late when something waits for longer",
        ),
        TASK_TIME_LIMIT_S := Integer(
            name="AWRDIFF_TASK_TIME_LIMIT_S",
            default=120,
            low=2,
            high=3600,
            means="longest time for reading one file or computing one comparison",
        ),
        READ_CPU_S := Integer(
            name="AWRDIFF_READ_CPU_S",
            default=20,
            low=1,
            high=3600,
            means="processor time that reading a file, or comparing several, may take: the part that every file has",
        ),
        READ_CPU_S_PER_MB := Integer(
            name="AWRDIFF_READ_CPU_S_PER_MB", default=2, low=0, high=3600, means="and for every begun MiB of it"
        ),
        READ_MEMORY_MB := Integer(
            name="AWRDIFF_READ_MEMORY_MB",
            default=256,
            low=16,
            high=1 << 20,
            means="memory that it may take beyond what the worker has, in MiB: the part that every file has",
        ),
        READ_MEMORY_TIMES := Integer(
            name="AWRDIFF_READ_MEMORY_TIMES", default=24, low=0, high=10_000, means="and as many times the file's size"
        ),
        TASK_DUE_AFTER_S := Integer(
            name="AWRDIFF_TASK_DUE_AFTER_S",
            default=15,
            low=1,
            high=3600,
            means="after which a waiting row is sent to the workers again",
        ),
        SWEEP_EVERY_S := Integer(
            name="AWRDIFF_SWEEP_EVERY_S", default=5, low=1, high=3600, means="pause of the sweeper"
        ),
    ),
    "Seen from outside": (
        LOG_FORMAT := Choice(
            name="AWRDIFF_LOG_FORMAT", default="text", beside=("json",), means="lines of the log: `text` or `json`"
        ),
        LOG_EVENTS := Boolean(
            name="AWRDIFF_LOG_EVENTS",
            unset="True unless local user",
            means="a line in the log for each request, upload and piece of work",
        ),
        LOG_AUDIT := Boolean(
            name="AWRDIFF_LOG_AUDIT",
            means="a line in the log, too, for each line of the audit log, for whoever collects logs (syslog, a SIEM)",
        ),
        METRICS_TOKEN := Token(
            name="AWRDIFF_METRICS_TOKEN",
            unset="none: `/metrics` is not there, and nothing is counted",
            means="by which Prometheus asks for `/metrics`; 16 characters or more",
        ),
        TRACES_ENDPOINT := Url(
            name="AWRDIFF_TRACES_ENDPOINT",
            schemes=("http", "https"),
            means="where traces go, such as `http://localhost:4318/v1/traces` (OTLP over HTTP; `awrdiff[traces]`)",
        ),
    ),
}


def declared() -> Iterator[Variable[Any]]:
    for some in GROUPS.values():
        yield from some


def refuse_misspelt() -> None:
    """Refuses names nearly equal to these."""
    names = sorted(name for variable in declared() for name in variable.names)
    for name in sorted(os.environ):
        if name.startswith("AWRDIFF_") and name not in names and (near := get_close_matches(name, names, 1, 0.85)):
            raise ImproperlyConfigured(f"{name} is no setting of awrdiff: {near[0]} is.")
