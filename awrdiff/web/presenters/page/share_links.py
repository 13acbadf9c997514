"""Dialog for a share link."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any
from uuid import UUID

from django.urls import reverse

from awrdiff.sharing.models import COMMENTED, Shows

NO_LINK = UUID(int=0)  # stands in the address of a link that the page is yet to create


_MAKE = {
    Shows.COMPARISON: "link-create",
    Shows.REPORT: "report-link-create",
    Shows.INCIDENT: "incident-link-create",
    Shows.POSTMORTEM: "postmortem-link-create",
}
_PREVIEWS = {Shows.INCIDENT: "incident-redacted", Shows.POSTMORTEM: "postmortem-redacted"}
_PROSE = "It is shown with the names of people and as they wrote it."
_SHOWS_TEXTS = {
    Shows.REPORT: "The uploaded file is not part of it, nor are the comparisons the report stands in.",
    Shows.INCIDENT: f"Its comparisons and reports are named, and cannot be opened. {_PROSE}",
    Shows.POSTMORTEM: f"Until it is reviewed, the link shows the newest draft and says so. {_PROSE}",
}


def dialog(host: str, shows: Shows, pk: UUID, pair_query: str = "") -> dict[str, Any]:
    """`pk`: a post-mortem's incident; `host`: of the request."""
    return {
        "what": shows.label.lower(),
        "text": _SHOWS_TEXTS.get(shows, ""),
        "make_url": reverse(_MAKE[shows], args=[pk]) + pair_query,
        "may_comment": shows in COMMENTED,
        "redacts": shows in {Shows.COMPARISON, Shows.REPORT},
        "loopback": on_loopback(host),
        # Its page is looked at before the link is made.
        "preview_url": reverse(_PREVIEWS[shows], args=[pk]) if shows in _PREVIEWS else "",
        "asks": shows in {Shows.INCIDENT, Shows.POSTMORTEM},  # existing links load separately
        "no_link": NO_LINK,
    }


def on_loopback(host: str) -> bool:
    """Reachable only on this machine."""
    name = host.rsplit(":", 1)[0] if host.count(":") == 1 or host.startswith("[") else host
    name = name.strip("[]")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
