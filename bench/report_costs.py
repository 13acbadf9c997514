"""python -m bench.report_costs REPORTS: what one report costs a worker, by part, in the database of the settings.

Stores and reads so many small reports in this process, without the limits of a confined one, and prints what `Costs`
holds as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")

import django

django.setup()

from django.db import connection  # noqa: E402 - Django first

from awrdiff.accounts.access import local_member  # noqa: E402
from awrdiff.databases import report_assignment  # noqa: E402
from awrdiff.processing import sandbox  # noqa: E402
from awrdiff.processing.models import State  # noqa: E402
from awrdiff.reports import metrics, tasks  # noqa: E402
from awrdiff.reports.models import Report  # noqa: E402
from awrdiff.reports.received_files import receive_chunks  # noqa: E402
from awrdiff.reports.services import store_uploads  # noqa: E402
from awrdiff.reports.uploaded_report_rows import Incoming  # noqa: E402
from bench.simulated_workers import Costs, Part  # noqa: E402
from bench.worker_rate import reports  # noqa: E402
from tests.harness import unconfined  # noqa: E402

_WARM_UP = 3
_FOLLOWING_UP, _TURN, _PLACING = "following up", "turn", "placing"
_PARTS = {
    "reading": ((tasks, "split_reports"), (tasks, "parse_report")),
    "metrics": ((metrics, "metrics_row"),),
    "packing": ((tasks, "header_columns"), (tasks, "section_rows")),
    _TURN: ((tasks, "claim_next"), (tasks, "pass_on")),
    "storing": ((tasks, "_keep"),),
}


@dataclass(slots=True)
class Spent:
    cpu_s: float = 0.0
    waited_s: float = 0.0
    statements: int = 0

    def of_one(self, count: int) -> Part:
        return Part(self.cpu_s / count, self.waited_s / count, self.statements / count)


class Ledger:
    """What is spent, by the innermost part that is under way; `locked`, what of it in a transaction of that part."""

    def __init__(self) -> None:
        self.parts = {name: Spent() for name in (*_PARTS, _PLACING, _FOLLOWING_UP)}
        self.locked: defaultdict[str, Spent] = defaultdict(Spent)
        self.under_way = [_FOLLOWING_UP]
        self.since = time.process_time()
        self.is_locked = False

    def _spend(self) -> None:
        now, part = time.process_time(), self.under_way[-1]
        for spent in (self.parts[part], *([self.locked[part]] if self.is_locked else [])):
            spent.cpu_s += now - self.since
        self.since, self.is_locked = now, connection.in_atomic_block

    def of(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def done(*args: Any, **given: Any) -> Any:
            self._spend()
            self.under_way.append(part)
            try:
                return work(*args, **given)
            finally:
                self._spend()
                self.under_way.pop()

        return done

    def ask(self, execute: Callable[..., Any], *asked: Any) -> Any:
        self._spend()
        began, part = time.perf_counter(), self.under_way[-1]
        try:
            return execute(*asked)
        finally:
            for spent in (self.parts[part], *([self.locked[part]] if connection.in_atomic_block else [])):
                spent.waited_s += time.perf_counter() - began
                spent.statements += 1
            self._spend()

    def watch(self) -> None:
        for part, places in _PARTS.items():
            for module, name in places:
                setattr(module, name, self.of(part, getattr(module, name)))
        called = [
            (_PLACING if one is report_assignment.report_settled else _FOLLOWING_UP, one) for one in tasks.WHEN_SETTLED
        ]
        tasks.WHEN_SETTLED[:] = [self.of(part, one) for part, one in called]


def main(count: int) -> Costs:
    access = local_member()
    for number, data in enumerate(reports(count + _WARM_UP, "small")):
        name = f"{number}.html"
        store_uploads(access, [Incoming(receive_chunks([data], name), name, "", in_bulk=True)])
    sandbox.run = unconfined.run
    pks = Report.objects.filter(in_bulk=True, state=State.PENDING).values_list("pk", flat=True)
    sent_for = [str(pk) for pk in pks]
    for pk in sent_for[:_WARM_UP]:
        tasks.read_report(pk)
    ledger = Ledger()
    ledger.watch()
    with connection.execute_wrapper(ledger.ask):
        for pk in sent_for[_WARM_UP:]:
            tasks.read_report(pk)
    parts = {name: spent.of_one(count) for name, spent in ledger.parts.items()}
    return Costs(parts, *(ledger.locked[part].of_one(count) for part in (_TURN, _PLACING)))


if __name__ == "__main__":
    print(json.dumps(asdict(main(int(sys.argv[1])))))
