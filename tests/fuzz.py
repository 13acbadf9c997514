"""`python -m tests.fuzz --cases N --seed S [FOLDER]`: broken files end in a report or a refusal, soon and in bounded memory.

Mutates reports built by `fixtures/` and, where a folder is named, the files in it. Prints each case that fails (the
same seed and number make it again: `--only NUMBER`). `--figures FILE` keeps what was found, a line of JSON per batch:
a run that was stopped goes on where it was, and `--write` makes the table of docs/reference/robustness.md from all of it.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import json
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from threading import Timer

from awrdiff.analysis.export.json_encoding import published
from awrdiff.analysis.single_report import assess
from parsers import Report, UnsupportedReport, parse_report
from parsers.files.split import split_reports
from parsers.storage.report_serialisation import pack_head, pack_section
from tests.documents import parts
from tests.fuzz_cases import MUTATIONS, mutate
from tests.fuzz_documents import Document, built, real

MOST_S = 10.0
MOST_TIMES = 16  # the file's size, and a floor for small files
FLOOR = 32 << 20
BATCH = 250


@dataclass
class Tally:
    """What became of the cases of one mutation."""

    cases: int = 0
    reports: int = 0
    refused: int = 0
    slowest_s: float = 0.0  # of processor time: other programs may run beside
    most_times: float = 0.0  # of files of 1 MB and more
    failed: list[int] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.cases += other.cases
        self.reports += other.reports
        self.refused += other.refused
        self.slowest_s = max(self.slowest_s, other.slowest_s)
        self.most_times = max(self.most_times, other.most_times)
        self.failed += other.failed


class Memory:
    """The most memory the process held since the last reset (Linux counts it)."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None)

    def reset(self) -> int:
        self._libc.malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        return self.read("VmRSS")

    def read(self, name: str = "VmHWM") -> int:
        line = next(k for k in Path("/proc/self/status").read_text().splitlines() if k.startswith(name))
        return int(line.split()[1]) << 10


@cache
def documents(folder: Path | None) -> list[Document]:
    """All there is to break, read once per process."""
    return built() + real(folder)


def read(data: bytes) -> Report | None:
    """The report, or None for one refused in a sentence."""
    try:
        return parse_report(data)
    except UnsupportedReport as refusal:
        if not str(refusal).endswith((".", ")")):
            raise ValueError(f"no sentence: {refusal}") from refusal
        return None


def use(report: Report) -> None:
    """What is made of a report once it is read."""
    json.dumps(report.as_dict())
    json.dumps(published(assess(report)), allow_nan=False)
    pack_head(report)
    for section in report.sections:
        pack_section(section)


def run(seed: int, number: int, folder: Path | None, memory: Memory) -> tuple[str, Tally]:
    """One case: its mutation and what became of it."""
    name, what, data = mutate(seed, number, documents(folder))
    tally = Tally(cases=1)
    before = memory.reset()
    hung = f"seed {seed} case {number} {name} {what}: took more than {12 * MOST_S:.0f} s\n"
    watch = Timer(12 * MOST_S - 1, sys.stderr.write, [hung])
    watch.start()
    faulthandler.dump_traceback_later(12 * MOST_S, exit=True)
    started = time.process_time()
    wrong = ""
    try:
        report = read(data)
        tally.slowest_s = time.process_time() - started
        held = max(0, memory.read() - before)
        tally.most_times = held / len(data) if len(data) >= 1_000_000 else 0.0
        tally.reports, tally.refused = int(report is not None), int(report is None)
        if report is not None:
            use(report)
        for piece in split_reports(data)[1:3]:
            read(piece)
        if held > MOST_TIMES * len(data) + FLOOR:
            wrong = f"held {held >> 20} MiB for {len(data):,} bytes"
    except Exception as error:
        wrong = f"{type(error).__name__}: {str(error)[:200]}"
    faulthandler.cancel_dump_traceback_later()
    watch.cancel()
    if tally.slowest_s > MOST_S:
        wrong = wrong or f"took {tally.slowest_s:.1f} s"
    if wrong:
        tally.failed.append(number)
        print(f"seed {seed} case {number} {name} {what}: {wrong}", flush=True)
    return name, tally


