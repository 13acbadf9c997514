"""Whose LGWR trace a file is, against the reports it was attached to."""

from __future__ import annotations

import re
from collections.abc import Iterable

from parsers.model import Report

# …/diag/rdbms/<unique name of the database>/<instance>/trace/…, with either kind of slash
_DIAG = re.compile(r"[/\\]diag[/\\]rdbms[/\\]([^/\\]{1,128})[/\\][^/\\]{1,128}[/\\]trace[/\\]", re.IGNORECASE)
_CUT_HOST = 12  # the narrowest column that text reports print a host name in


def belongs(trace: Report, report: Report) -> bool | None:
    """Whether the trace was written by the report's instance. None: one of the two does not name it."""
    instance = _same((i.name for i in trace.instances), [i.name for i in report.instances])
    host = _same_host(trace, report)
    unique = _same([_unique_name(trace)], [report.database.unique_name])
    if False in (instance, host, unique):
        return False
    return True if instance else None


def identity(trace: Report) -> str:
    """`shop1 on node-a`, as far as the trace says it."""
    return _said((i.name for i in trace.instances), trace.host.name)


def identity_of_report(report: Report) -> str:
    return _said((i.name for i in report.instances), report.host.name or next((i.host for i in report.instances), None))


def _said(instances: Iterable[str | None], host: str | None) -> str:
    names = ", ".join(dict.fromkeys(n for n in instances if n))
    return " on ".join(p for p in (names, host) if p) or "an instance that it does not name"


def _same(ours: Iterable[str | None], theirs: Iterable[str | None]) -> bool | None:
    mine = {n.lower() for n in ours if n}
    others = {n.lower() for n in theirs if n}
    return bool(mine & others) if mine and others else None


def _same_host(trace: Report, report: Report) -> bool | None:
    """By the first label of the name: one side often prints the domain. Text reports cut long names."""
    mine = _label(trace.host.name)
    others = {_label(h) for h in (report.host.name, *(i.host for i in report.instances)) if h}
    if not mine or not others:
        return None
    if mine in others:
        return True
    return report.format == "text" and any(len(o) >= _CUT_HOST and mine.startswith(o) for o in others)


def _label(host: str | None) -> str:
    return (host or "").split(".")[0].lower()


def _unique_name(trace: Report) -> str | None:
    header = trace.section("lgwr_trace_header")
    path = header.text(header.records[0], "trace_file") if header is not None and len(header.records) else ""
    found = _DIAG.search(path)
    return found[1] if found else None


__all__ = ["belongs", "identity", "identity_of_report"]
