"""Settings of the pipeline fuzzer: those of the tests, with accounts, and tasks that run where they are sent."""

from tests.settings import *  # noqa: F403

AWRDIFF_LOCAL_USER = False
ALLOWED_HOSTS = ["testserver"]
CELERY_TASK_ALWAYS_EAGER = True
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