def fuzz(cases: range, *, seed: int, folder: Path | None) -> dict[str, Tally]:
    """The tally of each mutation among these cases."""
    memory = Memory()
    tallies: dict[str, Tally] = {}
    for number in cases:
        name, tally = run(seed, number, folder, memory)
        tallies.setdefault(name, Tally()).add(tally)
    return tallies


def batches(pieces: list[range], seed: int, folder: Path | None, jobs: int) -> Iterator[tuple[range, dict[str, Tally]]]:
    """Each piece and its tallies; each job is a process of its own, as memory is counted by process."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from zip(pieces, pool.map(partial(fuzz, seed=seed, folder=folder), pieces), strict=True)


def kept(figures: Path | None, seed: int, sources: int) -> dict[range, dict[str, Tally]]:
    """The batches of earlier runs over as many documents; one in which a case failed is to be run again."""
    lines = figures.read_text(encoding="utf-8").splitlines() if figures and figures.is_file() else []
    found = [json.loads(line) for line in lines]
    return {
        range(*line["cases"]): {name: Tally(**values) for name, values in line["tallies"].items()}
        for line in found
        if (line["seed"], line["documents"]) == (seed, sources)
        and not any(values["failed"] for values in line["tallies"].values())
    }


def merged(found: Iterable[dict[str, Tally]]) -> dict[str, Tally]:
    out: dict[str, Tally] = {}
    for tallies in found:
        for name, tally in tallies.items():
            out.setdefault(name, Tally()).add(tally)
    return out


def table(tallies: dict[str, Tally], seed: int, sources: str) -> str:
    """The figures for docs/reference/robustness.md."""
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    rows = [(name.replace("_", " "), tallies[name]) for name in MUTATIONS if name in tallies]
    lines = [
        f"| {n} | {t.cases:,} | {t.reports:,} | {t.refused:,} | {len(t.failed)} | {t.slowest_s:.2f} | {t.most_times:.1f} |"
        for n, t in [*rows, ("**all**", total)]
    ]
    head = (
        "| mutation | cases | read | refused | failed | slowest, s of CPU | most memory, × size (files ≥ 1 MB) |\n"
        "|---|---:|---:|---:|---:|---:|---:|"
    )
    return f"Seed {seed}, {sources}, {date.today():%d %B %Y}:\n\n{head}\n" + "\n".join(lines) + "\n"


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--only", type=int, help="run this case alone")
    parser.add_argument("--save", type=Path, help="with --only: where to write the file")
    parser.add_argument("--figures", type=Path, help="file of figures, one line per batch, that is gone on with")
    parser.add_argument("--write", type=Path, help="Markdown file in which its table is put")
    parser.add_argument("folder", nargs="?", type=Path)
    return parser.parse_args(given)


def main(given: list[str]) -> int:
    chosen = arguments(given)
    if chosen.only is not None:
        if chosen.save:
            chosen.save.write_bytes(mutate(chosen.seed, chosen.only, documents(chosen.folder))[2])
        tallies = fuzz(range(chosen.only, chosen.only + 1), seed=chosen.seed, folder=chosen.folder)
    else:
        tallies = go_on(chosen)
    print(text := table(tallies, chosen.seed, inputs_text(chosen.folder)))
    if chosen.write:
        parts.write(chosen.write, "parser", text)
    return 1 if any(t.failed for t in tallies.values()) else 0


def go_on(chosen: argparse.Namespace) -> dict[str, Tally]:
    """The cases that the file of figures does not have yet, and those it has."""
    sources = len(documents(chosen.folder))
    found = kept(chosen.figures, chosen.seed, sources)
    all_cases = range(chosen.cases)
    pieces = [all_cases[at : at + BATCH] for at in range(0, chosen.cases, BATCH)]
    missing = [piece for piece in pieces if piece not in found]
    for piece, tallies in batches(missing, chosen.seed, chosen.folder, chosen.jobs):
        found[piece] = tallies
        if chosen.figures:
            values = {name: asdict(tally) for name, tally in tallies.items()}
            cases = (piece.start, piece.stop)
            line = json.dumps({"seed": chosen.seed, "documents": sources, "cases": cases, "tallies": values})
            with chosen.figures.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
    return merged(found[piece] for piece in pieces)


def inputs_text(folder: Path | None) -> str:
    built_ones, real_ones = len(built()), len(real(folder))
    return f"{built_ones} built reports" + (f" and {real_ones} real ones" if real_ones else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
