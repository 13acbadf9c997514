"""The Celery application. `awrdiff.processing.apps` imports it, so that every process binds tasks to it."""

from __future__ import annotations

import os
import signal
from typing import Any

from celery import Celery
from celery.signals import celeryd_init, worker_shutting_down
from django.conf import settings
from kombu.transport import TRANSPORT_ALIASES

from awrdiff.folder import keep_private

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
TRANSPORT_ALIASES["awrdiff-files"] = "awrdiff.processing.broker:Transport"

app = Celery("awrdiff")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect(weak=False)
def _keep_private(**_kwargs: Any) -> None:
    """A worker that is started by itself makes no file that others may read; its processes inherit that."""
    keep_private(group=settings.AWRDIFF_VAR_GROUP)


@worker_shutting_down.connect(weak=False)
def end_in_time(**_kwargs: Any) -> None:
    """A worker that is told to end waits for its tasks, and for ever where a process of its died while it told how a
    task went. Whoever started it may be gone: the system's clock ends it once no task can still be running."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(settings.TASK_LEASE_S)
