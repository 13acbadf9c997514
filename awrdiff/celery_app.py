"""Celery application, imported by `awrdiff.processing.apps` so that every process binds its tasks."""

from __future__ import annotations

import os
import signal
from typing import Any

from celery import Celery
from celery.signals import (
    celeryd_init,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_process_shutdown,
    worker_shutting_down,
)
from django.conf import settings
from django.db import close_old_connections, connection
from kombu.transport import TRANSPORT_ALIASES

from awrdiff import logs
from awrdiff.django_command_line import own_folder, sentences

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
TRANSPORT_ALIASES["awrdiff-files"] = "awrdiff.processing.dispatch:Transport"

app = Celery("awrdiff")
with sentences():  # a worker that is started by itself reads the settings here
    app.config_from_object("django.conf:settings", namespace="CELERY", force=True)
app.autodiscover_tasks()


@celeryd_init.connect(weak=False)
def _begin(**_kwargs: Any) -> None:
    """No start without key and `manage.py prepare`."""
    from awrdiff.serving.startup_preparation import refuse_unmigrated, refuse_without_key  # noqa: PLC0415 - needs Django set up

    with sentences():  # Celery goes on after every exception but SystemExit
        refuse_without_key()
        own_folder()
        refuse_unmigrated()
    connection.close()  # or its processes inherit it


@setup_logging.connect(weak=False)
def _log_as_all_do(**_kwargs: Any) -> None:
    """Celery adds no handlers while a receiver listens."""


@task_prerun.connect(weak=False)
def _follow(task_id: str = "", **_kwargs: Any) -> None:
    logs.forget()
    logs.bind(task_id=task_id)
    close_old_connections()  # those that are broken or old, as web servers do


@task_postrun.connect(weak=False)
def _follow_no_more(**_kwargs: Any) -> None:
    logs.forget()


@worker_process_shutdown.connect(weak=False)
def _send_rest(**_kwargs: Any) -> None:
    if settings.AWRDIFF_TRACES_ENDPOINT:
        from awrdiff import opentelemetry_spans  # noqa: PLC0415 - an extra

        opentelemetry_spans.send_rest()


@worker_shutting_down.connect(weak=False)
def end_in_time(**_kwargs: Any) -> None:
    """Alarm: a stopping worker hangs if a child died reporting."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(settings.TASK_LEASE_S)
