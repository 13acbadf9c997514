"""What one uploaded file holds: one report, or several (an archive, reports one after the other, a mail)."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

from awrdiff.accounts.access import AccessContext
from awrdiff.reports import services
from awrdiff.reports.errors import UploadRefused
from awrdiff.reports.models import Report
from awrdiff.reports.uploads import ReceivedFile, limit_bytes, receive_chunks
from parsers import UnsupportedReport, open_reports
from parsers.archive import Limits, Member


class Outcome(NamedTuple):
    """What became of one report file: a row, or why there is none."""

    name: str
    report: Report | None
    refusal: UploadRefused | None = None
    left_out: bool = False  # no report at all, as a readme beside reports


def store_all(access: AccessContext, file: ReceivedFile, name: str) -> list[Outcome]:
    """Keep each report in `file`, in order; at least one. Raises UploadRefused for the file as a whole. Closes it."""
    with closing(file):
        data = file.read()
        file.seek(0)
        outcomes = []
        try:
            for member in open_reports(data, name, Limits(one_bytes=limit_bytes(), all_bytes=4 * limit_bytes())):
                if member.data is data:
                    return [Outcome(name, services.store_upload(access, file, name))]
                outcomes.append(_store(access, member))
        except UnsupportedReport as refusal:
            raise UploadRefused(f"“{services.clean_name(name)}”: {refusal}", status=415) from refusal
    if not any(outcome.report for outcome in outcomes):
        raise _without_reports(services.clean_name(name), outcomes)
    return outcomes


def _without_reports(name: str, outcomes: list[Outcome]) -> UploadRefused:
    """Why nothing in a file could be kept, by the first of its files that looks like a report."""
    refusals = [o.refusal for o in sorted(outcomes, key=lambda o: o.left_out) if o.refusal]
    if not refusals:
        return UploadRefused(f"“{name}” holds no report.")
    more = f" Of the other files in it, {len(refusals) - 1}, none can be read either." if len(refusals) > 1 else ""
    return UploadRefused(f"“{name}” holds no report that can be read. {refusals[0].sentence}{more}", refusals[0].status)


def _store(access: AccessContext, member: Member) -> Outcome:
    """One report of several: what is wrong with it keeps none of the others back."""
    name = services.clean_name(member.name)
    if member.refusal:
        return Outcome(name, None, UploadRefused(f"“{name}”: {member.refusal}", status=415), member.stray)
    try:
        file = receive_chunks([member.data], member.name)
        return Outcome(name, services.store_upload(access, file, member.name))
    except UploadRefused as refusal:
        return Outcome(name, None, refusal)
