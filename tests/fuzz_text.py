"""`python -m tests.fuzz_text [FOLDER] [-max_total_time=300 …]`: listings that atheris makes up, guided by what they reach.

atheris (https://pypi.org/project/atheris/) has no wheel for every platform, so that it is no requirement:
`python -m pip install atheris==3.0.0`. Arguments that begin with a dash are libFuzzer's; FOLDER keeps what was found.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

MOST_S = 10.0


def listing(data: bytes) -> None:
    """What is fuzzed: bytes read as a text report of any kind end in tables, a report or a refusal, and soon."""
    from parsers import UnsupportedReport, parse_report
    from parsers.text.awr_and_statspack_reader import read_text
    from parsers.text.lgwr_trace import read_trace
    from parsers.text.oracle_compare_report import read_compare

    started = time.process_time()
    text = data.decode("utf-8", "replace")
    for reader in (read_text, read_compare, read_trace):
        for table in reader(text).tables:
            if any(len(row) != len(table.labels) for row in table.rows):
                raise AssertionError(f"rows as long as their header: {table.heading!r}")
    try:
        json.dumps(parse_report(data).as_dict())
    except UnsupportedReport as refusal:
        if not str(refusal).endswith((".", ")")):
            raise
    if time.process_time() - started > MOST_S:
        raise AssertionError(f"took longer than {MOST_S:.0f} s")


def seeds() -> list[bytes]:
    """Text reports of each kind to begin with."""
    from tests.fuzz_documents import built

    return [data for _, data in built() if b"<td" not in data]


def main(arguments: list[str]) -> int:
    try:
        import atheris  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        print("atheris is not installed: python -m pip install atheris==3.0.0", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=["parsers"]):
        import parsers.reader  # noqa: F401 — imported here, so that atheris sees its branches
    folder = Path(next((a for a in arguments if not a.startswith("-")), "") or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds()):
        (folder / f"seed-{number}").write_bytes(data)
    options = [a for a in arguments if a.startswith("-")]
    atheris.Setup([sys.argv[0], str(folder), "-max_len=16384", "-timeout=60", *options], listing)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
