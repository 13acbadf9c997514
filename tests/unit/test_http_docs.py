"""docs/reference/http.md names every address of reports, comparisons, threads, links, people and incidents, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from awrdiff.web import urls
from awrdiff.web.api.v1.reference import reference

DESCRIBED = (
    urls.REPORTS,
    urls.DATABASES,
    urls.COMPARISONS,
    urls.THREADS,
    urls.ATTACHMENTS,
    urls.SHARING,
    urls.SHARED_THREADS,
    urls.PEOPLE,
)
DESCRIBED += (urls.INCIDENTS, urls.INCIDENT_THREADS, urls.POSTMORTEMS, urls.AUDIT, urls.NOTICES)
DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "http.md"
PLACE = re.compile(r"<(?:\w+:)?(\w+)>")
SAME = {"pk": "id", "uid": "id", "report_pk": "report", "pin_pk": "pin", "section_id": "section", "guest_pk": "guest"}
SAME |= {"thread_pk": "thread", "comment_pk": "comment"}
SAME |= {f"{name}_pk": name for name in ("comparison", "role", "event", "evidence", "action", "verdict", "review")}


def test_every_address_is_described_and_no_other() -> None:
    served = {
        "/" + PLACE.sub(lambda m: f"<{SAME.get(m[1], m[1])}>", str(pattern.pattern))
        for room in DESCRIBED
        for pattern in room
    }
    described = set(re.findall(r"`(?:GET|POST|DELETE) (/(?!api/)[^ `]+)`", DOCS.read_text()))
    assert described == served


def test_what_is_said_of_the_api_is_made_of_its_table() -> None:
    """After a change there: put `reference()` in place of what is in docs/reference/http.md."""
    text = DOCS.read_text()
    begin = text.index("| address | scope | what | query or body |")
    assert text[begin : text.index("\n\n", begin)] == reference()
