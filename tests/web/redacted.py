"""A redacted link as the tests use it: made, computed, and everything that can be reached below it."""

from __future__ import annotations

from typing import Any

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.redaction.link_options import Redaction
from awrdiff.reports.models import Report
from awrdiff.reports.tasks import read_now
from awrdiff.sharing import services
from awrdiff.sharing.models import ShareLink, Shows
from awrdiff.web import links


def redacted_link(
    access: AccessContext, about: Comparison | Report, rule: Redaction | None = None, **more: Any
) -> tuple[ShareLink, str]:
    """The link and its path; its copy is ready."""
    shows = Shows.REPORT if isinstance(about, Report) else Shows.COMPARISON
    link, token = services.create_link(access, about, shows=shows, days=7, redaction=rule or Redaction.new(), **more)
    made = link.nameless
    copies = [made] if isinstance(made, Report) else [place.report for place in made.places.all()]
    for report in copies:
        read_now(report.pk)
        report.refresh_from_db()
    if isinstance(made, Comparison):
        compute_now(made.pk)
        made.refresh_from_db()
    assert made.is_ready, (made.error, [report.error for report in copies])
    return link, links.shared(token)
