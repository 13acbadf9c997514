"""`Report` × `Report` → `Comparison`. Pure: no Django, queue or HTML."""

ENGINE_VERSION = 95  # moves when a stored comparison, or the verdict on a report, would come out differently
ENGINE_DIGEST = "c76a0fb5de8b2c4a"  # of all that the built cases say under it: `python -m tests.golden.digests`

__all__ = ["ENGINE_DIGEST", "ENGINE_VERSION"]
