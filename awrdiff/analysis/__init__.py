"""Compares parsed reports: `Report` × `Report` → `Comparison`. Pure: no Django, no queue, no HTML."""

ENGINE_VERSION = 16  # moves when a stored comparison, or the verdict on a report, would come out differently

__all__ = ["ENGINE_VERSION"]
