"""Django settings from the environment: docs/reference/settings.md.

Defaults: SQLite, files under var/, Celery over kombu's filesystem transport.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF, UNSAFE_INLINE
from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key
from msgspec.structs import replace

from awrdiff import paths, server_env_variables

BASE_DIR = paths.ASSETS
VAR = Path(server_env_variables.VAR.read() or paths.VAR).resolve()
DEBUG = server_env_variables.DEBUG.read()

# --- who may reach it ---------------------------------------------------------------------------------
# bin/serve signs in one local user on a loopback address. That must never meet a public host name.
AWRDIFF_LOCAL_USER = server_env_variables.LOCAL_USER.read()
AWRDIFF_BIND = server_env_variables.BIND.read()
AWRDIFF_LOCAL_TOKEN = server_env_variables.LOCAL_TOKEN.read()
ALLOWED_HOSTS = list(server_env_variables.ALLOWED_HOSTS.read())
if AWRDIFF_LOCAL_USER:
    if ALLOWED_HOSTS:
        raise ImproperlyConfigured("AWRDIFF_ALLOWED_HOSTS cannot be set together with AWRDIFF_LOCAL_USER.")
    ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]

_key_file = VAR / "secret_key"
_given_key = server_env_variables.SECRET_KEY.read() or (_key_file.read_text().strip() if _key_file.is_file() else "")
SECRET_KEY = _given_key or get_random_secret_key()
SECRET_KEY_IS_GIVEN = bool(_given_key)  # serving/startup_preparation.py refuses a key that the next start forgets

HTTPS = server_env_variables.HTTPS.read(not (AWRDIFF_LOCAL_USER or DEBUG))
SESSION_ENGINE = "awrdiff.web.sign_in.cookies"
AWRDIFF_SESSION_IDLE_MINUTES = server_env_variables.SESSION_IDLE_MINUTES.read()
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
# A proxy may pass the path on or take it away: waitress (serving/web.py) and Django know it either way.
AWRDIFF_PATH = server_env_variables.PATH.read()
FORCE_SCRIPT_NAME = AWRDIFF_PATH or None
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{AWRDIFF_PATH}/"  # what else stands at that name gets none of them
# `__Host-` is for cookies of a whole host, as a server below a path has none. What is at the root of that name may be
# Django too, and of two cookies of one name its own would be read: below a path they are named after it.
_below = f"{AWRDIFF_PATH[1:].replace('/', '+')}-" if AWRDIFF_PATH else ""
AWRDIFF_COOKIE_PREFIX = ("__Secure-" if HTTPS and _below else "__Host-" if HTTPS else "") + _below
SESSION_COOKIE_NAME = f"{AWRDIFF_COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{AWRDIFF_COOKIE_PREFIX}csrftoken"
MESSAGE_STORAGE = "awrdiff.web.sign_in.cookies.Messages"
CSRF_TRUSTED_ORIGINS = [f"https://{host.lstrip('.')}" for host in ALLOWED_HOSTS if HTTPS and host != "*"]
AWRDIFF_BEHIND_PROXY = server_env_variables.BEHIND_PROXY.read()
AWRDIFF_CLIENT_ADDRESS_HEADER = server_env_variables.CLIENT_ADDRESS_HEADER.read()
if AWRDIFF_BEHIND_PROXY:
    if AWRDIFF_LOCAL_USER:
        raise ImproperlyConfigured("AWRDIFF_BEHIND_PROXY cannot be set together with AWRDIFF_LOCAL_USER.")
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
elif AWRDIFF_CLIENT_ADDRESS_HEADER:
    raise ImproperlyConfigured("AWRDIFF_CLIENT_ADDRESS_HEADER needs AWRDIFF_BEHIND_PROXY: anybody can send a header.")
# Without a proxy that says how it was reached, every request would be sent to HTTPS for ever.
SECURE_SSL_REDIRECT = server_env_variables.HTTPS_REDIRECT.read(HTTPS and AWRDIFF_BEHIND_PROXY)
SECURE_REDIRECT_EXEMPT = [rf"^{re.escape(AWRDIFF_PATH[1:])}/?(healthz|readyz)/?$"]  # asked for on the machine itself
_hsts = server_env_variables.HSTS.read()
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS and _hsts != "off" else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _hsts in ("subdomains", "preload")
SECURE_HSTS_PRELOAD = _hsts == "preload"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"  # no-referrer site-wide makes browsers send "Origin: null" with forms
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF, UNSAFE_INLINE],  # Plotly writes inline styles
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}

# --- applications -------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "awrdiff.accounts",
    "awrdiff.audit",
    "awrdiff.notices",
    "awrdiff.processing",
    "awrdiff.reports",
    "awrdiff.databases",
    "awrdiff.fleet",
    "awrdiff.comparisons",
    "awrdiff.search",
    "awrdiff.pins",
    "awrdiff.sharing",
    "awrdiff.threads",
    "awrdiff.incidents",
    "awrdiff.postmortems",
    "awrdiff.transfer",
    "awrdiff.backup",
    "awrdiff.web",
]
MIDDLEWARE = [
    "awrdiff.web.middleware.RequestLog",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "awrdiff.web.middleware.NoStore",
    "awrdiff.web.middleware.HealthByAnyName",
    "awrdiff.web.middleware.KnownHost",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "awrdiff.web.middleware.SharedPageHeaders",
    "django.middleware.gzip.GZipMiddleware",
    "awrdiff.web.middleware.Bearer",
    "awrdiff.web.middleware.RefusedBodies",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "awrdiff.web.middleware.SignInActivity",
    "awrdiff.web.middleware.BodyAfterSignIn",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "awrdiff.web.middleware.LocalToken",
    "awrdiff.web.middleware.Refusals",
]
ROOT_URLCONF = "awrdiff.web.urls"
WSGI_APPLICATION = "awrdiff.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "awrdiff.accounts.passwords.HardToGuess"},
]
# What django-allauth is to do; failed sign-ins are counted by awrdiff.accounts.sign_in_limits, in the database.
ACCOUNT_ADAPTER = "awrdiff.web.sign_in.allauth_adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]
ACCOUNT_USERNAME_BLACKLIST = ["local"]  # whoever runs the server, without signing in
ACCOUNT_EMAIL_VERIFICATION = "optional"  # who has no address yet is not kept out; invitations are bound to one
ACCOUNT_CHANGE_EMAIL = True  # one address; a new one counts once it is confirmed
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[awrdiff] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_RATE_LIMITS = {"login": None, "login_failed": None}
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "awrdiff.web.sign_in.one_time_sign_in_address.NewPassword"  # noqa: S105 - a class
PASSWORD_RESET_TIMEOUT = 3600  # the mail says so
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
MFA_ADAPTER = "awrdiff.web.sign_in.allauth_adapter.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {
    "authenticate": "awrdiff.web.sign_in.forms.AuthenticateForm",
    "reauthenticate": "awrdiff.web.sign_in.forms.ReauthenticateForm",
    "add_webauthn": "awrdiff.web.sign_in.security_keys.AddForm",
    "authenticate_webauthn": "awrdiff.web.sign_in.security_keys.AuthenticateForm",
    "reauthenticate_webauthn": "awrdiff.web.sign_in.security_keys.ReauthenticateForm",
}
MFA_TOTP_ISSUER = "awrdiff"
MFA_TOTP_TOLERANCE = 1  # clocks half a minute apart
CSRF_FAILURE_VIEW = "awrdiff.web.views.errors.csrf_failure"
# Whether other names of the domain are bound to HTTPS too is decided by whoever owns it: AWRDIFF_HSTS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# Signing in with an OpenID Connect provider, as far as one is named: its apps are loaded then only.
AWRDIFF_OIDC = server_env_variables.OIDC_ISSUER.read()
AWRDIFF_OIDC_TRUST_ADDRESSES = server_env_variables.OIDC_TRUST_ADDRESSES.read()
if AWRDIFF_OIDC_TRUST_ADDRESSES and not AWRDIFF_OIDC:
    raise ImproperlyConfigured("AWRDIFF_OIDC_TRUST_ADDRESSES needs AWRDIFF_OIDC_ISSUER.")
if AWRDIFF_OIDC:
    _client = {
        "client_id": server_env_variables.OIDC_CLIENT_ID.read(),
        "secret": server_env_variables.OIDC_CLIENT_SECRET.read(),
    }
    if not all(_client.values()):
        raise ImproperlyConfigured("AWRDIFF_OIDC_ISSUER needs AWRDIFF_OIDC_CLIENT_ID and AWRDIFF_OIDC_CLIENT_SECRET.")
    AWRDIFF_OIDC_NAME = server_env_variables.OIDC_NAME.read()
    INSTALLED_APPS += ["allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"]
    _scopes = ["openid", "profile", "email", *server_env_variables.OIDC_SCOPES.read()]
    _provider = {"server_url": AWRDIFF_OIDC, "oauth_pkce_enabled": True, "scope": _scopes}
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "APPS": [{"provider_id": "sso", "name": AWRDIFF_OIDC_NAME, "settings": _provider, **_client}]
        }
    }
    SOCIALACCOUNT_ADAPTER = "awrdiff.web.sign_in.sso.SsoAdapter"
    SOCIALACCOUNT_LOGIN_ON_GET = True  # a form would be led to another site, which the policy forbids forms
    SOCIALACCOUNT_EMAIL_AUTHENTICATION = True  # who runs the server has chosen the provider, and trusts it
    SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True

# Signing in with the passwords of a directory (web/sign_in/directory_accounts.py).
AWRDIFF_LDAP_URI = server_env_variables.LDAP_URI.read()
AWRDIFF_LDAP_BIND = (server_env_variables.LDAP_BIND_DN.read(), server_env_variables.LDAP_BIND_PASSWORD.read())
AWRDIFF_LDAP_USERS = server_env_variables.LDAP_USERS.read()
AWRDIFF_LDAP_USER_FILTER = server_env_variables.LDAP_USER_FILTER.read()
AWRDIFF_LDAP_NAMES = server_env_variables.LDAP_USER_FILTER.attributes(AWRDIFF_LDAP_USER_FILTER)
if AWRDIFF_LDAP_URI and find_spec("django_auth_ldap") is None:
    raise ImproperlyConfigured(
        "AWRDIFF_LDAP_URI needs django-auth-ldap: pip install --requirement requirements-ldap.txt"
    )
if bool(AWRDIFF_LDAP_URI) != bool(AWRDIFF_LDAP_USERS):
    raise ImproperlyConfigured("AWRDIFF_LDAP_URI and AWRDIFF_LDAP_USERS need each other.")
if bool(AWRDIFF_LDAP_BIND[0]) != bool(AWRDIFF_LDAP_BIND[1]):
    raise ImproperlyConfigured("AWRDIFF_LDAP_BIND_DN and AWRDIFF_LDAP_BIND_PASSWORD need each other.")

AWRDIFF_PASSWORD_SIGN_IN = server_env_variables.PASSWORD_SIGN_IN.read()
if not AWRDIFF_PASSWORD_SIGN_IN and (AWRDIFF_LOCAL_USER or not (AWRDIFF_OIDC or AWRDIFF_LDAP_URI)):
    raise ImproperlyConfigured(
        "AWRDIFF_PASSWORD_SIGN_IN=False needs AWRDIFF_OIDC_ISSUER or AWRDIFF_LDAP_URI, and AWRDIFF_LOCAL_USER must not "
        "be set beside it."
    )
# How the other ways in are called, where passwords of this server are none.
AWRDIFF_OTHER_WAYS_IN = " or ".join(
    filter(
        None,
        (AWRDIFF_OIDC and server_env_variables.OIDC_NAME.read(), AWRDIFF_LDAP_URI and "your password of the directory"),
    )
)
# Who is on which team by the groups that either tells.
AWRDIFF_OIDC_GROUPS_CLAIM = server_env_variables.OIDC_GROUPS_CLAIM.read()
AWRDIFF_OIDC_TEAMS = server_env_variables.OIDC_TEAMS.read()
AWRDIFF_OIDC_MAKE_TEAMS = server_env_variables.OIDC_MAKE_TEAMS.read()
if bool(AWRDIFF_OIDC_GROUPS_CLAIM) != bool(AWRDIFF_OIDC_TEAMS) or (AWRDIFF_OIDC_TEAMS and not AWRDIFF_OIDC):
    raise ImproperlyConfigured(
        "AWRDIFF_OIDC_TEAMS and AWRDIFF_OIDC_GROUPS_CLAIM need each other, and both AWRDIFF_OIDC_ISSUER."
    )
AWRDIFF_LDAP_GROUPS = server_env_variables.LDAP_GROUPS.read()
AWRDIFF_LDAP_GROUP_KIND = server_env_variables.LDAP_GROUP_KIND.read()
AWRDIFF_GROUPS_DAYS = server_env_variables.GROUPS_DAYS.read()
AWRDIFF_LDAP_TEAMS = server_env_variables.LDAP_TEAMS.read()
AWRDIFF_LDAP_MAKE_TEAMS = server_env_variables.LDAP_MAKE_TEAMS.read()
if bool(AWRDIFF_LDAP_GROUPS) != bool(AWRDIFF_LDAP_TEAMS) or (AWRDIFF_LDAP_TEAMS and not AWRDIFF_LDAP_URI):
    raise ImproperlyConfigured("AWRDIFF_LDAP_TEAMS and AWRDIFF_LDAP_GROUPS need each other, and both AWRDIFF_LDAP_URI.")
for _of, _teams, _makes_teams in (
    ("OIDC", AWRDIFF_OIDC_TEAMS, AWRDIFF_OIDC_MAKE_TEAMS),
    ("LDAP", AWRDIFF_LDAP_TEAMS, AWRDIFF_LDAP_MAKE_TEAMS),
):
    _owned = {place.team for place in _teams if place.role == "owner"}
    _unowned = [place.team for place in _teams if place.team not in _owned]
    if _makes_teams and (_unowned or not _teams):
        _which = f"for {_unowned[0]!r} too" if _unowned else "for each team"
        raise ImproperlyConfigured(f"AWRDIFF_{_of}_MAKE_TEAMS needs a group of owners in AWRDIFF_{_of}_TEAMS {_which}.")

# --- mail ---------------------------------------------------------------------------------------------
_smtp = server_env_variables.SMTP.server()
AWRDIFF_MAILS = bool(_smtp)  # else what would be mailed is written where bin/serve runs
EMAIL_BACKEND = "awrdiff.web.mail.SmtpBackend" if _smtp else "django.core.mail.backends.console.EmailBackend"
EMAIL_HOST, EMAIL_PORT = _smtp.get("host", "localhost"), _smtp.get("port", 25)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _smtp.get("user", ""), _smtp.get("password", "")
EMAIL_USE_TLS, EMAIL_USE_SSL = _smtp.get("starttls", False), _smtp.get("tls", False)
EMAIL_TIMEOUT = 10
# What mails name: never the Host of a request, which whoever asks for somebody else's new password chooses.
AWRDIFF_ADDRESS = server_env_variables.ADDRESS.read().rstrip("/").removesuffix(AWRDIFF_PATH)
_names = [name for name in ALLOWED_HOSTS if name != "*" and not name.startswith(".")]
_port = "" if HTTPS or AWRDIFF_BEHIND_PROXY else f":{server_env_variables.PORT.read()}"
_by_name = f"{ACCOUNT_DEFAULT_HTTP_PROTOCOL}://{_names[0] if _names else 'localhost'}{_port}"
if AWRDIFF_MAILS and ALLOWED_HOSTS and not AWRDIFF_ADDRESS:
    if not _names:
        raise ImproperlyConfigured("AWRDIFF_ADDRESS must say what mails name: AWRDIFF_ALLOWED_HOSTS has no whole name.")
    AWRDIFF_ADDRESS = _by_name
# The same for what a worker or a command says, which know no request; a webhook is told it without a mail server too.
AWRDIFF_NOTICES_ADDRESS = AWRDIFF_ADDRESS or _by_name
AWRDIFF_WEBHOOK_PRIVATE = server_env_variables.WEBHOOK_PRIVATE.read()
AWRDIFF_KEEP_NOTICES_DAYS = server_env_variables.KEEP_NOTICES_DAYS.read()
DEFAULT_FROM_EMAIL = SERVER_EMAIL = server_env_variables.MAIL_FROM.read()

# --- database -----------------------------------------------------------------------------------------
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
_database_url = server_env_variables.DATABASE_URL.read()
# The default is a path, not an address: a folder's name may hold what means something else in one.
_sqlite = {"ENGINE": "django.db.backends.sqlite3", "NAME": VAR / "awrdiff.sqlite3"}
_kept_open = {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
DATABASES: dict[str, Any] = {
    "default": {**(dj_database_url.parse(_database_url) if _database_url else _sqlite), **_kept_open}
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE: a deferred transaction that turns to writing fails at once, whatever the timeout says.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL: what was answered is on the disk. NORMAL would lose the last commits with the power.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }

# --- files --------------------------------------------------------------------------------------------
MEDIA_ROOT = VAR / "files"
AWRDIFF_VAR_GROUP = server_env_variables.VAR_GROUP.read()
FILE_UPLOAD_PERMISSIONS = 0o660 if AWRDIFF_VAR_GROUP else 0o600  # of files and static files; folders by the umask
_bucket = server_env_variables.S3_BUCKET.read()
AWRDIFF_S3_ENDPOINT = server_env_variables.S3_ENDPOINT.read()
_manifest = "whitenoise.storage.CompressedManifestStaticFilesStorage"
STORAGES: dict[str, Any] = {
    "default": {"BACKEND": "awrdiff.storage.SyncedFiles"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage" if DEBUG else _manifest},
}
if _bucket:  # credentials by boto3's own variables
    if find_spec("boto3") is None:
        raise ImproperlyConfigured("AWRDIFF_S3_BUCKET needs boto3: pip install --requirement requirements-s3.txt")
    STORAGES["default"] = {
        "BACKEND": "awrdiff.storage_s3.S3Files",
        "OPTIONS": {"bucket_name": _bucket, "endpoint_url": AWRDIFF_S3_ENDPOINT or None, "file_overwrite": True},
    }
AWRDIFF_LINK_RATE = server_env_variables.LINK_RATE.read()  # requests a minute of one share link
AWRDIFF_TOKEN_RATE = server_env_variables.TOKEN_RATE.read()  # requests a minute of one token
AWRDIFF_UPLOAD_RATE = server_env_variables.UPLOAD_RATE.read()  # files a minute of one person
AWRDIFF_MAX_UPLOAD_MB = server_env_variables.MAX_UPLOAD_MB.read()
AWRDIFF_WEB_PROCESSES = server_env_variables.WEB_PROCESSES.read()
AWRDIFF_WEB_THREADS = server_env_variables.WEB_THREADS.read()
# All request bodies on their way or being worked on; each web process has its part of it.
_two_each = 2 * AWRDIFF_MAX_UPLOAD_MB * AWRDIFF_WEB_PROCESSES
AWRDIFF_SPOOL_MB = replace(server_env_variables.SPOOL_MB, low=_two_each).read(default=max(512, 2 * _two_each))
AWRDIFF_MIN_FREE_MB = server_env_variables.MIN_FREE_MB.read()
AWRDIFF_QUEUE_AGE_LIMIT_S = server_env_variables.QUEUE_AGE_LIMIT_S.read()
# How long uploaded files are kept, once they are read; 0: until their report is deleted.
AWRDIFF_KEEP_UPLOADS_DAYS = server_env_variables.KEEP_UPLOADS_DAYS.read()
FILE_UPLOAD_HANDLERS = ["awrdiff.web.uploads.CappedUploadHandler"]
AWRDIFF_UPLOAD_DIR = VAR / "uploads"  # beside MEDIA_ROOT, so that keeping a file is a rename
STATIC_URL = f"{AWRDIFF_PATH}/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "awrdiff.web.finders.PlotlyFinder",
]
WHITENOISE_USE_FINDERS = DEBUG

# --- Celery -------------------------------------------------------------------------------------------
_redis_url = server_env_variables.REDIS_URL.read()
if _redis_url:
    _quick = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}
    CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": _redis_url, "OPTIONS": _quick}
    }
    CELERY_BROKER_URL = _redis_url
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
        "socket_connect_timeout": 2,
        "socket_timeout": 10,
        "visibility_timeout": 3600,
        # A request that finds Redis away goes on at once: the sweeper sends later what could not be sent.
        "max_retries": 1,
        "interval_start": 0,
        "interval_step": 0.1,
    }
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    CELERY_BROKER_URL = "awrdiff-files://localhost//"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(VAR / "broker" / "messages"),
        "data_folder_out": str(VAR / "broker" / "messages"),
        "control_folder": str(VAR / "broker" / "control"),
        "polling_interval": 0.05,
    }
TASK_TIME_LIMIT_S = server_env_variables.TASK_TIME_LIMIT_S.read()
TASK_LEASE_S = TASK_TIME_LIMIT_S + max(2, TASK_TIME_LIMIT_S // 8)  # a killed task's row is free again after this
TASK_MAX_FAILURES = 3  # of the row's own: exceptions, deaths of its process
TASK_MAX_INTERRUPTIONS = 20  # machines and servers that vanished under it; with pauses that grow
TASK_DUE_AFTER_S = server_env_variables.TASK_DUE_AFTER_S.read()  # until the sweeper sends it again
# What reading one file may take (awrdiff/processing/sandbox.py), beside the time limit.
READ_CPU_S = server_env_variables.READ_CPU_S.read()
READ_CPU_S_PER_MB = server_env_variables.READ_CPU_S_PER_MB.read()
READ_MEMORY_MB = server_env_variables.READ_MEMORY_MB.read()
READ_MEMORY_TIMES = server_env_variables.READ_MEMORY_TIMES.read()
WORKERS = server_env_variables.WORKERS.read()  # slots of all workers: a team has half (fair_scheduling.py)
AWRDIFF_METRICS_TOKEN = server_env_variables.METRICS_TOKEN.read()
AWRDIFF_TRACES_ENDPOINT = server_env_variables.TRACES_ENDPOINT.read()
if AWRDIFF_TRACES_ENDPOINT and not (find_spec("opentelemetry") and find_spec("opentelemetry.exporter")):
    raise ImproperlyConfigured(
        "AWRDIFF_TRACES_ENDPOINT needs OpenTelemetry: pip install --requirement requirements-traces.txt"
    )
SWEEP_EVERY_S = server_env_variables.SWEEP_EVERY_S.read()
CELERY_WORKER_CONCURRENCY = WORKERS + 1  # the last for what somebody waits for (fair_scheduling.py)
CELERY_TASK_TIME_LIMIT = TASK_TIME_LIMIT_S
CELERY_TASK_SOFT_TIME_LIMIT = TASK_TIME_LIMIT_S - max(1, TASK_TIME_LIMIT_S // 12)
CELERY_TASK_ACKS_LATE = True
CELERY_DB_REUSE_MAX = 1_000_000  # tasks: Celery would connect anew for each (awrdiff/celery_app.py closes what is old)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "awrdiff"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker outlives a broker that is away
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False  # the row decides, not the connection
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# --- the rest -----------------------------------------------------------------------------------------
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
LANGUAGE_CODE = "en-gb"
LOGGING_CONFIG = "awrdiff.logs.configure"  # masks the tokens in every record, then does what LOGGING says
DEFAULT_EXCEPTION_REPORTER = "awrdiff.logs.MaskedReporter"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "awrdiff.logs.formatter", "as_json": server_env_variables.LOG_FORMAT.read() == "json"}
    },
    "filters": {"seldom": {"()": "awrdiff.logs.SeldomWhileAway"}, "route": {"()": "awrdiff.logs.RouteForPath"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "awrdiff": {"level": "INFO"},
        "django_auth_ldap": {"level": "CRITICAL"},  # it names who tries, who may have typed a password there
        "awrdiff.audit": {"level": "INFO" if server_env_variables.LOG_AUDIT.read() else "WARNING"},
        "awrdiff.events": {
            "level": "INFO" if server_env_variables.LOG_EVENTS.read(not AWRDIFF_LOCAL_USER) else "WARNING"
        },
        "django.request": {"filters": ["route", "seldom"]},
        "django.security.csrf": {"filters": ["route"]},
    },
}

server_env_variables.refuse_misspelt()
