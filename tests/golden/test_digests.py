"""A version and what it stands for move together, so that no stored result keeps words that are no longer said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.golden.digests import ROOT, VERSIONED


@pytest.mark.parametrize("each", VERSIONED, ids=lambda v: v.name)
def test_the_digest_is_of_what_is_said_and_read_under_this_version(each):
    version, digest = each.recorded((ROOT / each.module).read_text(encoding="utf-8"))
    assert digest == each.stands_for(version), (
        f"Move {each.name}_VERSION where results come out differently, then run python -m tests.golden.digests."
    )


@pytest.mark.parametrize("each", VERSIONED, ids=lambda v: v.name)
def test_it_hangs_on_version_words_and_names(each, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.golden.digests.ROOT", tmp_path)
    file = tmp_path / each.read_over[-1] / f"case{each.ending}"
    file.parent.mkdir(parents=True)
    file.write_text("said")
    found = [each.stands_for(1), each.stands_for(2)]
    file.write_text("said otherwise")
    found.append(each.stands_for(1))
    file.rename(file.with_name(f"other{each.ending}"))
    found.append(each.stands_for(1))
    assert len(set(found)) == 4


def test_other_words_under_the_old_number_are_not_written():
    each = VERSIONED[0]
    committed = 'ENGINE_VERSION = 7\nENGINE_DIGEST = "0123456789abcdef"\n'  # of words that are no longer there
    assert "ENGINE_VERSION is still 7" in each.refusal(committed, committed)
    assert each.refusal(committed, committed.replace("= 7", "= 8")) == ""
    same = committed.replace("0123456789abcdef", each.stands_for(7))
    assert each.refusal(same, same) == ""
    assert replace(each, name="PARSER").recorded("PARSER_VERSION = 3\n") == (3, "")


def test_a_version_is_raised_only_where_other_results_stand_under_it(tmp_path, monkeypatch):
    each = replace(VERSIONED[0], module="parser_version.py")
    monkeypatch.setattr("tests.golden.digests.ROOT", tmp_path)
    text = f'ENGINE_VERSION = 7\nENGINE_DIGEST = "{each.stands_for(7)}"\n'
    monkeypatch.setattr("tests.golden.digests._committed", lambda path: text)
    (tmp_path / each.module).write_text(text)
    assert each.write(raised=True) == ""
    assert (tmp_path / each.module).read_text() == text
    case = tmp_path / each.read_over[0] / f"case{each.ending}"
    case.parent.mkdir(parents=True)
    case.write_text("other words")
    assert "still 7" in each.write()
    assert each.write(raised=True) == ""
    assert (tmp_path / each.module).read_text() == f'ENGINE_VERSION = 8\nENGINE_DIGEST = "{each.stands_for(8)}"\n'
    assert each.write(raised=True) == ""  # run again, it is not raised again
    assert each.recorded((tmp_path / each.module).read_text())[0] == 8
