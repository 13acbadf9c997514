"""A team with one of everything that its zip takes along, and its zips: written, changed, and what two have alike."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from uuid import uuid4

from django.db import connection

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Team
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.comparisons.anchors import Standing, of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import overview
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, finding_verdicts, services, timeline
from awrdiff.incidents.models import Incident, TimelineEvent
from awrdiff.pins import services as pins
from awrdiff.postmortems import second_reviews, templates
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.live_tables import reading_of
from awrdiff.postmortems.sections import SECTIONS
from awrdiff.postmortems.templates import TypedSection
from awrdiff.reports.models import Report, ReportTrace
from awrdiff.threads import attachments
from awrdiff.threads import services as threads
from awrdiff.threads.models import Comment, Thread
from awrdiff.transfer import team_zip
from awrdiff.transfer.jsonl_row_kinds import Rows
from awrdiff.transfer.kinds import BY_NAME, KINDS
from awrdiff.transfer.kinds.threads import LINES
from tests.harness.pictures import picture

PLACE = "init_parameters"
ROWS = [kind for kind in KINDS if isinstance(kind, Rows)]


@dataclass
class Cast:
    incident: Incident
    thread: Thread


def fill(
    owner: AccessContext,
    colleague: AccessContext,
    comparison: Comparison,
    trace: Report,
    *,
    word: str = "",
    of_comparison: str = "",
) -> Cast:
    """`word` is planted in whatever is typed about the incident, `of_comparison` about the comparison."""
    ReportTrace.objects.create(report=comparison.reports.first(), trace=trace)
    pins.pin(owner, comparison, PLACE)
    made = _incident(owner, colleague, comparison, trace, word)
    _verdicts(owner, colleague, comparison, of_comparison)
    thread = _threads(owner, colleague, comparison, of_comparison)
    _on_the_timeline(colleague, made, word)
    _from_outside(comparison, of_comparison)
    ours = [TypedSection(one.key, one.title, f"{one.hint}{word}", "1") for one in SECTIONS]
    templates.set_sections(owner, [*ours, TypedSection("", f"Customers{word}", "", "2")], seen_version=0)
    post = postmortems.draft(owner, made)
    second_reviews.ask(owner, post, str(colleague.user.pk))
    second_reviews.answer(colleague, post, "changes", f"Look.{word}", seen_digest=reading_of(post).digest)
    postmortems.save(
        colleague, post, "summary", f"It was **slow**.{word}", base=post.sections.get(key="summary").number
    )
    first = post.versions.get(number=1)
    postmortems.restore(owner, post, first.number, seen_version=post.versions.count())
    services.set_status(owner, made, "resolved")
    post = postmortems.draft(owner, made)
    postmortems.review(owner, post, seen_version=post.version)
    postmortems.reopen(colleague, post, f"the numbers were wrong{word}")
    post = postmortems.draft(owner, made)
    postmortems.review(colleague, post, seen_version=post.version)
    return Cast(made, thread)


def _incident(
    owner: AccessContext, colleague: AccessContext, comparison: Comparison, trace: Report, word: str
) -> Incident:
    typed = services.Typed(
        f"Slow <Monday>{word}",
        "2",
        "2024-01-01T09:00",
        "",
        "Europe/Vienna",
        f"Nobody could pay.\n\nNo.{word}",
        f"db, payments{word}",
    )
    made = services.make(owner, typed, client_key=uuid4())
    services.give_role(owner, made, str(colleague.user.pk), f"lead{word}")
    comparisons_and_reports.attach(owner, made, comparison, "Monday")
    comparisons_and_reports.attach_report(owner, made, trace)
    event = timeline.add(colleague, made, timeline.TypedEvent("2024-01-01T14:05", f"failover{word}", "action"))
    timeline.change(owner, event, 1, timeline.TypedEvent("2024-01-01T14:06", f"Failover ✓{word}", "impact"))
    _attached(colleague, made.events.get(pk=event.pk), "waits.png", picture(), word)
    kept = evidence.keep(colleague, made, comparison, PLACE, baseline=BaselineSelection((0,), 1))
    evidence.annotate(owner, kept, f"see here{word}", "")
    typed_action = action_items.TypedAction(
        f"Bind{word}", str(colleague.user.pk), "2024-02-01", f"https://tickets.example/{word}?a=1&b=2"
    )
    action_items.add(owner, made, typed_action)
    action_items.set_state(owner, action_items.add(colleague, made, action_items.TypedAction(f"Ask{word}")), "dropped")
    return made


def _verdicts(owner: AccessContext, colleague: AccessContext, comparison: Comparison, word: str) -> None:
    one, two = [of_finding(found) for found in overview(comparison).findings[:2]]
    finding_verdicts.give(
        owner, comparison, finding_verdicts.TypedVerdict(one, "rejected", why=f"the array was idle{word}")
    )
    held = finding_verdicts.give(
        colleague, comparison, finding_verdicts.TypedVerdict(one, "confirmed", why=f"no{word}", role=f"dba{word}")
    )
    finding_verdicts.sign_off(owner, held, f"lead{word}")
    finding_verdicts.give(owner, comparison, finding_verdicts.TypedVerdict(two, "explained_by", explained_by=one))


def _threads(owner: AccessContext, colleague: AccessContext, comparison: Comparison, word: str) -> Thread:
    thread = threads.start(owner, comparison, PLACE, f"Why, @carl?{word}", uuid4()).thread
    reply = threads.reply(colleague, thread, f"Because.{word}", uuid4()).comment
    threads.edit(colleague, reply, f"Because, @olivia.{word}")
    threads.agree(owner, reply)
    _attached(colleague, reply, "alert.log", b"ORA-00600", word)
    threads.remove(owner, threads.reply(colleague, thread, f"rubbish{word}", uuid4()).comment)
    threads.resolve(colleague, thread)
    return threads.start(colleague, comparison, "summary", f"Still open{word}", uuid4()).thread


def _attached(access: AccessContext, to: Comment | TimelineEvent, name: str, data: bytes, word: str) -> None:
    given = attachments.ReceivedFile(f"{word}{name}", data, f"What it shows{word}")
    with attachments.storing(access, [given]) as files:
        attachments.attach(access, files, to)


def _on_the_timeline(access: AccessContext, incident: Incident, word: str) -> None:
    event = incident.events.get(by_system=False)
    stands = Standing(event.text, "Timeline")
    for anchor in (f"event-{event.pk}", f"kept-{incident.evidence.get().pk}", "begins"):
        threads.start_on_incident(access, incident, stands, f"Was it?{word}", uuid4(), anchor=anchor)


def _from_outside(comparison: Comparison, word: str) -> None:
    """As whoever holds a link leaves it, once the link is gone."""
    about = {"team": comparison.team, "comparison": comparison, "anchor": "summary", "title": "All", "guest": uuid4()}
    thread = Thread.objects.create(**about)
    said = {"author_name": "Ada", "body": f"We saw this too.{word}", "client_key": uuid4(), "guest": thread.guest}
    Comment.objects.create(team=comparison.team, thread=thread, **said)


def lines(path: Path) -> list[dict]:
    with zipfile.ZipFile(path) as packed:
        return [json.loads(line) for line in packed.read("team.jsonl").splitlines()]


def alike(found: list[dict], *, owner: str) -> list[dict]:
    """The lines with ids by their order; of pins only those of `owner`, and nobody's place on the team."""
    known: dict[tuple[str, str], str] = {}
    shown = []
    for line in found:
        kind = next(iter(line))
        if kind == "person" or (kind == "pin" and line["by"] != owner):
            continue
        if kind != "pin":
            known[kind, line[kind]] = f"{kind} {len(known)}"
        shown.append(_with(line, kind, known))
    return shown


