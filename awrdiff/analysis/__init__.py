"""Compares parsed reports: `Report` × `Report` → `Comparison`. Pure: no Django, no queue, no HTML."""

ENGINE_VERSION = 77  # moves when a stored comparison, or the verdict on a report, would come out differently
ENGINE_DIGEST = "7aa87d0b6237b3d0"  # of all that the built cases say under it: `python -m tests.golden.digests`

__all__ = ["ENGINE_DIGEST", "ENGINE_VERSION"]
