"""Bugs in links, and in what is told to whoever holds one."""

from __future__ import annotations

from tests.bugs.bug import Bug

BUGS = (
    Bug(
        "sections under a share link lead to members' pages",
        "awrdiff/web/links.py",
        'f"shared-{page}", *more',
        'f"{subject._meta.model_name}-{page}", *more',
        "tests/web/test_pages_sharing.py::test_the_next_rows_are_under_the_link",
    ),
    Bug(
        "a guest's file holds the address of the link",
        "awrdiff/web/views/sharing.py",
        "comparison_exports.export_of(request, comparison, ending))",
        "comparison_exports.export_of(request, comparison, ending, request.path))",
        "tests/web/test_pages_export.py::test_a_member_and_a_guest_get_the_same_file",
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
        "awrdiff/accounts/rate_limits.py",
        "cache.add(key, cost, 2 * MINUTE_S)",
        "cache.add(key, cost, 2)",
        "tests/web/test_share_links.py::TestRate::test_a_count_outlives_its_minute",
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
        "awrdiff/redaction/link_options.py",
        'document.get("undeclared") is True',
        'document.get("undeclared") is not None',
        "tests/unit/redaction/test_report.py::test_what_a_link_keeps_is_what_was_chosen",
    ),
)
