"""A built report of as many sections as a real one."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from fixtures.writer import big

SAMPLES = Path(__file__).parent.parent / "fixtures" / "sections"
MOST_SAMPLES = 102  # with what the large report prints itself these make as many sections as a real one has: 103


def of_many_sections(size_mb: float) -> bytes:
    return with_sections(big(size_mb))


def with_sections(report: bytes) -> bytes:
    """Tables of the samples are added: cards of a page and lines of its rail."""
    files = [SAMPLES.glob(f"*/{name}.html") for name in ("19-invented", "12.2-global")]
    tables = "".join(islice((_tables_of(path.read_text()) for group in files for path in sorted(group)), MOST_SAMPLES))
    return report.decode().replace("</body>", f"{tables}</body>").encode()


def _tables_of(page: str) -> str:
    """Below its head, whose tables say of whom it is."""
    _, _, below = page.partition("This table displays host information")
    return below.partition("</table>")[2].rpartition("End of Report")[0]
