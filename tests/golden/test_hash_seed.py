"""What is stored of a comparison does not hang on the seed of hashes, which is another in every process.

`python -m tests.golden.test_hash_seed` prints the digest of each of some built comparisons, both ways round.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.comparison_json import dump_overview, pack_section
from fixtures.diagnosed import objects
from parsers.storage.compressed_blocks import pack
from tests.golden.digests import ROOT
from tests.golden.test_diagnosed import NAMES, both

CASES = dict.fromkeys([*(case.name for case in objects.CASES), *sorted(NAMES)[::6]])  # a part, for the time it takes


def digests() -> Iterator[str]:
    for name in CASES:
        first, second = both(name)
        for title, pair in (("", (first, second)), (", the other way round", (second, first))):
            compared = compare_reports(*pair)
            digest = hashlib.sha256(pack(dump_overview(compared)))
            for section in compared.sections:
                digest.update(pack_section(section))
            yield f"{digest.hexdigest()[:16]} {name}{title}"


def test_two_seeds_give_one_result():
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.golden.test_hash_seed"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "4")  # in which `{"buffer busy waits", "enq: tx - row lock contention"}` is not in one order
    ]
    one, other = (process.communicate()[0].splitlines() for process in started)
    assert [process.returncode for process in started] == [0, 0]
    assert len(one) == 2 * len(CASES)
    assert one == other


if __name__ == "__main__":
    print("\n".join(digests()))
