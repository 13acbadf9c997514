"""What rows name, and everything both reports print of it."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.entities.entity_json import as_dict
from awrdiff.analysis.entities.kinds import KINDS, Ref, Way, refs
from awrdiff.analysis.entities.two_report_entity import entity, statements_naming
from awrdiff.analysis.model.comparison import ComparedRow, Delta
from awrdiff.analysis.verdict.rule_registry import RULES_OF_TWO
from parsers.model import Column
from tests.unit.analysis.builders import column, events, exact, loaded, near, parameters, report, section
from tests.unit.analysis.test_statements import ID, PDB, TEXT, elapsed, table, texts

OWNER, NAME, SPACE = Column("owner", "Owner"), Column("object_name", "Object"), Column("tablespace", "Tablespace")
SUB = Column("subobject_name", "Subobject")


def entity_in(first, second, kind, key):
    comparison = compare_reports(first, second)
    return entity(comparison, comparison.sections, Ref(kind, key))


def segments(rows, section_id="segments_by_logical_reads"):
    columns = (OWNER, SPACE, NAME, SUB, column("logical_reads"))
    return section(
        section_id, columns, rows, key=["owner", "tablespace", "object_name", "subobject_name"], coverage="top"
    )


def ash_objects(*objects):
    columns = (
        Column("object_id", "Object ID"),
        Column("object", "Object Name (Type)"),
        column("pct_activity", "percent", "share"),
    )
    return section(
        "top_db_objects", columns, [(str(n), o, near(5, 0.05)) for n, o in enumerate(objects)], key=["object_id"]
    )


def parts(entity):
    return {p.section.id: [tuple(r.key.values()) for r in p.section.rows] for p in entity.parts}


class TestKinds:
    @pytest.mark.parametrize(
        "key", ["+DATA/db/x.1.2", "100%", "A$B#C", "a?b&c=d", "<script>", "ключ", "a b", "%2F", "a;b", "\udc80x"]
    )
    def test_a_path_has_nothing_that_means_something_in_an_address(self, key):
        path = Ref("file", key).path
        assert re.fullmatch(r"file/[\w.~%-]+/", path, re.ASCII)
        assert unquote(path[5:-1]) == key.encode("utf-8", "replace").decode()

    def test_oracles_own_names_are_one_in_any_case_and_release(self):
        event, file = KINDS["event"], KINDS["file"]
        assert event.same("CPU time") == event.same("DB  cpu") == "db cpu"
        assert set(event.spellings("DB CPU")) == {"db cpu", "cpu time"}
        assert file.same("/a/B") != file.same("/a/b")

    @pytest.mark.parametrize(
        ("column", "text", "key"),
        [
            ("object", "SOE.ORDERS.P1 (TABLE PARTITION)", "SOE.ORDERS"),
            ("object", "SOE.ORDERS (TABLE)", "SOE.ORDERS"),
            ("object", "** UNAVAILABLE **", ""),
            ("session", "17, 4242", "17,4242"),
            ("blocking_session", "5462,26810( 1)", "5462,26810"),
            ("plan_hash", "0", ""),
            ("tablespace", "N/A", ""),
        ],
    )
    def test_what_a_text_names(self, column, text, key):
        row = ComparedRow("", {column: text}, "same", {})
        assert [r.key for r in refs(row, frozenset([column])).values()] == ([key] if key else [])

    def test_a_name_beside_is_of_second_where_the_sides_differ(self):
        row = ComparedRow("", {"sql_id": "a"}, "changed", {"sql_module": Delta("old", "new")})
        assert refs(row, frozenset(["sql_id", "sql_module"])) == {
            "sql_id": Ref("sql", "a"),
            "sql_module": Ref("module", "new"),
        }

    def test_an_object_without_an_owner_is_its_name(self):
        assert Way(("owner", "object_name")).key(["", "T"]) == "T"
        assert Way(("owner", "object_name")).key(["O", ""]) == ""

    def test_subjects_of_findings_are_of_these_kinds_by_the_same_words(self):
        assert {"sql", "event", "object", "parameter"} <= KINDS.keys()
        assert RULES_OF_TWO


class TestRows:
    FIRST = report(
        segments([("O", "TS", "T", "P1", exact(5)), ("O", "TS", "T", "P2", exact(4)), ("O", "TS", "T2", "", exact(1))]),
        ash_objects("O.T.P1 (TABLE PARTITION)"),
    )
    SECOND = report(segments([("O", "TS", "T", "P1", exact(9))]), ash_objects())

    def test_partitions_and_samples_are_rows_of_the_object(self):
        t = entity_in(self.FIRST, self.SECOND, "object", "O.T")
        assert parts(t) == {
            "segments_by_logical_reads": [("O", "TS", "T", "P1"), ("O", "TS", "T", "P2")],
            "top_db_objects": [("0",)],
        }
        assert (t.first, t.second) == (True, True)

    def test_a_side_names_it_where_any_table_of_it_does(self):
        second = report(ash_objects("O.T2 (TABLE)"))
        t2 = entity_in(self.FIRST, second, "object", "O.T2")
        assert (t2.first, t2.second) == (True, True)
        assert (entity_in(self.FIRST, self.SECOND, "object", "O.T2").second) is False

    def test_what_stands_in_another_column_names_it_as_well(self):
        assert len(parts(entity_in(self.FIRST, self.SECOND, "tablespace", "TS"))["segments_by_logical_reads"]) == 3

    def test_nothing_of_another_name(self):
        assert entity_in(self.FIRST, self.SECOND, "object", "O.T9") is None
        assert entity_in(self.FIRST, self.SECOND, "object", "O") is None
        assert entity_in(self.FIRST, self.SECOND, "object", "o.t") is None

    def test_an_event_in_any_case(self):
        event = entity_in(
            report(events({"log file sync": (5, 5)})),
            report(events({"log file sync": (9, 9)})),
            "event",
            "LOG file  sync",
        )
        assert event.name == "log file sync"
        assert len(event.parts) == 1

    def test_a_parameter_of_one_side(self):
        changed = entity_in(report(parameters({"sga_target": "1G"})), report(parameters({})), "parameter", "SGA_TARGET")
        assert (changed.first, changed.second) == (True, False)

    def test_no_more_rows_of_a_section_than_a_page_carries(self):
        many = segments([("O", "TS", f"T{n}", "", exact(5)) for n in range(250)])
        part = entity_in(report(many), report(many), "tablespace", "TS").parts[0]
        assert (len(part.section.rows), part.left_out) == (200, 50)

    def test_prose_of_addm_mentions_it_by_its_whole_name(self):
        columns = (Column("finding", "Finding"), Column("rationale", "Rationale"))
        said = [("1", 'Look at TABLE "O.LINES".'), ("2", "OLD_LINES is large."), ("3", "lines of code")]
        addm = section("addm_recommendations", columns, said)
        lines = entity_in(report(addm, ash_objects("O.LINES (TABLE)")), report(), "object", "O.LINES")
        assert [r.key["finding"] for p in lines.mentions for r in p.section.rows] == ["1", "3"]

    def test_statements_whose_text_names_an_object(self):
        sql = texts(
            [("a", "select * from o.lines"), ("b", "select * from lines_old"), ("c", "insert into LINES values(1)")]
        )
        lines = entity_in(report(sql, ash_objects("O.LINES (TABLE)")), report(), "object", "O.LINES")
        assert [r.key for r in statements_naming(lines)] == ["a", "c"]


class TestStatement:
    def test_figures_of_all_tables_of_both_sides(self):
        gets = table("sql_by_gets", ("buffer_gets", "executions"), [("a", exact(900), exact(10))])
        cpu = table("sql_by_cpu_time", ("cpu_time_s", "elapsed_time_s"), [("a", near(3), near(9, 0.005))])
        a = entity_in(report(elapsed([("a", near(100, 0.5), exact(10))]), gets), report(cpu), "sql", "a").statements[0]
        figures = {f.column.id: f for f in a.figures}
        assert (figures["elapsed_time_s"].total.first.number, figures["elapsed_time_s"].total.second.number) == (100, 9)
        assert figures["elapsed_time_s"].second_from == "sql_by_cpu_time"
        assert figures["elapsed_time_s"].total.first_per_s == pytest.approx(100 / 3600)
        assert figures["elapsed_time_s"].per_execution.first.number == 10
        assert figures["elapsed_time_s"].per_execution.second is None  # no executions printed
        assert figures["buffer_gets"].total.second is None

    def test_a_figure_of_another_list_is_not_taken_for_a_row_of_this_one(self):
        """What fills a gap in a compared row stays a figure of the list it is from."""
        cpu = table("sql_by_cpu_time", ("cpu_time_s", "elapsed_time_s"), [("a", near(3), near(9, 0.005))])
        a = entity_in(
            report(elapsed([("a", near(100, 0.5), exact(10))])), report(elapsed([]), cpu), "sql", "a"
        ).statements[0]
        assert a.second.listed_in == ("sql_by_cpu_time",)

    def test_each_pluggable_database_has_its_own(self):
        two = elapsed([("a", "P1", near(10), exact(1)), ("a", "P2", near(20), exact(2))], names=(ID, PDB))
        both = entity_in(report(two), report(two), "sql", "a").statements
        assert [(s.pdb, s.first.elapsed.number) for s in both] == [("P2", 20), ("P1", 10)]

    def test_databases_that_one_side_does_not_name_are_one(self):
        two = elapsed([("a", "P1", near(10), exact(1)), ("a", "P2", near(20), exact(2))], names=(ID, PDB))
        (one,) = entity_in(report(two), report(elapsed([("a", near(40), exact(2))])), "sql", "a").statements
        assert (one.first.elapsed.number, one.second.elapsed.number) == (30, 40)

    def test_another_id_of_the_same_text_is_added_up_behind_it(self):
        first = report(elapsed([("a", near(10), exact(1))]), texts([("a", "select x from t where c = 1")]))
        second = report(
            elapsed([("a", near(20), exact(2)), ("b", near(30), exact(3))]),
            texts([("a", "select x from t where c = 1"), ("b", "select x from t where c = 2")]),
        )
        own, added = entity_in(first, second, "sql", "a").statements
        assert (own.added, own.second.elapsed.number) == (False, 20)
        assert (added.added, added.first.elapsed.number, added.second.elapsed.number) == (True, 10, 50)
        (only,) = entity_in(first, second, "sql", "b").statements  # First does not list it under this id
        assert (only.added, only.second.all_ids, only.second.text) == (True, ("b", "a"), "select x from t where c = 2")

    def test_a_sum_that_not_each_id_prints_is_not_known(self):
        gets = table("sql_by_gets", ("buffer_gets",), [("b", exact(7))])
        sql = texts([("a", "select x from t where c = 1"), ("b", "select x from t where c = 2")])
        first = report(elapsed([("a", near(20), exact(2)), ("b", near(30), exact(3))]), gets, sql)
        second = report(elapsed([("a", near(20), exact(2))]), sql)
        added = entity_in(first, second, "sql", "a").statements[1]
        figure = next(f for f in added.figures if f.column.id == "buffer_gets")
        assert (figure.total.first, figure.partial) == (None, (True, False))

    def test_several_ids_that_only_one_side_lists_are_added_up(self):
        sql = texts([("a", "select x from t where c = 1"), ("b", "select x from t where c = 2")])
        only = report(elapsed([("a", near(20), exact(2)), ("b", near(30), exact(3))]), sql)
        (added,) = entity_in(report(), only, "sql", "a").statements
        assert (added.added, added.second.elapsed.number) == (True, 50)

    def test_texts_differ_unless_one_is_the_beginning_of_the_other(self):
        def texts_differ(a, b):
            sides = (report(elapsed([("a", near(10), exact(1), t)], more=(TEXT,))) for t in (a, b))
            return entity_in(*sides, "sql", "a").statements[0].texts_differ

        assert texts_differ("select 1 from t", "select 2 from t")
        assert not texts_differ("select 1 from...", "select  1 from t")
        assert not texts_differ("", "select 2 from t")
        assert texts_differ("select 1 from t", "select 1 from t where x = 2")

    def test_findings_about_it_and_those_that_rest_on_its_rows(self):
        waits = {"log file sync": (1_000, 900.0), "db file sequential read": (1_000, 5.0)}
        slower = {"log file sync": (1_000, 9_000.0), "db file sequential read": (1_000, 5.0)}
        sync = entity_in(loaded(waits=waits), loaded(waits=slower), "event", "log file sync")
        assert sync.findings
        assert all(f.subject.key == "log file sync" for f in sync.findings)
        assert not {id(f) for f in sync.findings} & {id(f) for f in sync.cited}
        assert all(any(e.key == "log file sync" for e in f.evidence) for f in sync.cited)

    def test_the_document_has_all_of_it(self):
        first = report(elapsed([("a", near(10), exact(1))]), texts([("a", "select x from t where c = 1")]))
        document = as_dict(entity_in(first, report(), "sql", "a"))
        assert document["listed"] == {"first": True, "second": False}
        (statement,) = document["statements"]
        assert statement["second"] is None
        assert statement["first"]["text"] == "select x from t where c = 1"
        assert {f["id"]: (f["first"], f["second"]) for f in statement["figures"]} == {
            "elapsed_time_s": (10, None),
            "executions": (1, None),
        }
        assert [s["id"] for s in document["sections"]] == ["sql_by_elapsed_time", "sql_text"]
