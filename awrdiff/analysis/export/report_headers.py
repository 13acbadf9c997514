"""Identity strip: headers of two reports in words, for pages and files."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import percent, several
from awrdiff.analysis.model.comparison import Comparison, IdentityFacts
from awrdiff.analysis.names.oracle_releases import with_product
from awrdiff.analysis.report_time_windows import NONE, duration, window


class Identity(Struct, frozen=True):
    """Facts in words, "" if not printed; `of_several`: a median."""

    side: str
    database: str
    instance: str
    release: str
    host: str
    platform: str
    window: str
    snaps: str
    elapsed: str
    sessions: str
    cpus: str
    host_busy: str
    cpu_share: str
    of_several: bool = False

    @property
    def in_a_line(self) -> str:
        """`pay1, PAY, 19.24.0.0.0, dbhost, …, 16 CPUs`; a median's name first."""
        names = (self.instance, self.database, self.release, self.host)
        sessions = f"{self.sessions} active sessions" if self.sessions else ""
        parts = (self.window, *names[1:]) if self.of_several else (*names, self.window)
        return ", ".join(dict.fromkeys(p for p in (*parts, sessions, self.cpus) if p))


# The rows of the table in the files.
ROWS: tuple[tuple[str, Callable[[Identity], str]], ...] = (
    ("Database", lambda i: i.database),
    ("Instance", lambda i: i.instance),
    ("Release", lambda i: i.release),
    ("Host", lambda i: " · ".join(p for p in (i.host, i.platform) if p)),
    ("Window", lambda i: i.window),
    ("Elapsed", lambda i: i.elapsed),
    ("Active sessions", lambda i: i.sessions),
    ("CPUs", lambda i: i.cpus.partition(" ")[0]),
    ("Host busy", lambda i: i.host_busy),
    ("DB CPU share", lambda i: i.cpu_share),
)


def identities(comparison: Comparison) -> tuple[Identity, Identity]:
    first, second = comparison.identity
    identity = identity_in_words(first, "First", second.elapsed_s)
    if comparison.median is not None:
        identity = replace(identity, window=comparison.median.description, elapsed="", of_several=True)
    return identity, identity_in_words(second, "Second", first.elapsed_s)


def identity_in_words(facts: IdentityFacts, side: str = "", beside: float | None = None) -> Identity:
    """`beside`: other window's seconds, for one unit."""
    f = facts
    snaps = f"{f.begin_snap} – {f.end_snap}" if f.begin_snap is not None and f.end_snap is not None else ""
    return Identity(
        side=side,
        database=f.db_name or "",
        instance=f.instance or "",
        release=with_product(f.release) if f.release else "",
        host=f.host or "",
        platform=f.platform or "",
        window=window(f.begin, f.end).removeprefix(NONE),
        snaps=snaps,
        elapsed=duration(f.elapsed_s, beside).removeprefix(NONE),
        sessions=_three_digits(f.active_sessions) if f.active_sessions is not None else "",
        cpus=several(f.cpus, "CPU", "CPUs") if f.cpus else "",
        host_busy=percent(f.host_busy_pct / 100) if f.host_busy_pct is not None else "",
        cpu_share=percent(f.db_cpu_share_pct / 100) if f.db_cpu_share_pct is not None else "",
    )


def report_title(facts: IdentityFacts) -> str:
    """`pay1 2018-01-11 09:30:00`"""
    begin = (facts.begin or "").replace("T", " ")
    return " ".join(p for p in (facts.instance or facts.db_name or "report", begin) if p)


def comparison_title(comparison: Comparison) -> str:
    first, second = map(report_title, comparison.identity)
    return f"{second} against {comparison.median.name}" if comparison.median else f"{first} → {second}"


def _three_digits(value: float) -> str:
    if value < 0.005:
        return "<0.01" if value else "0"
    return f"{value:,.{2 if value < 10 else 1 if value < 100 else 0}f}"
