"""Every section sample yields what the file beside it says; every declared section has a sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures import sections
from fixtures.samples import samples
from fixtures.sections import ROOT, expected
from parsers.sections.registry import REGISTRY

SAMPLES = sorted([*ROOT.glob("*/*.html"), *ROOT.glob("*/*.txt")])


def test_there_are_samples() -> None:
    assert len(SAMPLES) > 200


@pytest.mark.parametrize("section", sorted({path.parent.name for path in SAMPLES}))
def test_sample_yields_what_is_written_beside_it(section: str) -> None:
    for path in (path for path in SAMPLES if path.parent.name == section):
        wanted = path.with_suffix(".json")
        assert wanted.is_file(), "run: python -m fixtures.sections"
        said = f"{path}: if it is to be read so: python -m fixtures.sections {section}, and read the diff"
        assert expected(path.read_bytes(), section) == json.loads(wanted.read_text()), said


def test_every_declared_section_has_a_sample() -> None:
    sampled = {path.parent.name for path in SAMPLES}
    assert sorted(set(REGISTRY.by_id) - sampled) == []


def test_every_sample_belongs_to_a_declared_section() -> None:
    assert sorted({path.parent.name for path in SAMPLES} - set(REGISTRY.by_id)) == []


def test_no_sample_holds_nothing() -> None:
    empty = [p for p in ROOT.glob("*/*.json") if not (json.loads(p.read_text()) or {}).get("rows")]
    assert empty == []


def test_generated_samples_are_what_the_command_writes() -> None:
    stale = [
        path for path, data in samples().items() if not (ROOT / path).is_file() or (ROOT / path).read_bytes() != data
    ]
    assert stale == [], "run: python -m fixtures.sections"


def test_a_sample_made_by_hand_gets_its_expectation_from_the_command(tmp_path: Path, monkeypatch) -> None:
    made = next(p for p in SAMPLES if p.parent.name == "rule_set")
    by_hand = tmp_path / "rule_set" / "99-hand.html"
    by_hand.parent.mkdir()
    by_hand.write_bytes(made.read_bytes())
    monkeypatch.setattr(sections, "ROOT", tmp_path)
    sections.main(["rule_set"])
    assert by_hand.with_suffix(".json").read_text() == made.with_suffix(".json").read_text()
