"""The bill of materials lists what is pinned; the audit says so where it could not ask."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)


def test_it_names_every_package_that_is_pinned():
    done = subprocess.run([sys.executable, ROOT / "bin/sbom", "s3"], capture_output=True, text=True, check=True)
    bill = json.loads(done.stdout)
    named = {(one["name"], one["version"]) for one in bill["components"]}
    pinned = set()
    for file in ("requirements.txt", "requirements-s3.txt"):
        pinned |= {(name.lower().replace("_", "-"), v) for name, v in PINNED.findall((ROOT / file).read_text())}
    assert named == pinned
    assert len(pinned) > 50
    assert all(one["hashes"] and one["purl"].startswith("pkg:pypi/") for one in bill["components"])
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert set(bill["dependencies"][0]["dependsOn"]) == {one["bom-ref"] for one in bill["components"]}


@pytest.mark.parametrize(
    ("found", "status", "said"),
    [
        ("no answer in 120 s", 0, "not audited: no answer in 120 s"),
        ([{"name": "a", "skip_reason": "not found"}], 0, "not audited: the package index"),
        (
            [{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "x"}],
            0,
            "1 packages audited, 0 weaknesses; 1 not",
        ),
        (
            [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}],
            1,
            "a 1: CVE-1, mended by 2",
        ),
    ],
)
def test_what_was_not_audited_is_said(found, status, said, monkeypatch, capsys):
    script = runpy.run_path(str(ROOT / "bin/audit"))
    monkeypatch.setitem(script["main"].__globals__, "asked", lambda _files: found)
    assert script["main"]() == status
    assert said in capsys.readouterr().out
