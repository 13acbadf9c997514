"""Bugs in comparisons, their pages and what is asked for by requests."""

from __future__ import annotations

from tests.bugs.bug import Bug

BUGS = (
    Bug(
        "sort by Second sorts First",
        "awrdiff/web/presenters/section/compared_section.py",
        'side_value = first if side == "f" else second',
        "side_value = first",
        "tests/web/test_section_rows.py::test_a_column_orders_by_its_own_side",
    ),
    Bug(
        "row 101 is unreachable",
        "awrdiff/web/presenters/section/row_limits.py",
        "return self.last if self.last < self.matched else None",
        "return self.last if self.last > self.matched else None",
        "tests/web/test_section_rows.py::test_every_row_is_in_one_window",
    ),
    Bug(
        "row 101 is skipped",
        "awrdiff/web/presenters/section/row_limits.py",
        "return self.last if self.last < self.matched else None",
        "return self.last + 1 if self.last < self.matched else None",
        "tests/web/test_section_rows.py::test_every_row_is_in_one_window",
    ),
    Bug(
        "a share link opens any comparison of the team",
        "awrdiff/comparisons/queries.py",
        "may = access.link is None or access.link.comparison_id == pk",
        "may = True",
        "tests/web/test_tied_to_its_own.py::test_a_share_link_opens_its_own_comparison_and_no_other_of_the_team",
    ),
    Bug(
        "another team's trace is attached (service)",
        "awrdiff/comparisons/services.py",
        "access.check(Can.WRITE, comparison, trace)\n    if why",
        "access.check(Can.WRITE, comparison)\n    if why",
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
        "a file too large is answered as any other that is refused",
        "awrdiff/web/exception_responses.py",
        "TooLarge: 413",
        "TooLarge: 400",
        "tests/web/test_uploads.py::test_a_file_over_the_limit_is_refused_while_it_streams",
    ),
    Bug(
        "a comparison that was ordered once its reports were read is not found again",
        "awrdiff/comparisons/report_places_and_titles.py",
        "is_usable = comparison.order_by_time == by_time or (comparison.is_ready and not by_time)",
        "is_usable = comparison.order_by_time == by_time",
        "tests/web/test_same_pair.py::test_once_they_are_read_it_is_found_in_the_order_they_turned_out_to_have",
    ),
    Bug(
        "a trace attached since makes the same pair another one",
        "awrdiff/comparisons/report_places_and_titles.py",
        "and traces <= {",
        "and traces == {",
        "tests/web/test_same_pair.py::test_a_trace_attached_since_makes_no_other_pair",
    ),
    Bug(
        "an address of a former swap leads to the pair that it was not",
        "awrdiff/web/comparison_redirects.py",
        "str(other_way(former.pair) if is_back else former.pair)",
        "str(former.pair if is_back else other_way(former.pair))",
        "tests/web/test_comparisons.py::test_addresses_of_a_former_swap_lead_to_the_pair",
    ),
    Bug(
        "what the browser remembers comes before the address",
        "awrdiff/web/query_options.py",
        '(request.GET.get("material"), request.COOKIES.get(of_server(REMEMBERED)))',
        '(request.COOKIES.get(of_server(REMEMBERED)), request.GET.get("material"))',
        "tests/web/test_what_counts.py::test_the_browser_remembers_and_the_address_comes_first",
    ),
    Bug(
        "a page seen with one threshold is shown for another",
        "awrdiff/web/views/comparisons.py",
        "    version = (visit.version, query_options.step(request), query_options.view_version(view))\n",
        "    version = (visit.version, 1.0, query_options.view_version(view))\n",
        "tests/web/test_what_counts.py::test_what_was_seen_with_another_threshold_is_not_the_same_page",
    ),
    Bug(
        "one word is enough for a row to be found",
        "awrdiff/comparisons/result_storage.py",
        "        if all(word in line for word in further):",
        "        if line or all(word in line for word in further):",
        "tests/web/test_what_counts.py::test_words_are_found_in_any_order_with_both_sides",
    ),
)
