"""`python -m parsers FILE…`: a JSON document per report; exit status 2 if one is unreadable."""

from __future__ import annotations

import json
import os
import sys

from parsers import UnsupportedReport, parse_report
from parsers.command_line_inputs import members_of


def main(paths: list[str]) -> int:
    if not paths:
        print("usage: python -m parsers FILE [FILE…]", file=sys.stderr)
        return 2
    try:
        status = max([_print(path) for path in paths])
        _write("")
    except _NotWritten as reason:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python tries again, and complains, as it ends
        print(f"standard output: {reason}", file=sys.stderr)
        return 2
    return status


class _NotWritten(Exception):
    """Reason why standard output takes no more."""


def _write(text: str) -> None:
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _NotWritten(error.strerror) from error


def _print(path: str) -> int:
    status, reports = 0, 0
    try:
        for member in members_of(path):
            try:
                if member.stray:
                    print(f"{_one_line(member.name)}: left out: {member.refusal}", file=sys.stderr)
                    continue
                if member.refusal:
                    raise member.refusal
                report = parse_report(member.data, name=member.name)
            except UnsupportedReport as refusal:
                print(f"{_one_line(member.name)}: {refusal}", file=sys.stderr)
                status = 2
            else:
                _write(f"{json.dumps(report.as_dict(), ensure_ascii=True)}\n")
                reports += 1
        if not reports and not status:
            print(f"{path}: there is no report in it.", file=sys.stderr)
            status = 2
    except BrokenPipeError:
        raise
    except (OSError, UnsupportedReport) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        print(f"{path}: {reason}", file=sys.stderr)
        status = 2
    return status


def _one_line(name: str) -> str:
    return name.replace("\n", " ").replace("\r", " ")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
