"""`Report` × `Report` → `Comparison`. Pure: no Django, queue or HTML."""

ENGINE_VERSION = 93  # moves when a stored comparison, or the verdict on a report, would come out differently
ENGINE_DIGEST = "895040b1c8b8dd85"  # of all that the built cases say under it: `python -m tests.golden.digests`

__all__ = ["ENGINE_DIGEST", "ENGINE_VERSION"]
