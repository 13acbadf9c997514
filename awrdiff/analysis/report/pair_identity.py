"""Facts of the identity strip: reports compared, and each side's load."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from awrdiff.analysis.model.comparison import IdentityFacts
from awrdiff.analysis.report.ash_and_addm_load import active_sessions
from awrdiff.analysis.report.figures_by_name import Side


def identity_of(side: Side) -> IdentityFacts:
    report = side.report
    begin, end = report.period.begin, report.period.end
    cpu_share = side.share_of_db_time(side.db_cpu)
    names = _all({i.name: None for i in report.instances if i.name})
    count = len(report.instances)
    return IdentityFacts(
        db_name=report.database.name,
        instance=f"cluster of {count}: {names}" if report.kind == "awr_global" and names else names,
        release=report.release,
        host=report.host.name or _all({i.host: None for i in report.instances if i.host}),
        platform=report.host.platform,
        cpus=side.cpus,
        begin=_iso(begin.time),
        end=_iso(end.time),
        begin_snap=begin.id,
        end_snap=end.id,
        elapsed_s=side.elapsed.number if side.elapsed else None,
        db_time_s=side.db_time.number if side.db_time else None,
        active_sessions=side.active_sessions if side.active_sessions is not None else active_sessions(side),
        host_busy_pct=side.host_busy_pct,
        db_cpu_share_pct=cpu_share * 100.0 if cpu_share is not None else None,
    )


def _all(names: Iterable[str]) -> str | None:
    return ", ".join(names) or None


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
