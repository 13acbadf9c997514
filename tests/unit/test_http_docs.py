"""docs/http.md names every address of reports, comparisons, links and people, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from awrdiff.web.urls import AUDIT, COMPARISONS, NOTICES, PEOPLE, REPORTS, SHARING

DOCS = Path(__file__).resolve().parents[2] / "docs" / "http.md"
PLACE = re.compile(r"<(?:\w+:)?(\w+)>")
SAME = {"pk": "id", "report_pk": "report", "pin_pk": "pin", "section_id": "section", "guest_pk": "guest"}


def test_every_address_is_described_and_no_other() -> None:
    served = {
        "/" + PLACE.sub(lambda m: f"<{SAME.get(m[1], m[1])}>", str(pattern.pattern))
        for pattern in (*REPORTS, *COMPARISONS, *SHARING, *PEOPLE, *AUDIT, *NOTICES)
    }
    described = set(re.findall(r"`(?:GET|POST|DELETE) (/[^ `]+)`", DOCS.read_text()))
    assert described == served
