"""Host rows on CPU queues and memory shortage."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.inputs_from_report import row
from awrdiff.analysis.figures_in_words import number, percent
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.report.figures_by_name import Side

BUSY_PCT = 85.0
IDLE_PCT = 50.0
MUCH_SYSTEM = 0.10  # of all CPU time, and more than the sessions' own
_DISK_WAITS = ("db file ", "direct path ", "control file ", "log file parallel ", "log file sequential ", "cell ")
RESOURCE_MANAGER = "resmgr:cpu quantum"
MUCH_CAPPED = 0.05  # of DB time
PAGE_INS = 64 * 4096.0  # bytes per second: 64 pages of 4 KB


Signs = dict[str, Evidence]  # rows of the host by what they say


def os_row(statistic: str, column: str = "value") -> Evidence:
    return row("os_statistics", statistic, column)


def cpu_queue(side: Side) -> Signs:
    signs: Signs = {}
    busy, load, cpus = side.host_busy_pct, load_of(side), side.cpus
    if busy is not None and busy > BUSY_PCT:
        signs[f"the host's CPUs were {percent(busy / 100)} busy"] = os_row("BUSY_TIME")
    disks = 0.0
    if "linux" in (side.report.host.platform or "").lower():  # it alone counts waits for disks in its load
        waits = (*side.foreground.values(), *side.background.values())
        disks = sum(side.per_second(e.total) or 0.0 for e in waits if e.name.lower().startswith(_DISK_WAITS))
    if load is not None and cpus is not None and load[0] - disks > cpus:
        text = f"the load was {number(load[0])} on {cpus} {'CPU' if cpus == 1 else 'CPUs'}"
        text += f", {number(disks)} of it waits for disks" * (disks >= 0.1 * load[0])
        if busy is not None and busy <= BUSY_PCT:
            text += f" at one end of the window, though they were {percent(busy / 100)} busy over all of it"
        signs[text] = load[1]
    return signs


def idle_cpus(side: Side) -> Signs:
    busy = side.host_busy_pct
    if busy is None or busy >= IDLE_PCT:
        return {}
    return {f"the host's CPUs were {percent(busy / 100)} busy": os_row("BUSY_TIME")}


def resource_manager(side: Side) -> Signs:
    event = next((e for n, e in side.foreground.items() if n.startswith(RESOURCE_MANAGER)), None)
    share = side.share_of_db_time(event.total) if event is not None else None
    if event is None or share is None or share < MUCH_CAPPED:
        return {}
    return {f"the resource manager took {percent(share)} of DB time ({event.name})": event.evidence()}


def memory(side: Side) -> Signs:
    signs: Signs = {}
    for column in ("end_value", "value"):
        free = side.value("os_statistics", column, "SWAP_FREE_BYTES")
        if free is not None and free.number <= 0:
            signs["no swap space was free"] = os_row("SWAP_FREE_BYTES", column)
    rate = side.per_second(side.value("os_statistics", "value", "VM_IN_BYTES"))
    if rate is not None and rate >= PAGE_INS:
        signs[f"{number(rate / 1024)} KB per second were paged in"] = os_row("VM_IN_BYTES")
    return signs


def system_time(side: Side) -> Signs:
    names = ("SYS_TIME", "USER_TIME", "IDLE_TIME", "BUSY_TIME")
    system, user, idle, busy = (side.value("os_statistics", "value", n) for n in names)
    if system is None or user is None or idle is None or busy is None or busy.number + idle.number <= 0:
        return {}
    share = system.number / (busy.number + idle.number)
    if share < MUCH_SYSTEM or system.number <= user.number:
        return {}
    return {f"the system itself took {percent(share)} of the CPUs, more than the processes": os_row("SYS_TIME")}


def virtual_cpus(side: Side) -> Signs:
    """Fewer virtual processors than threads: possible steal."""
    virtual, threads = (side.value("os_statistics", "value", n) for n in ("NUM_VCPUS", "NUM_LCPUS"))
    if virtual is None or threads is None or virtual.number >= threads.number:
        return {}
    text = f"its {number(threads.number)} CPUs are threads of {number(virtual.number)} virtual processors"
    return {text: os_row("NUM_VCPUS")}


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
            loads.append((value.number, os_row("LOAD", column)))
    return max(loads, key=lambda f: f[0]) if loads else None
