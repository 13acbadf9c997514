"""Changes of an exported team's lines that no export writes, and the sentence that refuses each."""

from __future__ import annotations

from tests.web.whole_team import of_kind


def first(kind: str, /, **values: object):
    return lambda found: of_kind(found, kind)[0].update(values)


def last(kind: str, /, **values: object):
    return lambda found: of_kind(found, kind)[-1].update(values)


def without(kind: str):
    def change(found):
        found[:] = [line for line in found if next(iter(line)) != kind]

    return change


def often(kind: str, times: int):
    def change(found):
        line = of_kind(found, kind)[0]
        at = found.index(line) + 1
        found[at:at] = [{**line, kind: str(n + 10**9)} for n in range(times)]

    return change


def twice(kind: str):
    return lambda found: found.insert(found.index(of_kind(found, kind)[0]), dict(of_kind(found, kind)[0]))


CELL = {"text": "x", "address": "", "comparison": "", "pair": 0, "anchor": ""}


def live_table(**table: object):
    whole = {"caption": CELL, "head": [], "rows": [], "note": "", **table}
    return last("version", live={"timeline": [whole]})


# One sentence, and nothing is made.
HOSTILE = [
    (
        first("comment", thread="999999"),
        r"a line \(comment\) belongs to a thread that no line before it",
    ),
    (first("comment", thread="../1"), "“thread” is not an id"),
    (first("comment", thread=["1"]), "“thread” is not an id"),
    (first("comment", body="x" * 10_001), "“body” is not a text, or too long"),
    (first("comment", mentions=["x"] * 10_001), "not a list of names, or too long"),
    (first("comment", created_at="yesterday"), "is not a time"),
    (first("comment", created_at=5), "is not a time"),
    (first("comment", created_at="2024-01-01T00:00:00"), "has no time zone"),
    (first("comment", created_at=None), "is not a time"),
    (first("event", at="9999-12-31T23:59:59-14:00"), "outside the years"),
    (first("event", text=" "), "“text” is empty"),
    (first("incident", title=None), "“title” is empty"),
    (first("event", kind="rumour"), "“kind” must be one of note"),
    (first("event", version=2**40), "out of range"),
    (first("event", version=True), "out of range"),
    (first("incident", severity="2"), "“severity” must be one of 1, 2"),
    (first("incident", severity=True), "“severity” must be one of"),
    (first("incident", status=[]), "“status” must be one of"),
    (first("incident", time_zone="../../etc"), "time zone must be an IANA name"),
    (first("incident", time_zone=None), "“time_zone” is not a text"),
    (first("incident", ends_at="1990-01-01T00:00:00+00:00"), "ends before it begins"),
    (first("action", link="javascript:alert(1)"), "begins with https"),
    (first("action", due="tomorrow"), "due date must be a date"),
    (first("thread", anchor="x" * 201), "“anchor” is not a text"),
    (first("thread", figures=[[1, 2]]), "is not a figure"),
    (first("thread", pair=24), "out of range"),
    (first("verdict", anchor="init_parameters"), "names no finding"),
    (first("verdict", anchor=None), "“anchor” is not a text"),
    (first("attached_trace", trace=None), "“trace” is not an id"),
    (first("postmortem", drafted=[]), "no drafts"),
    (first("postmortem", template=[{"id": "../", "title": "Impact", "prompt": ""}]), "by no id"),
    (first("postmortem", template=[{"id": "impact", "title": " ", "prompt": ""}]), "is empty"),
    (first("version", number=2), "not all there, or not in their order"),
    (first("version", section="appendix"), "is of no section"),
    (last("version", section="summary"), "is of no section"),
    (last("version", live={"timeline": [{}]}), "a table that is not one"),
    (last("version", live={"appendix": []}), "is not the tables"),
    (last("version", live={"timeline": "abc"}), "a table that is not one"),
    (live_table(head=["x" * 5_001]), "a table that is not one"),
    (live_table(rows=[[{**CELL, "address": "javascript:alert(1)"}]]), "begins with https"),
    (live_table(rows=[[{**CELL, "more": 1}]]), "a table that is not one"),
    (live_table(caption={**CELL, "comparison": "/etc/passwd"}), "is not an id"),
    (live_table(caption={**CELL, "text": {"a": []}}), "a table that is not one"),
    (first("thread", incident="1"), "does not belong to one of comparison, incident"),
    (first("thread", comparison=None), "“comparison” is not an id"),
    (first("attachment", sha256="0" * 64), "is not what was exported"),
    (first("attachment", name=" "), "“name” is empty"),
    (without("thread"), "that no line before it describes"),
    (without("report"), "that no line before it describes"),
    (twice("thread"), "two lines describe the same thread"),
    (twice("incident"), "two lines describe the same incident"),
    (often("tag", 12), "more than 12 tags of one thing"),
    (often("comment", 500), "more than 500 comments of one thing"),
    (often("postmortem", 1), "more than 1 post-mortems of one thing"),
    (twice("attachment"), "two lines describe the same attachment"),
]
