"""LGWR traces as text, read by the parser; invented. The reports of the builders run from 2024-03-05 09:00 to 10:00."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from parsers import Report, parse_report

_HEAD = """Trace file /u01/app/oracle/diag/rdbms/{unique}/{instance}/trace/{instance}_lgwr_4711.trc
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
System name:    Linux
Node name:      {host}
Instance name: {instance}
Redo thread mounted by this instance: 1
Unix process pid: 4711, image: oracle@{host} (LGWR)

"""


@dataclass(frozen=True)
class Went:
    """Log file sync switched."""

    at: str
    mode: str = "post/wait"
    rate: int | None = 10286

    @property
    def lines(self) -> str:
        rate = "" if self.rate is None else f"Current approximate redo synch write rate is {self.rate} per sec\n"
        return f"Log file sync switching to {self.mode}\nCurrent scheduling delay is 1 usec\n{rate}"


@dataclass(frozen=True)
class Slow:
    """The log writer warned of a write."""

    at: str
    ms: int = 800
    kb: int = 4

    @property
    def lines(self) -> str:
        return f"Warning: log write elapsed time {self.ms}ms, size {self.kb}KB\n"


@dataclass(frozen=True)
class Broadcast:
    """The log writer warned of a wait for the other instances."""

    at: str
    ms: int = 900

    @property
    def lines(self) -> str:
        return f"Warning: log write broadcast wait time {self.ms}ms (SCN 0x0.0000{self.ms})\n"


@dataclass(frozen=True)
class Scaled:
    """The log writer took its workers up (`enabling`), or gave them up."""

    at: str
    way: str = "enabling"
    figures: str = "redorate=2047 switch=23"

    @property
    def lines(self) -> str:
        return f"Adaptive scalable LGWR {self.way} workers\n"

    @property
    def above(self) -> str:
        change = "single->scalable" if self.way == "enabling" else "scalable->single"
        return f"kcrfw_slave_adaptive_updatemode: {change} {self.figures}\n"


def trace_text(
    events: Iterable[Went | Slow | Broadcast | Scaled],
    *,
    instance: str = "DB11",
    host: str = "db1",
    unique: str = "db1",
    zone: str = "",
) -> str:
    head = _HEAD.format(instance=instance, host=host, unique=unique)
    return head + "".join(f"{getattr(e, 'above', '')}\n*** {e.at}{zone}\n{e.lines}" for e in events)


def trace(*events: Went | Slow | Broadcast | Scaled, name: str = "lgwr.trc", **facts: str) -> Report:
    return parse_report(trace_text(events, **facts).encode(), name=name)


HOUR = datetime(2024, 3, 5, 9)


def samples(*writes: tuple[int, int, int], begin=HOUR, host="db1"):
    """Redo writes (P1 files, P2 blocks, P3 requests) that were sampled one a second, as CSV."""
    lines = ["SAMPLE_TIME,PROGRAM,SESSION_STATE,EVENT,P1,P2,P3"]
    for at, (files, blocks, requests) in enumerate(writes):
        moment = begin + timedelta(seconds=at)
        what = f"log file parallel write,{files},{blocks},{requests}"
        lines.append(f"{moment:%Y-%m-%d %H:%M:%S}.123,oracle@{host} (LGWR),WAITING,{what}")
    return parse_report("\n".join(lines).encode(), name="ash.csv")


def record(waiting: float, *, begin=HOUR, seconds=60, processes=1, host="db1", instance="DB11", busy=0.25):
    """A record in which each process waits so much of each second for a CPU."""
    lines = ["awrdiff log writer scheduling 1", f"Node name: {host}", f"Instance name: {instance}", "time,process,…"]
    for at in range(seconds + 1):
        moment = begin + timedelta(seconds=at)
        for process in range(processes):
            counts = (10**9 + round(at * busy * 1e9), 5 * 10**9 + round(at * waiting * 1e9), at * 100)
            lines.append(f"{moment:%Y-%m-%d %H:%M:%S},{4711 + process},{','.join(map(str, counts))}")
    return parse_report("\n".join(lines).encode(), name="lgwr_sched.trc")
