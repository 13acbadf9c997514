"""The pages of 300 databases with 100,000 reports, 20,000 comparisons and 2,000 incidents."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial
from importlib import import_module

from django.conf import settings
from django.core.management import call_command
from django.test import Client, override_settings

from bench.line import cpu_seconds, line

TURNS = 5
MOST_MS, MOST_SQL_MS = 300, 100
PAGES = ("fleet", "api fleet", "api databases", "first", "database over time", "search", "search for a word and a day")


def run() -> Iterator[str]:
    plans = import_module("tests.harness.plans")  # the tests' own pages are not typed
    plain = [one for one in settings.MIDDLEWARE if "FlatPages" not in one]  # it is the tests' own
    with override_settings(AWRDIFF_LOCAL_USER=False, ALLOWED_HOSTS=["testserver"], MIDDLEWARE=plain):
        call_command("migrate", verbosity=0)
        addresses = plans.filled()
        client = Client()
        client.force_login(plans.context_of("olivia", "Payments").user)
        for page in PAGES:
            took = statistics.median(cpu_seconds(partial(client.get, addresses[page])) for _ in range(TURNS))
            questions = plans.asked(addresses[page])
            name = f"{page}, 300 databases, 100,000 reports"
            yield line(f"{name}: processor time", took * 1000, "ms", baseline=MOST_MS)
            yield line(f"{name}: of it SQL", sum(one.took_ms() for one in questions), "ms", baseline=MOST_SQL_MS)
            yield line(f"{name}: SQL queries", len(questions), "count")
