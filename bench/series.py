"""Eight reports of about 1 MB: from the drop to the sheet in real Chromium, and what a baseline of them costs."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.core.management import call_command  # noqa: E402 - Django first
from django.test import Client  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from awrdiff.comparisons import baseline_reports  # noqa: E402
from awrdiff.reports.models import ReportSection  # noqa: E402
from bench.line import line, medians  # noqa: E402
from bench.stored import computed_files  # noqa: E402
from fixtures.writer import big  # noqa: E402
from fixtures.writer.big import START  # noqa: E402
from tests.harness import tools  # noqa: E402
from tests.harness.server import Server  # noqa: E402

GOAL_S = 5.0
REPORTS, MOST = 8, 24
TIMES = 3
LARGEST = "sql_by_elapsed_time"


def run() -> Iterator[str]:
    yield from _drop()
    setup_test_environment()
    call_command("migrate", verbosity=0)
    for count in (REPORTS, MOST):
        yield from _baseline(count)


def _files(count: int, remark: str = "") -> list[bytes]:
    """Hours of consecutive weeks, each a percent larger than the one before."""
    made = (big(1 + n / 100, begin=START + timedelta(weeks=n)) for n in range(count))
    return [data + f"<!-- {remark} -->".encode() for data in made]


def _drop() -> Iterator[str]:
    chromium = tools.chromium()
    if chromium is None:
        return
    folder = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Server(folder / "var")
    try:
        server.start(120)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            taken = []
            for i in range(TIMES + 1):  # the first one warms up
                paths = []
                for n, data in enumerate(_files(REPORTS, f"{i}")):
                    paths.append(str(folder / f"{i}-{n}.html"))
                    Path(paths[-1]).write_bytes(data)
                page = browser.new_page()
                page.goto(server.url + "/", wait_until="networkidle")
                began = time.perf_counter()
                page.set_input_files("#files", paths)
                page.wait_for_selector(".verdict", state="visible", timeout=120_000)
                taken.append(time.perf_counter() - began)
                page.close()
            browser.close()
        yield line("drop to sheet, eight 1 MB reports", statistics.median(taken[1:]), "s", baseline=GOAL_S)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _baseline(count: int) -> Iterator[str]:
    comparison = computed_files(_files(count))
    chosen = f"?baseline={','.join(map(str, range(count - 1)))}&second={count - 1}"
    client, path = Client(), f"/comparisons/{comparison.pk}/"
    page, table = f"{path}{chosen}", f"{path}sections/{LARGEST}/{chosen}"

    def forget() -> None:
        baseline_reports._heads.clear()
        baseline_reports._measures.clear()

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cold, section = medians(lambda: client.get(page), lambda: client.get(table), TIMES, before=forget)
    warm, each = medians(lambda: client.get(page), lambda: client.get(f"{table}&columns=each"), TIMES)
    sent = len(client.get(f"{table}&columns=each", headers={"HX-Request": "true"}).content)
    rows = ReportSection.objects.filter(report__places__comparison=comparison, section_id=LARGEST)
    printed = sum(rows.values_list("rows", flat=True))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    yield line(f"baseline of {count} 1 MB reports, page, processor time", cold * 1000, "ms")
    yield line(f"baseline of {count} 1 MB reports, page again, processor time", warm * 1000, "ms")
    yield line(f"baseline of {count} 1 MB reports, largest table, processor time", section * 1000, "ms")
    yield line(f"a column for each of {count} 1 MB reports, processor time", each * 1000, "ms")
    yield line(
        f"a column for each of {count} 1 MB reports, rows of the reports looked through", printed / each, "rows/s"
    )
    yield line(f"a column for each of {count} 1 MB reports, first part", sent, "bytes", baseline=60_000)
    yield line(f"baseline of {count} 1 MB reports, memory", grown, "MB")
