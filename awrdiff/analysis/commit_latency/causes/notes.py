"""What else the redo log is asked to do: redo that is not of commits, redo read back, other instances, flash log.

They are notes: each names a load that commits share the log with, and claims no part of a commit wait.
"""

from __future__ import annotations

from awrdiff.analysis.commit_latency.causes.facts import Answer, Match, NotPrinted, ReportFacts, row
from awrdiff.analysis.commit_latency.inputs import statistic_row
from awrdiff.analysis.words import listing, number, percent, seconds, size

DIRECT = "redo size for direct writes"
READ = "redo KB read"
SCN_ORDERING = "log file sync: scn ordering"
FLUSH = "gcs log flush sync"
FLASH_LOG = "exadata_flash_log"
DIRECT_SHARE = 0.25  # of the redo
READ_TIMES = 1.5  # of the redo written: the archiver reads it once
BESIDE_COMMITS = 0.10  # of the time in log file sync
LEAST_S = 1.0  # per hour of the interval: below, a share of next to nothing
_SWITCHES = row("instance_activity_thread", "log switches (derived)", "total")
_FEWEST_LOGS = 4  # of so many the one that was begun before the window is at most a quarter
_LEAST_RATE = 100 * 1024.0  # bytes per second: below, a share of next to nothing
_TROUBLE = (
    ("outliers_actual", "{} writes that were slow all the same"),
    ("skip_count", "{} writes that went past the flash log"),
    ("errors_disk_i_o", "{} disk errors"),
    ("errors_flash_i_o", "{} flash errors"),
)


def direct_redo(f: ReportFacts) -> Answer:
    """A note: `redo size for direct writes` ≥ 25 % of redo size and 100 kB per second: direct-path loads or uncached
    LOBs fill the writes that commits wait for (90 % in a report of 19.24).
    """
    direct, whole = f.side.statistic(DIRECT), f.inputs.statistics.get("redo size")
    rate = f.side.per_second(direct)
    if direct is None or rate is None or rate < _LEAST_RATE or whole is None or whole.number <= 0:
        return None
    share = direct.number / whole.number
    if share < DIRECT_SHARE:
        return None
    text = f"{percent(share)} of the redo ({size(direct.number, 3)}) is that of direct-path writes"
    each = f.figures.redo_per_write_bytes
    if each is not None:
        text += f"; with it a redo write carries {size(each.value, 3)} on average"
    text += ": commits share the log with what loads (or LOBs) write."
    rows = (statistic_row(DIRECT), statistic_row("redo size"))
    return Match(text, "note", rows, size=f"{percent(share)} of the redo")


def redo_read(f: ReportFacts) -> Answer:
    """A note: `redo KB read` ≥ 1.5 times redo size, and 100 kB per second, over 4 log switches or more. The archiver
    reads all redo once, but a log as a whole; more is log transport, capture or a standby that catches up.

    It reads a log when that is full, however long ago it was begun: of a few logs it may read more than was written.
    """
    read, whole = f.side.statistic(READ), f.inputs.statistics.get("redo size")
    rate = (f.side.per_second(read) or 0.0) * 1024
    if read is None or rate < _LEAST_RATE or whole is None or whole.number <= 0:
        return None
    times = read.number * 1024 / whole.number
    if times < READ_TIMES:
        return None
    switches = f.side.value(_SWITCHES.section, "total", _SWITCHES.key)
    if switches is None:
        return NotPrinted("log switches (derived)")
    if switches.number < _FEWEST_LOGS:
        return None
    text = (
        f"{number(times)} times as much redo was read back as was written, {size(rate, 3)} per second; the archiver "
        "alone reads it once."
    )
    rows = (statistic_row(READ), statistic_row("redo size"), _SWITCHES)
    return Match(text, "note", rows, size=f"{number(times)} times as much as was written")


def scn_ordering(f: ReportFacts) -> Answer:
    """A note: `log file sync: SCN ordering` ≥ 10 % of LFS time, and beside it."""
    event = next((e for name, e in f.side.foreground.items() if name.lower().startswith(SCN_ORDERING)), None)
    waited = f.figures.lfs_total_s
    if event is None or waited is None or waited.value <= 0 or event.total.number < BESIDE_COMMITS * waited.value:
        return None
    text = (
        f"{event.name} takes {seconds(event.total.number)}, {percent(event.total.number / waited.value)} of log file "
        "sync and beside it: commits that were written waited for earlier ones."
    )
    return Match(text, "note", (event.evidence(), *f.lfs_rows), size=seconds(event.total.number))


def log_flush(f: ReportFacts) -> Answer:
    """A note: `gcs log flush sync` ≥ 10 % of LFS time and 1 s an hour: LMS, and so other instances, wait for this log
    writer.
    """
    event, waited = f.side.background.get(FLUSH), f.figures.lfs_total_s
    elapsed = f.side.elapsed
    if event is None or waited is None or waited.value <= 0 or elapsed is None:
        return None
    share = event.total.number / waited.value
    if share < BESIDE_COMMITS or event.total.number < LEAST_S * elapsed.number / 3600:
        return None
    average = event.average
    each = f", {seconds(average.number)} each" if average is not None else ""
    text = (
        f"{event.name} takes {seconds(event.total.number)}{each}, against {seconds(waited.value)} of log file sync: "
        "blocks are shipped to other instances only once their redo is written."
    )
    return Match(text, "note", (event.evidence(), *f.lfs_rows), size=f"{seconds(event.total.number)}{each}")


def flash_log(f: ReportFacts) -> Answer:
    """A note: the cells' Flash Log section counts outliers, writes past it or errors. *Not checked* where other
    sections of the cells are printed and this is not.
    """
    section = f.side.report.section(FLASH_LOG)
    if section is None:
        return NotPrinted("the Flash Log section of the cells") if _on_exadata(f) else None
    whole = next((r for r in section.records if section.text(r, "cell_name").lower().startswith("total")), None)
    if whole is None:
        return None
    key = section.text(whole, "cell_name")
    counts = [(c, said, v.number) for c, said in _TROUBLE if (v := section.number(whole, c)) is not None]
    trouble = [(c, said.format(number(n))) for c, said, n in counts if n > 0]
    if not trouble:
        return None
    text = f"The cells' flash log tells of {listing([t for _, t in trouble])}, of all databases on them."
    return Match(text, "note", tuple(row(FLASH_LOG, key, c) for c, _ in trouble))


def _on_exadata(f: ReportFacts) -> bool:
    return any(s.id.startswith("exadata_") for s in f.side.report.sections)


__all__ = ["direct_redo", "flash_log", "log_flush", "redo_read", "scn_ordering"]
