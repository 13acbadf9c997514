"""python measured.py NAME [FILE…]: milliseconds of processor time that one tree of awrdiff takes, as JSON.

bench/against.py runs it in this tree and in an older one, each as working folder and first on the path. So it knows
only what all share since 1.0.0: `parsers`, addresses, and the tasks that read and compare.
"""
# ruff: noqa: PLC0415 - Django's settings first

from __future__ import annotations

import importlib
import json
import os
import resource
import statistics
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from lxml import etree

from parsers import UnsupportedReport, parse_report

Figures = dict[str, float]


def cpu_ms(work: Callable[[], object]) -> float:
    """Of this process and of those it has waited for."""

    def spent() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    before = spent()
    work()
    return 1000 * (spent() - before)


def median_ms(work: Callable[[], object], times: int = 5) -> float:
    return statistics.median(cpu_ms(work) for _ in range(times))


def reading(files: list[bytes]) -> Figures:
    """Each once, every cell touched, as a worker reads what it has not seen before."""
    read: list[object] = []

    def all_of_them() -> None:
        for data in files:
            try:
                read.append([list(section.rows) for section in parse_report(data).sections])
            except UnsupportedReport:
                continue

    return {"all files": cpu_ms(all_of_them), "files": len(read)}


def lxml(files: list[bytes]) -> Figures:
    return {"lxml": cpu_ms(lambda: [len(etree.fromstring(d, etree.HTMLParser(huge_tree=True))) for d in files])}


class Site:
    """The web server in this process, for whoever started it, and the worker's tasks beside it."""

    def __init__(self) -> None:
        os.environ["DJANGO_SETTINGS_MODULE"] = "awrdiff.settings"
        importlib.import_module("django").setup()
        from django.conf import settings
        from django.test import Client

        settings.MIDDLEWARE = ["tests.harness.peer.SameUser", *settings.MIDDLEWARE]
        self.reader = partial(Client, SERVER_NAME="localhost")
        self.client = self.reader()
        self.read = importlib.import_module("awrdiff.reports.tasks").read_report

    def upload(self, data: bytes) -> str:
        file = BytesIO(data)
        file.name = "report.html"
        return self._made("/reports/", {"file": file})

    def compared(self, files: list[bytes], mark: int) -> str:
        """The path of a new comparison: the mark makes other bytes of the files."""
        reports = [self.upload(data + b"<!-- %d -->" % mark) for data in files]
        for pk in reports:
            self.read(pk)
        pk = self._made("/comparisons/", {"report": reports})
        importlib.import_module("awrdiff.comparisons.tasks").compute_comparison(pk)
        return f"/comparisons/{pk}/"

    def page(self, path: str, reader: Any = None, **headers: str) -> Any:
        answer = (reader or self.client).get(path, headers={"Accept": "text/html", **headers})
        if answer.status_code != (304 if headers else 200) or not (headers or answer.getvalue()):
            raise RuntimeError(f"{path}: {answer.status_code}")
        return answer

    def _made(self, path: str, sent: dict[str, Any]) -> str:
        return str(self.client.post(path, sent, headers={"Accept": "application/json"}).json()["id"])


def page(files: list[bytes]) -> Figures:
    site = Site()
    warm, *paths = (site.compared(files, mark) for mark in range(4))
    site.page(warm)
    figures = {"first of a result": statistics.median(cpu_ms(partial(site.page, path)) for path in paths)}
    figures["next reader"] = median_ms(lambda: site.page(paths[0], site.reader()), 9)
    etag = site.page(paths[0])["ETag"]
    return {**figures, "304": median_ms(lambda: site.page(paths[0], **{"If-None-Match": etag}), 9)}


def exports(files: list[bytes]) -> Figures:
    site = Site()
    path = site.compared(files, 0)
    site.page(f"{path}export.json")
    return {e: median_ms(partial(site.page, f"{path}export.{e}"), 3) for e in ("json", "csv", "md", "html")}


def importing(files: list[bytes]) -> Figures:
    """One file, in the web server and in the worker."""
    site, pks, statements = Site(), list[str](), list[str]()
    connection = importlib.import_module("django.db").connection

    def note(execute: Callable[..., Any], *asked: Any) -> Any:
        statements.append(asked[0])
        return execute(*asked)

    def upload() -> None:
        pks.append(site.upload(files[0] + b"<!-- %d -->" % len(pks)))

    upload()
    site.read(pks[0])
    with connection.execute_wrapper(note):
        took = [(cpu_ms(upload), cpu_ms(lambda: site.read(pks[-1]))) for _ in range(7)]
    web, worker = map(statistics.median, zip(*took, strict=True))
    return {"web": web, "worker": worker, "statements": len(statements) / len(took)}


def lists(_files: list[bytes]) -> Figures:
    """Pages over 100,000 reports of 300 databases and 20,000 comparisons, on SQLite."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    plans = importlib.import_module("tests.harness.plans")
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client, override_settings

    plain = [one for one in settings.MIDDLEWARE if "FlatPages" not in one]  # it looks at every page for the tests
    with override_settings(AWRDIFF_LOCAL_USER=False, ALLOWED_HOSTS=["testserver"], MIDDLEWARE=plain):
        call_command("migrate", verbosity=0)
        addresses = {"search": "/?q=db007", "first": "/", "fleet": plans.filled()["fleet"]}
        client = Client()
        client.force_login(plans.context_of("olivia", "Payments").user)
        return {name: median_ms(partial(client.get, address)) for name, address in addresses.items()}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]]([Path(name).read_bytes() for name in sys.argv[2:]])))
