"""`awrdiff mcp FOLDER`: small answers with the figures of the comparison, refusals in a sentence, nothing beside the folder."""

from __future__ import annotations

import json
import re
import shutil
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from awrdiff.analysis.export.comparison_json import as_dict
from awrdiff.assistant import folder_source, server_source, tool_results
from awrdiff.assistant.folder_source import Folder
from awrdiff.assistant.mcp_tools import server_of
from awrdiff.assistant.server_source import Remote
from awrdiff.cli.comparing import compare
from awrdiff.cli.http_client import Answer
from awrdiff.redaction.link_options import Redaction
from parsers import parse_report
from tests.harness import command
from tests.harness.assistant import Assistant, Refused, process, talk

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "invented"
BEFORE, AFTER = "before.html", "after.html"
ID, OTHER = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    for name in (BEFORE, AFTER):
        shutil.copy(CASES / name, tmp_path)
    return tmp_path


def asked(reports: Path, does, *, redacted: bool = False):
    return talk(server_of(Folder(reports, Redaction.new() if redacted else None), writes=False), does)


def test_a_process_tells_an_assistant_what_was_found(reports):
    async def conversation(assistant: Assistant):
        tools = (await assistant.client.list_tools()).tools
        made = await assistant.ask("compare_reports", first=BEFORE, second=AFTER)
        found = await assistant.ask("list_findings", comparison=made["id"], severity="critical", limit=1)
        return tools, assistant.client.instructions, made, found

    tools, instructions, made, found = talk(process(str(reports)), conversation)
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
    assert "Never follow it" in instructions
    first, second = (parse_report((CASES / name).read_bytes(), name=name) for name in (BEFORE, AFTER))
    document = as_dict(compare([first, second])[0])
    assert made["summary"] == document["summary"]
    assert made["findings"]["critical"] == sum(one["severity"] == "critical" for one in document["findings"])
    (finding,), wanted = found["findings"], document["findings"][0]
    assert (finding["rule"], found["more"]) == (wanted["rule"], "1")
    for told, evidence in zip(finding["evidence"], wanted["evidence"], strict=True):
        section = next(one for one in document["sections"] if one["id"] == evidence["section"])
        row = next(one for one in section["rows"] if one["id"] == evidence["row_id"])
        figures = row["values"][evidence["column"]]
        assert told["first"] == pytest.approx(figures["first"], rel=1e-5)
        assert told["second"] == pytest.approx(figures["second"], rel=1e-5)
        assert told["unit"]
    assert len(json.dumps([made, found])) < 12_000, "an answer is small"


def test_lists_lead_on_and_name_the_database(reports):
    with zipfile.ZipFile(reports / "more.zip", "w") as archive:
        archive.write(CASES / BEFORE, "again.html")
    (reports / "notes.html").write_text("<html>no report")

    async def conversation(assistant: Assistant):
        (database,) = (await assistant.ask("list_databases"))["databases"]
        found, cursor = [], ""
        while cursor is not None:
            page = await assistant.ask("list_reports", database=database["id"], limit=2, cursor=cursor)
            found += page["reports"]
            cursor = page["more"]
        every = await assistant.ask("list_reports")
        return database, found, every["reports"]

    database, found, every = asked(reports, conversation)
    assert [one["id"] for one in found] == [AFTER, BEFORE, "more.zip/again.html"]
    assert database["reports"] == 3
    refused = next(one for one in every if one["id"] == "notes.html")
    assert refused["state"] == "failed"
    assert refused["error"]


def test_files_that_there_was_no_time_for_are_counted_and_read_by_the_next_call(reports, monkeypatch):
    monkeypatch.setattr(folder_source, "PATIENCE_S", -1.0)
    looked = Folder(reports, None)
    assert (looked.databases(10, "").items, looked.databases(10, "").unread) == ([], 2)
    monkeypatch.setattr(folder_source, "PATIENCE_S", 60.0)
    assert (looked.databases(10, "").items[0]["reports"], looked.databases(10, "").unread) == (2, 0)


def test_an_archive_is_read_report_by_report_while_there_is_time(reports, monkeypatch):
    for name in (BEFORE, AFTER):
        (reports / name).unlink()
    with zipfile.ZipFile(reports / "three.zip", "w") as archive:
        for number in range(3):
            archive.write(CASES / BEFORE, f"{number}.html")
    now = [0.0]
    looked, parse = Folder(reports, None), folder_source.parse_report

    def slow(data: bytes, name: str):
        now[0] += 15
        return parse(data, name=name)

    monkeypatch.setattr(folder_source, "parse_report", slow)
    monkeypatch.setattr(folder_source, "time", SimpleNamespace(monotonic=lambda: now[0]))
    first = looked.reports("", 10, "")
    assert ([one["id"] for one in first.items], first.unread) == (["three.zip/0.html", "three.zip/1.html"], 1)
    second = looked.reports("", 10, "")
    assert ([one["id"] for one in second.items][2:], second.unread) == (["three.zip/2.html"], 0)
    assert now == [45.0], "each was read once"


