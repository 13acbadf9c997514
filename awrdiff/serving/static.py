"""Static files of a release, beside those of the release before, whose web servers name them until they are stopped."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.management.commands.collectstatic import Command
from django.core.files.storage import storages
from django.core.management import call_command

MANIFEST, BEFORE = "staticfiles.json", ".staticfiles-before.json"


def collect(root: Path) -> None:
    """Collect into a new folder, then move each file to its place: none is missing at any moment.

    Files that neither this release nor the one before names are removed.
    """
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".static-", dir=root.parent) as folder:
        fresh = Path(folder) / root.name
        fresh.mkdir()
        command = Command()
        command.storage = storages.create_storage(
            {**settings.STORAGES["staticfiles"], "OPTIONS": {"location": str(fresh)}}
        )
        call_command(command, verbosity=0, interactive=False)
        if _files_of(root / MANIFEST) not in (set(), _files_of(fresh / MANIFEST)):
            shutil.copyfile(root / MANIFEST, root / BEFORE)
        collected = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
        for name in sorted(collected, key=lambda name: name.name == MANIFEST):  # it names the others: last
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).replace(root / name)
    _remove_others(root, {root / name for name in collected} | {root / BEFORE})


def _files_of(manifest: Path) -> set[str]:
    """Files that a release's pages may name; none without a manifest."""
    return set(json.loads(manifest.read_bytes())["paths"].values()) if manifest.is_file() else set()


def _remove_others(root: Path, collected: set[Path]) -> None:
    before = _files_of(root / BEFORE)
    staying = {root / f"{name}{packed}" for name in before for packed in ("", ".gz", ".br")} | collected
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in staying:
            path.unlink()
