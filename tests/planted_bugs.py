"""Bugs put in one at a time into a copy of the project: does a fast test fail?

    python -m tests.planted_bugs            each bug against the tests that are said to catch it
    python -m tests.planted_bugs --all      against all fast tests: names those that fail
    python -m tests.planted_bugs NAME…      some of them

docs/testing.md lists them. The corpus is left out: what is caught only with real reports is not caught.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FAST = ("-m", "not e2e and not processes and not hostile and not thorough", "tests/unit", "tests/golden", "tests/web")


@dataclass(frozen=True, slots=True)
class Bug:
    """`old` stands in `file` exactly once; with `new` in its place the test `caught_by` fails."""

    name: str
    file: str
    old: str
    new: str
    caught_by: str

    def plant(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {self.file} holds the line {text.count(self.old)} times, not once.")
        path.write_text(text.replace(self.old, self.new))


BUGS = (
    Bug(
        "a superseded attempt writes",
        "awrdiff/processing/claims.py",
        "filter(pk=self.pk, attempt=self.attempt, state=self.state)",
        "filter(pk=self.pk, state=self.state)",
        "tests/web/test_processing.py::test_a_retry_never_gives_an_attempt_number_twice",
    ),
    Bug(
        "a superseded attempt goes on as if it had written",
        "awrdiff/processing/claims.py",
        "        if not self._mine().update(**values):\n            raise Superseded",
        "        self._mine().update(**values)",
        "tests/web/test_processing.py::test_an_expired_lease_is_taken_over_and_the_late_one_writes_nothing",
    ),
    Bug(
        "deleting a report deletes a file that its twin uses",
        "awrdiff/reports/files.py",
        "if not taken or Report.objects.filter(file=name).exists():",
        "if not taken:",
        "tests/web/test_files.py::test_a_file_that_older_versions_shared_goes_with_the_last_report",
    ),
    Bug(
        "sort by Second sorts First",
        "awrdiff/web/presenters/section/compared.py",
        'chosen = first if side == "f" else second',
        "chosen = first",
        "tests/web/test_section_rows.py::test_a_column_orders_by_its_own_side",
    ),
    Bug(
        "row 101 is unreachable",
        "awrdiff/web/presenters/section/compared.py",
        "next=after if after < len(kept) else None",
        "next=None",
        "tests/web/test_section_rows.py::test_every_row_is_in_one_window",
    ),
    Bug(
        "row 101 is skipped",
        "awrdiff/web/presenters/section/compared.py",
        "after = start + len(shown)",
        "after = start + len(shown) + 1",
        "tests/web/test_section_rows.py::test_every_row_is_in_one_window",
    ),
    Bug(
        "what-if: saved and remaining swapped (engine)",
        "awrdiff/analysis/commit_latency/what_if.py",
        "t * (1.0 - ratio)",
        "t * ratio",
        "tests/unit/analysis/test_commit_what_if.py::test_the_bound_of_one_report",
    ),
    Bug(
        "what-if: saved and remaining swapped (page)",
        "awrdiff/analysis/commit_latency/fewer.py",
        "saved_at_least(total, factor)",
        "saved_at_least(total, 1.0 - factor)",
        "tests/web/test_what_if_saved.py::test_the_fewer_commits_the_more_is_saved",
    ),
    Bug(
        "what-if: saved and remaining swapped (slider)",
        "awrdiff/web/presenters/commit/what_if.py",
        '"s", _exact(t.value), _exact(-t.value), "", word',
        '"s", "0", _exact(t.value), "", word',
        "tests/web/test_pages_commit_fewer.py::test_one_report_alone_bounds_what_fewer_commits_save",
    ),
    Bug(
        "physical reads: more and fewer swapped",
        "awrdiff/analysis/verdict/rules/io.py",
        '"More physical reads." if grew else "Fewer physical reads."',
        '"Fewer physical reads." if grew else "More physical reads."',
        "tests/unit/analysis/test_directions.py::test_physical_reads",
    ),
    Bug(
        "host times of a global report in seconds",
        "awrdiff/analysis/report/turned.py",
        "_HOST_TIMES, 100.0)",
        "_HOST_TIMES)",
        "tests/unit/analysis/test_instances.py::test_host_times_are_in_centiseconds_as_a_report_of_one_instance_prints_them",
    ),
    Bug(
        "a restart is looked for an hour too late",
        "awrdiff/analysis/verdict/warnings.py",
        "bounds(instance.startup)[0] - begin > timedelta(minutes=1)",
        "bounds(instance.startup)[0] - begin > timedelta(hours=1)",
        "tests/unit/analysis/test_directions.py::test_a_start_after_that_is_inside_the_window",
    ),
    Bug(
        "the rounding of a startup time is taken for a restart",
        "awrdiff/analysis/verdict/warnings.py",
        "bounds(instance.startup)[0] - begin > timedelta(minutes=1)",
        "bounds(instance.startup)[0] - begin > timedelta(0)",
        "tests/unit/analysis/test_directions.py::test_a_start_up_to_the_minute_of_the_first_snapshot_is_before_it",
    ),
    Bug(
        "a share link opens any comparison of the team",
        "awrdiff/comparisons/queries.py",
        "if found is None or (access.link is not None and access.link.comparison_id != found.pk):",
        "if found is None:",
        "tests/web/test_tied_to_its_own.py::test_a_share_link_opens_its_own_comparison_and_no_other_of_the_team",
    ),
    Bug(
        "another team's trace is attached (service)",
        "awrdiff/comparisons/traces.py",
        "if not access.can_write or _foreign(access, theirs):",
        "if not access.can_write:",
        "tests/web/test_tied_to_its_own.py::test_a_trace_of_another_team_is_not_attached_whoever_hands_it_over",
    ),
    Bug(
        "another team's trace is attached (request)",
        "awrdiff/web/api/comparisons.py",
        "reports_for(access).filter(pk__in=wanted)",
        "Report.objects.filter(pk__in=wanted)",
        "tests/web/test_traces.py::test_another_teams_trace_is_not_there",
    ),
    Bug(
        "the last bucket of a histogram is lost",
        "awrdiff/analysis/commit_latency/histograms.py",
        "return (at[0], at[-1] + 1)",
        "return (at[0], at[-1])",
        "tests/unit/analysis/test_histograms.py::test_cells_become_counts_with_bounds",
    ),
    Bug(
        "the open bucket of a histogram is lost",
        "awrdiff/analysis/commit_latency/histograms.py",
        'high = edge if sign in ("lt", "le") else inf',
        'high = edge if sign in ("lt", "le") else 0.0',
        "tests/unit/analysis/test_histograms.py::test_an_open_end_leaves_the_mean_unknown",
    ),
    Bug(
        "the wake-up is counted twice",
        "awrdiff/analysis/commit_latency/stages.py",
        '"issue", "posting")',
        '"issue", "posting", "wake_up")',
        "tests/unit/analysis/test_commit_stages.py::test_the_wake_up_is_part_of_the_queue_and_not_added_again",
    ),
    Bug(
        "text of a report is markup in the HTML file",
        "awrdiff/analysis/export/html.py",
        "return escape(text if",
        "return (text if",
        "tests/unit/analysis/test_html_export.py::test_hostile_text_is_text",
    ),
    Bug(
        "better and worse swapped in the HTML file",
        "awrdiff/analysis/export/outline.py",
        "(change < 0) == (",
        "(change > 0) == (",
        "tests/unit/analysis/test_html_export.py::test_better_and_worse_are_told_apart",
    ),
    Bug(
        "sections under a share link lead to members' pages",
        "awrdiff/web/links.py",
        '"comparison-section", "shared-section"',
        '"comparison-section", "comparison-section"',
        "tests/web/test_pages_sharing.py::test_the_next_rows_are_under_the_link",
    ),
    Bug(
        "any text in a cookie is looked up as a session",
        "awrdiff/web/sign_in/sessions.py",
        "bool(key and _KEY.fullmatch(key))",
        "bool(key)",
        "tests/web/test_accounts.py::test_a_session_cookie_that_is_none_is_nobody_and_asks_no_database",
    ),
    Bug(
        "a file too large is answered as any other that is refused",
        "awrdiff/web/middleware/refusals.py",
        "TooLarge: 413",
        "TooLarge: 400",
        "tests/web/test_uploads.py::test_a_file_over_the_limit_is_refused_while_it_streams",
    ),
    Bug(
        "a comparison that was ordered once its reports were read is not found again",
        "awrdiff/comparisons/aspects.py",
        "settled = one.order_by_time == by_time or (one.is_ready and not by_time)",
        "settled = one.order_by_time == by_time",
        "tests/web/test_same_pair.py::test_once_they_are_read_it_is_found_in_the_order_they_turned_out_to_have",
    ),
    Bug(
        "a trace attached since makes the same pair another one",
        "awrdiff/comparisons/aspects.py",
        "and traces <= {",
        "and traces == {",
        "tests/web/test_same_pair.py::test_a_trace_attached_since_makes_no_other_pair",
    ),
    Bug(
        "what a swap made is listed",
        "awrdiff/comparisons/library.py",
        "comparison__team=access.team, comparison__mirror_of=None, ",
        "comparison__team=access.team, ",
        "tests/web/test_library.py::test_a_swap_is_in_no_list_under_whatever_title",
    ),
    Bug(
        "everybody's pins are shown",
        "awrdiff/pins/queries.py",
        "team=access.team, user=access.user, comparison=original",
        "team=access.team, comparison=original",
        "tests/web/test_pins.py::test_everybody_has_their_own",
    ),
    Bug(
        "a pin is lost the other way round",
        "awrdiff/pins/queries.py",
        "original = comparison.mirror_of_id or comparison.pk",
        "original = comparison.pk",
        "tests/web/test_pins.py::test_the_other_way_round_it_is_the_same_pin_read_backwards",
    ),
    Bug(
        "a pin forgets the baseline it was made against",
        "awrdiff/pins/services.py",
        "            baseline=view,\n",
        "",
        "tests/web/test_pins_of_baselines.py::test_each_view_and_the_pair_keep_their_own",
    ),
    Bug(
        "the other way round a baseline is of other reports",
        "awrdiff/pins/queries.py",
        "held_anchors.turned(chosen) if chosen is not None and comparison.mirror_of_id else chosen",
        "chosen",
        "tests/web/test_pins_of_baselines.py::test_seen_from_the_swapped_comparison_it_is_of_the_same_reports",
    ),
    Bug(
        "what was posted twice is there twice",
        "awrdiff/threads/services.py",
        'found = Comment.objects.select_related("thread").filter(team=access.team_pk, client_key=key).first()',
        'found = Comment.objects.select_related("thread").filter(team=access.team_pk, client_key=None).first()',
        "tests/web/test_threads.py::TestWriting::test_posted_twice_it_is_there_once",
    ),
    Bug(
        "what a deleted comment said before it was edited stays",
        "awrdiff/threads/services.py",
        "        comment.earlier.all().delete()\n",
        "        comment.earlier.none().delete()\n",
        "tests/web/test_threads.py::TestWriting::test_what_is_deleted_is_gone_and_leaves_that_it_was_there",
    ),
    Bug(
        "anybody edits anybody's comment",
        "awrdiff/threads/services.py",
        'if not queries.is_own(access, comment):\n        raise PermissionDenied("Only who wrote a comment changes it.")',
        'if access.is_guest:\n        raise PermissionDenied("Only who wrote a comment changes it.")',
        "tests/web/test_threads.py::TestWriting::test_an_edit_keeps_what_was_said",
    ),
    Bug(
        "a guest who does not see it any more is still asked",
        "awrdiff/threads/queries.py",
        "    return set(people_of(of_thread(thread)).filter(turns__thread=thread))",
        "    return set(User.objects.filter(turns__thread=thread))",
        "tests/web/test_threads.py::TestWhoseTurn::test_only_who_may_see_it_is_mentioned",
    ),
    Bug(
        "a guest learns who is on the team by mentioning",
        "awrdiff/threads/queries.py",
        "    if access.sees_all:\n        return found\n",
        "    if access.can_comment:\n        return found\n",
        "tests/web/test_threads.py::TestGuests::test_they_write_where_it_is_shown_to_them",
    ),
    Bug(
        "it is still one's turn after answering",
        "awrdiff/threads/services.py",
        "Turn.objects.filter(thread=thread, user=access.user).delete()",
        "Turn.objects.filter(thread=thread, user=access.user).exists()",
        "tests/web/test_threads.py::TestWhoseTurn::test_who_is_mentioned_and_who_had_asked",
    ),
    Bug(
        "a link in a comment runs a script",
        "awrdiff/threads/texts.py",
        'return url.lower().startswith(("http://", "https://"))',
        'return url.lower().startswith(("http", "/"))',
        "tests/unit/test_thread_texts.py::test_nothing_but_plain_tags_and_links_to_the_web",
    ),
    Bug(
        "nobody who has the page open hears of an agreement",
        "awrdiff/threads/services.py",
        "        if made:\n            _changed(comment.thread)",
        "        if not made:\n            _changed(comment.thread)",
        "tests/web/test_threads.py::TestLive::test_nothing_new_is_304_and_something_is_not",
    ),
    Bug(
        "what chance moves counts as a change",
        "awrdiff/analysis/rows/material.py",
        "        rest -= _NOISE * math.sqrt(variance)",
        "        rest -= 0.0 * math.sqrt(variance)",
        "tests/unit/analysis/test_material.py::test_counts_have_to_move_by_ten_times_as_much_beyond_chance",
    ),
    Bug(
        "per transaction everything counts where transactions moved",
        "awrdiff/analysis/rows/material.py",
        "if column.unit in _PER_WORK or (column.unit is None and shares):",
        "if column.unit is None and shares:",
        "tests/unit/analysis/test_material.py::test_what_repeats_a_total_per_transaction_does_not_count_again",
    ),
    Bug(
        "what got better stands under worse",
        "awrdiff/analysis/model/ranked.py",
        "(m.change > 0) == rising",
        "(m.change < 0) == rising",
        "tests/unit/analysis/test_movers.py::test_worse_and_better_are_told_by_what_rose_and_fell_the_largest_first",
    ),
    Bug(
        "a statement's time is added to the parts of DB time",
        "awrdiff/analysis/verdict/movers.py",
        '        Subject("sql", shown.key.sql_id),\n        "again",',
        '        Subject("sql", shown.key.sql_id),\n        "part",',
        "tests/unit/analysis/test_movers.py::test_the_parts_add_up_to_the_change_of_db_time",
    ),
    Bug(
        "a statement that a list leaves out took nothing there",
        "awrdiff/analysis/verdict/moved.py",
        "    return Range(0.0, rate(least, side.elapsed).high) if least is not None else None",
        "    return Range(0.0, 0.0) if least is not None else None",
        "tests/unit/analysis/test_movers.py::test_an_unlisted_statement_took_at_most_what_the_last_listed_one_did",
    ),
    Bug(
        "what the browser remembers comes before the address",
        "awrdiff/web/options.py",
        '(request.GET.get("material"), request.COOKIES.get(REMEMBERED))',
        '(request.COOKIES.get(REMEMBERED), request.GET.get("material"))',
        "tests/web/test_what_counts.py::test_the_browser_remembers_and_the_address_comes_first",
    ),
    Bug(
        "a page seen with one threshold is shown for another",
        "awrdiff/web/views/comparisons.py",
        "    version = (queries.version_of(access, found), options.step(request))\n",
        "    version = (queries.version_of(access, found), 1.0)\n",
        "tests/web/test_what_counts.py::test_what_was_seen_with_another_threshold_is_not_the_same_page",
    ),
    Bug(
        "a guest's file holds the address of the link",
        "awrdiff/web/views/sharing.py",
        "comparisons.export_of(request, found, ending))",
        "comparisons.export_of(request, found, ending, request.path))",
        "tests/web/test_pages_export.py::test_a_member_and_a_guest_get_the_same_file",
    ),
    Bug(
        "one word is enough for a row to be found",
        "awrdiff/comparisons/searched.py",
        "        if all(word in line for word in others):",
        "        if line or all(word in line for word in others):",
        "tests/web/test_what_counts.py::test_words_are_found_in_any_order_with_both_sides",
    ),
    Bug(
        "a revoked link stays in the list",
        "awrdiff/sharing/queries.py",
        "shows=shows, revoked_at=None, **{HELD_IN[shows]: about})",
        "shows=shows, **{HELD_IN[shows]: about})",
        "tests/web/test_share_links.py::test_the_list_has_those_of_the_team_that_were_not_revoked_the_newest_first",
    ),
    Bug(
        "links of another team are listed",
        "awrdiff/sharing/queries.py",
        "filter(team=access.team, shows=shows,",
        "filter(shows=shows,",
        "tests/web/test_share_links.py::test_the_list_has_those_of_the_team_that_were_not_revoked_the_newest_first",
    ),
    Bug(
        "a link revoked again is revoked only now",
        "awrdiff/sharing/services.py",
        "filter(pk=link.pk, revoked_at=None)",
        "filter(pk=link.pk)",
        "tests/web/test_share_links.py::test_the_moment_of_revoking_stays_and_no_other_link_goes",
    ),
    Bug(
        "requests of a link are forgotten within their minute",
        "awrdiff/sharing/rate.py",
        "cache.add(key, cost, 2 * _MINUTE_S)",
        "cache.add(key, cost, 2)",
        "tests/web/test_share_links.py::TestRate::test_a_count_outlives_its_minute",
    ),
    Bug(
        "whoever is taken over was never interrupted",
        "awrdiff/processing/claims.py",
        "interruptions=interruptions + (lease is not None)",
        "interruptions=interruptions + (lease is None)",
        "tests/web/test_rows_at_work.py::TestStates::test_a_lease_that_ended_was_an_interruption",
    ),
    Bug(
        "a renewal in vain takes the result away",
        "awrdiff/processing/claims.py",
        "        if self.state == State.READY:",
        "        if self.state == State.FAILED:",
        "tests/web/test_rows_at_work.py::TestRenewal::test_refused_it_keeps_its_result_and_says_why",
    ),
    Bug(
        "the newest rows are swept first",
        "awrdiff/processing/sweeper.py",
        'rows.order_by("created_at")',
        'rows.order_by("-created_at")',
        "tests/web/test_sweeper_and_broker.py::TestSweeping::test_fifty_at_a_time_the_oldest_first",
    ),
    Bug(
        "a rule rests on another column",
        "awrdiff/analysis/verdict/rules/parsing.py",
        '[row("instance_activity", "parse count (hard)", "total")]',
        '[row("instance_activity", "parse count (hard)", "per_second")]',
        "tests/golden/test_said.py::test_what_is_said_is_what_was_read_over[said.txt-lines]",
    ),
    Bug(
        "fewer hard parses are worse",
        "awrdiff/analysis/verdict/rules/parsing.py",
        '"worse" if hard.factor > 1 else "better"',
        '"better" if hard.factor > 1 else "worse"',
        "tests/golden/test_said.py::test_what_is_said_is_what_was_read_over[said.txt-lines]",
    ),
    Bug(
        "a cause of the change is taken for one of the write",
        "awrdiff/analysis/commit_latency/causes/between.py",
        'Found(text, "medium", tuple(rows), found, "change",',
        'Found(text, "medium", tuple(rows), found, "write",',
        "tests/golden/test_said.py::test_what_is_said_is_what_was_read_over[commits.txt-lines]",
    ),
    Bug(
        "an event typed once is on the timeline twice",
        "awrdiff/incidents/timeline.py",
        "if client_key and (there := own.filter(client_key=client_key).first()):",
        "if client_key and (there := own.filter(client_key=None).first()):",
        "tests/web/test_incidents.py::test_an_event_sent_twice_is_one",
    ),
    Bug(
        "who saves over another's change of an incident is not told",
        "awrdiff/incidents/services.py",
        "        if found.version != version:",
        "        if found.version < version:",
        "tests/web/test_incidents.py::test_who_saves_over_another_is_told_and_keeps_their_text",
    ),
    Bug(
        "a rejection is remembered for another database",
        "awrdiff/incidents/verdicts.py",
        "Verdict.objects.filter(team=access.team, dbid__in=_dbids(comparison), is_current=True)",
        "Verdict.objects.filter(team=access.team, is_current=True)",
        "tests/web/test_verdicts.py::test_another_database_or_team_is_not_told",
    ),
    Bug(
        "evidence forgets the baseline it was held against",
        "awrdiff/incidents/evidence.py",
        '"anchor": anchor, "baseline": view}',
        '"anchor": anchor, "baseline": ""}',
        "tests/web/test_evidence_of_baselines.py::test_each_view_and_the_pair_are_kept_by_themselves",
    ),
    Bug(
        "the timeline names a comparison that was deleted",
        "awrdiff/incidents/attached.py",
        "event.text = without_title(event.text)",
        "event.text = event.text.strip()",
        "tests/web/test_incidents.py::test_of_a_deleted_comparison_the_timeline_keeps_the_line_and_not_the_title",
    ),
    Bug(
        "a report's copy without names stays when its link is revoked",
        "awrdiff/sharing/services.py",
        "    report_copies.remove([link.report_copy_id for link in links if link.report_copy_id])",
        "    report_copies.remove([])",
        "tests/web/test_redacted_reports.py::TestItsEnd::test_revoking_deletes_it_and_nothing_else",
    ),
    Bug(
        "evidence that changed looks unchanged",
        "awrdiff/incidents/evidence.py",
        "self.now is not None and self.now.figures != self.then.figures",
        "self.now is not None and self.now.title != self.then.title",
        "tests/web/test_incidents.py::test_evidence_has_the_figures_as_they_were_beside_those_of_now",
    ),
    Bug(
        "an event moves by an hour when its text is changed",
        "awrdiff/incidents/timeline.py",
        "now.at if now else None)",
        "None)",
        "tests/web/test_incident_times.py::test_an_event_keeps_its_moment_when_its_text_is_changed",
    ),
    Bug(
        "changes are counted and nobody waits",
        "awrdiff/accounts/writing_limits.py",
        "    if changes > MOST_A_MINUTE:",
        "    if changes > MOST_A_MINUTE * _MINUTE_S:",
        "tests/web/test_writing_limits.py::test_sixty_a_minute_of_one_person",
    ),
    Bug(
        "the audit log shows lines of other teams",
        "awrdiff/audit/queries.py",
        'AuditLine.objects.filter(team=access.team).order_by("-id")',
        'AuditLine.objects.order_by("-id")',
        "tests/web/test_audit.py::TestThePage::test_it_is_for_owners",
    ),
    Bug(
        "any member reads the audit log",
        "awrdiff/audit/queries.py",
        "    if not access.can_invite:",
        "    if not access.can_write:",
        "tests/web/test_audit.py::TestThePage::test_it_is_for_owners",
    ),
    Bug(
        "the audit log names the copy and not the comparison",
        "awrdiff/audit/services.py",
        "link.source_id if pk in (link.comparison_id, link.report_id) else pk",
        "pk",
        "tests/web/test_audit.py::TestWhatIsTold::test_below_a_redacted_link_the_comparison_is_named_and_not_its_copy",
    ),
    Bug(
        "a piece of evidence is removed and nobody did it",
        "awrdiff/incidents/evidence.py",
        "        if Evidence.objects.filter(incident=incident, pk=found.pk).delete()[0]:",
        "        if not Evidence.objects.filter(incident=incident, pk=found.pk).delete()[0]:",
        "tests/web/test_incident_audit.py::test_every_change_is_a_line_and_the_same_again_is_none",
    ),
    Bug(
        "a name has the same pseudonym under every link",
        "awrdiff/redaction/pseudonyms.py",
        "self._key = bytes.fromhex(key)",
        "self._key = bytes.fromhex(key[:0])",
        "tests/unit/redaction/test_report.py::test_one_name_is_one_pseudonym_within_a_link_and_another_in_the_next",
    ),
    Bug(
        "tables that nobody declared are shown",
        "awrdiff/redaction/rule.py",
        'document.get("undeclared") is True',
        'document.get("undeclared") is not None',
        "tests/unit/redaction/test_report.py::test_what_a_link_keeps_is_what_was_chosen",
    ),
    Bug(
        "what nobody confirmed is a cause",
        "awrdiff/postmortems/draft.py",
        "confirmed = [v for v in material.verdicts if v.state == VerdictState.CONFIRMED]",
        "confirmed = [v for v in material.verdicts if v.state != VerdictState.REJECTED]",
        "tests/web/test_postmortems.py::TestTheDraft::test_causes_are_what_was_confirmed_and_nothing_else",
    ),
    Bug(
        "a reviewed post-mortem follows the incident",
        "awrdiff/web/views/postmortems.py",
        "    if found.is_frozen:\n        return page.section_views(found.incident, own, queries.kept_tables(found)",
        "    if not found.version:\n        return page.section_views(found.incident, own, queries.kept_tables(found)",
        "tests/web/test_postmortems.py::TestReview::test_it_is_frozen_with_the_tables_as_they_are",
    ),
    Bug(
        "who saves over another's text is not told",
        "awrdiff/postmortems/services.py",
        "        if section.number != seen:",
        "        if section.number < seen:",
        "tests/web/test_postmortems.py::TestEditing::test_who_saves_over_anothers_change_is_told_and_sees_both",
    ),
    Bug(
        "a rejected finding looks as any other in a file",
        "awrdiff/analysis/export/outline.py",
        "((judged.said,), judged.is_rejected) if judged",
        "((judged.said,), False) if judged",
        "tests/web/test_verdicts.py::test_files_that_members_take_away_have_the_verdicts",
    ),
)


def copied(to: Path) -> Path:
    """The files of the checkout as they are, without what git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    return to


def failing(root: Path, arguments: tuple[str, ...]) -> list[str]:
    """The tests that fail. Raises RuntimeError where none could be run."""
    environment = {k: v for k, v in os.environ.items() if k not in ("AWRDIFF_CORPUS", "AWRDIFF_TALLY")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)


def tried(bug: Bug, *, everything: bool) -> list[str]:
    """What fails with this bug in a copy of the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        root = copied(Path(folder))
        bug.plant(root)
        return failing(root, ("-n", "2", *FAST) if everything else (bug.caught_by,))


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("names", nargs="*", help="part of a bug's name")
    reader.add_argument("--all", action="store_true", help="run every fast test, not only those that are to fail")
    asked = reader.parse_args()
    wanted = [b for b in BUGS if not asked.names or any(part in b.name for part in asked.names)]
    sound = failing(ROOT, ("-n", "2", *FAST) if asked.all else tuple(b.caught_by for b in wanted))
    survivors = 0
    for bug in wanted:
        found = [test for test in tried(bug, everything=asked.all) if test not in sound]
        survivors += not found
        print(f"{'caught  ' if found else 'SURVIVES'}  {bug.name}: {', '.join(found[:3])}", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
