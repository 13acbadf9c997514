"""Races against one database, started by test_races.py as a process of its own: `python -m tests.processes.races NAME`.

Each prints one JSON document: what was counted, and what went wrong (which must be nothing).
"""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import os
import random
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import close_old_connections, connections
from django.test import Client

from tests.harness import unconfined
from tests.unit.parsers.reports import report, section, table

JSON = {"Accept": "application/json"}
MOST_S = 120
THREADS, PROCESSES = 4, 2


def some_report(remark: str) -> bytes:
    rows = [[f"event {i}", str(100 + i), "1"] for i in range(30)]
    waits = table(["Event", "Waits", "Total Wait Time (s)"], *rows, summary="waits")
    return report(section("Foreground Wait Events", waits)) + f"<!-- {remark} -->".encode()


def signed_in() -> Client:
    from awrdiff.accounts.models import User

    client = Client(headers=JSON, raise_request_exception=False)
    client.force_login(User.objects.get(username="olivia"))
    return client


def upload(client: Client, remark: str) -> str | None:
    answer = client.post("/reports/", {"file": SimpleUploadedFile("a.html", some_report(remark))})
    return answer.json()["id"] if answer.status_code == 201 else None


def together(*jobs: Callable[[], object]) -> None:
    """Each in a thread of its own, begun at one moment."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> None:
        barrier.wait()
        try:
            job()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def files(rounds: int) -> dict[str, object]:
    """Many upload the same bytes and delete what they uploaded, while the sweeper removes what nobody names.

    In every other run of rounds the sweeper comes for files that are being stored, as if an upload took hours.
    """
    queue: multiprocessing.Queue = multiprocessing.get_context("fork").Queue()
    connections.close_all()
    begin = time.monotonic()
    crew = [
        multiprocessing.get_context("fork").Process(target=_crew, args=(rounds, n, queue)) for n in range(PROCESSES)
    ]
    for process in crew:
        process.start()
    said = [queue.get(timeout=MOST_S) for _ in crew]
    for process in crew:
        process.join()
    kept = [pk for kept, _ in said for pk in kept]
    counts = sum((Counter(count) for _, count in said), Counter())
    wrong = [why for pk in kept if (why := _unreadable(pk))]
    return {**counts, "kept": len(kept), "wrong": wrong + _left_behind(), "seconds": round(time.monotonic() - begin, 1)}


def _crew(rounds: int, number: int, queue: multiprocessing.Queue) -> None:
    kept: list[str] = []
    counts: Counter[str] = Counter()
    stop = threading.Event()
    random.seed(number)

    def sweeping() -> None:
        from awrdiff.reports import files as stored

        while not stop.is_set():
            stored.sweep()
            time.sleep(random.random() / 200)

    def uploading() -> None:
        from awrdiff.reports import files as stored

        client = signed_in()
        for i in range(rounds):
            stored.UPLOAD_S = 0 if i // 10 % 2 else 3600
            pk = upload(client, f"bytes {i // 4}")
            counts["uploaded" if pk else "refused"] += 1
            if pk and random.random() < 0.1:
                kept.append(pk)
            elif pk:
                status = client.post(f"/reports/{pk}/delete/").status_code
                counts[f"deleted, {status}"] += 1

    def first(job: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                job()
            finally:
                stop.set()

        return run

    together(sweeping, first(uploading), *[uploading] * (THREADS - 1))
    queue.put((kept, dict(counts)))


def _unreadable(pk: str) -> str:
    from awrdiff.reports.models import Report
    from awrdiff.reports.tasks import read_now

    read_now(pk)
    found = Report.objects.get(pk=pk)
    if not default_storage.exists(found.file):
        return f"{pk} has lost its file"
    return "" if found.is_ready else f"{pk} is {found.state}: {found.error}"


def _left_behind() -> list[str]:
    """Once the sweeper has been, only files that reports name are there."""
    from awrdiff.reports import files as stored
    from awrdiff.reports.models import LooseFile, Report

    LooseFile.objects.update(keep_until="2000-01-01T00:00:00Z")
    while stored.sweep() or LooseFile.objects.exists():
        pass
    named = set(Report.objects.values_list("file", flat=True))
    root = Path(settings.MEDIA_ROOT)
    there = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    return [f"{name} is left" for name in sorted(there - named)]


def deleting(rounds: int) -> dict[str, object]:
    """Reports and comparisons are deleted while they are read, computed, swapped, shared and compared anew.

    Without a child process: one that is forked beside other threads may find a lock held for ever, and workers have one
    thread each.
    """
    from awrdiff.comparisons.tasks import compute_comparison
    from awrdiff.processing import sandbox, sweeper
    from awrdiff.reports.tasks import read_now

    sandbox.run = unconfined.run
    clients = [signed_in() for _ in range(5)]
    statuses: Counter[str] = Counter()
    wrong: list[str] = []
    begin = time.monotonic()

    def ask(n: int, path: str, **fields: object) -> None:
        answer = clients[n].post(path, fields)
        name = path.rstrip("/").rsplit("/", 1)[-1]
        statuses[f"{name} {answer.status_code}"] += 1
        if answer.status_code >= 500:
            wrong.append(f"{name}: {answer.content[:200]!r}")

    def job(task: Callable[[str], object], pk: str) -> Callable[[], None]:
        def run() -> None:
            try:
                time.sleep(random.random() / 50)
                task(pk)
            except Exception as error:
                wrong.append(f"{getattr(task, 'name', task)}: {error!r}")

        return run

    for i in range(rounds):
        first, second = (upload(clients[0], f"{i} {n}") for n in range(2))
        made = clients[0].post("/comparisons/", {"report": [first, second]}).json()["id"]
        base = f"/comparisons/{made}/"
        if i % 2:
            read_now(first)
            read_now(second)
        if i % 4 == 3:
            clients[0].post(base + "swap/")
        together(
            job(read_now, first),
            job(read_now, second),
            job(compute_comparison, made),
            lambda base=base: ask(0, base + "delete/"),
            lambda base=base: ask(1, base + "swap/"),
            lambda base=base: ask(2, base + "links/"),
            lambda a=first, b=second: ask(3, "/comparisons/", report=[b, a]),
            lambda a=first: ask(4, f"/reports/{a}/delete/"),
            sweeper.sweep,
        )
        close_old_connections()
    return {**statuses, "wrong": wrong, "seconds": round(time.monotonic() - begin, 1)}


def twice(rounds: int) -> dict[str, object]:
    """Eight at one moment, four of each of two processes, want the same pair compared: one comparison is made."""
    from awrdiff.comparisons.models import Comparison

    client = signed_in()
    pairs = [[upload(client, f"{i} {n}") for n in range(2)] for i in range(rounds)]
    context = multiprocessing.get_context("fork")
    queue, barrier = context.Queue(), context.Barrier(PROCESSES)
    connections.close_all()
    crew = [context.Process(target=_wanting, args=(pairs, barrier, queue)) for _ in range(PROCESSES)]
    for process in crew:
        process.start()
    said = [one for _ in crew for one in queue.get(timeout=MOST_S)]
    for process in crew:
        process.join()
    statuses = Counter(status for status, _, _ in said)
    told: dict[int, set[str]] = {}
    for _, pair, pk in said:
        told.setdefault(pair, set()).add(pk)
    wrong = [f"pair {pair}: {len(found)} comparisons were told" for pair, found in told.items() if len(found) > 1]
    return {"answers": dict(statuses), "pairs": len(told), "made": Comparison.objects.count(), "wrong": wrong}


def _wanting(pairs: list[list[str]], barrier: object, queue: multiprocessing.Queue) -> None:
    said: list[tuple[int, int, str]] = []
    clients = [signed_in() for _ in range(THREADS)]

    def want(client: Client, number: int) -> None:
        answer = client.post("/comparisons/", {"report": pairs[number]})
        said.append((answer.status_code, number, answer.json().get("id", "")))

    for number in range(len(pairs)):
        barrier.wait(MOST_S)  # type: ignore[attr-defined]
        together(*[lambda c=client, n=number: want(c, n) for client in clients])
    queue.put(said)


def talking(rounds: int) -> dict[str, object]:
    """Eight write in one thread, four of each of two processes, each comment sent by both; they agree, edit, resolve
    and reopen meanwhile."""
    from awrdiff.comparisons.tasks import compute_now
    from awrdiff.reports.tasks import read_now
    from awrdiff.threads import services
    from awrdiff.threads.models import Comment, Talk, Thread

    services.MOST_A_MINUTE = 100_000
    client = signed_in()
    reports = [upload(client, str(n)) for n in range(2)]
    for one in reports:
        read_now(one)
    made = client.post("/comparisons/", {"report": reports}).json()["id"]
    compute_now(made)
    base = f"/comparisons/{made}/threads/"
    thread = client.post(base, {"anchor": "summary", "body": "Well?"}).json()["id"]
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    connections.close_all()
    crew = [context.Process(target=_talking, args=(f"{base}{thread}/", rounds, queue)) for _ in range(PROCESSES)]
    for process in crew:
        process.start()
    statuses = sum((Counter(queue.get(timeout=MOST_S)) for _ in crew), Counter())
    for process in crew:
        process.join()
    said = Comment.objects.filter(thread=thread).exclude(body="Well?")
    return {
        "answers": {str(status): count for status, count in sorted(statuses.items())},
        "said": said.count(),
        "different": said.values("body").distinct().count(),
        "threads": Thread.objects.count(),
        "version": Talk.objects.get().version,
    }


def _talking(url: str, rounds: int, queue: multiprocessing.Queue) -> None:
    statuses: Counter[str] = Counter()

    def talk(client: Client, number: int) -> None:
        for n in range(rounds):
            key = uuid.uuid5(uuid.NAMESPACE_URL, f"{number} {n}")
            said = client.post(url, {"body": f"{number} {n}", "key": key})
            statuses[f"said {said.status_code}"] += 1
            state = "resolved" if n % 2 else "open"
            statuses[f"state {client.post(f'{url}state/', {'state': state}).status_code}"] += 1

    clients = [signed_in() for _ in range(THREADS)]
    together(*[lambda n=n, c=client: talk(c, n) for n, client in enumerate(clients)])
    queue.put(dict(statuses))


def thinning(rounds: int) -> dict[str, object]:
    """Sweepers thin out the same old days, some of them killed, while others compare and delete what is to go."""
    from awrdiff.accounts.models import Team
    from awrdiff.audit.models import AuditLine
    from awrdiff.fleet import thinning as thinned
    from awrdiff.fleet.models import Thinning
    from awrdiff.reports.models import Report
    from fixtures.fleet.hours import fleet
    from tests.web.conftest import context_of
    from tests.web.fleets import measure_all, old_and_new, store_fleet

    thinned.BATCH, thinned._AT_MOST_S = 5, 0.0
    team = Team.objects.get(name="Payments")
    store_fleet(context_of("olivia", "Payments"), [old_and_new(one, rounds) for one in fleet(2)])
    measure_all()
    moment = datetime.now(UTC) - timedelta(seconds=1)
    thinned.MOST_LISTED = 100_000
    going = [str(one.pk) for one in thinned.preview(team, thinned.Rule(70, 2, moment)).first]
    staying = {str(pk) for pk in Report.objects.exclude(pk__in=going).values_list("pk", flat=True)}
    Thinning.objects.create(team=team, after_days=70, hours=2, next_at=moment)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    connections.close_all()
    hand = context.Process(target=_by_hand, args=(going[::-1], queue))
    hand.start()
    crew = [context.Process(target=_sweeper) for _ in range(PROCESSES)]
    killed = 0
    for process in crew:
        process.start()
    while killed < rounds:
        time.sleep(random.uniform(0.02, 0.2))
        process = crew.pop(0)
        if process.is_alive():
            process.kill()
        killed += 1
        process.join()
        crew.append(context.Process(target=_sweeper))
        crew[-1].start()
    compared, deleted, statuses = queue.get(timeout=MOST_S)
    for process in (hand, *crew):
        process.join(MOST_S)
    left = {str(pk) for pk in Report.objects.values_list("pk", flat=True)}
    lines = list(AuditLine.objects.filter(action="thinned out").values_list("thing", flat=True))
    counted = sum(int(line.split()[0]) for line in lines)
    wrong = [f"gone: {pk}" for pk in staying | set(compared) if pk not in left]
    wrong += [f"there: {pk}" for pk in left - staying - set(compared)]
    by_hand = AuditLine.objects.filter(action="deleted", kind="report").count()  # 204 is also said of what just went
    wrong += [f"there: {pk}" for pk in deleted if pk in left]
    if counted + len(compared) + by_hand != len(going):
        wrong.append(f"{counted} + {len(compared)} + {by_hand} are not {len(going)}")
    return {"wrong": wrong, "lines": len(lines), "thinned": counted, "compared": len(compared), "answers": statuses}


def _sweeper() -> None:
    from awrdiff.fleet import thinning as thinned
    from awrdiff.fleet.models import Thinning

    while Thinning.objects.filter(next_at__lte=datetime.now(UTC)).exists():
        thinned.thin_out()
        time.sleep(0.05)


def _by_hand(going: list[str], queue: multiprocessing.Queue) -> None:
    client = signed_in()
    compared, deleted, statuses = list[str](), list[str](), Counter[str]()
    for n in range(0, len(going) - 3, 4):
        pair = going[n : n + 2]
        answer = client.post("/comparisons/", {"report": pair}).status_code
        statuses[f"compared {answer}"] += 1
        compared += pair if answer == 201 else []
        answer = client.post(f"/reports/{going[n + 2]}/delete/").status_code
        statuses[f"deleted {answer}"] += 1
        deleted += [going[n + 2]] if answer == 204 else []
    queue.put((compared, deleted, dict(statuses)))


def main() -> None:
    faulthandler.dump_traceback_later(2 * MOST_S, exit=True)  # where it hangs, before the test loses patience
    from awrdiff.accounts.models import User
    from awrdiff.accounts.services import join

    settings.AWRDIFF_LOCAL_USER = False
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["testserver"]
    join(User.objects.create(username="olivia"), "Payments")
    random.seed(1)
    races = {"files": files, "deleting": deleting, "twice": twice, "talking": talking, "thinning": thinning}
    print(json.dumps(races[sys.argv[1]](int(sys.argv[2]))))


if __name__ == "__main__":
    main()
