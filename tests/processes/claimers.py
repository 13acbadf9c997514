"""Run as a process of its own: claims rows as a worker does until none is left, and says what it saw.

Prints one JSON object per claim: the row, its team, and how many rows of that team were under way right afterwards.
"""

from __future__ import annotations

import json
import time

import django

django.setup()

from awrdiff.processing import fair_scheduling  # noqa: E402 - Django first
from awrdiff.processing.models import State  # noqa: E402
from awrdiff.reports.models import Report  # noqa: E402

IDLE_S = 1.5


def main() -> None:
    last = time.monotonic()
    while time.monotonic() < last + IDLE_S:
        held = fair_scheduling.claim_next(Report, None, "reading", version=1)
        if held is None:
            time.sleep(0.002)
            continue
        team = Report.objects.get(pk=held.pk).team_id
        running = Report.objects.filter(team=team, state=State.RUNNING).count()
        print(json.dumps({"pk": str(held.pk), "team": team, "running": running}), flush=True)
        time.sleep(0.05)
        held.finish()
        last = time.monotonic()


main()
