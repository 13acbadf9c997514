"""The facts of the identity strip: what was compared, and how busy each side was."""

from __future__ import annotations

from datetime import datetime

from awrdiff.analysis.model import IdentityFacts
from awrdiff.analysis.side import Side


def identity_of(side: Side) -> IdentityFacts:
    report = side.report
    instance = report.instances[0] if report.instances else None
    begin, end = report.period.begin, report.period.end
    cpu_share = side.share_of_db_time(side.db_cpu)
    return IdentityFacts(
        db_name=report.database.name,
        instance=instance.name if instance else None,
        release=report.release,
        host=report.host.name or (instance.host if instance else None),
        platform=report.host.platform,
        cpus=side.cpus,
        begin=_iso(begin.time),
        end=_iso(end.time),
        begin_snap=begin.id,
        end_snap=end.id,
        elapsed_s=side.elapsed.number if side.elapsed else None,
        db_time_s=side.db_time.number if side.db_time else None,
        active_sessions=side.active_sessions,
        host_busy_pct=side.host_busy_pct,
        db_cpu_share_pct=cpu_share * 100.0 if cpu_share is not None else None,
    )


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
