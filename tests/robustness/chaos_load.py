"""The load of the chaos test: several people at once, and a ledger of what they were promised."""

from __future__ import annotations

import hashlib
import http.client
import io
import random
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness.exports import without_address
from tests.harness.server import ROOT, Answer, Client

CASES = ROOT / "fixtures" / "cases"
TEMPLATES = {
    "a": CASES / "adaptive-switch" / "before.html",
    "b": CASES / "adaptive-switch" / "after.html",
    "c": CASES / "invented" / "before.html",
    "d": CASES / "invented" / "after.html",
    "e": CASES / "lgwr-starved" / "run-2.txt",
    "f": CASES / "lgwr-starved" / "run-1.txt",
}
LETTER = b"<html><body><h1>A letter</h1><p>No report.</p></body></html>"
PAIRS = ("ab", "ba", "cd", "ef", "ad")
ENDINGS = ("json", "csv", "md", "html")
MOST_WAITING = 10  # more than that, and people only look
LOST = (OSError, http.client.HTTPException)


def content(template: str, remark: str = "") -> bytes:
    """A report; with a remark, other bytes that say the same."""
    data = LETTER if template == "letter" else TEMPLATES[template].read_bytes()
    return data + (f"<!-- {remark} -->".encode() if remark and data.lstrip().startswith(b"<") else b"")


def name_of(template: str) -> str:
    return TEMPLATES.get(template, Path("letter.html")).name


@dataclass
class Ledger:
    """What was answered 201, and what it must be in the end."""

    reports: dict[str, tuple[str, str]] = field(default_factory=dict)  # id: template, SHA-256
    comparisons: dict[str, str] = field(default_factory=dict)  # address: pair of templates
    links: dict[str, str] = field(default_factory=dict)  # path: pair of templates
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    waiting: set[str] = field(default_factory=set)
    database_away: float = -1e9  # when it was last taken away
    lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, pk: str, template: str, data: bytes) -> str:
        with self.lock:
            self.reports[pk] = (template, hashlib.sha256(data).hexdigest())
        return pk

    def answered(self, what: str, answer: Answer, *expected: int) -> bool:
        """Count an answer; False where it is not what was expected. 5xx is wrong unless the database was away."""
        with self.lock:
            self.counts["answers"] += 1
            if answer.status in expected:
                return True
            self.counts[f"answered {answer.status}"] += 1
            if answer.status != 429 and time.monotonic() - self.database_away > 20:
                self.wrong.append(f"{what}: {answer.status} {answer.body[:200]!r}")
        return False


