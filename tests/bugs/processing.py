"""Bugs in what happens to files and to rows at work."""

from __future__ import annotations

from tests.bugs.bug import Bug

BUGS = (
    Bug(
        "a superseded attempt writes",
        "awrdiff/processing/work_claims.py",
        "filter(pk=self.pk, attempt=self.attempt, state=self.state)",
        "filter(pk=self.pk, state=self.state)",
        "tests/web/test_processing.py::test_a_retry_never_gives_an_attempt_number_twice",
    ),
    Bug(
        "a superseded attempt goes on as if it had written",
        "awrdiff/processing/work_claims.py",
        "        if not self._mine().update(**values):\n            raise Superseded",
        "        self._mine().update(**values)",
        "tests/web/test_processing.py::test_an_expired_lease_is_taken_over_and_the_late_one_writes_nothing",
    ),
    Bug(
        "deleting a report deletes a file that its twin uses",
        "awrdiff/reports/files.py",
        "if not claimed or Report.objects.filter(file=name).exists():",
        "if not taken:",
        "tests/web/test_files.py::test_a_file_that_older_versions_shared_goes_with_the_last_report",
    ),
    Bug(
        "whoever is taken over was never interrupted",
        "awrdiff/processing/work_claims.py",
        "interruptions=interruptions + (lease is not None)",
        "interruptions=interruptions + (lease is None)",
        "tests/web/test_rows_at_work.py::TestStates::test_a_lease_that_ended_was_an_interruption",
    ),
    Bug(
        "a renewal in vain takes the result away",
        "awrdiff/processing/work_claims.py",
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
        "a process of bin/serve holds the files of the others",
        "awrdiff/serving/forks.py",
        "_close_all_but({0, 1, 2, *handed_on})",
        "_close_all_but({*range(64), *handed_on})",
        "tests/unit/serving/test_forks.py::test_it_has_the_files_it_is_handed_and_no_other",
    ),
    Bug(
        "a process outlives bin/serve",
        "awrdiff/serving/forks.py",
        "_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)",
        "_libc.prctl(_PR_SET_PDEATHSIG, 0)",
        "tests/unit/serving/test_forks.py::test_it_ends_with_its_parent",
    ),
)
