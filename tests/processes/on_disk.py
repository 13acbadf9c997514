"""Answers 201 three times, started by test_on_disk.py below strace: `python -m tests.processes.on_disk FOLDER`.

Between the requests it syncs files of FOLDER, whose names say in strace's log what comes next.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from django.core.files.uploadedfile import SimpleUploadedFile  # noqa: E402
from django.test import Client  # noqa: E402

from awrdiff.serving.startup_preparation import make_tables  # noqa: E402
from tests.unit.parsers.reports import report  # noqa: E402


def now_comes(what: str) -> None:
    with (Path(sys.argv[1]) / f"mark-{what}").open("w") as mark:
        os.fsync(mark)


def made(client: Client, path: str, **fields: object) -> str:
    answer = client.post(path, fields)
    assert answer.status_code == 201, answer.content
    found: str = answer.json()["id"]
    return found


if __name__ == "__main__":
    make_tables()
    browser = Client(headers={"Accept": "application/json", "Host": "localhost"})
    browser.get("/")
    incident = made(browser, "/incidents/", title="Slow", begins_at="2024-01-01T11:05")
    now_comes("upload")
    made(browser, "/reports/", file=SimpleUploadedFile("a.html", report()))
    now_comes("event")
    event = made(browser, f"/incidents/{incident}/events/", at="2024-01-01T11:30", text="failover", kind="action")
    now_comes("comment")
    made(browser, f"/incidents/{incident}/threads/", anchor=f"event-{event}", body="Who did it?")
    now_comes("end")
    print("done")
