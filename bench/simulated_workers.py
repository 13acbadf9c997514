"""Workers at one PostgreSQL as discrete events, by what one report costs each of them; seeded, so the same every time.

A worker has a core of its own. A report takes its turn under the lock of its team and that of all that came in bulk
(awrdiff/processing/fair_scheduling.py), is read and stored, and is given its database under its team's lock
(awrdiff/databases/report_assignment.py). A statement takes the way there and back and a core of the database; commits
that come while the log is being written are written together.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random

READ, WARM_UP = 1500, 200  # reports
VARY = 0.3  # each cost is up to so much more or less


@dataclass(frozen=True, slots=True)
class Part:
    """Of one report: processor time of the worker, how long it waits for the database, and for how many statements."""

    cpu_s: float
    waited_s: float = 0.0
    statements: float = 0.0


@dataclass(frozen=True, slots=True)
class Costs:
    """Of one report. `turn` and `placing` are what of these is done under locks, and is in `parts` as well."""

    parts: dict[str, Part]
    turn: Part
    placing: Part

    @property
    def all(self) -> Part:
        parts = self.parts.values()
        return Part(sum(p.cpu_s for p in parts), sum(p.waited_s for p in parts), sum(p.statements for p in parts))


@dataclass(frozen=True, slots=True)
class Machines:
    """`way_s`: to the database and back, beyond what was measured on one machine; `database_cpu_s`: of one report."""

    commit_s: float
    database_cpu_s: float
    way_s: float = 0.0003
    cores: int = 4


@dataclass(frozen=True, slots=True)
class Throughput:
    """`locked`: the share of a worker's time in which it waits for a lock; `busy` that of the database's cores."""

    per_s: float
    locked: float
    busy: float


@dataclass(slots=True, eq=False)
class Lock:
    """Of so many holders at once."""

    free: int = 1
    queue: deque[tuple[float, Worker]] = field(default_factory=deque)
    waited_s: float = 0.0


Step = float | tuple[str, Lock]  # seconds that pass, or "take" and "give"; None is a commit
Worker = Iterator[Step | None]


class Simulation:
    def __init__(self, commit_s: float) -> None:
        self.now, self.commit_s = 0.0, commit_s
        self.due: list[tuple[float, int, Worker]] = []
        self.numbers = count()
        self.writing: list[Worker] = []  # whose commits are being written
        self.to_write: list[Worker] = []

    def after(self, seconds: float, worker: Worker) -> None:
        heapq.heappush(self.due, (self.now + seconds, next(self.numbers), worker))

    def go_on(self, worker: Worker) -> None:
        """Until it has to wait."""
        for step in worker:
            if step is None:
                self.to_write.append(worker)
                if not self.writing:
                    self._write()
                return
            if isinstance(step, float):
                self.after(step, worker)
                return
            act, lock = step
            if act == "give":
                self._give(lock)
            elif lock.free:
                lock.free -= 1
            else:
                lock.queue.append((self.now, worker))
                return

    def _give(self, lock: Lock) -> None:
        if not lock.queue:
            lock.free += 1
            return
        since, worker = lock.queue.popleft()
        lock.waited_s += self.now - since
        self.after(0.0, worker)

    def _write(self) -> None:
        self.writing, self.to_write = self.to_write, []
        self.after(self.commit_s, self._written())

    def _written(self) -> Worker:
        for worker in self.writing:
            self.after(0.0, worker)
        self.writing = []
        if self.to_write:
            self._write()
        yield from ()

    def run(self, is_over: Callable[[], bool]) -> None:
        while not is_over():
            self.now, _, worker = heapq.heappop(self.due)
            self.go_on(worker)


def simulate(costs: Costs, machines: Machines, workers: int, teams: int) -> Throughput:
    random, simulation = Random(workers), Simulation(machines.commit_s)  # noqa: S311 - the same every time
    cores, bulk, of_team = Lock(machines.cores), Lock(), [Lock() for _ in range(teams)]
    whole = costs.all
    served_s = machines.database_cpu_s / whole.statements
    way_s = machines.way_s + max(whole.waited_s / whole.statements - served_s, 0.0)
    ended: list[float] = []

    def spend(seconds: float) -> float:
        return seconds * random.uniform(1 - VARY, 1 + VARY)

    def statements(number: float) -> Worker:
        for _ in range(round(number)):
            yield spend(way_s)
            yield "take", cores
            yield spend(served_s)
            yield "give", cores

    def locked(part: Part, *locks: Lock) -> Worker:
        """A transaction; the locks are taken by its first statements, and it begins and ends with one more."""
        yield from statements(2)
        for lock in locks:
            yield "take", lock
        yield from statements(part.statements)
        yield spend(part.cpu_s)
        yield None
        for lock in locks:
            yield "give", lock

    def worker(number: int) -> Worker:
        yield random.uniform(0, whole.cpu_s)
        for turn in count(number):
            team = of_team[turn % teams]
            yield from locked(costs.turn, bulk, team)
            yield spend(whole.cpu_s - costs.turn.cpu_s - costs.placing.cpu_s)
            yield from statements(whole.statements - costs.turn.statements - costs.placing.statements)
            yield None  # what was read
            yield from locked(costs.placing, team)
            ended.append(simulation.now)

    for number in range(workers):
        simulation.after(0.0, worker(number))
    simulation.run(lambda: len(ended) >= WARM_UP + READ)
    waited_s = sum(lock.waited_s for lock in (bulk, *of_team))
    per_s = READ / (ended[-1] - ended[WARM_UP - 1])
    return Throughput(per_s, waited_s / (workers * simulation.now), per_s * machines.database_cpu_s / machines.cores)
