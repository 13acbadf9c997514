"""Serves plotly.min.js from the plotly wheel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

NAME = "plotly.min.js"


class _Storage(FileSystemStorage):
    prefix = "plotly"


class PlotlyFinder(BaseFinder):
    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        self.storage = _Storage(location=Path(str(files("plotly"))) / "package_data")

    def find(self, path: str, find_all: bool = False, **_kwargs: Any) -> Any:  # noqa: FBT001, FBT002 - Django's signature
        plotly_path = self.storage.path(NAME) if path == f"plotly/{NAME}" else None
        if find_all:
            return [plotly_path] if plotly_path else []
        return plotly_path

    def list(self, _ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        yield NAME, self.storage
