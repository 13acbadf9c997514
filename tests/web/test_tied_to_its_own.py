"""What belongs to one comparison or team stays with it, also where the caller has already let something else in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from django.core.exceptions import PermissionDenied

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.comparisons import queries, services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.report_places_and_titles import places_of
from awrdiff.comparisons.tasks import compute_now
from awrdiff.sharing.models import ShareLink
from awrdiff.sharing.services import create_link
from parsers import parse_report
from tests.unit.analysis.traces import Slow, trace_text
from tests.web.conftest import store_parsed

pytestmark = pytest.mark.django_db


@pytest.fixture
def guest(owner, comparison) -> AccessContext:
    """Whoever holds the link to `comparison`."""
    link, token = create_link(owner, comparison, days=1)
    return AccessContext(team=link.team, link=HeldLink(link.pk, link.comparison_id, link.expires_at, token))


@pytest.fixture
def other(owner, reports) -> Comparison:
    made = services.create_comparison(owner, list(reversed(reports)), order_by_time=False)
    compute_now(made.pk)
    return made


def test_a_share_link_opens_its_own_comparison_and_no_other_of_the_team(guest, comparison, other):
    assert queries.comparison_for(guest, comparison.pk) == comparison
    with pytest.raises(NotFound):
        queries.comparison_for(guest, other.pk)


def test_a_share_link_lists_nothing(guest, comparison, other):
    assert not queries.comparisons_for(guest).exists()


def stored_trace(access: AccessContext):
    text = trace_text([Slow("2024-01-01 10:30:00", 1562)], instance="pay1", host="db01", unique="pay")
    return store_parsed(access, parse_report(text.encode(), name="lgwr.trc"))


def test_a_trace_of_another_team_is_not_attached_whoever_hands_it_over(owner, stranger, comparison):
    theirs = stored_trace(stranger)
    with pytest.raises(PermissionDenied):
        services.attach_trace(owner, comparison, theirs)
    assert theirs not in [p.report for p in places_of(comparison)]


def test_a_trace_is_not_attached_to_the_comparison_of_another_team(stranger, comparison):
    with pytest.raises(PermissionDenied):
        services.attach_trace(stranger, comparison, stored_trace(stranger))


@pytest.mark.parametrize("change", [services.delete, partial(services.swap, pair=0), services.retry])
def test_who_holds_a_link_changes_nothing(guest, comparison, change: Callable):
    with pytest.raises(PermissionDenied):
        change(guest, comparison)
    assert Comparison.objects.filter(pk=comparison.pk).exists()


def test_who_holds_a_link_makes_no_link(guest, comparison):
    with pytest.raises(PermissionDenied):
        create_link(guest, comparison, days=1)
    assert ShareLink.objects.count() == 1
