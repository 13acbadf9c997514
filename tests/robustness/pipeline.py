"""`python -m tests.robustness.pipeline --cases N --seed S --jobs 2 [FOLDER]`: broken reports on their way through it all.

Each case is uploaded, read and compared by the tasks of the worker, and looked at through every sort of address, of
which sections and options are drawn by lot (`--whole` leaves nothing out). A failure of ours is a 5xx, an exception or
error in the log, a row that is not settled, JSON that is none, a report's markup in a page, more than 10 s of CPU, more
memory than 24 × the files and 128 MiB. `--only NUMBER` makes a case again; `--figures FILE` lets a run be stopped and
gone on with; `--write` puts the table into docs/reference/robustness.md.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from datetime import date
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

from tests.documents import parts
from tests.fuzz_cases import MUTATIONS
from tests.harness.services import Postgres
from tests.robustness.pipeline_case import Bench, Tally
from tests.robustness.planted import documents

BATCH = 100
TIDY_EVERY = 25
Tallies = dict[str, Tally]
_bench: list[Bench] = []  # one in each process


def set_up(urls: Queue[str], seed: int, folder: Path | None, *, whole: bool) -> None:
    """In a process of its own: Django on a database of its own."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.robustness.settings"
    os.environ["AWRDIFF_TEST_DATABASE_URL"] = urls.get()
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
    _bench.append(Bench(seed, folder, whole=whole))


def run(cases: range) -> tuple[range, Tallies]:
    """The tally of each mutation among these cases."""
    [bench] = _bench
    tallies: Tallies = {}
    for number in cases:
        name, tally = bench.run(number)
        tallies.setdefault(name, Tally()).add(tally)
        if number % TIDY_EVERY == TIDY_EVERY - 1:
            bench.tidy()
    return cases, tallies


def batches(pieces: list[range], chosen: argparse.Namespace) -> Iterator[tuple[range, Tallies]]:
    """Each piece and its tallies."""
    context = get_context("spawn")
    urls: Queue[str] = context.Queue()
    postgres = Postgres() if chosen.database == "postgres" else None
    try:
        if postgres:
            postgres.start()
        for _ in range(chosen.jobs):
            urls.put(postgres.migrated_database() if postgres else "")
        given = (urls, chosen.seed, chosen.folder)
        with ProcessPoolExecutor(chosen.jobs, context, _set_up, (*given, chosen.whole)) as pool:
            yield from pool.map(run, pieces)
    finally:
        if postgres:
            postgres.close()


def _set_up(urls: Queue[str], seed: int, folder: Path | None, whole: bool) -> None:
    set_up(urls, seed, folder, whole=whole)


def kept(chosen: argparse.Namespace) -> dict[range, Tallies]:
    """The batches of earlier runs alike; one in which a case failed is to be run again."""
    path: Path | None = chosen.figures
    lines = path.read_text(encoding="utf-8").splitlines() if path and path.is_file() else []
    found = [line for line in map(json.loads, lines) if line["run"] == _run_of(chosen)]
    tallies = {range(*k["cases"]): {n: Tally(**v) for n, v in k["tallies"].items()} for k in found}
    return {cases: t for cases, t in tallies.items() if not any(one.failed for one in t.values())}


def _run_of(chosen: argparse.Namespace) -> list[Any]:
    return [chosen.seed, len(documents(chosen.folder)), chosen.database, chosen.whole]


def go_on(chosen: argparse.Namespace) -> dict[range, Tallies]:
    """The cases that the file of figures does not have yet, and those it has."""
    found = kept(chosen)
    cases = range(chosen.only, chosen.only + 1) if chosen.only is not None else range(chosen.cases)
    pieces = [cases[at : at + BATCH] for at in range(0, len(cases), BATCH)]
    started, done = time.monotonic(), 0
    for piece, tallies in batches([p for p in pieces if p not in found], chosen):
        found[piece] = tallies
        done += len(piece)
        if chosen.figures:
            line = {"run": _run_of(chosen), "cases": (piece.start, piece.stop)}
            with chosen.figures.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**line, "tallies": {n: asdict(t) for n, t in tallies.items()}}) + "\n")
        print(
            f"{piece.stop:,} cases, {60 * done / (time.monotonic() - started):,.0f} a minute",
            file=sys.stderr,
            flush=True,
        )
    return {piece: found[piece] for piece in pieces}


def merged(found: dict[range, Tallies]) -> Tallies:
    out: Tallies = {}
    for tallies in found.values():
        for name, tally in tallies.items():
            out.setdefault(name, Tally()).add(tally)
    return {name: out[name] for name in MUTATIONS if name in out}


def table(tallies: Tallies, told: str) -> str:
    """The figures for docs/reference/robustness.md."""
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    lines = [
        "| mutation | cases | refused | compared | requests | failed | mean, s of CPU | slowest | most memory, MiB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, t in [*tallies.items(), ("**all**", total)]:
        counts = f"{t.cases:,} | {t.refused:,} | {t.compared:,} | {t.asked:,} | {len(t.failed)}"
        took = f"{t.cpu_s / max(1, t.cases):.2f} | {t.slowest_s:.1f} | {t.most_bytes >> 20}"
        lines.append(f"| {name.replace('_', ' ')} | {counts} | {took} |")
    return f"{told}, {date.today():%d %B %Y}:\n\n" + "\n".join(lines) + "\n"


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.robustness.pipeline", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time, each with a database of its own")
    parser.add_argument("--database", choices=("postgres", "sqlite"), default="postgres")
    parser.add_argument("--only", type=int, help="run this case alone")
    parser.add_argument("--whole", action="store_true", help="every section, export and option of each case")
    parser.add_argument("--figures", type=Path, help="file of figures, one line per batch, that is gone on with")
    parser.add_argument("--write", type=Path, help="Markdown file that has a place for the table")
    parser.add_argument("folder", nargs="?", type=Path)
    return parser.parse_args(given)


def main(given: list[str]) -> int:
    chosen = arguments(given)
    tallies = merged(go_on(chosen))
    sources = len(documents(chosen.folder))
    database = {"postgres": "PostgreSQL", "sqlite": "SQLite"}[chosen.database]
    print(text := table(tallies, f"Seed {chosen.seed}, {sources} reports, {database}"))
    if chosen.write:
        parts.write(chosen.write, "pipeline", text)
    return 1 if any(t.failed for t in tallies.values()) else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped on the way out
    sys.exit(main(sys.argv[1:]))
