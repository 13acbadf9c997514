"""Compares parsed reports: `Report` × `Report` → `Comparison`. Pure: no Django, no queue, no HTML."""

ENGINE_VERSION = 78  # moves when a stored comparison, or the verdict on a report, would come out differently
ENGINE_DIGEST = "b8cabea7d00ff2b1"  # of all that the built cases say under it: `python -m tests.golden.digests`

__all__ = ["ENGINE_DIGEST", "ENGINE_VERSION"]
