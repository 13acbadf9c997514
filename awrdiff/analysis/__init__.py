"""Compares parsed reports: `Report` × `Report` → `Comparison`. Pure: no Django, no queue, no HTML."""

ENGINE_VERSION = 8  # moves when a stored comparison would come out differently

__all__ = ["ENGINE_VERSION"]
