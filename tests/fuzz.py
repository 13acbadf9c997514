"""`python -m tests.fuzz --cases N --seed S [FOLDER]`: broken files end in a report or a refusal, soon and in bounded memory.

Mutates reports built by `fixtures/` and, where a folder is named, the files in it. Prints each case that fails (the
same seed and number make it again: `--only NUMBER`) and writes the figures as Markdown where `--write` says.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from fixtures.stories import invented
from fixtures.writer import LAYOUT_19, LAYOUT_112, write
from parsers import Report, UnsupportedReport, parse_report
from parsers.document import pack_head, pack_section
from parsers.split import split_reports
from tests.fuzz_cases import MUTATIONS, mutate
from tests.unit.parsers.compare_listings import every_layout
from tests.unit.parsers.kind_pages import global_report, wrapped
from tests.unit.parsers.listings import EVENTS, chapter, listing
from tests.unit.parsers.test_kinds_compare import compare_report
from tests.unit.parsers.test_kinds_lgwr import NEW, OLD

MOST_S = 10.0
MOST_TIMES = 16  # the file's size, and a floor for small files
FLOOR = 32 << 20
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Tally:
    cases: int = 0
    reports: int = 0
    refused: int = 0
    slowest_s: float = 0.0
    most_times: float = 0.0  # of files of 1 MB and more
    failed: list[str] = field(default_factory=list)


def built() -> list[tuple[str, bytes]]:
    rows = [
        f"event {i:<20} {i * 17:>12,} {i % 100:>5} {i * 3:>10,} {i % 9:>7} {i / 7:>8.1f} {i % 50:>6}" for i in range(60)
    ]
    return [
        ("19c", write(invented.after(), LAYOUT_19)),
        ("11.2", write(invented.after(modern=False), LAYOUT_112)),
        (
            "text",
            listing(*[chapter(f"{n} Wait Events", "", *EVENTS, *rows) for n in ("Foreground", "Background")]).encode(),
        ),
        ("global", global_report()),
        ("wrapped", wrapped(global_report(), 132, padded=True, separators=True)),
        ("compare", compare_report()),
        ("compare as text", every_layout()),
        ("trace", (OLD + NEW).encode()),
    ]


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


def read(data: bytes) -> Report | None:
    try:
        return parse_report(data)
    except UnsupportedReport as refusal:
        if not str(refusal).endswith((".", ")")):
            raise ValueError(f"no sentence: {refusal}") from refusal
        return None


def fuzz(cases: range, seed: int, documents: list[tuple[str, bytes]]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    memory = Memory()
    for number in cases:
        name, what, data = mutate(seed, number, documents)
        tally = tallies[name]
        before = memory.reset()
        faulthandler.dump_traceback_later(12 * MOST_S, exit=True)
        started = time.perf_counter()
        wrong = ""
        try:
            report = read(data)
            took = time.perf_counter() - started
            held = max(0, memory.read() - before)
            end = "refused" if report is None else "report"
            if report is not None:
                json.dumps(report.as_dict())
                pack_head(report)
                for section in report.sections:
                    pack_section(section)
            for piece in split_reports(data)[1:3]:
                read(piece)
        except Exception as error:
            end, took, held, wrong = "failed", 0.0, 0, f"{type(error).__name__}: {str(error)[:200]}"
        faulthandler.cancel_dump_traceback_later()
        tally.cases += 1
        tally.reports += end == "report"
        tally.refused += end == "refused"
        tally.slowest_s = max(tally.slowest_s, took)
        if len(data) >= 1_000_000:
            tally.most_times = max(tally.most_times, held / len(data))
        if took > MOST_S:
            wrong = wrong or f"took {took:.1f} s"
        if held > MOST_TIMES * len(data) + FLOOR:
            wrong = wrong or f"held {held >> 20} MiB for {len(data):,} bytes"
        if wrong:
            tally.failed.append(f"{number}")
            print(f"seed {seed} case {number} {name} {what}: {wrong}", flush=True)
    return tallies


def figures(tallies: dict[str, Tally], seed: int, sources: str) -> str:
    """The table for docs/robustness.md."""
    rows = [
        f"| {n.replace('_', ' ')} | {t.cases:,} | {t.reports:,} | {t.refused:,} | {len(t.failed)} | {t.slowest_s:.2f} | {t.most_times:.1f} |"
        for n, t in ((n, tallies[n]) for n in MUTATIONS if n in tallies)
    ]
    every = tallies.values()
    rows.append(
        f"| **all** | **{sum(t.cases for t in every):,}** | **{sum(t.reports for t in every):,}** | "
        f"**{sum(t.refused for t in every):,}** | **{sum(len(t.failed) for t in every)}** | "
        f"**{max(t.slowest_s for t in every):.2f}** | **{max(t.most_times for t in every):.1f}** |"
    )
    head = (
        "| mutation | cases | read | refused | failed | slowest, s | most memory, × size (files ≥ 1 MB) |\n"
        "|---|---:|---:|---:|---:|---:|---:|"
    )
    return f"Seed {seed}, {sources}, {date.today():%d %B %Y}:\n\n{head}\n" + "\n".join(rows) + "\n"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, help="run this case alone")
    parser.add_argument("--save", type=Path, help="with --only: where to write the file")
    parser.add_argument("--write", type=Path, help="Markdown file whose part below the line of dashes is replaced")
    parser.add_argument("folder", nargs="?", type=Path)
    chosen = parser.parse_args(arguments)
    documents = built()
    if chosen.folder:
        files = (p for p in sorted(chosen.folder.iterdir()) if p.is_file() and p.suffix != ".tsv")
        documents += [(p.name, p.read_bytes()) for p in files]
    sources = "built reports" + (f" and {len(documents) - len(built())} real ones" if chosen.folder else "")
    if chosen.only is not None:
        if chosen.save:
            chosen.save.write_bytes(mutate(chosen.seed, chosen.only, documents)[2])
        cases = range(chosen.only, chosen.only + 1)
    else:
        cases = range(chosen.first, chosen.first + chosen.cases)
    tallies = fuzz(cases, chosen.seed, documents)
    table = figures(tallies, chosen.seed, sources)
    print(table)
    if chosen.write:
        text = chosen.write.read_text(encoding="utf-8") if chosen.write.is_file() else ""
        chosen.write.write_text(text.split("\n---\n")[0].rstrip() + "\n\n---\n\n" + table, encoding="utf-8")
    return 1 if any(t.failed for t in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
