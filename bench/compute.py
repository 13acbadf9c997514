"""What a worker computes of a comparison, without the database: deltas, verdict, commit figures, and their packing."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")

import django

django.setup()

from awrdiff.analysis.compare import compare_reports  # noqa: E402 - Django first
from awrdiff.comparisons.models import Comparison  # noqa: E402
from awrdiff.comparisons.result_storage import pack_overviews, section_rows  # noqa: E402
from bench.line import line, medians  # noqa: E402
from fixtures.writer import big  # noqa: E402
from parsers import Report, parse_report  # noqa: E402

SIZE_MB, TIMES = 2.5, 7
AIM_S = 0.4


def run() -> Iterator[str]:
    first, second = parse_report(big(SIZE_MB)), parse_report(big(SIZE_MB * 1.05))
    gc.disable()  # as in the process that a worker computes in
    comparing, whole = medians(lambda: compare_reports(first, second), lambda: _packed(first, second), TIMES)
    gc.enable()
    yield line(f"comparing two reports of {SIZE_MB} MB", comparing * 1000, "ms")
    yield line(f"comparing and packing two reports of {SIZE_MB} MB", whole * 1000, "ms", baseline=AIM_S * 1000)


def _packed(first: Report, second: Report) -> None:
    compared = compare_reports(first, second)
    pack_overviews([compared])
    section_rows(Comparison(), 0, compared)