class Person(threading.Thread):
    """Uploads, compares, looks, shares and deletes until told to stop."""

    def __init__(self, number: int, seed: int, client: Callable[[], Client], ledger: Ledger, exports: Exports) -> None:
        super().__init__(daemon=True)
        self.number, self.ledger, self.exports = number, ledger, exports
        self.chance = random.Random(f"{seed}:person:{number}")
        self.client = client()
        self.stopped = threading.Event()
        self.round = 0

    def run(self) -> None:
        busy = [self.pair] * 4 + [self.same_bytes] * 3 + [self.zipped, self.letter, self.swap, self.share]
        while not self.stopped.is_set():
            self.round += 1
            doing = self.look
            if len(self.ledger.waiting) < MOST_WAITING and self.chance.random() < 0.6:
                doing = self.chance.choice(busy)
            try:
                doing()
            except LOST:
                with self.ledger.lock:
                    self.ledger.counts["unanswered"] += 1
                self.stopped.wait(0.3)
            self.stopped.wait(self.chance.uniform(0.05, 0.4))

    def upload(self, template: str, remark: str = "", *, kept: bool = True) -> str | None:
        data = content(template, remark)
        answer = self.client.upload(name_of(template), data)
        if not self.ledger.answered("upload", answer, 201):
            return None
        pk = str(answer.json["id"])
        return self.ledger.keep(pk, template, data) if kept else pk

    def remark(self) -> str:
        return f"{self.number}.{self.round}"

    def pair(self) -> None:
        pair = self.chance.choice(PAIRS)
        made = [self.upload(template, self.remark()) for template in pair]
        if all(made):
            self.compare(pair, *made)

    def compare(self, pair: str, *reports: str | None, kept: bool = True) -> str | None:
        answer = self.client.post("/comparisons/", [("report", pk or "") for pk in reports])
        if not self.ledger.answered("compare", answer, 201):
            return None
        url = str(answer.json["url"])
        if kept:
            with self.ledger.lock:
                self.ledger.comparisons[url] = pair
                self.ledger.waiting.add(url)
        return url

    def same_bytes(self) -> None:
        """The same few files again and again: some to stay, some deleted while others send them."""
        remark = f"shared {self.chance.randrange(3)}"
        stays = self.chance.random() < 0.4
        made = [self.upload(template, remark, kept=stays) for template in "ab"]
        url = self.compare("ab", *made, kept=stays) if all(made) else None
        if url and not stays:
            self.stopped.wait(self.chance.uniform(0, 0.5))
            answer = self.client.post(f"{url}delete/", [])  # answered with the first page
            self.ledger.answered(f"delete {url}", answer, 200, 204, 404)

    def zipped(self) -> None:
        packed = io.BytesIO()
        parts = {name_of(t): (t, content(t, self.remark())) for t in "ab"} | {"letter.html": ("letter", LETTER)}
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, (_, data) in parts.items():
                archive.writestr(name, data)
        answer = self.client.upload("reports.zip", packed.getvalue())
        if self.ledger.answered("upload of a zip", answer, 201):
            for one in answer.json.get("reports", ()):
                name = one["name"].rsplit("/")[-1]
                if name in parts and parts[name][0] != "letter":
                    self.ledger.keep(one["id"], *parts[name])

    def letter(self) -> None:
        self.upload("letter")

    def swap(self) -> None:
        if (known := self.known("ab")) and self.ready(known):
            answer = self.client.post(f"{known}swap/", [])
            self.ledger.answered("swap", answer, 201)

    def share(self) -> None:
        if known := self.known():
            answer = self.client.post(f"{known}links/", [("days", "never")])
            if self.ledger.answered("share", answer, 201):
                with self.ledger.lock:
                    self.ledger.links[answer.json["path"]] = self.ledger.comparisons[known]

    def look(self) -> None:
        """A page, and where it is ready a section and an export, which are as they were without kills."""
        known = self.known()
        if known is None or not self.ready(known):
            self.ledger.answered("the first page", self.client.page("/"), 200)
            return
        page = self.client.page(known)
        if self.ledger.answered(f"page {known}", page, 200):
            sections = self.client.get(known).json.get("sections", ())
            for one in self.chance.sample(sections, min(2, len(sections))):
                self.ledger.answered(f"section {one['url']}", self.client.page(one["url"]), 200)
        ending = self.chance.choice(ENDINGS)
        answer = self.client.get(f"{known}export.{ending}")
        if self.ledger.answered(f"export {known}", answer, 200, 409):
            wrong = self.exports.differs(self.ledger.comparisons[known], ending, answer)
            self.ledger.wrong += [f"{known}: {wrong}"] if wrong and answer.status == 200 else []

    def known(self, pair: str = "") -> str | None:
        with self.ledger.lock:
            found = [url for url, its in self.ledger.comparisons.items() if not pair or its == pair]
        return self.chance.choice(found) if found else None

    def ready(self, url: str) -> bool:
        answer = self.client.get(f"{url}status/")
        if not self.ledger.answered(f"status {url}", answer, 200):
            return False
        state = answer.json["state"]
        if state in ("ready", "failed"):
            self.ledger.waiting.discard(url)
        return bool(state == "ready")


class Exports:
    """What each pair of templates exports when nobody kills anything."""

    def __init__(self, client: Client) -> None:
        self._undisturbed: dict[tuple[str, str], bytes] = {}
        for pair in PAIRS:
            made = [client.upload(name_of(t), content(t)).json["id"] for t in pair]
            url = client.compare(*made)
            assert client.settled(url)["state"] == "ready"
            for ending in ENDINGS:
                self._undisturbed[pair, ending] = without_address(client.get(f"{url}export.{ending}").body)

    def differs(self, pair: str, ending: str, answer: Answer) -> str:
        """What is wrong with an export, or nothing."""
        expected = self._undisturbed[pair, ending]
        if answer.status == 200 and without_address(answer.body) == expected:
            return ""
        return f"export.{ending} of {pair} is {answer.status}, {len(answer.body):,} bytes instead of {len(expected):,}"
