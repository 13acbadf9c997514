"""Compares parsed reports: `Report` × `Report` → `Comparison`. Pure: no Django, no queue, no HTML."""

ENGINE_VERSION = 43  # moves when a stored comparison, or the verdict on a report, would come out differently
ENGINE_DIGEST = "cd7090e4d47a101e"  # of all that the built cases say under it: `python -m tests.golden.digests`

__all__ = ["ENGINE_DIGEST", "ENGINE_VERSION"]
