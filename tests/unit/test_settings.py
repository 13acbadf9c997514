"""Settings from the environment: the embedded default, the two addresses, and nonsense that stops the start."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

ROOT = Path(__file__).resolve().parents[2]


def environment(tmp_path: Path, env: dict[str, str]) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWRDIFF_", "DATABASE_", "REDIS_", "DJANGO_"))}
    return {**kept, "AWRDIFF_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "awrdiff.settings", **env}


def settings_with(tmp_path: Path, **env: str) -> SimpleNamespace:
    """What a process with these variables would read, read in this one: starting one takes twenty times as long."""
    with mock.patch.dict(os.environ, environment(tmp_path, env), clear=True):
        return SimpleNamespace(**runpy.run_path(str(ROOT / "awrdiff" / "settings.py")))


def run(tmp_path: Path, code: str, **env: str) -> subprocess.CompletedProcess[str]:
    given = environment(tmp_path, env)
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True, timeout=60)


def test_the_embedded_default_needs_no_service(tmp_path):
    found = settings_with(tmp_path)
    assert found.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
    assert found.DATABASES["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert found.CELERY_BROKER_URL.startswith("awrdiff-files:")
    assert found.AWRDIFF_MAX_UPLOAD_MB == 64
    assert not found.DEBUG
    assert list(tmp_path.iterdir()) == []  # reading settings leaves nothing behind


def test_the_two_addresses_switch_database_and_broker(tmp_path):
    found = settings_with(tmp_path, DATABASE_URL="postgres://u:p@db/awr", REDIS_URL="redis://r:6379/1")
    assert found.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"
    assert not found.DATABASES["default"].get("OPTIONS")
    assert found.CELERY_BROKER_URL == "redis://r:6379/1"
    assert found.CACHES["default"]["BACKEND"].endswith("RedisCache")


def test_a_bucket_switches_the_storage(tmp_path):
    found = settings_with(tmp_path, AWRDIFF_S3_BUCKET="reports")
    assert found.STORAGES["default"]["BACKEND"] == "awrdiff.storage_s3.S3Files"


def test_the_local_user_answers_to_loopback_names_only(tmp_path):
    found = settings_with(tmp_path, AWRDIFF_LOCAL_USER="True")
    assert found.ALLOWED_HOSTS == ["localhost", "127.0.0.1", "[::1]"]
    assert found.SESSION_COOKIE_SECURE is False


def test_a_shared_server_is_on_https(tmp_path):
    found = settings_with(tmp_path, AWRDIFF_ALLOWED_HOSTS="awr.example.com, b.example.com")
    assert found.ALLOWED_HOSTS == ["awr.example.com", "b.example.com"]
    assert found.CSRF_TRUSTED_ORIGINS == ["https://awr.example.com", "https://b.example.com"]
    assert found.SESSION_COOKIE_SECURE is True


BEHIND_PROXY = {"AWRDIFF_ALLOWED_HOSTS": "awr.example.com", "AWRDIFF_BEHIND_PROXY": "True"}


KEY = "k1-f8Zq0_rTe5uVw9xYb3cAd7gHj2kLm6nPo4sQi8tRv1wXz5yBa0c"
ASKED_BY_CHECKS = ("SECURE_", "SESSION_COOKIE_", "CSRF_COOKIE_", "ALLOWED_HOSTS", "DEBUG", "SECRET_KEY", "X_FRAME_")


def check_deploy(tmp_path: Path, **env: str) -> subprocess.CompletedProcess[str]:
    code = "from django.core.management import execute_from_command_line as run; "
    code += "run(['manage.py', 'check', '--deploy', '--fail-level', 'WARNING'])"
    return run(tmp_path, code, AWRDIFF_SECRET_KEY=KEY, **env)


@pytest.mark.parametrize(
    ("env", "warning"),
    [
        ({"AWRDIFF_HTTPS": "False"}, "security.W012"),
        ({"AWRDIFF_HTTPS_REDIRECT": "False"}, "security.W008"),
        ({"AWRDIFF_HSTS": "off"}, "security.W004"),
    ],
)
def test_it_warns_of_what_is_switched_off(tmp_path, env, warning):
    found = vars(settings_with(tmp_path, AWRDIFF_SECRET_KEY=KEY, **BEHIND_PROXY, **env))
    with override_settings(**{k: v for k, v in found.items() if k.startswith(ASKED_BY_CHECKS)}):
        said = run_checks(tags=["security"], include_deployment_checks=True)
    assert warning in [one.id for one in said if not one.is_silenced()]


@pytest.mark.parametrize(
    ("env", "shown"),
    [
        ({}, [31_536_000, False, False, True]),
        ({"AWRDIFF_HSTS": "subdomains"}, [31_536_000, True, False, True]),
        ({"AWRDIFF_HSTS": "preload"}, [31_536_000, True, True, True]),
        ({"AWRDIFF_HSTS": "off"}, [0, False, False, True]),
        ({"AWRDIFF_BEHIND_PROXY": "False"}, [31_536_000, False, False, False]),
        ({"AWRDIFF_HTTPS": "False"}, [0, False, False, False]),
    ],
)
def test_https_is_asked_for_as_far_as_it_is_ours_to_ask(tmp_path, env, shown):
    s = settings_with(tmp_path, **{**BEHIND_PROXY, **env})
    hsts = [s.SECURE_HSTS_SECONDS, s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD]
    assert [*hsts, s.SECURE_SSL_REDIRECT] == shown


def test_a_header_of_anybody_is_no_address(tmp_path):
    with pytest.raises(ImproperlyConfigured, match="needs AWRDIFF_BEHIND_PROXY"):
        settings_with(tmp_path, AWRDIFF_CLIENT_ADDRESS_HEADER="X-Forwarded-For")


def test_a_lease_outlasts_the_time_limit(tmp_path):
    assert settings_with(tmp_path, AWRDIFF_TASK_TIME_LIMIT_S="8").TASK_LEASE_S > 8


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AWRDIFF_LOCAL_USER", "maybe"),
        ("AWRDIFF_DEBUG", "2"),
        ("AWRDIFF_MAX_UPLOAD_MB", "0"),
        ("AWRDIFF_MAX_UPLOAD_MB", "64MB"),
        ("AWRDIFF_MAX_UPLOAD_MB", "-1"),
        ("AWRDIFF_TASK_TIME_LIMIT_S", "1.5"),
        ("AWRDIFF_LOCAL_TOKEN", "maybe"),
        ("AWRDIFF_HTTPS_REDIRECT", "maybe"),
        ("AWRDIFF_HSTS", "all"),
        ("AWRDIFF_CLIENT_ADDRESS_HEADER", "X-Forwarded-For: x"),
        ("DATABASE_URL", "mysql://u@h/d"),
        ("DATABASE_URL", "nonsense"),
        ("REDIS_URL", "amqp://h"),
        ("AWRDIFF_SMTP", "mail.example.com"),
        ("AWRDIFF_SMTP", "smtp://"),
        ("AWRDIFF_SMTP", "smtp://mail.example.com/inbox"),
        ("AWRDIFF_ADDRESS", "awr.example.com"),
        ("AWRDIFF_OIDC_ISSUER", "sso.example.com"),
        ("AWRDIFF_LDAP_URI", "ldap.example.com"),
        ("AWRDIFF_LDAP_URI", "ldap://ldap.example.com"),
        ("AWRDIFF_LDAP_URI", "ldap://localhost.example.com"),
        ("AWRDIFF_LDAP_URI", "ldap://u:p@localhost"),
        ("AWRDIFF_LDAP_URI", "ldaps://"),
        ("AWRDIFF_LDAP_URI", "ldaps://ldap.example.com:port"),
        ("AWRDIFF_LDAP_URI", "ldaps://ldap.example.com/dc=example"),
        ("AWRDIFF_LDAP_USERS", "people"),
        ("AWRDIFF_LDAP_GROUPS", "ou=groups,,dc=com"),
        ("AWRDIFF_LDAP_GROUP_KIND", "groups"),
        ("AWRDIFF_LDAP_TEAMS", "dba"),
        *(
            ("AWRDIFF_LDAP_USER_FILTER", text)
            for text in (
                "uid=%(user)s",
                "(uid=x)",
                "((uid=%(user)s)",
                "(uid=%(user)s)(a=b)",
                "(|(uid=%(user)s)(a=%s))",
                ")(uid=%(user)s)(",
            )
        ),
        ("AWRDIFF_PATH", "/awr?x"),
        ("AWRDIFF_PATH", "../awr"),
        ("AWRDIFF_PATH", "//awr.example.com"),
        *(
            ("AWRDIFF_OIDC_TEAMS", text)
            for text in ("dba", "dba=Payments", "dba=Payments:king", "=x:member", "a=:owner")
        ),
    ],
)
def test_nonsense_stops_the_start_and_names_the_variable(tmp_path, name, value):
    with pytest.raises(ImproperlyConfigured, match=f"{name} must"):
        settings_with(tmp_path, **{name: value})


def test_a_secret_may_stand_in_a_file(tmp_path):
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    assert settings_with(tmp_path, AWRDIFF_SECRET_KEY_FILE=str(file)).SECRET_KEY == KEY
    with pytest.raises(ImproperlyConfigured, match="AWRDIFF_SECRET_KEY and AWRDIFF_SECRET_KEY_FILE are both set"):
        settings_with(tmp_path, AWRDIFF_SECRET_KEY_FILE=str(file), AWRDIFF_SECRET_KEY=KEY)
    with pytest.raises(ImproperlyConfigured, match=r"AWRDIFF_SMTP_FILE: .*none cannot be read"):
        settings_with(tmp_path, AWRDIFF_SMTP_FILE=str(tmp_path / "none"))


def test_what_is_wrong_with_a_secret_is_said_without_it(tmp_path):
    with pytest.raises(ImproperlyConfigured) as found:
        settings_with(tmp_path, DATABASE_URL="u:hidden@host")
    assert "hidden" not in str(found.value)


def test_a_process_ends_with_what_is_wrong(tmp_path):
    done = run(tmp_path, "import awrdiff.settings", AWRDIFF_LOCAL_USER="maybe")
    assert done.returncode != 0
    assert "ImproperlyConfigured: AWRDIFF_LOCAL_USER must" in done.stderr


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("", ["console.EmailBackend", "localhost", 25, "", "", False, False, False]),
        ("smtp://mail.example.com", ["SmtpBackend", "mail.example.com", 25, "", "", False, False, True]),
        ("smtp+tls://u:p%40%3A@mail", ["SmtpBackend", "mail", 587, "u", "p@:", True, False, True]),
        ("smtps://u:p@[::1]:2465/", ["SmtpBackend", "::1", 2465, "u", "p", False, True, True]),
    ],
)
def test_mail_goes_where_it_is_told(tmp_path, address, expected):
    s = settings_with(tmp_path, AWRDIFF_SMTP=address)
    assert s.EMAIL_BACKEND.endswith(expected[0])
    there = [s.EMAIL_HOST, s.EMAIL_PORT, s.EMAIL_HOST_USER, s.EMAIL_HOST_PASSWORD]
    assert [*there, s.EMAIL_USE_TLS, s.EMAIL_USE_SSL, s.AWRDIFF_MAILS] == expected[1:]


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"AWRDIFF_ALLOWED_HOSTS": ".example.com,awr.example.com,b.example.com"}, "https://awr.example.com"),
        ({"AWRDIFF_ALLOWED_HOSTS": "awr", "AWRDIFF_HTTPS": "False", "PORT": "8001"}, "http://awr:8001"),
        ({"AWRDIFF_ALLOWED_HOSTS": "*", "AWRDIFF_ADDRESS": "https://a.example:8443/"}, "https://a.example:8443"),
        ({"AWRDIFF_LOCAL_USER": "True"}, "http://localhost:8000"),
        ({"AWRDIFF_PATH": "awr/", "AWRDIFF_ADDRESS": "https://a.example/awr/"}, "https://a.example"),
    ],
)
def test_mails_name_the_servers_own_address(tmp_path, env, expected):
    assert expected == settings_with(tmp_path, AWRDIFF_SMTP="smtp://mail", **env).AWRDIFF_ADDRESS
    assert expected == settings_with(tmp_path, **env).AWRDIFF_NOTICES_ADDRESS


@pytest.mark.parametrize("hosts", ["*", ".example.com"])
def test_mails_by_any_name_need_to_be_told_which(tmp_path, hosts):
    with pytest.raises(ImproperlyConfigured, match="AWRDIFF_ADDRESS must say"):
        settings_with(tmp_path, AWRDIFF_SMTP="smtp://mail", AWRDIFF_ALLOWED_HOSTS=hosts)


SSO = {"AWRDIFF_OIDC_ISSUER": "https://sso.example.com", "AWRDIFF_OIDC_CLIENT_ID": "awr"}


def test_a_provider_needs_a_client_and_is_loaded_only_where_it_is_named(tmp_path):
    with pytest.raises(ImproperlyConfigured, match="needs AWRDIFF_OIDC_CLIENT_ID and"):
        settings_with(tmp_path, **SSO)
    assert "allauth.socialaccount" in settings_with(tmp_path, **SSO, AWRDIFF_OIDC_CLIENT_SECRET="x").INSTALLED_APPS
    assert "allauth.socialaccount" not in settings_with(tmp_path).INSTALLED_APPS
    with pytest.raises(ImproperlyConfigured, match="TRUST_ADDRESSES needs AWRDIFF_OIDC_ISSUER"):
        settings_with(tmp_path, AWRDIFF_OIDC_TRUST_ADDRESSES="1")
    assert settings_with(tmp_path).AWRDIFF_OIDC_TRUST_ADDRESSES is False


@pytest.mark.parametrize("sign_on", [{}, {**SSO, "AWRDIFF_OIDC_CLIENT_SECRET": "x"}], ids=["passwords", "sso"])
def test_django_finds_nothing_to_warn_of_on_a_shared_server(tmp_path, sign_on):
    done = check_deploy(tmp_path, **BEHIND_PROXY, **sign_on)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("env", "prefix"),
    [
        ({}, "__Host-"),
        ({"AWRDIFF_HTTPS": "False"}, ""),
        ({"AWRDIFF_PATH": "/awr"}, "__Secure-awr-"),  # another Django at / has a `sessionid` too
        ({"AWRDIFF_PATH": "/a.b/c", "AWRDIFF_HTTPS": "False"}, "a.b+c-"),
    ],
)
def test_cookies_are_named_for_what_browsers_hold_them_to(tmp_path, env, prefix):
    s = settings_with(tmp_path, **{**BEHIND_PROXY, **env})
    assert (f"{prefix}sessionid", f"{prefix}csrftoken") == (s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME)
    assert (f"{env.get('AWRDIFF_PATH', '')}/", prefix) == (s.SESSION_COOKIE_PATH, s.AWRDIFF_COOKIE_PREFIX)


LDAP = {"AWRDIFF_LDAP_URI": "ldap+tls://ldap.example.com:3389/", "AWRDIFF_LDAP_USERS": "ou=people,dc=example,dc=com"}
FOUND = SimpleNamespace(__spec__=SimpleNamespace())


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"AWRDIFF_LDAP_URI": LDAP["AWRDIFF_LDAP_URI"]}, "AWRDIFF_LDAP_URI and AWRDIFF_LDAP_USERS need each other"),
        ({"AWRDIFF_LDAP_USERS": "dc=example"}, "AWRDIFF_LDAP_URI and AWRDIFF_LDAP_USERS need each other"),
        ({**LDAP, "AWRDIFF_LDAP_BIND_DN": "cn=x"}, "BIND_DN and AWRDIFF_LDAP_BIND_PASSWORD need each other"),
        ({**LDAP, "AWRDIFF_LDAP_TEAMS": "dba=Payments:member"}, "TEAMS and AWRDIFF_LDAP_GROUPS need each other"),
        ({"AWRDIFF_LDAP_TEAMS": "a=B:owner", "AWRDIFF_LDAP_GROUPS": "dc=x"}, "both AWRDIFF_LDAP_URI"),
        ({**LDAP, "AWRDIFF_LDAP_MAKE_TEAMS": "1"}, "AWRDIFF_LDAP_MAKE_TEAMS needs a group of owners"),
    ],
)
def test_a_directory_is_told_whole(tmp_path, env, said):
    with mock.patch.dict(sys.modules, django_auth_ldap=FOUND), pytest.raises(ImproperlyConfigured, match=said):
        settings_with(tmp_path, **env)


def test_a_directory_needs_the_extra(tmp_path):
    with mock.patch.dict(sys.modules, django_auth_ldap=None), pytest.raises(ImproperlyConfigured, match="pip install"):
        settings_with(tmp_path, **LDAP)


def test_a_directory_is_read_with_its_password_from_a_file(tmp_path):
    file = tmp_path / "password"
    file.write_text("p@ss\n")
    more = {"AWRDIFF_LDAP_BIND_DN": "EXAMPLE\\awrdiff", "AWRDIFF_LDAP_BIND_PASSWORD_FILE": str(file)}
    names = {"AWRDIFF_LDAP_USER_FILTER": "(&(objectClass=person)(|(sAMAccountName=%(user)s)(mail=%(user)s)))"}
    with mock.patch.dict(sys.modules, django_auth_ldap=FOUND):
        found = settings_with(tmp_path, **LDAP, **more, **names)
    assert found.AWRDIFF_LDAP_URI == "ldap+tls://ldap.example.com:3389"
    assert found.AWRDIFF_LDAP_BIND == ("EXAMPLE\\awrdiff", "p@ss")
    assert found.AWRDIFF_LDAP_NAMES == ["samaccountname", "mail"]
    for local in ("ldap://localhost", "ldap://127.0.0.1:1389", "ldap://[::1]"):
        with mock.patch.dict(sys.modules, django_auth_ldap=FOUND):
            assert local == settings_with(tmp_path, **{**LDAP, "AWRDIFF_LDAP_URI": local}).AWRDIFF_LDAP_URI


def test_passwords_are_switched_off_only_where_there_is_another_way_in(tmp_path):
    off, sso = {"AWRDIFF_PASSWORD_SIGN_IN": "False"}, {**SSO, "AWRDIFF_OIDC_CLIENT_SECRET": "x"}
    assert settings_with(tmp_path, **off, **sso).AWRDIFF_PASSWORD_SIGN_IN is False
    with mock.patch.dict(sys.modules, django_auth_ldap=FOUND):
        found = settings_with(tmp_path, **off, **LDAP)
        assert (found.AWRDIFF_PASSWORD_SIGN_IN, found.AWRDIFF_OTHER_WAYS_IN) == (
            False,
            "your password of the directory",
        )
    for wrong in (off, {**off, **sso, "AWRDIFF_LOCAL_USER": "True"}):
        with pytest.raises(ImproperlyConfigured, match="AWRDIFF_PASSWORD_SIGN_IN=False needs AWRDIFF_OIDC_ISSUER"):
            settings_with(tmp_path, **wrong)


def test_groups_have_their_places_on_teams(tmp_path):
    sso = {**SSO, "AWRDIFF_OIDC_CLIENT_SECRET": "x", "AWRDIFF_OIDC_GROUPS_CLAIM": "groups"}
    given = "cn=dba,ou=it = Pay:  roll:Member ; leads=Pay: roll:owner;"
    more = {"AWRDIFF_OIDC_TEAMS": given, "AWRDIFF_OIDC_MAKE_TEAMS": "1", "AWRDIFF_OIDC_SCOPES": "groups"}
    found = settings_with(tmp_path, **sso, **more)
    (client,) = found.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
    assert client["settings"]["scope"] == ["openid", "profile", "email", "groups"]
    assert found.AWRDIFF_OIDC_TEAMS == (("cn=dba,ou=it", "Pay: roll", "member"), ("leads", "Pay: roll", "owner"))
    for wrong, said in (
        ({**sso}, "need each other"),
        ({"AWRDIFF_OIDC_GROUPS_CLAIM": "groups", "AWRDIFF_OIDC_TEAMS": "a=B:owner"}, "both AWRDIFF_OIDC_ISSUER"),
        ({**sso, "AWRDIFF_OIDC_TEAMS": "a=B:owner; a=B:guest"}, "gives 'a' two roles on the team 'B'"),
        ({**sso, "AWRDIFF_OIDC_TEAMS": "a=B:member", "AWRDIFF_OIDC_MAKE_TEAMS": "1"}, "of owners .* for 'B' too"),
        ({"AWRDIFF_OIDC_MAKE_TEAMS": "1"}, "AWRDIFF_OIDC_MAKE_TEAMS needs"),
    ):
        with pytest.raises(ImproperlyConfigured, match=said):
            settings_with(tmp_path, **wrong)


@pytest.mark.parametrize(
    "env",
    [{"AWRDIFF_ALLOWED_HOSTS": "awr.example.com"}, {"AWRDIFF_BEHIND_PROXY": "True"}],
)
def test_signing_in_without_a_password_never_meets_a_public_name(tmp_path, env):
    with pytest.raises(ImproperlyConfigured, match="cannot be set together with AWRDIFF_LOCAL_USER"):
        settings_with(tmp_path, AWRDIFF_LOCAL_USER="True", **env)


def test_pages_are_not_served_with_a_key_that_the_next_start_forgets(tmp_path):
    assert "AWRDIFF_SECRET_KEY must be set" in run(tmp_path, "import awrdiff.wsgi").stderr


HAS_KEY = {"AWRDIFF_SECRET_KEY": "k" * 50}


def test_what_any_wsgi_server_loads_does_not_start_unprepared(tmp_path):
    done = run(tmp_path, "import awrdiff.wsgi", **HAS_KEY)
    assert done.returncode == 1
    assert "ImproperlyConfigured: The database is not up to date (" in done.stderr
    prepared = (
        "import django; django.setup(); from awrdiff.serving import startup_preparation; "
        "startup_preparation.pending_migrations = list; "
    )
    assert "Styles and scripts have not been" in run(tmp_path, prepared + "import awrdiff.wsgi", **HAS_KEY).stderr


def test_tasks_bind_to_the_projects_own_celery(tmp_path):
    code = "import django; django.setup(); from awrdiff.reports.tasks import read_report as t; print(t.app.main)"
    assert run(tmp_path, code).stdout == "awrdiff\n"


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"AWRDIFF_BIND": "0.0.0.0"}, "let others in without a password"),
        ({"AWRDIFF_BIND": "somewhere"}, "must be an IP address"),
        ({"PORT": "http"}, "PORT must be a whole number"),
        ({"PORT": "70000"}, "PORT must be a whole number"),
    ],
)
def test_bin_serve_says_what_is_wrong_with_its_address(tmp_path, env, words):
    done = run(tmp_path, "from awrdiff.serve import main; main()", **env)
    assert done.returncode == 1
    assert words in done.stderr


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("AWRDIFF_UPLOD_RATE", "AWRDIFF_UPLOAD_RATE"),
        ("AWRDIFF_OIDC_ISUER", "AWRDIFF_OIDC_ISSUER"),
        ("AWRDIFF_S3_BUKET", "AWRDIFF_S3_BUCKET"),
    ],
)
def test_a_misspelt_name_stops_the_start_and_names_the_one_that_is_meant(tmp_path, given, meant):
    with pytest.raises(ImproperlyConfigured, match=f"{given} is no setting of awrdiff: {meant} is"):
        settings_with(tmp_path, **{given: "1"})


WORKER = (
    "import sys; sys.argv = 'celery -A awrdiff.celery_app worker'.split(); from celery.__main__ import main; main()"
)
MANAGED = "import sys; from awrdiff.django_command_line import run; run(['manage.py', *{!r}.split()])"


@pytest.mark.parametrize(
    ("code", "env", "said"),
    [
        (WORKER, {"AWRDIFF_UPLOD_RATE": "1"}, "AWRDIFF_UPLOD_RATE is no setting of awrdiff"),
        (WORKER, {}, "AWRDIFF_SECRET_KEY must be set"),
        (MANAGED.format("sweep"), {}, "AWRDIFF_SECRET_KEY must be set"),
        (WORKER, HAS_KEY, "The database is not up to date (contenttypes.0001_initial and "),
        (MANAGED.format("sweep"), HAS_KEY, "The database is not up to date (contenttypes.0001_initial and "),
        (MANAGED.format("add_user olivia --team X"), {}, "is not up to date (no such table: accounts_user): run manage.py prepare"),
    ],
)  # fmt: skip
def test_what_is_started_by_itself_says_in_a_sentence_what_was_left_undone(tmp_path, code, env, said):
    done = run(tmp_path / "none yet", code, AWRDIFF_PASSWORD="correct horse battery", **env)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("awrdiff: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_is_like_no_setting_is_somebody_elses(tmp_path):
    assert settings_with(tmp_path, AWRDIFF_TALLY="x", AWRDIFF_GRAFANA_FOLDER="y", AWRDIFF_CORPUS="z")
