"""Host rows on CPU queues and memory shortage."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs import row
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.words import number, percent

BUSY_PCT = 85.0
IDLE_PCT = 50.0
MUCH_SYSTEM = 0.10  # of all CPU time, and more than the sessions' own
_DISK_WAITS = ("db file ", "direct path ", "control file ", "log file parallel ", "log file sequential ", "cell ")
RESOURCE_MANAGER = "resmgr:cpu quantum"
MUCH_CAPPED = 0.05  # of DB time
PAGE_INS = 64 * 4096.0  # bytes per second: 64 pages of 4 KB


class Sign(Struct, frozen=True):
    """Row on the host, in words."""

    text: str
    evidence: Evidence


def cpu_queue(side: Side) -> list[Sign]:
    out = []
    busy, load, cpus = side.host_busy_pct, load_of(side), side.cpus
    if busy is not None and busy > BUSY_PCT:
        out.append(Sign(f"the host's CPUs were {percent(busy / 100)} busy", _os("BUSY_TIME")))
    disks = _in_disk_waits(side)
    if load is not None and cpus is not None and load[0] - disks > cpus:
        text = f"the load was {number(load[0])} on {cpus} {'CPU' if cpus == 1 else 'CPUs'}"
        text += f", {number(disks)} of it waits for disks" * (disks >= 0.1 * load[0])
        if busy is not None and busy <= BUSY_PCT:
            text += f" at one end of the window, though they were {percent(busy / 100)} busy over all of it"
        out.append(Sign(text, load[1]))
    return out


def idle_cpus(side: Side) -> list[Sign]:
    busy = side.host_busy_pct
    if busy is None or busy >= IDLE_PCT:
        return []
    return [Sign(f"the host's CPUs were {percent(busy / 100)} busy", _os("BUSY_TIME"))]


def _in_disk_waits(side: Side) -> float:
    """Average; only Linux counts them in its load."""
    if "linux" not in (side.report.host.platform or "").lower():
        return 0.0
    events = [*side.foreground.values(), *side.background.values()]
    return sum(side.per_second(e.total) or 0.0 for e in events if e.name.lower().startswith(_DISK_WAITS))


def busy_row() -> Evidence:
    return _os("BUSY_TIME")


def resource_manager(side: Side) -> list[Sign]:
    event = next((e for n, e in side.foreground.items() if n.startswith(RESOURCE_MANAGER)), None)
    share = side.share_of_db_time(event.total) if event is not None else None
    if event is None or share is None or share < MUCH_CAPPED:
        return []
    return [Sign(f"the resource manager took {percent(share)} of DB time ({event.name})", event.evidence())]


def knows_cpu(side: Side) -> bool:
    return side.host_busy_pct is not None or (load_of(side) is not None and side.cpus is not None)


def stalls(side: Side) -> list[Sign]:
    return [*_system(side), *memory(side), *virtual_cpus(side)]


def memory(side: Side) -> list[Sign]:
    out = []
    for column in ("value", "end_value"):
        free = side.value("os_statistics", column, "SWAP_FREE_BYTES")
        if free is not None and free.number <= 0:
            out.append(Sign("no swap space was free", _os("SWAP_FREE_BYTES", column)))
            break
    rate = side.per_second(side.value("os_statistics", "value", "VM_IN_BYTES"))
    if rate is not None and rate >= PAGE_INS:
        out.append(Sign(f"{number(rate / 1024)} KB per second were paged in", _os("VM_IN_BYTES")))
    return out


def _system(side: Side) -> Iterator[Sign]:
    system, user, idle_cpus, busy = (
        side.value("os_statistics", "value", n) for n in ("SYS_TIME", "USER_TIME", "IDLE_TIME", "BUSY_TIME")
    )
    if system is None or user is None or idle_cpus is None or busy is None or busy.number + idle_cpus.number <= 0:
        return
    share = system.number / (busy.number + idle_cpus.number)
    if share >= MUCH_SYSTEM and system.number > user.number:
        yield Sign(f"the system itself took {percent(share)} of the CPUs, more than the processes", _os("SYS_TIME"))


def virtual_cpus(side: Side) -> list[Sign]:
    """Fewer virtual processors than threads: possible steal."""
    virtual, threads = (side.value("os_statistics", "value", n) for n in ("NUM_VCPUS", "NUM_LCPUS"))
    if virtual is not None and threads is not None and virtual.number < threads.number:
        text = f"its {number(threads.number)} CPUs are threads of {number(virtual.number)} virtual processors"
        return [Sign(text, _os("NUM_VCPUS"))]
    return []


def load_of(side: Side) -> tuple[float, Evidence] | None:
    """Higher load of the window's ends."""
    section = side.report.section("host_cpu")
    loads: list[tuple[float, Evidence]] = []
    if section is not None and len(section.records) == 1:
        record = section.records[0]
        for column in ("load_begin", "load_end"):
            value = section.number(record, column)
            if value is not None:
                loads.append((value.number, row("host_cpu", section.key_of(record), column)))
    for column in ("value", "end_value"):
        value = side.value("os_statistics", column, "LOAD")
        if value is not None:
            loads.append((value.number, _os("LOAD", column)))
    return max(loads, key=lambda f: f[0]) if loads else None


def _os(statistic: str, column: str = "value") -> Evidence:
    return row("os_statistics", statistic, column)
