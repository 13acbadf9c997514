"""Subjects of threads, and their addresses."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons import anchors
from awrdiff.comparisons.anchors import PairOrView, Standing, pair_or_view
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import compared_count, is_awaited
from awrdiff.comparisons.report_pairs import other_way
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.incidents.models import Incident
from awrdiff.postmortems import queries as postmortems
from awrdiff.postmortems.models import PostmortemSection
from awrdiff.threads.models import Comment, Thread
from awrdiff.threads.queries import source_of, subject_of
from awrdiff.threads.subjects import Subject
from awrdiff.web import links
from awrdiff.web.presenters.incident import page as incident_pages
from awrdiff.web.presenters.incident.time_zone_clock import Clock
from awrdiff.web.presenters.incident.timeline_entries import lines
from awrdiff.web.presenters.page import titles
from awrdiff.web.query_options import baseline_query, pair_query

LINE, POSTMORTEM = "Timeline", "Post-mortem"
SECTION = "postmortem:"  # of the incident's post-mortem, and the section's key
WHOLE_INCIDENT = "The whole incident"


@dataclass(frozen=True, slots=True)
class About:
    """`threads_url`: prefix of its threads."""

    access: AccessContext
    page_url: str
    threads_url: str

    def page_of(self, thread: Thread) -> str:
        return self.page_url

    def thread_url(self, pk: int) -> str:
        return f"{self.threads_url}{pk}/"

    def comment_url(self, comment: Comment) -> str:
        return f"{self.thread_url(comment.thread_id)}comments/{comment.pk}/"


@dataclass(frozen=True, slots=True)
class AboutComparison(About):
    record: Comparison
    reports: int

    def page_of(self, thread: Thread) -> str:
        return f"{self.page_url}{query_of(pair_or_view(thread.pair, thread.baseline), self.reports)}"

    @property
    def subject(self) -> Subject:
        return source_of(self.access, self.record)

    @property
    def title(self) -> str:
        return titles.comparison_title(self.record, placed_reports_of(self.record))

    def standing(self, anchor: str, view: PairOrView) -> Standing | None:
        return anchors.standing(self.record, anchor, *view) if anchor and self.record.is_ready else None

    def place_url(self, anchor: str, view: PairOrView) -> str:
        """An entity's own address, else on the page."""
        if not anchor.startswith(anchors.ENTITY):
            return f"#{quote(anchor, safe='/:')}"
        kind, _, key = anchor.removeprefix(anchors.ENTITY).partition("/")
        query = query_of(view, self.reports)
        return f"{links.entities(self.access, self.record)}{kind}/{quote(key, safe='')}/{query}"

    def note(self, thread: Thread, view: PairOrView, *, gone: bool) -> str:
        if thread.pseudonyms and not self.access.is_shared:
            return "Names and figures as they were, under the pseudonyms of this link."
        if not self.record.is_ready or is_awaited(self.record, thread.pair):
            return "The comparison is being computed: these are the figures as they were."
        own = pair_or_view(thread.pair, thread.baseline)
        if gone:
            here = "in this pair of reports" if view.baseline is None else "against these reports"
            there = "in this comparison any more" if view == own else here
            return f"It is not {there}: these are the figures as they were."
        if view == own:
            return ""
        if own.baseline is None and view.baseline is None and own.pair == other_way(view.pair):
            return "It was written with First and Second the other way round."
        where = "against several reports" if own.baseline is not None else "in another pair of reports"
        return f"It was written {where}."


@dataclass(frozen=True, slots=True)
class AboutIncident(About):
    record: Incident

    @property
    def subject(self) -> Subject:
        return subject_of(self.record)

    @property
    def title(self) -> str:
        return self.record.title

    def standing(self, anchor: str, view: PairOrView) -> Standing | None:
        """Line or section as it says now; the incident's own time."""
        if anchor.startswith(SECTION):
            return self._section(anchor.removeprefix(SECTION))
        clock = Clock.of(self.record)
        if anchor == anchors.WHOLE:
            lasts = clock.window(self.record.begins_at, self.record.ends_at)
            return Standing(WHOLE_INCIDENT, "", (("When", lasts), ("Status", self.record.get_status_display())))
        matching_lines = (
            timeline_line
            for timeline_line in lines(incident_pages.parts_of(self.record), clock)
            if timeline_line.anchor == anchor
        )
        line = next(matching_lines, None)
        if line is None:
            return None
        facts = [("When", line.when), ("What", line.kind), ("", line.text), ("By", line.by)]
        title = anchors.cut(line.text)
        return Standing(
            title, LINE, tuple((label, anchors.cut(text)) for label, text in facts if text and text != title)
        )

    def _section(self, key: str) -> Standing | None:
        """For the team: commenting link holders see no post-mortem."""
        if self.access.is_shared:
            return None
        try:
            own_postmortem = postmortems.postmortem_of(self.record)
            own = postmortems.section_for(own_postmortem, own_postmortem.kind_of(key).key)
        except (NotFound, PostmortemSection.DoesNotExist):
            return None
        return Standing(anchors.cut(own.title), POSTMORTEM, (("", anchors.cut(own.text)),) if own.text else ())

    def page_of(self, thread: Thread) -> str:
        is_section = thread.anchor.startswith(SECTION) and not self.access.is_shared
        return f"{self.page_url}postmortem/" if is_section else self.page_url

    def place_url(self, anchor: str, view: PairOrView) -> str:
        if anchor.startswith(SECTION):
            return f"{self.page_url}postmortem/#{quote(anchor.removeprefix(SECTION))}"
        return "#incident-h" if anchor == anchors.WHOLE else f"#{quote(anchor)}"

    def note(self, thread: Thread, view: PairOrView, *, gone: bool) -> str:
        where = "in the post-mortem" if thread.anchor.startswith(SECTION) else "on the timeline"
        return f"It is not {where} any more: this is how it stood there." if gone else ""


def query_of(view: PairOrView, reports: int) -> str:
    return f"?{baseline_query(view.baseline)}" if view.baseline is not None else pair_query(view.pair, reports)


def of_comparison(access: AccessContext, comparison: Comparison) -> AboutComparison:
    urls = links.comparison(access, comparison), links.threads(access, comparison)
    return AboutComparison(access, *urls, comparison, compared_count(comparison))


def of_incident(access: AccessContext, incident: Incident) -> AboutIncident:
    return AboutIncident(access, links.incident(access, incident), links.incident_threads(access, incident), incident)
