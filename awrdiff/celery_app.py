"""The Celery application. `awrdiff.processing.apps` imports it, so that every process binds tasks to it."""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
TRANSPORT_ALIASES["awrdiff-files"] = "awrdiff.processing.broker:Transport"

app = Celery("awrdiff")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
