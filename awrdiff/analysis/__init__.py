"""Compares parsed reports: `Report` × `Report` → `Comparison`. Pure: no Django, no queue, no HTML."""

ENGINE_VERSION = 79  # moves when a stored comparison, or the verdict on a report, would come out differently
ENGINE_DIGEST = "72e8030b5b350c49"  # of all that the built cases say under it: `python -m tests.golden.digests`

__all__ = ["ENGINE_DIGEST", "ENGINE_VERSION"]
