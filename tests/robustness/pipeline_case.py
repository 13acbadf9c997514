"""One case of the pipeline fuzzer: a broken report from the upload to every page, and what it took."""

from __future__ import annotations

import faulthandler
import logging
import random
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzz_cases import mutate
from tests.robustness.answers import Visitor, Wrong, cpu_s
from tests.robustness.planted import MARK, documents, twins
from tests.robustness.walk import Walk

MOST_S = 10.0
MOST_TIMES = 24  # the size of the files at hand
FLOOR = 128 << 20
HUNG_S = 150
REFUSED = (400, 413, 415, 422)
TITLE = f'{MARK}<script>alert("k7")</script>'


@dataclass
class Tally:
    """What became of the cases of one mutation."""

    cases: int = 0
    refused: int = 0  # at the door, or read and refused
    compared: int = 0
    asked: int = 0  # requests
    cpu_s: float = 0.0
    slowest_s: float = 0.0
    most_bytes: int = 0
    failed: list[int] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for name in ("cases", "refused", "compared", "asked", "cpu_s"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.slowest_s = max(self.slowest_s, other.slowest_s)
        self.most_bytes = max(self.most_bytes, other.most_bytes)
        self.failed += other.failed


class Faults(logging.Handler):
    """What the product logs as an error: a fault of ours, even where the answer hid it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        raised = record.exc_info[1] if record.exc_info else None
        self.said.append(
            f"{record.getMessage()[:200]} {type(raised).__name__ if raised else ''} {str(raised or '')[:300]}"
        )

    def taken(self) -> list[str]:
        said, self.said = self.said, []
        return said


class Bench:
    """A member signed in, the twins uploaded so far, and what the last case left for the next to be compared with."""

    def __init__(self, seed: int, folder: Path | None, *, whole: bool = False) -> None:
        from django.test import Client

        from awrdiff.accounts.models import User
        from awrdiff.accounts.services import join

        self.seed, self.folder, self.whole = seed, folder, whole
        user, _ = User.objects.get_or_create(username="fuzz")
        join(user, "Fuzz")
        client = Client()
        client.force_login(user)
        self.visitor = Visitor(client)
        self.faults = Faults()
        logging.getLogger().handlers = [self.faults]
        self._twin = cache(self._new_twin)
        self._last: tuple[int, list[str]] = (-1, [])

    def run(self, number: int) -> tuple[str, Tally]:
        """Case `number`: its mutation and what became of it. Odd ones are compared with the broken file before too."""
        before = self._before(number) if number % 2 else []
        self._drop_faults()
        mutation, what, data = mutate(self.seed, number, documents(self.folder))
        twin = self._twin(what)
        tally = Tally(cases=1)
        started = cpu_s()
        self.visitor.meter.reset()
        faulthandler.dump_traceback_later(HUNG_S, exit=True)
        wrong = self._tried(number, what, data, before, twin, tally)
        faulthandler.cancel_dump_traceback_later()
        tally.cpu_s = cpu_s() - started
        tally.slowest_s, tally.most_bytes = self.visitor.meter.slowest_s, self.visitor.meter.most_bytes
        wrong += self._limits(tally, len(data) + len(twins(self.folder)[what]) + _bytes_of(before))
        if wrong:
            tally.failed.append(number)
            lines = "\n".join(f"  {line}" for line in dict.fromkeys(wrong))
            print(f"seed {self.seed} case {number} {mutation} {what}:\n{lines}", flush=True)
        return mutation, tally

    def _tried(self, number: int, what: str, data: bytes, before: list[str], twin: str, tally: Tally) -> list[str]:
        visitor = self.visitor
        visitor.asked = 0
        try:
            self._case(number, what, data, before, twin, tally)
        except Exception as error:
            visitor.wrong.append(f"{type(error).__name__}: {str(error)[:300]}")
        tally.asked = visitor.asked
        wrong, visitor.wrong = visitor.wrong, []
        return wrong + self.faults.taken()

    def _case(self, number: int, what: str, data: bytes, before: list[str], twin: str, tally: Tally) -> None:
        chance = random.Random(f"{self.seed}:{number}:walk")
        walk = Walk(self.visitor, chance, whole=self.whole)
        mine, refusal = self._sent(_name(number), data)
        self._last = (number, mine)
        states = [walk.report(f"/reports/{pk}/") for pk in mine[:1]]
        tally.refused = int(bool(refusal) or states == ["failed"])
        if not mine:
            return
        together = [*mine[:2], twin] if chance.random() < 0.5 else [twin, *mine[:2]]
        together += before[:1]
        if what == "trace":
            together = [self._twin(other) for other, _ in documents(self.folder)[1:3]] + together
        elif "compare" in what and chance.random() < 0.5:
            together = mine[:1]
        made = self._compare(together, in_time=chance.random() < 0.2)
        if made:
            tally.compared = int(walk.comparison(made) == "ready")
            self._around(walk, made)

    def _around(self, walk: Walk, comparison: str) -> None:
        """A share link, the comparison turned round, the first page."""
        visitor = self.visitor
        if walk.maybe(4):
            walk.link(visitor.post(f"{comparison}links/", {"days": "2"}, 201)["path"])
        if walk.maybe(6):
            turned = visitor.post(f"{comparison}swap/", {}, 201, 400)
            if "url" in turned:
                visitor.get(turned["url"])
        if walk.maybe(4):
            visitor.get("/")

    def _before(self, number: int) -> list[str]:
        """The reports of the case before, uploaded now where they were not or are dropped."""
        if self._last[0] == number - 1:
            return self._last[1]
        return self._sent(_name(number - 1), mutate(self.seed, number - 1, documents(self.folder))[2])[0]

    def _sent(self, name: str, data: bytes) -> tuple[list[str], str]:
        """The ids of the reports that were kept, and the sentence if there are none."""
        from django.core.files.uploadedfile import SimpleUploadedFile

        answer = self.visitor.post("/reports/", {"file": SimpleUploadedFile(name, data)}, 201, *REFUSED) or {}
        if self.visitor.status != 201:
            if not str(answer.get("error", "")).endswith((".", ")")):
                raise Wrong(f"no sentence: {answer}")
            return [], answer["error"]
        return [one["id"] for one in answer.get("reports", [answer])], ""

    def _compare(self, reports: list[str], *, in_time: bool) -> str | None:
        wanted: dict[str, Any] = {"report": reports, "title": TITLE, "order": "time" if in_time else ""}
        made = self.visitor.post("/comparisons/", wanted, 201, 400)
        if "url" not in made and not str(made.get("error", "")).endswith((".", ")")):
            raise Wrong(f"no sentence: {made}")
        return made.get("url")

    def _new_twin(self, what: str) -> str:
        kept, said = self._sent(f"twin of {what}.html", twins(self.folder)[what])
        if not kept:
            raise RuntimeError(f"the sound {what} was refused: {said}")
        return kept[0]

    def _drop_faults(self) -> None:
        """Those of the file before belong to the case before."""
        self.visitor.wrong.clear()
        self.faults.said.clear()

    def _limits(self, tally: Tally, size: int) -> list[str]:
        wrong = [f"a request took {tally.slowest_s:.1f} s of CPU"] if tally.slowest_s > MOST_S else []
        if tally.most_bytes > MOST_TIMES * size + FLOOR:
            wrong.append(f"held {tally.most_bytes >> 20} MiB for {size:,} bytes")
        return wrong

    def tidy(self) -> None:
        """All but the twins is dropped, as quickly as the database can."""
        from awrdiff.comparisons.models import Comparison
        from awrdiff.reports.models import Report

        self._last = (-1, [])
        Comparison.objects.all().delete()
        twin_ids = [r.pk for r in Report.objects.only("pk").filter(name__startswith="twin of")]
        Report.objects.exclude(pk__in=twin_ids).delete()


def _name(number: int) -> str:
    return f"<k7 {number}>.html"


def _bytes_of(reports: list[str]) -> int:
    from awrdiff.reports.models import Report

    return sum(Report.objects.filter(pk__in=reports).values_list("size", flat=True))
