"""Settings of the tests: the project's own, in a folder of their own, with an in-memory broker."""

import atexit
import os
import shutil
import tempfile

_KEPT = (
    "AWRDIFF_CORPUS",
    "AWRDIFF_TALLY",
    "AWRDIFF_SCREENSHOTS",
    "AWRDIFF_TEST_DATABASE_URL",
    "AWRDIFF_POSTGRESQL_WITH",
    "AWRDIFF_PREPARED",
    "AWRDIFF_SENT",
    "AWRDIFF_FIRST_CASES",
)
for _name in list(os.environ):
    if _name in ("DATABASE_URL", "REDIS_URL") or (_name.startswith("AWRDIFF_") and _name not in _KEPT):
        del os.environ[_name]
_folder = tempfile.mkdtemp(prefix="awrdiff-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["AWRDIFF_VAR"] = _folder
os.environ["AWRDIFF_LOCAL_USER"] = "True"
if os.environ.get("AWRDIFF_TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = os.environ["AWRDIFF_TEST_DATABASE_URL"]

from awrdiff.settings import *  # noqa: E402, F403
from awrdiff.settings import MIDDLEWARE, STORAGES  # noqa: E402

SECRET_KEY_IS_GIVEN = True  # of this process alone, which is all of the server here
CELERY_BROKER_URL = "memory://localhost//"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {}
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True  # or it warns that nothing was collected
# Django's test client has no connection whose owner could be looked up: it says itself who it is.
MIDDLEWARE = ["tests.harness.flat.FlatPages", "tests.harness.peer.SameUser", *MIDDLEWARE]
