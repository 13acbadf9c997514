"""Verdicts on findings: given, shown, withdrawn, signed off, and remembered by the next comparison of the database."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from awrdiff.analysis.export.markdown import escape
from awrdiff.analysis.model.comparison import Subject
from awrdiff.comparisons import guest_access
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import REVERSE, Comparison, FormerComparison
from awrdiff.comparisons.queries import overview
from awrdiff.comparisons.result_storage import pack_overviews
from awrdiff.incidents import comparisons_and_reports, finding_verdicts, services
from awrdiff.incidents.models import SignOff, Verdict
from awrdiff.incidents.services import Typed
from awrdiff.pins.models import Pin
from awrdiff.reports.models import Report
from tests.web import compared
from tests.web.conftest import store_report
from tests.web.pages import body, check_markup, store_comparison
from tests.web.share import create_link
from tests.web.test_section_json import SCHEMAS

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def judged(access, reports, dbid: str = "4711") -> tuple[Comparison, list[str]]:
    """A comparison of a database with two findings, and their anchors."""
    Report.objects.filter(pk__in=[r.pk for r in reports]).update(dbid=dbid)
    computed = compared.comparison()
    one = replace(computed.findings[0], rule="sql-dominant", title="One statement.", subject=Subject("sql", "a"))
    other = replace(one, rule="redo", title="More redo.", subject=None)
    headers = tuple({**h, "database": {**(h.get("database") or {}), "dbid": dbid}} for h in computed.headers)
    made = store_comparison(access, reports, replace(computed, findings=(one, other), headers=headers))
    return made, [of_finding(one), of_finding(other)]


def give(client: Client, comparison: Comparison, anchor: str, state: str, expected: int = 201, **fields) -> dict:
    path = f"/comparisons/{comparison.pk}/verdicts/"
    answer = client.post(path, {"anchor": anchor, "state": state, **fields}, headers=JSON)
    assert answer.status_code == expected, answer.content
    return answer.json()


def page(client: Client, comparison: Comparison) -> str:
    html = client.get(f"/comparisons/{comparison.pk}/", headers=HTML).content.decode()
    check_markup(html)
    return html


def test_a_rejected_finding_stays_struck_with_its_reason(client, owner, reports):
    found, (sql, _) = judged(owner, reports)
    before = page(client, found)
    made = give(client, found, sql, "rejected", why="it ran <b>twice</b> as often", role="DBA")
    assert (made["state"], made["by"], made["role"], made["title"]) == ("rejected", "olivia", "dba", "One statement.")
    html = page(client, found)
    assert "<s><b>One statement.</b>" in html
    assert "<s><b>One statement.</b>" not in before
    assert "because it ran &lt;b&gt;twice&lt;/b&gt; as often" in html
    assert "olivia as dba" in html


def test_the_next_comparison_of_the_database_says_it(client, owner, reports):
    found, (sql, redo) = judged(owner, reports)
    give(client, found, sql, "rejected", why="a batch job")
    give(client, found, redo, "confirmed")
    following, _ = judged(owner, reports)
    html = page(client, following)
    assert html.count("Rejected before") == 1
    assert "because a batch job" in html
    assert f'href="/comparisons/{found.pk}/"' in html
    assert "<s>" not in html
    give(client, following, sql, "confirmed")
    assert "Rejected before" not in page(client, following)
    give(client, found, sql, "withdrawn")
    give(client, following, sql, "withdrawn")
    assert "Rejected before" not in page(client, following)


def test_what_was_rejected_is_named_where_it_said_otherwise(client, owner, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "rejected", why="a batch job")
    following, _ = judged(owner, reports)
    assert "<b>Rejected before</b>, because a batch job" in page(client, following)
    Verdict.objects.update(title="Less of <it>.")
    assert "<b>Rejected before</b> as “Less of &lt;it&gt;”, because a batch job" in page(client, following)


def test_another_team_is_not_told(client, owner, stranger, sign_in, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "rejected", why="a batch job")
    theirs, _ = judged(stranger, reports)
    assert "Rejected before" not in page(sign_in(stranger), theirs)


@pytest.mark.parametrize(
    ("name", "dbid", "is_told"),
    [("PAY", "4711", True), ("pay", "", True), ("", "4711", True), ("PAY", "4712", False), ("COPY", "4711", False),
     ("CRM", "", False), ("", "", False)],
)  # fmt: skip
def test_the_same_database_by_name_and_id_is_told(client, owner, name, dbid, is_told):
    made = [[store_report(owner, f"{day}_{n}.html") for n in (1, 2)] for day in ("monday", "tuesday")]
    found, (sql, _) = judged(owner, made[0])
    Report.objects.update(db_name="PAY")
    give(client, found, sql, "rejected", why="a batch job")
    following, _ = judged(owner, made[1], dbid)
    Report.objects.filter(name__startswith="tuesday").update(db_name=name)
    assert ("Rejected before" in page(client, following)) is is_told


def test_of_two_databases_it_is_said_of_the_second(client, owner):
    """A verdict is of the database whose id it has."""
    other, own, again, elsewhere = (store_report(owner, f"{n}.html") for n in range(4))
    found, (sql, _) = judged(owner, [other, own])
    Report.objects.filter(pk__in=[other.pk, elsewhere.pk]).update(dbid="99")
    give(client, found, sql, "rejected", why="a batch job")
    following, _ = judged(owner, [own, again])
    assert "Rejected before" in page(client, following)
    alone, _ = judged(owner, [other, elsewhere], "99")
    assert "Rejected before" not in page(client, alone)


def test_explained_by_another_names_it(client, owner, reports):
    found, (sql, redo) = judged(owner, reports)
    give(client, found, sql, "explained_by", 400, explained_by=sql)
    give(client, found, sql, "explained_by", 400)
    made = give(client, found, sql, "explained_by", explained_by=redo)
    assert made["explained_by"] == redo
    assert "Explained by “More redo”" in page(client, found)


def test_the_last_verdict_holds_and_earlier_ones_are_kept(client, owner, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "withdrawn", 400)
    give(client, found, sql, "rejected", 400)  # without a reason
    for _ in range(2):
        give(client, found, sql, "rejected", why="a batch job")
    give(client, found, sql, "confirmed")
    assert list(Verdict.objects.values_list("state", "is_current")) == [("rejected", False), ("confirmed", True)]
    listed = client.get(f"/comparisons/{found.pk}/verdicts/", headers=JSON).json()["verdicts"]
    assert [one["state"] for one in listed] == ["confirmed"]
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.update(is_current=True)


def test_who_finds_the_same_is_recorded_too(client, sign_in, owner, colleague, reports):
    found, (sql, _) = judged(owner, reports)
    for who in (client, sign_in(colleague), sign_in(colleague)):
        give(who, found, sql, "rejected", why="a batch job")
    given = list(Verdict.objects.values_list("user__username", "is_current"))
    assert given == [("olivia", True), ("carl", True)]


def test_only_what_is_found_is_judged(client, owner, reports):
    found, (sql, _) = judged(owner, reports)
    for anchor in ("finding:no-such-rule", "foreground_wait_events", f"{sql}x", "finding:" + "x" * 300, ""):
        give(client, found, anchor, "confirmed", 400)
    give(client, found, sql, "perhaps", 400)
    assert not Verdict.objects.exists()


def test_signed_off_by_role(client, owner, colleague, sign_in, reports):
    found, (sql, _) = judged(owner, reports)
    path = f"/comparisons/{found.pk}/verdicts/{give(client, found, sql, 'confirmed')['id']}/"
    for _ in range(2):
        assert sign_in(colleague).post(path, {"role": "Lead"}, headers=JSON).status_code == 204
    assert SignOff.objects.count() == 1
    assert "signed off by carl (lead)" in page(client, found)
    give(client, found, sql, "rejected", why="a batch job")
    assert sign_in(colleague).post(path, {"role": "lead"}, headers=JSON).status_code == 400


def test_the_page_known_to_a_browser_is_another_after_a_verdict(client, owner, reports):
    found, (sql, _) = judged(owner, reports)
    path = f"/comparisons/{found.pk}/"
    client.get(path, headers=HTML)  # the form's token is in the page, and in the tag
    tag = client.get(path, headers=HTML)["ETag"]
    assert client.get(path, headers={**HTML, "If-None-Match": tag}).status_code == 304
    give(client, found, sql, "confirmed")
    assert client.get(path, headers={**HTML, "If-None-Match": tag}).status_code == 200


def test_neither_guests_nor_links_are_told(owner, guest, sign_in, client, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "rejected", why="a batch job")
    guest_access.show(owner, found, guest.membership)
    _, path = create_link(owner, found, days=1)
    shown = sign_in(guest).get(f"/comparisons/{found.pk}/", headers=HTML)
    assert shown.status_code == 200
    for html in (shown.content.decode(), Client().get(path, headers=HTML).content.decode()):
        assert "One statement." in html
        assert not any(word in html for word in ("a batch job", "data-judge", "Part of"))


def test_a_finding_that_is_gone_can_still_be_withdrawn(owner, reports):
    found, (sql, _) = judged(owner, reports)
    finding_verdicts.give(owner, found, finding_verdicts.TypedVerdict(sql, "confirmed"))
    Verdict.objects.update(anchor="finding:gone")
    made = finding_verdicts.give(owner, found, finding_verdicts.TypedVerdict("finding:gone", "withdrawn"))
    assert (made.title, made.state) == ("One statement.", "withdrawn")
    assert finding_verdicts.current(owner, found) == []


def exported(client: Client, path: str, ending: str, query: str = "") -> str:
    return body(client.get(f"{path}export.{ending}{query}")).decode()


WHY = "it ran <b>twice</b> | as often."


def test_files_that_members_take_away_have_the_verdicts(client, sign_in, owner, colleague, reports):
    found, (sql, redo) = judged(owner, reports)
    path, day = f"/comparisons/{found.pk}/", "{0.day} {0:%b %Y}".format(timezone.now())
    before = {ending: exported(client, path, ending) for ending in ("md", "html", "json", "csv")}
    assert not any(word in text for text in before.values() for word in ("ejected", '"verdict"', "<s>", "~~"))
    give(client, found, sql, "rejected", why=WHY, role="DBA")
    made = give(client, found, redo, "explained_by", explained_by=sql)
    post = {"role": "lead"}
    assert sign_in(colleague).post(f"{path}verdicts/{made['id']}/", post, headers=JSON).status_code == 204

    rejected = f"Rejected by olivia as dba on {day}, because it ran"
    explained = f"Explained by “One statement” (olivia, {day}). Signed off by carl (lead)."
    for text in (exported(client, path, "md"), exported(client, path, "md", "?part=summary")):
        assert "~~**One statement.**~~" in text
        assert f"{rejected} \\<b\\>twice\\</b\\> \\| as often." in text
        assert explained in text
        assert "**More redo.**" in text
        assert "~~**More redo.**~~" not in text
    html = exported(client, path, "html")
    assert "<s><strong>One statement.</strong></s>" in html
    assert f"{rejected} &lt;b&gt;twice&lt;/b&gt; | as often." in html
    assert explained in html
    one, other = (finding["verdict"] for finding in json.loads(exported(client, path, "json"))["findings"])
    assert (one["state"], one["by"], one["role"], one["why"]) == ("rejected", "olivia", "dba", WHY)
    assert (other["explained_by"], other["signed"]) == ("One statement.", ["carl (lead)"])
    assert exported(client, path, "csv") == before["csv"]


def test_files_with_verdicts_are_of_the_schema(client, owner, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "confirmed")
    schema = json.loads((SCHEMAS / "comparison.schema.json").read_text())
    findings = json.loads(exported(client, f"/comparisons/{found.pk}/", "json", "?part=summary"))["findings"]
    items = Draft202012Validator({"$defs": schema["$defs"], **schema["properties"]["findings"]})
    items.validate(findings)
    assert schema["properties"]["findings"]["items"]["properties"]["verdict"]["required"] == list(
        findings[0]["verdict"]
    )


def test_files_of_guests_and_links_have_none(client, owner, guest, sign_in, reports):
    found, (sql, _) = judged(owner, reports)
    give(client, found, sql, "rejected", why="a batch job")
    guest_access.show(owner, found, guest.membership)
    _, path = create_link(owner, found, days=1)
    for who, at in ((sign_in(guest), f"/comparisons/{found.pk}/"), (Client(), path)):
        for ending in ("md", "html", "json", "csv"):
            text = exported(who, at, ending)
            assert "One statement." in text or ending == "csv"
            assert not any(word in text for word in ("a batch job", "Rejected", '"verdict"', "~~", "<s>"))


def test_each_pair_has_its_own_verdicts_in_a_file(client, owner, reports):
    found, (sql, _) = judged(owner, [*reports, reports[0]])
    Comparison.objects.filter(pk=found.pk).update(overview=pack_overviews([overview(found)] * 3))
    give(client, found, sql, "confirmed", pair="1")
    pairs = json.loads(exported(client, f"/comparisons/{found.pk}/", "json", "?part=summary"))["pairs"]
    assert [["verdict" in finding for finding in pair["findings"]] for pair in pairs] == [[False, False], [True, False]]


def test_nobody_signs_off_their_own_verdict(client, sign_in, owner, colleague, reports):
    found, (sql, _) = judged(owner, reports)
    path = f"/comparisons/{found.pk}/verdicts/{give(client, found, sql, 'confirmed')['id']}/"
    answer = client.post(path, {"role": "dba"}, headers=JSON)
    assert (answer.status_code, answer.json()["error"]) == (400, "This is your own judgement: others sign it off.")
    assert f'data-sign="{path}"' not in page(client, found)
    assert f'data-sign="{path}"' in page(sign_in(colleague), found)
    assert sign_in(colleague).post(path, {"role": "dba"}, headers=JSON).status_code == 204


def test_what_is_sent_to_a_former_swap_is_of_the_pair_that_its_address_leads_to(client, owner, reports):
    found, (sql, redo) = judged(owner, reports)
    Comparison.objects.filter(pk=found.pk).update(overview=pack_overviews([overview(found)], overview(found)))
    former = FormerComparison.objects.create(pk=uuid4(), comparison=found)
    form, script = f"/comparisons/{former.pk}", f"/api/v1/comparisons/{former.pk}"
    told = {"anchor": sql, "pair": 0, "state": "confirmed"}
    assert client.post(f"{form}/verdicts/", told, headers=JSON, follow=True).status_code == 201
    sent = {"content_type": "application/json", "headers": JSON, "follow": True}
    assert client.post(f"{script}/verdicts", {**told, "anchor": redo}, **sent).status_code == 201
    assert set(Verdict.objects.values_list("pair", flat=True)) == {REVERSE}
    assert client.post(f"{form}/pins/", {"anchor": sql, "pair": 0}, headers=JSON, follow=True).status_code == 201
    assert client.post(f"{script}/pins", {"anchor": redo}, **sent).status_code == 201
    assert list(Pin.objects.values_list("pair", flat=True)) == [REVERSE, REVERSE]


def test_a_verdict_on_a_swapped_comparison_leads_there_and_says_so(client, owner, reports):
    found, (sql, _) = judged(owner, reports)
    Comparison.objects.filter(pk=found.pk).update(overview=pack_overviews([overview(found)], overview(found)))
    give(client, found, sql, "rejected", why="a batch job", pair=REVERSE)
    incident = services.make(owner, Typed("Slow", begins_at="2024-01-01T11:05", ends_at="2024-01-01T12:20"))
    comparisons_and_reports.attach(owner, incident, found, "PAY")
    path, turned = f"/incidents/{incident.pk}/", "(said of the hour from 1 Jan 10:00)"
    (line,) = client.get(path, headers=JSON).json()["verdicts"]
    assert line["url"].startswith(f"/comparisons/{found.pk}/?pair={REVERSE}#")
    assert line["title"] == f"One statement. {turned}"
    assert client.post(f"{path}postmortem/", headers=JSON).status_code == 201
    sections = {one["id"]: one for one in client.get(f"{path}postmortem/", headers=JSON).json()["sections"]}
    assert f"One statement. {escape(turned)} Ruled out by olivia" in sections["causes"]["text"]
    assert "Rejected" not in str(sections["timeline"]["tables"])  # it was clicked, and happened to no database
    log = [one["text"] for one in client.get(path, headers=JSON).json()["timeline"] if one["log"]]
    assert f"Rejected: One statement. {turned} Because: a batch job" in log
    another, _ = judged(owner, reports)
    assert "Rejected before" in page(client, another)
