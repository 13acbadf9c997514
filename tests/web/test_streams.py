"""Exports and sections are written while they are read: the same bytes as ever, never whole in memory, never mixed."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from msgspec.structs import replace

from awrdiff.analysis import compare
from awrdiff.analysis.export import comparison_json
from awrdiff.analysis.export.csv import as_csv
from awrdiff.analysis.export.formats import FORMATS
from awrdiff.analysis.export.html import as_html
from awrdiff.analysis.export.json_encoding import whole
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.comparisons.models import Comparison, ComparisonReport, ComparisonSection
from awrdiff.comparisons.result_storage import pack_overviews, section_rows
from awrdiff.comparisons.stored_comparison_export import Changed, stored_pairs
from awrdiff.processing.models import State
from awrdiff.reports import queries as report_queries
from awrdiff.web.streamed_downloads import CutShort, stream
from fixtures.writer import big
from parsers import parse_report
from parsers.storage import compressed_blocks
from tests.harness import corpus as real
from tests.harness.exports import without_address
from tests.web.compared import comparison as built
from tests.web.compared import waits_section
from tests.web.conftest import store_parsed
from tests.web.pages import body, store_comparison
from tests.web.share import create_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
ENDINGS = ("md", "html", "json", "csv")


def whole_writers(pairs) -> dict[str, bytes]:
    """The files as they are written from comparisons that are whole in memory."""
    return {ending: whole_file(pairs, ending) for ending in ENDINGS}


def whole_file(pairs, ending: str) -> bytes:
    if ending == "json":
        return (json.dumps(comparison_json.as_dict_of_all(pairs), ensure_ascii=True) + "\n").encode()
    return {"md": as_markdown, "html": as_html, "csv": as_csv}[ending](pairs).encode()


def in_memory(made: Comparison):
    """Every pair with all its sections and rows as tuples."""
    rows = ComparisonSection.objects.filter(comparison=made).order_by("pair", "position")
    sections = [(r.pair, comparison_json.unpack_section(bytes(r.payload))) for r in rows]
    return [
        replace(pair, sections=tuple(s for of, s in sections if of == number))
        for number, pair in enumerate(stored_pairs(made, sections=False))
    ]


def url(made: Comparison, ending: str) -> str:
    return reverse("comparison-export", args=[made.pk, ending])


@pytest.fixture
def small_blocks(monkeypatch):
    """Sections in many blocks, without many rows."""
    monkeypatch.setattr(compressed_blocks, "BLOCK_BYTES", 3_000)


@pytest.fixture
def large(owner, reports) -> Comparison:
    """Several chunks long in every format, in two pairs."""
    sections = tuple(replace(waits_section(300), id=f"waits_{i}") for i in range(6))
    made = store_comparison(owner, reports, built(sections))
    other = built(sections[:2])
    Comparison.objects.filter(pk=made.pk).update(overview=pack_overviews([built(sections), other]))
    ComparisonReport.objects.create(comparison=made, report=reports[1], position=2)
    ComparisonSection.objects.bulk_create(section_rows(made, 1, other))
    return made


@pytest.mark.thorough
def test_every_demo_is_exported_as_the_whole_writers_write_it(db, settings):
    settings.AWRDIFF_LOCAL_USER = True
    call_command("load_demo", verbosity=0)
    demos = list(Comparison.objects.filter(is_demo=True, state=State.READY))
    assert len(demos) > 3
    for demo in demos:
        wanted = whole_writers(in_memory(demo))
        assert {e: without_address(body(Client().get(url(demo, e)))) for e in ENDINGS} == wanted


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_streamed_is_the_same_bytes(sign_in, owner, large, ending):
    answer = sign_in(owner).get(url(large, ending))
    assert answer.streaming, "too short to be streamed: ENDINGS are the formats that hold the sections"
    assert without_address(body(answer)) == whole_file(in_memory(large), ending)


@pytest.mark.parametrize("ending", ENDINGS)
def test_and_in_blocks(sign_in, owner, small_blocks, large, ending):
    assert any(len(compressed_blocks.Packed(bytes(s.payload)).counts) > 5 for s in ComparisonSection.objects.all())
    assert without_address(body(sign_in(owner).get(url(large, ending)))) == whole_file(in_memory(large), ending)


@pytest.mark.thorough
@pytest.mark.corpus
def test_pairs_of_real_reports(corpus):
    paths = sorted((p for p in corpus.rglob("*.htm*") if p.stat().st_size < 1_500_000), key=lambda p: p.stat().st_size)
    reports = [r for p in paths[-40:] if (r := real.read(p)) is not None and r.kind == "awr"][:12]
    assert len(reports) == 12
    for first, second in zip(reports[::2], reports[1::2], strict=True):
        pairs = compare.compare_all([first, second, first])
        lazy = [
            replace(p, sections=[comparison_json.open_section(comparison_json.pack_section(s)) for s in p.sections])
            for p in pairs
        ]
        names = {"json": "json", "md": "markdown", "html": "html", "csv": "csv"}
        written = {ending: "".join(FORMATS[name](lazy)).encode() for ending, name in names.items()}
        assert written == whole_writers(pairs)


@pytest.mark.thorough
def test_nothing_is_whole_in_memory(sign_in, owner, reports):
    """What the process takes for an export of 40 sections is about that of one of them."""
    sections = tuple(replace(waits_section(400), id=f"waits_{i}") for i in range(40))
    made = store_comparison(owner, reports, built(sections))
    del sections
    client = sign_in(owner)
    body(client.get(url(made, "json")))  # what is imported and cached
    tracemalloc.start()
    size = sum(len(chunk) for chunk in client.get(url(made, "json")).streaming_content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 8_000_000
    assert peak < size / 2


def test_sections_are_read_a_few_at_a_time(large, django_assert_num_queries):
    (first, _) = stored_pairs(large)
    read = iter(first.sections)
    with django_assert_num_queries(1):
        next(read)
    assert len(first.sections.lines) == 6


def test_head_builds_nothing(sign_in, owner, large, monkeypatch):
    monkeypatch.setattr(
        "awrdiff.web.views.comparison_exports.stored_pairs", lambda *_, **__: pytest.fail("it was read")
    )
    answer = sign_in(owner).head(url(large, "json"))
    assert answer.status_code == 200
    assert "attachment" in answer["Content-Disposition"]
    assert not body(answer)


def computed_again(made: Comparison) -> None:
    """As the worker does it: the same sections, in new rows."""
    rows = list(ComparisonSection.objects.filter(comparison=made))
    ComparisonSection.objects.filter(comparison=made).delete()
    for one in rows:
        one.pk = None
    ComparisonSection.objects.bulk_create(rows)


def until_it_ends(chunks, got: list[bytes]) -> None:
    for chunk in chunks:
        got.append(chunk)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("change", [computed_again, lambda made: made.delete()])
def test_two_versions_are_never_in_one_file(sign_in, owner, large, ending, change, monkeypatch):
    monkeypatch.setattr("awrdiff.comparisons.stored_comparison_export.MOST_SECTIONS", 1)
    monkeypatch.setattr("awrdiff.web.streamed_downloads.CHUNK_CHARACTERS", 4_000)
    answer = sign_in(owner).get(url(large, ending))
    chunks = iter(answer.streaming_content)
    got = next(chunks)
    change(large)
    rest: list[bytes] = []
    with pytest.raises(CutShort):
        until_it_ends(chunks, rest)
    got += b"".join(rest)
    assert b"THIS FILE IS NOT WHOLE" in got[-200:]
    with pytest.raises(ValueError, match=r"Extra data|delimiter|Expecting|control|Unterminated"):
        json.loads(got)


def test_a_change_before_the_first_byte_is_a_status(sign_in, owner, large, monkeypatch):
    def gone(*_, **__):
        raise Changed

    monkeypatch.setattr("awrdiff.comparisons.stored_comparison_export.Sections.__iter__", gone)
    answer = sign_in(owner).get(url(large, "json"), headers={"Accept": "application/json"})
    assert answer.status_code == 409
    assert "fetch it again" in answer.json()["error"]


def test_a_broken_character_costs_one_character(rf):
    answer = stream(rf.get("/"), lambda: ["broken \ud800 name"], "text/csv", {})
    assert body(answer) == b"broken ? name"


class TestSectionJson:
    def test_it_is_as_in_the_document_and_streamed(self, sign_in, owner, large):
        section = comparison_json.unpack_section(bytes(large.sections.get(pair=0, section_id="waits_2").payload))
        address = reverse("comparison-section", args=[large.pk, "waits_2"])
        answer = sign_in(owner).get(address, headers={"Accept": "application/json"})
        assert answer.streaming
        assert body(answer) == json.dumps(whole(comparison_json.section_parts(section))).encode()

    def test_of_another_pair(self, sign_in, owner, large):
        address = reverse("comparison-section", args=[large.pk, "waits_5"])
        client = sign_in(owner)
        assert client.get(address, {"pair": 1}, headers={"Accept": "application/json"}).status_code == 404
        assert client.get(address, headers={"Accept": "application/json"}).status_code == 200

    def test_of_a_report(self, sign_in, owner, small_blocks):
        parsed = parse_report(big(0.1), name="big.html")
        report = store_parsed(owner, parsed)
        section = parsed.section("sql_text")
        assert len(report_queries.open_section(report, "sql_text").counts) > 3
        address = reverse("report-section", args=[report.pk, "sql_text"])
        answer = sign_in(owner).get(address, headers={"Accept": "application/json"})
        assert body(answer) == json.dumps(section.as_dict()).encode()


@pytest.mark.parametrize("size", [0, 1, 50, 3_000])
def test_blocks_give_back_what_was_packed(small_blocks, size):
    section = replace(waits_section(10), rows=(waits_section(10).rows * size)[:size])
    payload = comparison_json.pack_section(section)
    assert comparison_json.unpack_section(payload) == section
    lazy = comparison_json.open_section(payload)
    assert len(lazy.rows) == size
    assert tuple(lazy.rows) == tuple(lazy.rows) == section.rows
    found = compressed_blocks.Packed(payload)
    joined = [r for n in range(len(found.counts)) for r in comparison_json.unpack_block(found, n).rows]
    assert tuple(joined) == section.rows
    assert all(found.counts[found.block_of(i)] for i in range(size))


def test_a_payload_of_the_version_before_is_read():
    from parsers.storage.compressed_blocks import pack

    section = waits_section(30)
    assert comparison_json.unpack_section(pack(comparison_json.dump_section(section))) == section


def test_the_same_link_gets_the_same_file(owner, sign_in, large):
    _, path = create_link(owner, large, days=7)
    assert body(Client().get(f"{path}export.json")) == body(sign_in(owner).get(url(large, "json")))


def test_compare_all_is_walked_through_twice():
    """The first pair's sections stand twice in the document of several."""
    one = parse_report(big(0.05), name="a.html")
    text = json.loads(json.dumps(comparison_json.as_dict_of_all(compare.compare_all([one, one, one]))))
    assert text["sections"] == text["pairs"][0]["sections"] != []
