"""The worker's own end."""

from __future__ import annotations

import os
import signal
import time

from celery.signals import worker_shutting_down
from django.test import override_settings

from awrdiff import celery_app  # noqa: F401 - connects what is asked here


@override_settings(TASK_LEASE_S=1)
def test_a_worker_that_hangs_at_its_end_is_ended() -> None:
    child = os.fork()
    if not child:
        worker_shutting_down.send(None, sig="SIGTERM", how="warm", exitcode=0)
        time.sleep(20)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGALRM
