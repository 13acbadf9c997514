"""python -m bench.stored REPORTS MEGABYTES: a comparison of so many reports in the database of AWRDIFF_VAR.

Prints the comparison's path. Two reports are read and one pair is computed; the other pairs are stored as copies of it,
for what is measured is what comes after. The database is made where there is none.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Sequence

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
os.environ.setdefault("AWRDIFF_LOCAL_USER", "True")

import django

django.setup()

from django.core.management import call_command  # noqa: E402 - Django first

from awrdiff.accounts.access import AccessContext  # noqa: E402
from awrdiff.accounts.services import local_membership  # noqa: E402
from awrdiff.comparisons import services, tasks  # noqa: E402
from awrdiff.comparisons.models import Comparison, ComparisonReport, ComparisonSection  # noqa: E402
from awrdiff.reports.models import Report  # noqa: E402
from awrdiff.reports.received_files import receive_chunks  # noqa: E402
from awrdiff.reports.services import store_upload  # noqa: E402
from awrdiff.reports.tasks import read_now  # noqa: E402
from fixtures.writer import big  # noqa: E402
from parsers.storage.compressed_blocks import pack, unpack  # noqa: E402


def computed(sizes_mb: tuple[float, float]) -> Comparison:
    """A ready comparison of two built reports of these sizes, of the local user."""
    return computed_files([big(s) for s in sizes_mb])


def computed_files(files: Sequence[bytes]) -> Comparison:
    membership = local_membership()
    access = AccessContext(team=membership.team, user=membership.user)
    named = [(f"{n}.html", data) for n, data in enumerate(files)]
    reports = [store_upload(access, receive_chunks([data], name), name) for name, data in named]
    for report in reports:
        read_now(report.pk)
    made = services.create_comparison(access, reports, order_by_time=False)
    tasks.compute_now(made.pk)
    made.refresh_from_db()
    if not made.is_ready:
        raise RuntimeError(f"the comparison failed: {made.error}")
    return made


def grow(made: Comparison, reports: int) -> None:
    """Adds pairs until so many reports are compared."""
    last = Report.objects.get(places__comparison=made, places__position=1)
    sections = list(ComparisonSection.objects.filter(comparison=made, pair=0))
    for position in range(2, reports):
        last.pk = uuid.uuid4()
        last.save(force_insert=True)
        ComparisonReport.objects.create(comparison=made, report=last, position=position)
        for section in sections:
            section.pk, section.pair = None, position - 1
        ComparisonSection.objects.bulk_create(sections, batch_size=200)
    overview = pack(unpack(bytes(made.overview)) * (reports - 1))
    Comparison.objects.filter(pk=made.pk).update(overview=overview)


def main(reports: int, size_mb: float) -> None:
    call_command("prepare", verbosity=0)
    made = computed((size_mb, size_mb * 1.05))
    grow(made, reports)
    print(f"/comparisons/{made.pk}/")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
