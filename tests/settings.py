"""Settings of the tests: the project's own, in a folder of their own, with an in-memory broker."""

import atexit
import os
import shutil
import tempfile

for _name in list(os.environ):
    if _name in ("DATABASE_URL", "REDIS_URL") or (_name.startswith("AWRDIFF_") and _name != "AWRDIFF_CORPUS"):
        del os.environ[_name]
_folder = tempfile.mkdtemp(prefix="awrdiff-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["AWRDIFF_VAR"] = _folder
os.environ["AWRDIFF_LOCAL_USER"] = "True"

from awrdiff.settings import *  # noqa: E402, F403
from awrdiff.settings import STORAGES  # noqa: E402

CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {}
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True  # or it warns that nothing was collected
