"""Weight of the first view of a comparison page, its SQL queries, and what it takes to make, or to find unchanged; and
what its exports take."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from functools import partial

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django first
from django.core.management import call_command  # noqa: E402 - Django first
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext, setup_test_environment  # noqa: E402

from awrdiff.comparisons.models import Comparison, ComparisonSection  # noqa: E402
from awrdiff.web.streamed_downloads import EXPORTS  # noqa: E402
from awrdiff.web.views.comparison_page_cache import SHEETS  # noqa: E402
from bench.line import cpu_seconds, line, medians, seconds  # noqa: E402
from bench.many_sections import of_many_sections  # noqa: E402
from bench.stored import computed_files  # noqa: E402

MOST_BYTES = 150_000
MOST_QUERIES = 10
MOST_PANEL_MS = 100
MOST_PAGE_MS, MOST_UNCHANGED_MS, MOST_EXPORT_MS = 20, 8, 200
OF_TESTS = "tests.harness.flat.FlatPages"  # which looks at every page: that is no work of a server


def run() -> Iterator[str]:
    settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if one != OF_TESTS]
    setup_test_environment()
    call_command("migrate", verbosity=0)
    call_command("load_demo", verbosity=0)
    demo = Comparison.objects.filter(is_demo=True, state="ready").order_by("demo_slug").first()
    for name, comparison in (
        ("demo", demo),
        ("built 1 MB pair", computed_files([of_many_sections(size) for size in (1, 1.05)])),
    ):
        if comparison is not None:
            yield from _measure(name, comparison)


def _measure(name: str, comparison: Comparison) -> Iterator[str]:
    client = Client()
    path = f"/comparisons/{comparison.pk}/"
    SHEETS.clear()
    first = cpu_seconds(lambda: client.get(path))
    again, _ = medians(lambda: client.get(path), lambda: None, 9, before=SHEETS.clear)
    sections = ComparisonSection.objects.filter(comparison=comparison, pair=0).count()
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(path)
        sent = len(queries)  # the next request empties the log
    seen = {"If-None-Match": answer["ETag"]}
    whole, unchanged = medians(lambda: client.get(path), lambda: client.get(path, headers=seen), 15)
    yield line(f"page of {name}: HTML", len(answer.content), "bytes", baseline=MOST_BYTES)
    yield line(f"page of {name}: SQL queries", sent, "count", baseline=MOST_QUERIES)
    yield line(f"page of {name}: sections", sections, "count")
    yield line(f"page of {name}, the first of a process: processor time", first * 1000, "ms")
    yield line(f"page of {name}, the first of a result: processor time", again * 1000, "ms")
    yield line(f"page of {name}: processor time", whole * 1000, "ms", baseline=MOST_PAGE_MS)
    yield line(f"page of {name}, unchanged (304): processor time", unchanged * 1000, "ms", baseline=MOST_UNCHANGED_MS)
    yield line(f"page of {name}, unchanged against made", unchanged / whole, "x")
    for ending in EXPORTS:
        took, _ = medians(partial(_fetch, client, f"{path}export.{ending}"), lambda: None, 5)
        yield line(f"export.{ending} of {name}: processor time", took * 1000, "ms", baseline=MOST_EXPORT_MS)
    largest = ComparisonSection.objects.filter(comparison=comparison, pair=0).order_by("-rows").first()
    if largest:
        section = f"{path}sections/{largest.section_id}/"
        took = statistics.median(seconds(lambda: client.get(section)) for _ in range(9))
        yield line(f"largest section of {name} ({largest.rows} rows): server time", took * 1000, "ms")
    statements = ComparisonSection.objects.filter(
        comparison=comparison, pair=0, section_id="sql_by_elapsed_time"
    ).first()
    if statements:
        panel = f"{path}entities/sql/{statements.row_text.split()[0]}/"
        took = statistics.median(seconds(lambda: client.get(panel, headers={"HX-Request": "true"})) for _ in range(9))
        yield line(f"panel of a statement of {name}: server time", took * 1000, "ms", baseline=MOST_PANEL_MS)


def _fetch(client: Client, address: str) -> bytes:
    answer = client.get(address)
    return b"".join(answer) if answer.status_code == 200 else b""
