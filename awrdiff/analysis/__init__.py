"""`Report` × `Report` → `Comparison`. Pure: no Django, queue or HTML."""

ENGINE_VERSION = 99  # moves when a stored comparison, or the verdict on a report, would come out differently
ENGINE_DIGEST = "562a339169934420"  # of all that the built cases say under it: `python -m tests.golden.digests`

__all__ = ["ENGINE_DIGEST", "ENGINE_VERSION"]
