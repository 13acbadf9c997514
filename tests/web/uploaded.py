"""Two reports that somebody uploads and compares, with their files, as the tests of a team's zip have them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.reports.models import Report
from awrdiff.reports.tasks import read_now
from tests.processes.files import two_reports
from tests.web.cast import JSON
from tests.web.conftest import context_of


@contextmanager
def uploading(folder: Path, name: str) -> Iterator[Client]:
    """Somebody of the team Payments who is signed in; files go below the folder."""
    with override_settings(
        AWRDIFF_LOCAL_USER=False, AWRDIFF_UPLOAD_DIR=folder / "uploads", MEDIA_ROOT=folder / "files"
    ):
        client = Client()
        client.force_login(context_of(name, "Payments").user)
        yield client


def upload(client: Client, name: str, data: bytes) -> Report:
    answer = client.post("/reports/", {"file": SimpleUploadedFile(name, data)}, headers=JSON)
    read_now(answer.json()["id"])
    return Report.objects.get(pk=answer.json()["id"])


def uploaded_pair(client: Client, title: str) -> Comparison:
    found = [upload(client, f"{n}.html", data) for n, data in enumerate(two_reports())]
    answer = client.post("/comparisons/", {"report": [r.pk for r in found], "title": title}, headers=JSON)
    compute_now(answer.json()["id"])
    made = Comparison.objects.get(pk=answer.json()["id"])
    assert made.is_ready, made.error
    return made
