"""A redacted link as the tests use it: made, computed, and everything that can be reached below it."""

from __future__ import annotations

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.redaction.rule import Redaction
from awrdiff.reports.tasks import read_now
from awrdiff.sharing import services
from awrdiff.sharing.models import ShareLink
from awrdiff.web import links


def redacted_link(
    access: AccessContext, comparison: Comparison, rule: Redaction | None = None, *, may_comment: bool = False
) -> tuple[ShareLink, str]:
    """The link and its path; its copy is ready."""
    link, token = services.create_link(
        access, comparison, days=7, redaction=rule or Redaction.new(), may_comment=may_comment
    )
    for place in link.copy.places.all():
        read_now(place.report_id)
    compute_now(link.copy.pk)
    link.copy.refresh_from_db()
    assert link.copy.is_ready, (link.copy.error, [p.report.error for p in link.copy.places.all()])
    return link, links.shared(token)