def _with(line: dict, kind: str, known: dict[tuple[str, str], str]) -> dict:
    own = {} if kind == "pin" else {kind: known[kind, line[kind]]}
    named = {**BY_NAME[kind].of, **getattr(BY_NAME[kind], "if_any", {})}
    of = {name: known[to, line[name]] for name, to in named.items() if name in line and name != "places"}
    told = {**line, **own, **of}
    if kind == "thread" and "incident" in line and line["anchor"][-1].isdecimal():
        what, _, pk = line["anchor"].partition("-")
        told["anchor"] = known[LINES[what], pk]
    if "places" in line:
        told["places"] = [[known["report", report], aspect] for report, aspect in line["places"]]
    if "live" in line:
        told["live"] = json.loads(_moved(json.dumps(line["live"]), known))
    return told


def _moved(text: str, known: dict[tuple[str, str], str]) -> str:
    for (kind, pk), called in known.items():
        text = text.replace(pk, called) if kind == "comparison" else text
    return text


def peak_bytes(work: Callable[[], object]) -> int:
    """Of memory, while it is done."""
    connection.queries_log.clear()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def zipped(team: Team, path: Path) -> Path:
    path.write_bytes(b"".join(team_zip.zip_of(team)))
    return path


def changed(file: Path, change, others: Mapping[str, bytes] = MappingProxyType({})) -> Path:
    """`change` is given the lines; the same zip with them, and with `others` in place of what is there."""
    with zipfile.ZipFile(file) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
    found = [json.loads(line) for line in entries["team.jsonl"].splitlines()]
    change(found)
    entries |= others
    entries["team.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in found)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries.items():
            packed.writestr(name, data)
    return file


def of_kind(found: list[dict], kind: str) -> list[dict]:
    return [line for line in found if next(iter(line)) == kind]
