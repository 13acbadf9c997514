"""`python -m tests.robustness.chaos --kills 200 --seed S`: bin/serve under load, while what it stands on is killed.

Several people upload (files, archives, the same bytes at once while others delete them), compare, look, export and share.
Meanwhile workers, their children, the web server, the sweeper and bin/serve itself are killed, the worker is held, the
broker and PostgreSQL go away and come back; or, with --power, the power of the disk they write to is cut. In the end all that was answered 201 must be there: the file, the state it
would have had, the same exports, the link. No row may be stuck, no process or half an upload be left, the site must answer.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from tests.documents import parts
from tests.harness.server import Client, Server, until
from tests.harness.services import Postgres, Redis
from tests.robustness.chaos_kills import Blows, Watch, answers, belonging_to
from tests.robustness.chaos_load import ENDINGS, Exports, Ledger, Person
from tests.robustness.power import Disk
from tests.robustness.takeover.make import ACCOUNTS, PASSWORD, cookie, manage, sign_in

LEASE_S = 10  # with the time limit below
QUICK = {"AWRDIFF_TASK_TIME_LIMIT_S": "8", "AWRDIFF_TASK_DUE_AFTER_S": "2", "AWRDIFF_SWEEP_EVERY_S": "1"}
SETTLED_S = 120
# One process that looks again and again: to start one for each look takes more than all there is to do.
_SETTLE = """
import time
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.models import Report
until = time.monotonic() + {seconds}
while left := sum(m.objects.exclude(state__in=["ready", "failed"]).count() for m in (Report, Comparison)):
    if time.monotonic() > until:
        break
    time.sleep(0.2)
print(left)
"""


def _as_sent(path: Path) -> bytes:
    """What was uploaded, which is kept packed."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gzip" else path.read_bytes()