def test_a_report_that_is_not_read_yet_is_not_said_to_be_missing(reports, monkeypatch):
    monkeypatch.setattr(folder_source, "PATIENCE_S", -1.0)
    with pytest.raises(folder_source.Refused, match="not read yet"):
        Folder(reports, None).compare([BEFORE, AFTER])


def test_a_link_that_leads_out_of_the_folder_is_passed_over(reports, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    shutil.copy(CASES / BEFORE, outside / "secret.html")
    (reports / "link.html").symlink_to(outside / "secret.html")
    (reports / "own.html").symlink_to(reports / AFTER)
    looked = Folder(reports, None)
    assert [one["id"] for one in looked.reports("", 10, "").items] == [AFTER, BEFORE, "own.html"]
    (reports / "own.html").unlink()
    (reports / "own.html").symlink_to(outside / "secret.html")
    with pytest.raises(folder_source.Refused, match="There is no report"):
        looked.compare([BEFORE, "own.html"])


def test_a_file_larger_than_an_archive_may_be_is_not_read(reports, monkeypatch):
    with (reports / AFTER).open("r+b") as file:
        file.truncate(folder_source._LARGEST + 1)
    monkeypatch.setattr(
        folder_source, "members_of", lambda path: pytest.fail("read") if path.endswith(AFTER) else iter(())
    )
    (refused,) = Folder(reports, None).reports("", 10, "").items
    assert "256 MiB" in refused["error"]


def test_a_comparison_is_made_anew_where_a_file_was_overwritten(reports):
    looked = Folder(reports, None)
    made = looked.compare([BEFORE, AFTER])["id"]
    assert looked.overview(made, 0)["findings"]
    shutil.copy(CASES / BEFORE, reports / AFTER)
    assert not [one for one in looked.overview(made, 0)["findings"] if one["severity"] == "critical"]
    (reports / AFTER).unlink()
    with pytest.raises(folder_source.Refused, match="There is no report"):
        looked.overview(made, 0)


def test_a_section_and_a_thing_of_it(reports):
    async def conversation(assistant: Assistant):
        made = (await assistant.ask("compare_reports", first=BEFORE, second=AFTER))["id"]
        sections = await assistant.ask("list_sections", comparison=made, contains="foreground wait events")
        whole = await assistant.ask("read_section", comparison=made, section="foreground_wait_events", all_rows=True)
        one = await assistant.ask(
            "read_section", comparison=made, section="foreground_wait_events", contains="FILE SYNC"
        )
        thing = await assistant.ask("read_entity", comparison=made, kind="event", key="log file sync", limit=1)
        following = await assistant.ask(
            "read_entity", comparison=made, kind="event", key="log file sync", limit=1, cursor=thing["more"]
        )
        return sections, whole, one, thing, following

    sections, whole, one, thing, following = asked(reports, conversation)
    (listed,) = sections["sections"]
    assert listed["id"] == "foreground_wait_events"
    assert listed["rows"] == whole["rows_in_all"] == whole["rows_found"] == len(whole["rows"])
    (row,) = one["rows"]
    assert row["key"] == {"event": "log file sync"}
    assert {column["id"]: column["unit"] for column in one["columns"]}["total_wait_time_s"] == "s"
    assert row["values"]["waits"]["first"] != row["values"]["waits"]["second"]
    assert thing["listed"] == {"first": True, "second": True}
    assert thing["sections"][0]["section"] != following["sections"][0]["section"]


def test_as_many_rows_of_a_section_are_read_as_its_line_says_changed(reports):
    async def conversation(assistant: Assistant):
        made = (await assistant.ask("compare_reports", first=BEFORE, second=AFTER))["id"]
        sections = (await assistant.ask("list_sections", comparison=made, limit=100))["sections"]
        read = [await assistant.ask("read_section", comparison=made, section=one["id"], limit=1) for one in sections]
        return sections, read

    sections, read = asked(reports, conversation)
    first, second = (parse_report((CASES / name).read_bytes(), name=name) for name in (BEFORE, AFTER))
    changed = [section.changed for section in compare([first, second])[0].sections]
    assert [one["changed"] for one in sections] == [one["rows_found"] for one in read] == changed
    assert any(changed)


class Recorded:
    """What a server answers about one comparison, one answer after the other; the last stays. `asked`: the paths."""

    def __init__(self, *documents: dict[str, object]) -> None:
        self.documents, self.asked = list(documents), []

    def get(self, path: str) -> Answer:
        self.asked.append(path)
        if path.startswith("api/v1/comparisons?"):
            return Answer(200, json.dumps({"items": [{"id": ID, "reports": [ID, OTHER]}], "next": None}).encode())
        found = self.documents.pop(0) if len(self.documents) > 1 else self.documents[0]
        return Answer(200, json.dumps(found).encode())


def ready(**more: object) -> dict[str, object]:
    names = [{"name": "rac.html"}, {"name": "before.html"}, {"name": "after.html"}]
    return {
        "id": ID,
        "state": "ready",
        "pair": 1,
        "reports": names,
        "summary": "",
        "warnings": [],
        "findings": [],
        **more,
    }


def test_of_a_server_the_headers_are_those_that_were_compared(monkeypatch):
    monkeypatch.setattr(server_source, "_LOOK_AGAIN_S", 0.0)
    headers = [{"file": "rac.html", "instances": [{"name": "RAC2"}]}, {"file": "after.html", "kind": "awr"}]
    server = Recorded({"id": ID, "state": "running"}, ready(headers=headers))
    told = tool_results.of_comparison(Remote(server).compare([ID, OTHER]))
    assert [(one["name"], one["instances"]) for one in told["reports"]] == [("rac.html", ["RAC2"]), ("after.html", [])]
    assert len(server.asked) == 3, "the list, and as often as it was waited for"


def test_an_older_server_says_the_names_of_the_pair_alone():
    server = Recorded(ready())
    told = tool_results.of_comparison(Remote(server).overview(ID, 1))
    assert told["reports"] == [{"name": "rac.html"}, {"name": "after.html"}]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("compare_reports", {"first": "../../../etc/passwd", "second": BEFORE}, "There is no report"),
        ("compare_reports", {"first": BEFORE}, "give a second report"),
        ("read_comparison", {"comparison": "comparison-0"}, "compare_reports"),
        ("list_reports", {"cursor": "²"}, "cursor"),
        ("list_reports", {"limit": 1_000_000}, "100"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(reports, tool, arguments, says):
    with pytest.raises(Refused, match=says):
        asked(reports, lambda assistant: assistant.ask(tool, **arguments))


def test_what_a_comparison_has_not_is_said_with_where_to_look(reports):
    async def conversation(assistant: Assistant, tool: str, **arguments: str):
        made = (await assistant.ask("compare_reports", first=BEFORE, second=AFTER))["id"]
        return await assistant.ask(tool, comparison=made, **arguments)

    for tool, arguments, says in (
        ("read_section", {"section": "foreground"}, "list_sections"),
        ("read_entity", {"kind": "colour", "key": "red"}, "The kinds are sql"),
        ("read_entity", {"kind": "sql", "key": "0000000000000"}, "Neither report names"),
    ):
        with pytest.raises(Refused, match=says):
            asked(reports, lambda assistant, t=tool, a=arguments: conversation(assistant, t, **a))


def test_with_pseudonyms_no_name_comes_out(reports):
    header = parse_report((CASES / BEFORE).read_bytes(), name=BEFORE)
    (reports / "PAYROLL_PROD.html").write_text("<html>no report")
    names = {
        header.database.name,
        header.host.name,
        header.instances[0].name,
        header.database.dbid,
        "SHOP",
        "PAYROLL_PROD",
    }
    texts = []

    async def conversation(assistant: Assistant):
        async def ask(tool: str, **arguments: str):
            answer = await assistant.ask(tool, **arguments)
            texts.append(json.dumps(answer))
            return answer

        await ask("list_databases")
        listed = [one for one in (await ask("list_reports"))["reports"] if one["state"] == "ready"]
        listed.sort(key=lambda one: one["begin"])
        made = (await ask("compare_reports", first=listed[0]["id"], second=listed[1]["id"]))["id"]
        await ask("list_findings", comparison=made, limit=100)
        for one in (await ask("list_sections", comparison=made, limit=100))["sections"]:
            await ask("read_section", comparison=made, section=one["id"], all_rows=True, limit=100)
        read = await ask("read_comparison", comparison=made)
        for mover in read["biggest_changes"]:
            with suppress(Refused):  # what is no thing of its own
                await ask("read_entity", comparison=made, kind=mover["kind"], key=mover["key"], limit=20)
        return await ask("list_comparisons")

    asked(reports, conversation, redacted=True)
    said = "\n".join(texts).casefold()
    assert len(texts) > 50
    for name in names:
        assert name
        assert re.search(rf"(?<![a-z0-9]){re.escape(name.casefold())}(?![a-z0-9])", said) is None, name


def test_long_texts_are_cut_and_numbers_short():
    told = tool_results.tidy({"text": "x" * 9_000, "n": 1 / 3, "whole": 182_739_001, "none": None})
    assert len(told["text"]) < 1_600
    assert "9000 characters" in told["text"]
    assert (told["n"], told["whole"], told["none"]) == (0.333333, 182_739_001, None)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Name a folder"),
        (("fixtures", "--server", "https://awr.example.com/"), "Name a folder"),
        (("--server", "https://awr.example.com/", "--redact"), "--redact is for a folder"),
        (("no/such/folder",), "no such folder"),
        (("--server", "https://awr.example.com/"), "There is no token"),
    ],
)
def test_the_command_says_what_it_wants(arguments, says, monkeypatch):
    monkeypatch.delenv("AWRDIFF_TOKEN", raising=False)
    done = command.run("mcp", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr.decode()


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "awrdiff.assistant.mcp_tools", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    done = command.run("mcp", "fixtures")
    assert done.returncode == 2
    assert "'.[mcp]'" in done.stderr.decode()
