"""Demo comparisons from fixtures/demos.json: {"slug", "title", "note", "reports": [paths in fixtures/]}."""

from __future__ import annotations

import hashlib
import json
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.processing import sandbox
from awrdiff.reports.received_files import ReceivedFile, receive_chunks
from awrdiff.reports.services import store_upload
from awrdiff.reports.tasks import read_now

FOLDER = Path(settings.BASE_DIR) / "fixtures"


def load(access: AccessContext, folder: Path) -> int:
    """Number created; others stay."""
    entries = _entries(folder)
    demos = Comparison.objects.filter(team=access.team).exclude(demo_slug="")
    for gone in demos.exclude(demo_slug__in=[e["slug"] for e in entries]):
        services.delete(access, gone)
    with sandbox.own_files() if folder == FOLDER else nullcontext():
        return sum(_load_one(access, folder, entry) for entry in entries)


def _entries(folder: Path) -> list[dict[str, Any]]:
    listing = folder / "demos.json"
    return json.loads(listing.read_text(encoding="utf-8")) if listing.is_file() else []


@cache
def places() -> dict[str, int]:
    return {entry["slug"]: place for place, entry in enumerate(_entries(FOLDER))}


def _load_one(access: AccessContext, folder: Path, entry: dict[str, Any]) -> bool:
    paths = [folder / path for path in entry["reports"]]
    existing = Comparison.objects.filter(team=access.team, demo_slug=entry["slug"]).first()
    if existing:
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
        places = existing.places.order_by("position").values_list("report__sha256", flat=True)
        same_text = existing.title == entry["title"][:200] and existing.note == entry.get("note", "")
        if not existing.is_failed and same_text and list(places) == digests:
            return False
        services.delete(access, existing)
    reports = [store_upload(access, _receive(path), path.name, is_demo=True) for path in paths]
    comparison = services.create_comparison(
        access, reports, order_by_time=False, title=entry["title"], note=entry.get("note", "")
    )
    Comparison.objects.filter(pk=comparison.pk).update(is_demo=True, demo_slug=entry["slug"])
    # Here and now, so that the first page shows them ready; the messages that were sent find nothing to do.
    for report in reports:
        read_now(report.pk)
    compute_now(comparison.pk)
    return True


def _receive(path: Path) -> ReceivedFile:
    with path.open("rb") as file:
        return receive_chunks(iter(lambda: file.read(1 << 20), b""), path.name)