class Chaos:
    """One run: `blows` were dealt, `ledger` says what was promised and what of it was broken."""

    def __init__(self, chosen: argparse.Namespace, folder: Path, stack: ExitStack) -> None:
        env = {**ACCOUNTS, **QUICK}
        redis = postgres = None
        disk = None
        if chosen.power:
            folder.chmod(0o711)  # PostgreSQL's own user must get through
            disk = Disk(folder / "disk")
            stack.callback(disk.close)
            disk.mount_new()
            folder = disk.folder
        if chosen.broker == "redis":
            redis = Redis()
            redis.start()
            stack.callback(redis.close)
            env["REDIS_URL"] = redis.url
        if chosen.database == "postgres":
            postgres = Postgres(folder, durable=chosen.power)
            stack.callback(postgres.close)
            postgres.start()
            env["DATABASE_URL"] = postgres.migrated_database()
        self.chosen = chosen
        self.ledger = Ledger()
        self.server = Server(folder / "var", **env)
        self.blows = Blows(self.server, self.ledger, random.Random(chosen.seed), redis, postgres, disk)
        self.watch = Watch(lambda: answers(self.server))
        stack.callback(self.server.stop)

    def run(self) -> None:
        self.server.prepare()
        manage(self.server, "prepare")
        manage(self.server, "add_user", "olivia", "--team", "Local", AWRDIFF_PASSWORD=PASSWORD)
        self.server.start()
        self.first = Client(self.server.url)
        sign_in(self.first)
        self.exports = Exports(self.client())
        people = [
            Person(n, self.chosen.seed, self.client, self.ledger, self.exports) for n in range(self.chosen.people)
        ]
        for person in people:
            person.start()
        os.sync()  # what was copied to begin with is no promise
        self._deal()
        for person in people:
            person.stopped.set()
        for person in people:
            person.join(timeout=90)
        self.ledger.wrong += [f"person {p.number} never came back" for p in people if p.is_alive()]
        self._everything_is_there()
        self._nothing_is_left()

    def client(self) -> Client:
        """The same person at another desk."""
        made = Client(self.server.url)
        for one in self.first.cookies:
            made.cookies.set_cookie(one)
        assert cookie(made, "sessionid")
        return made

    def _deal(self) -> None:
        pause = random.Random(f"{self.chosen.seed}:pause")
        self.watch.start()
        time.sleep(1)
        for number in range(1, self.chosen.kills + 1):
            kind = self.blows.deal()
            print(f"{number:4} {kind}: {len(self.ledger.wrong)} wrong", file=sys.stderr, flush=True)
            time.sleep(pause.uniform(0.2, 2 * self.chosen.every - 0.2))
        self.watch.ended.set()
        self.watch.join()

    def _everything_is_there(self) -> None:
        client = self.client()
        self._settle()
        kept = [p for p in (self.server.var / "files").rglob("*") if p.is_file()]
        digests = {hashlib.sha256(_as_sent(p)).hexdigest() for p in kept}
        for pk, (template, digest) in self.ledger.reports.items():
            self._report_is_there(client, pk, "failed" if template == "letter" else "ready")
            if digest not in digests:
                self.ledger.wrong.append(f"the file of report {pk} ({template}) is gone")
        for url, pair in self.ledger.comparisons.items():
            for ending in ENDINGS:
                if wrong := self.exports.differs(pair, ending, client.get(f"{url}export.{ending}")):
                    self.ledger.wrong.append(f"{url}: {wrong}")
        stranger = Client(self.server.url)
        for path, pair in self.ledger.links.items():
            if wrong := self.exports.differs(pair, "json", stranger.get(f"{path}export.json")):
                self.ledger.wrong.append(f"a link: {wrong}")

    def _report_is_there(self, client: Client, pk: str, state: str) -> None:
        answer = client.get(f"/reports/{pk}/")
        found = answer.json if answer.status == 200 else {"state": f"answered {answer.status}"}
        if found["state"] != state or found.get("error_code") == "gave-up":
            self.ledger.wrong.append(f"report {pk} is {found['state']} {found.get('error') or ''}, not {state}")

    def _settle(self) -> None:
        started = time.monotonic()
        try:
            until(lambda: answers(self.server), 60, what=lambda: "the site does not answer")
        except TimeoutError as late:
            self.ledger.wrong.append(str(late))
        settle = _SETTLE.format(seconds=SETTLED_S)
        if left := int(manage(self.server, "shell", "--verbosity=0", "-c", settle)):
            self.ledger.wrong.append(f"{left} rows are stuck")
        self.settled_s = time.monotonic() - started

    def _nothing_is_left(self) -> None:
        """After a start that followed all the kills, and an orderly stop."""
        try:
            self.server.stop()
            self.server.start()
            self.server.stop()
        except (TimeoutError, subprocess.TimeoutExpired) as late:
            self.ledger.wrong.append(f"does not stop: {late}")
        try:  # a worker whose bin/serve was killed ends once no task of its own can be running
            until(lambda: not belonging_to(self.server), 2 * LEASE_S, what=lambda: "processes are left")
        except TimeoutError:
            self.ledger.wrong.append(f"{len(belonging_to(self.server))} processes are left")
        self.leftovers = len(list(self.server.var.rglob("*.upload")))
        if self.leftovers:
            self.ledger.wrong.append(f"{self.leftovers} half uploads are left")

    def table(self) -> str:
        """The figures for docs/reference/robustness.md."""
        ledger, counts = self.ledger, self.ledger.counts
        services = f"{self.chosen.database}{' on an ext4 image' if self.chosen.power else ''}, broker on {self.chosen.broker}, {self.chosen.people} people at once"
        lines = [f"Seed {self.chosen.seed}, {services}, {date.today():%d %B %Y}:", "", "| blow | times |", "|---|---:|"]
        lines += [f"| {kind} | {times} |" for kind, times in sorted(self.blows.dealt.items())]
        rows = {
            "answers": counts["answers"],
            "requests cut off": counts["unanswered"],
            "answered 5xx (the database was away)": sum(n for k, n in counts.items() if k.startswith("answered 5")),
            "reports promised": len(ledger.reports),
            "comparisons promised": len(ledger.comparisons),
            "links promised": len(ledger.links),
            "longest time from one answer of `/healthz` to the next, s": f"{self.watch.longest_away_s:.1f}",
            "until everything was settled, s": f"{self.settled_s:.1f}",
            "bin/serve ended by itself": self.blows.gone,
            "**broken promises**": len(ledger.wrong),
        }
        lines += ["", "| found | |", "|---|---:|", *(f"| {what} | {value} |" for what, value in rows.items())]
        return "\n".join(lines) + "\n"


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.robustness.chaos", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=("postgres", "sqlite"), default="postgres")
    parser.add_argument("--broker", choices=("redis", "files"), default="redis")
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--every", type=float, default=1.5, help="seconds from one blow to the next, on average")
    parser.add_argument("--power", action="store_true", help="cut the power of the disk, by root; no process alone")
    parser.add_argument("--keep", type=Path, help="folder to leave var/ with its logs in")
    parser.add_argument("--write", type=Path, help="Markdown file that has a place for the figures")
    return parser.parse_args(given)


def main(given: list[str]) -> int:
    chosen = arguments(given)
    with ExitStack() as stack:
        folder = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="awrdiff-chaos-")))
        folder.mkdir(parents=True, exist_ok=True)
        chaos = Chaos(chosen, folder.resolve(), stack)
        chaos.run()
    print(text := chaos.table())
    for wrong in chaos.ledger.wrong[:50]:
        print(f"WRONG: {wrong}")
    for fault in chaos.server.faults()[:10] if chaos.ledger.wrong else ():
        print(fault)
    if chosen.write:
        parts.write(chosen.write, f"{'power' if chosen.power else 'chaos'} {chosen.database} {chosen.broker}", text)
    return 1 if chaos.ledger.wrong else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped on the way out
    sys.exit(main(sys.argv[1:]))
