"""The digests beside the versions: `python -m tests.golden.digests` writes those that have to move, and with `--raise` the
version before, where other results stand under the one committed last.

Stored results are renewed when a version moves. The digest of a version is over it and over all that was read over of what
it stands for: what the built cases say (`said/`, `commits/`), and what is read of the samples of all sections. So neither
moves without the other: other words under the same version are refused here, and fail a test.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Versioned:
    """`name`_VERSION and `name`_DIGEST in `module`; `read_over` are the folders of what it stands for."""

    name: str
    module: str
    read_over: tuple[str, ...]
    ending: str

    def files(self) -> Iterable[Path]:
        return (path for folder in self.read_over for path in (ROOT / folder).rglob(f"*{self.ending}"))

    def stands_for(self, version: int) -> str:
        """Sixteen letters of the SHA-256 over version, paths and contents."""
        digest = hashlib.sha256(str(version).encode())
        for path in sorted(self.files(), key=lambda p: p.relative_to(ROOT).as_posix()):
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()[:16]

    def recorded(self, text: str) -> tuple[int, str]:
        version = re.search(rf"^{self.name}_VERSION = (\d+)", text, re.M)
        digest = re.search(rf'^{self.name}_DIGEST = "(\w*)"', text, re.M)
        assert version is not None
        return int(version[1]), digest[1] if digest else ""

    def raised(self, text: str) -> str:
        return re.sub(rf"^({self.name}_VERSION = )\d+", rf"\g<1>{self.recorded(text)[0] + 1}", text, flags=re.M)

    def refusal(self, committed: str, now: str) -> str:
        """Why the digest may not be written: other results under the number that stored ones carry. Else ""."""
        version, digest = self.recorded(now)
        before, kept = self.recorded(committed)
        if version > before or not kept or kept == self.stands_for(before) or digest == self.stands_for(version):
            return ""
        return (
            f"{self.module}: {self.name}_VERSION is still {version}, and what it stands for is another: move it first."
        )

    def write(self, *, raised: bool = False) -> str:
        """Writes the digest, and the next version where one is asked for and due; else why it may not be written, or ""."""
        path = ROOT / self.module
        now = path.read_text(encoding="utf-8")
        if refused := self.refusal(_committed(self.module) or now, now):
            if not raised:
                return refused
            now = self.raised(now)
        fresh = self.stands_for(self.recorded(now)[0])
        path.write_text(re.sub(rf'^({self.name}_DIGEST = )"\w*"', rf'\1"{fresh}"', now, flags=re.M), encoding="utf-8")
        return ""


VERSIONED = (
    Versioned("ENGINE", "awrdiff/analysis/__init__.py", ("tests/golden/said", "tests/golden/commits"), ".txt"),
    Versioned("PARSER", "parsers/__init__.py", ("fixtures/sections",), ".json"),
)


def _committed(path: str) -> str:
    """The file as it was committed last; "" where there is no git, or no commit with it."""
    try:
        shown = subprocess.run(["git", "show", f"HEAD:{path}"], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return shown.stdout if shown.returncode == 0 else ""


def main() -> int:
    refused = [sentence for each in VERSIONED if (sentence := each.write(raised="--raise" in sys.argv))]
    for sentence in refused:
        print(sentence)
    return len(refused)


if __name__ == "__main__":
    raise SystemExit(main())
