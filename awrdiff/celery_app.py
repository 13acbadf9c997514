"""The Celery application. `awrdiff.processing.apps` imports it, so that every process binds tasks to it."""

from __future__ import annotations

import os
import signal
from typing import Any

from celery import Celery
from celery.signals import celeryd_init, worker_shutting_down
from django.conf import settings
from django.db import connection
from kombu.transport import TRANSPORT_ALIASES

from awrdiff.commandline import own_folder, sentences

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
TRANSPORT_ALIASES["awrdiff-files"] = "awrdiff.processing.broker:Transport"

app = Celery("awrdiff")
with sentences():  # a worker that is started by itself reads the settings here
    app.config_from_object("django.conf:settings", namespace="CELERY", force=True)
app.autodiscover_tasks()


@celeryd_init.connect(weak=False)
def _begin(**_kwargs: Any) -> None:
    """A worker that is started by itself makes no file that others may read; its processes inherit that. It does not
    start without what `manage.py prepare` does."""
    from awrdiff.serving.prepared import refuse_unmigrated  # noqa: PLC0415 - needs Django set up

    with sentences():  # Celery goes on after every exception but SystemExit
        own_folder()
        refuse_unmigrated()
    connection.close()  # or its processes inherit it


@worker_shutting_down.connect(weak=False)
def end_in_time(**_kwargs: Any) -> None:
    """A worker that is told to end waits for its tasks, and for ever where a process of its died while it told how a
    task went. Whoever started it may be gone: the system's clock ends it once no task can still be running."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(settings.TASK_LEASE_S)
