"""`python -m parsers FILE [FILE…]`: one JSON document per line; exit status 2 where a file could not be read."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from parsers import UnsupportedReport, parse_report


def main(paths: list[str]) -> int:
    if not paths:
        print("usage: python -m parsers FILE [FILE…]", file=sys.stderr)
        return 2
    status = 0
    for path in paths:
        try:
            report = parse_report(Path(path).read_bytes(), name=path)
        except (OSError, UnsupportedReport) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            print(f"{path}: {reason}", file=sys.stderr)
            status = 2
        else:
            print(json.dumps(report.as_dict(), ensure_ascii=True))
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
